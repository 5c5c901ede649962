"""A short form of `make attack`, in this process, and what the program itself counts."""

from __future__ import annotations

import importlib.util
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "tools" / "attack"
sys.path.insert(0, str(FOLDER))

from files import FILES  # noqa: E402
from fits import FITS  # noqa: E402

# A case that fits takes longer than one that reads a file.
CASES = {**dict.fromkeys(FILES, 120), **dict.fromkeys(FITS, 5), "leaks": 1}


@pytest.fixture(scope="module")
def program():
    """Return the program as a module."""
    spec = importlib.util.spec_from_file_location("attack_program", FOLDER / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    # Its records look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("target", CASES)
def test_no_case_goes_wrong(target, tmp_path):
    case = {**FILES, **FITS}[target](tmp_path)

    for number in range(CASES[target]):
        case(np.random.default_rng([0, zlib.crc32(target.encode()), number]))


def test_a_corpus_is_read_back(tmp_path, monkeypatch):
    import corpus

    monkeypatch.setattr(corpus, "_FOLDER", tmp_path / "corpus")
    files = [b"", b"\x00\xff\n", "é".encode()]

    corpus.write_corpus("bags in CSV", files)

    assert corpus.read_corpus("bags in CSV") == files
    assert corpus.read_corpus("another target") == []


@pytest.mark.parametrize("target", FILES)
def test_every_target_begins_from_its_corpus(target, tmp_path):
    from corpus import read_corpus

    kept = read_corpus(target)

    assert 1 <= len(kept) <= 60
    assert max(map(len, kept)) <= 4000
    assert set(kept) <= set(FILES[target](tmp_path).args[1])


WORKER = """
import json, os, sys
first = int(sys.argv[3])
sum(range(3_000_000))
for number in range(first, 6):
    print(json.dumps({"begin": number}), flush=True)
    if number == 2:
        os.abort()
    error = "KeyError at file.py:1: 'x'" if number == 4 else None
    seconds, mb = (3.0 if number == 1 else 0.0), (900.0 if number == 5 else 1.0)
    print(json.dumps({"end": number, "seconds": seconds, "mb": mb, "error": error}), flush=True)
"""


def test_every_kind_of_fault_is_counted(program, tmp_path, monkeypatch):
    (tmp_path / "worker.py").write_text(WORKER)
    monkeypatch.setattr(program, "_HERE", tmp_path)

    found = program.attack("CSV", 0, 30.0)

    assert (found.cases, found.crashes, found.hangs, found.memory, found.exceptions) == (
        *(5, 1, 1, 1, 1),
    )
    log = program.make_log([found], 0, "abc1234")
    assert "commit abc1234" in log
    assert "5 cases, 4 faults" in log
    assert "case 2: the process ended with -6" in log
    assert "case 4: KeyError at file.py:1" in log
    assert "| CSV | 5 |" in log
    assert found.processor_seconds > 0.01
