"""What releases are made of: tags of wheels, the list of parts, settings and workflows."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture
def distribution(monkeypatch):
    """Make the modules of tools/distribution importable, and forget them afterwards."""
    folder = ROOT / "tools" / "distribution"
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if (folder / f"{name}.py").exists():
            del sys.modules[name]


@pytest.mark.parametrize(
    ("version", "tag"),
    [
        ("3.11", "cp311-cp311"),
        ("3.12", "cp312-abi3"),
        ("3.14", "cp312-abi3"),
        ("3.13t", "cp313-cp313t"),
    ],
)
def test_every_python_has_its_wheel(distribution, version, tag):
    from pythons import Python

    assert Python(version, Path("python")).wheel == tag


def test_this_python_is_found(distribution):
    from pythons import find_pythons

    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = {python.version.removesuffix("t") for python in find_pythons([sys.executable])}

    assert version in found


def test_a_command_that_fails_is_a_line_and_its_output_a_file(distribution, tmp_path, capsys):
    from outcomes import Log

    log = Log(tmp_path)
    assert log.check("one", "one", [sys.executable, "-c", "print('fine')"]) == "fine"
    assert log.check("two", "two", [sys.executable, "-c", "raise SystemExit('why')"]) is None

    assert log.failed
    assert [outcome.result for outcome in log.outcomes] == ["passed", "FAILED"]
    assert "why" in capsys.readouterr().err
    assert "why" in (tmp_path / "02-two.txt").read_text(encoding="utf-8")


@pytest.mark.skipif(find_spec("nanobind") is None, reason="needs nanobind, to read its version")
def test_the_list_of_parts_is_complete_and_always_the_same(tmp_path):
    paths = [tmp_path / name for name in ("one.cdx.json", "two.cdx.json")]
    for path in paths:
        words = [ROOT / "tools" / "sbom.py", path, "--compiler", "GNU"]
        subprocess.run([sys.executable, *words, "--compiler-version", "12.2.0"], check=True)
    parts = json.loads(paths[0].read_text(encoding="utf-8"))

    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert parts["bomFormat"] == "CycloneDX"
    names = {part["name"]: part for part in parts["components"]}
    needed = {re.match(r"[\w-]+", text)[0] for text in PROJECT["project"]["dependencies"]}
    assert names.keys() == needed | {"nanobind", "robin-map"}
    assert names["nanobind"]["licenses"] == [{"license": {"id": "BSD-3-Clause"}}]
    assert re.fullmatch(r"\d+\.\d+\.\d+", names["robin-map"]["version"])


def test_wheels_are_for_the_pythons_that_the_list_has(distribution):
    from identifiers import EXPECTED, PYTHONS

    settings = PROJECT["tool"]["cibuildwheel"]

    assert [f"{python}-*" for python in sorted(PYTHONS)] == sorted(settings["build"])
    assert len(EXPECTED) == 5
    assert settings["macos"]["environment"]["MACOSX_DEPLOYMENT_TARGET"] == "11.0"
    assert settings["linux"]["manylinux-aarch64-image"] == "manylinux_2_28"
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_little_and_name_actions_by_commit(path):
    text = path.read_text(encoding="utf-8")

    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    for action in re.findall(r"uses: (\S+)", text):
        assert action.startswith("./") or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action), action
    assert "password" not in text.split("\njobs:")[1]
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_the_rows_of_the_matrix_cover_the_claimed_minimums(distribution, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import matrix

    (oldest,) = (row for row in matrix.ROWS if row.name == "oldest")
    exact = {text.split("==")[0]: text.split("==")[1] for text in oldest.requirements}

    for requirement in PROJECT["project"]["dependencies"]:
        name, minimum = requirement.split(">=")
        assert exact[name] == f"{minimum}.*", name
    assert oldest.pythons == (PROJECT["project"]["requires-python"].removeprefix(">="),)
    for path in matrix.CORE:
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize(
    ("outcome", "failed", "words"),
    [
        ({"n_failed": 0, "tests": Path("core_tests")}, False, "the tests are linked"),
        ({"n_failed": 1, "tests": None}, True, "73 of 74 files, NOT linked"),
        ({"n_failed": 0, "tests": Path("t"), "tests_passed": True}, False, "the tests passed"),
        ({"n_failed": 0, "tests": Path("t"), "tests_passed": False}, True, "the tests FAILED"),
        ({"n_failed": 0, "tests": None, "checked_only": True}, False, "without optimising"),
        ({"n_failed": 2, "tests": None, "checked_only": True}, True, "72 of 74 files"),
    ],
)
def test_a_target_fails_if_it_is_not_linked_or_its_tests_fail(monkeypatch, outcome, failed, words):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from cross_compile import Compiled

    compiled = Compiled("x86_64-linux-gnu", 74, **outcome)

    assert compiled.failed is failed
    assert words in str(compiled)


@pytest.mark.parametrize(
    ("printed", "exit_status", "passed"),
    [
        ("694346 passed, 0 failed", 0, True),
        ("694345 passed, 1 failed", 0, False),
        ("694346 passed, 0 failed", 1, False),
        ("0 passed, 0 failed", 0, False),
        # As Wine ends after a crash.
        ("thread_pool 285 checks", 0, False),
    ],
)
def test_the_tests_of_a_target_must_say_that_they_passed(
    monkeypatch, capsys, printed, exit_status, passed
):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import cross_compile

    linked = cross_compile.Compiled("x86_64-linux-gnu", 74, 0, Path("core_tests"))
    monkeypatch.setattr(cross_compile, "cross_compile", lambda target, n_jobs: linked)
    monkeypatch.setattr(cross_compile.importlib.util, "find_spec", lambda name: name)
    emulator = shlex.join([sys.executable, "-c", f"print('{printed}'); exit({exit_status})"])
    monkeypatch.setattr(sys, "argv", ["cross_compile", "x86_64-linux-gnu", "--run", emulator])

    assert cross_compile.main() == int(not passed)
    out = capsys.readouterr().out
    assert printed in out
    assert ("the tests passed" in out) is passed
