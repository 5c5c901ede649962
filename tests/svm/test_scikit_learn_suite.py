"""scikit-learn's own tests of its support vector machines, with ours in their place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import sklearn

PAGE = Path(__file__).parents[2] / "docs" / "coming_from_svc.md"
SUITE = "sklearn.svm.tests.test_svm"


def table_of_failures():
    """Return the version of scikit-learn, how many tests pass of how many, and what fails."""
    text = PAGE.read_text(encoding="utf-8")
    version, passed, total = re.search(
        r"With scikit-learn (\d+\.\d+)[^|]*?(\d+) of (\d+) tests pass", text
    ).groups()
    rows = re.findall(r"^\| `(test_\w+(?:\[[^\]]+\])?)` \| (.+) \|$", text, re.MULTILINE)
    return version, int(passed), int(total), dict(rows)


def run_suite(tmp_path):
    """Return the outcome of each test. scikit-learn is replaced in the other process only."""
    settings, outcomes = tmp_path / "pytest.ini", tmp_path / "outcomes.json"
    settings.write_text("[pytest]\n", encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SVMOSAIC_OUTCOMES": str(outcomes),
        "SKLEARN_TESTS_GLOBAL_RANDOM_SEED": "42",
    }
    options = ["-q", "-c", str(settings), "-p", "no:cacheprovider", "-p", "no:randomly"]
    command = [sys.executable, "-m", "pytest", *options, "-p", "in_place_of_scikit_learn"]
    run = subprocess.run(
        [*command, "--pyargs", SUITE],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert outcomes.exists(), run.stdout + run.stderr
    return json.loads(outcomes.read_text(encoding="utf-8"))


def test_scikit_learns_own_tests_pass_but_for_the_table(tmp_path):
    version, passed, total, expected = table_of_failures()
    if ".".join(sklearn.__version__.split(".")[:2]) != version:
        pytest.skip(f"the table is for the tests of scikit-learn {version}")
    if find_spec("sklearn.svm.tests") is None:
        pytest.skip("this scikit-learn was installed without its tests")

    outcomes = run_suite(tmp_path)

    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    assert failed <= set(expected)
    # What rounding decides may pass on another processor.
    outdated = set(expected) - failed
    assert all(expected[name].startswith("Rounding") for name in outdated), outdated
    assert len(outcomes) == total
    assert list(outcomes.values()).count("passed") >= passed == total - len(expected) >= 118


@pytest.mark.parametrize("name", ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"])
def test_the_page_names_every_parameter_and_attribute(name):
    import sklearn.svm

    text = PAGE.read_text(encoding="utf-8")
    listed = set(
        re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)))
    )

    assert set(getattr(sklearn.svm, name)().get_params()) <= listed
    documented = re.findall(r"^    (\w+_) : ", getattr(sklearn.svm, name).__doc__, re.MULTILINE)
    assert len(documented) > 8
    assert set(documented) <= listed
