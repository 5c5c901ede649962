"""Journals: damage of any kind is found, named, and costs the cell that it hit."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from svmosaic.exceptions import DataFileError
from svmosaic.experiments import read_results, read_spec, result_table, run_experiment
from svmosaic.experiments import runner as runner_module
from svmosaic.experiments.journal import (
    Entry,
    Journal,
    cell_label,
    read_entries,
    read_journal,
)
from svmosaic.experiments.results import damaged_cells, failed_cells, read_history

N_FLIPS = int(os.environ.get("SVMOSAIC_FLIPS", "400"))


def _key(number):
    return hashlib.sha256(str(number).encode()).hexdigest()


def _entry(number, *, status="done", score=0.5):
    key = _key(number)
    record = (
        {"error": "ValueError: no * J", "cell_seconds": 0.1}
        if status == "failed"
        else {
            **{"repeat": 0, "fold": number, "accuracy": score, "params": {"C": 10.0}},
            **{"search_scores": {"params": {"C": [1.0, 10.0]}, "score": [0.5, 0.25]}},
            **{"warnings": ["Jä * \n\0 {[\"'"], "n_support": number, "reused_from": None},
        }
    )
    return Entry(key, "the data", "method J*", 0, number, status, record, "2026-01-01T00:00:00")


def _plan(*numbers):
    return {_key(number): cell_label("method J*", "the data", 0, number) for number in numbers}


def _write_journal(folder):
    """Write a journal with several starts, a changed plan and a cell that was run again."""
    folder.mkdir(exist_ok=True)
    path = folder / "journal.jsonl"
    with Journal(path) as journal:
        journal.begin(_plan(*range(5)), "2026-01-01", {"name": "one", "spec": "Spec(a=1)"})
        journal.add(_entry(0), _entry(1))
        journal.add(_entry(2, status="failed"))
    with Journal(path) as journal:
        journal.begin(_plan(*range(5)), "2026-01-02", {"name": "one", "spec": "Spec(a=1)"})
        journal.add(_entry(3, score=1 / 3))
        journal.add(_entry(4, status="failed"))
    with Journal(path) as journal:
        journal.begin(_plan(*range(1, 7)), "2026-01-03", {"name": "two", "spec": "Spec(a=2)"})
        journal.add(_entry(2, score=0.75))
        journal.add(_entry(5))
    return path


def _state(path):
    """Return all that readers see."""
    content = read_journal(path)
    return list(content.entries.items()), list(content.plan.items()), content.starts


def _read_quietly(folder):
    """Return the results, or None if they are refused, and all messages."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = read_results(folder)
        except DataFileError as error:
            return None, [str(error)]
    return results, [str(one.message) for one in caught]


# Flipped bits -------------------------------------------------------------------------------


def test_no_flipped_bit_passes_unnoticed(tmp_path):
    path = _write_journal(tmp_path)
    good = path.read_bytes()
    entries = {entry.key: entry for entry in read_entries(path)}
    results, failed, starts = read_results(tmp_path), failed_cells(tmp_path), read_history(tmp_path)
    with Journal(path) as journal:
        finished = journal.finished()
    rng = random.Random(0)
    counts = {"same": 0, "named": 0, "refused": 0}

    for place in rng.sample(range(8 * len(good)), min(N_FLIPS, 8 * len(good))):
        line = good.count(b"\n", 0, place // 8) + 1
        flipped = bytearray(good)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        now, messages = _read_quietly(tmp_path)
        if now is None:
            # The record of a start. Every cell is kept, and the next start says the plan again.
            counts["refused"] += 1
            assert f"journal.jsonl, line {line}:" in messages[0]
            assert json.loads(good.splitlines()[line - 1])[1] == "start"
            with Journal(path) as journal:
                assert journal.finished() == finished
                journal.begin(_plan(*range(1, 7)), "2026-01-03", starts[-1].provenance)
            assert (read_results(tmp_path), failed_cells(tmp_path)) == (results, failed)
            continue
        assert read_history(tmp_path) == starts
        damaged = damaged_cells(tmp_path)
        if not damaged:
            counts["same"] += 1
            assert (now, messages, failed_cells(tmp_path)) == (results, [], failed)
            continue
        counts["named"] += 1
        (one,) = damaged
        lost = entries[one.key]
        assert (one.label, one.line) == (lost.label, line)
        assert len(messages) == 1
        assert f"{lost.label} (journal.jsonl, line {line})" in messages[0]
        assert now == [record for record in results if record["fold"] != lost.fold]
        assert failed_cells(tmp_path) == [entry for entry in failed if entry.key != lost.key]
        with Journal(path) as journal:
            assert finished.keys() - journal.finished().keys() == {one.key}
            journal.add(lost)
        assert (read_results(tmp_path), failed_cells(tmp_path)) == (results, failed)

    assert counts["named"] > N_FLIPS / 3
    assert counts["refused"] > 0


@pytest.mark.filterwarnings("ignore:1 damaged record in the journal")
def test_a_damaged_cell_is_run_again_and_nothing_else(folder):
    spec = read_spec("spec.toml")
    run_experiment(spec, "out")
    path = Path("out/journal.jsonl")
    before = {entry.key: entry for entry in read_entries(path)}
    scores = [(r["dataset"], r["method"], r["fold"], r["accuracy"]) for r in read_results("out")]
    text = path.read_text()
    # A digit of an accuracy in the fifth record of a cell.
    lines = text.splitlines(keepends=True)
    lost = json.loads(lines[6])[1]
    place = lines[6].index('"accuracy": ') + len('"accuracy": ')
    lines[6] = f"{lines[6][:place]}{int(lines[6][place]) ^ 1}{lines[6][place + 1 :]}"
    path.write_text("".join(lines))

    name = before[lost].label
    with pytest.warns(
        UserWarning, match=rf"1 damaged record in the journal: {name} \(journal.jsonl, line 7\)"
    ):
        assert len(read_results("out")) == 11
    with pytest.raises(ValueError, match=before[lost].dataset):
        result_table("out", "accuracy")
    with pytest.warns(UserWarning, match=rf"{name} .*Damaged cells are run again"):
        summary = run_experiment(spec, "out")

    assert (summary.n_before, summary.n_done) == (11, 1)
    after = {entry.key: entry for entry in read_entries(path)}
    assert {key for key in before if before[key] != after[key]} == {lost}
    again = [(r["dataset"], r["method"], r["fold"], r["accuracy"]) for r in read_results("out")]
    assert again == scores
    assert run_experiment(spec, "out").n_done == 0


def test_an_older_record_does_not_take_the_place_of_a_damaged_one(tmp_path):
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.begin(_plan(0), "2026-01-01", {})
        journal.add(_entry(0, status="failed"))
        journal.add(_entry(0))
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.7"))

    for _ in range(2):
        with Journal(path) as journal:
            assert journal.finished() == {}
            journal.begin(_plan(0), "2026-01-01", {})
        assert [one.label for one in damaged_cells(tmp_path)] == list(_plan(0).values())
        assert failed_cells(tmp_path) == []


# Lines that are missing, torn, or not of a journal ----------------------------------------------


def test_missing_repeated_and_exchanged_lines_are_found(tmp_path):
    path = _write_journal(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    for i in range(1, len(lines) - 1):
        for changed in (
            lines[:i] + lines[i + 1 :],
            lines[:i] + lines[i : i + 1] + lines[i:],
            [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]],
        ):
            path.write_bytes(b"".join(changed))
            with pytest.raises(DataFileError, match=r"journal.jsonl, line \d+: the record of"):
                read_results(tmp_path)


def test_a_block_of_zeros_costs_the_cells_that_it_hit(tmp_path):
    path = _write_journal(tmp_path)
    good = path.read_bytes()
    with Journal(path) as journal:
        finished = journal.finished()
    lines = good.splitlines(keepends=True)
    ends = [sum(map(len, lines[: i + 1])) for i in range(len(lines))]

    for begin in range(0, len(good) - 200, 97):
        path.write_bytes(good[:begin] + bytes(200) + good[begin + 200 :])
        hit = {
            json.loads(line)[1]
            for line, end in zip(lines, ends, strict=True)
            if end > begin and end - len(line) < begin + 200
        }
        with Journal(path) as journal:
            kept = journal.finished()
            journal.begin(_plan(*range(1, 7)), "2026-01-03", {})
        assert finished.keys() - kept.keys() <= hit
        assert {key for key in kept if kept[key] != finished[key]} <= hit
        # The start knows of the damage: what is left can be read.
        assert {entry.key for entry in read_entries(path)} <= kept.keys()


def test_a_line_that_was_never_a_record_is_ignored(tmp_path):
    path = _write_journal(tmp_path)
    before = _state(path)
    lines = path.read_bytes().splitlines(keepends=True)

    path.write_bytes(b"".join([*lines[:4], b"\n", b"a note by somebody\n", *lines[4:]]))

    assert _state(path) == before


def test_a_kill_during_a_write_loses_the_unfinished_line_only(tmp_path):
    path = _write_journal(tmp_path)
    good = path.read_bytes()
    begin = good.rindex(b"\n", 0, -1) + 1
    last = read_entries(path)[-1]
    for size in [*range(begin, len(good), 7), len(good) - 1]:
        path.write_bytes(good[:size])
        # A line without its end is whole.
        whole = size == len(good) - 1
        assert (last in read_entries(path)) is whole
        assert damaged_cells(tmp_path) == []
        with Journal(path) as journal:
            assert (last.key in journal.finished()) is whole
            journal.add(last)
        if not whole:
            assert path.read_bytes() == good
        assert read_entries(path)[-1] == last
        assert read_journal(path).unknown == {}


# Kills children that write as fast as they can; prints how many cells were confirmed and kept.
_KILLS = """
import os, random, signal, sys, time
from pathlib import Path
from svmosaic.experiments.journal import Entry, Journal, read_journal

def entry(n):
    return Entry(f"cell {n}", "d", "m", 0, n, "done", {"text": "x" * (n % 7 * 1000)}, "now")

path, n_kills, rng, confirmed = Path(sys.argv[1]), int(sys.argv[2]), random.Random(0), -1
for _ in range(n_kills):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with Journal(path) as journal:
            n = len(journal.finished())
            journal.begin({f"cell {i}": "c" for i in range(n + 5)}, "now", {})
            while True:
                journal.add(entry(n))
                os.write(writer, b"%d " % n)
                n += 1
    os.close(writer)
    time.sleep(rng.uniform(0.005, 0.05))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as stream:
        confirmed = max([confirmed, *map(int, stream.read().split())])
    content = read_journal(path) if path.exists() else None
    kept = content.entries if content else {}
    assert not content or not content.damaged
    assert len(kept) > confirmed, (len(kept), confirmed)
    assert list(kept.values()) == [entry(n) for n in range(len(kept))]
print(confirmed, len(kept))
"""


def test_kills_at_any_moment_lose_no_cell(tmp_path):
    command = [sys.executable, "-c", _KILLS, str(tmp_path / "journal.jsonl"), "40"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    confirmed, kept = map(int, done.stdout.split())
    assert kept > confirmed > 20


def test_what_is_no_journal_is_left_alone(folder):
    Path("out").mkdir()
    path = Path("out/journal.jsonl")
    for text in ("a letter to a friend", "a letter to a friend\n", '{"a": 1}\n', "\0" * 5000):
        path.write_text(text)

        with pytest.raises(DataFileError, match="is not the journal of an experiment"):
            run_experiment(read_spec("spec.toml"), "out")
        with pytest.raises(DataFileError, match="is not the journal of an experiment"):
            read_results("out")
        assert path.read_text() == text


def test_a_journal_of_a_later_format_is_refused(folder, monkeypatch):
    monkeypatch.setattr("svmosaic.experiments.journal._FORMAT", 7)
    Path("out").mkdir()
    with Journal(Path("out/journal.jsonl")):
        pass
    monkeypatch.undo()
    os.chdir(folder)

    with pytest.raises(DataFileError, match="has the format 7"):
        run_experiment(read_spec(folder / "spec.toml"), folder / "out")


# Disks, folders, writers and clocks -------------------------------------------------------------


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from svmosaic.experiments.journal import Entry, Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path, limit = Path(sys.argv[1]), int(sys.argv[2])
with Journal(path) as journal:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        journal.add(Entry("k", "d", "m", 0, 0, "done", {"text": "x" * 1000}, "now"))
    except OSError as error:
        print(error)
    journal.add(Entry("s", "d", "m", 0, 1, "done", {}, "now"))
"""


def test_a_full_disk_leaves_no_part_of_a_record(tmp_path):
    path = _write_journal(tmp_path)
    size = path.stat().st_size

    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(path), str(size + 500)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == (
        f"The journal {str(path)!r} cannot be written: File too large. What was finished before is "
        "kept.\n"
    )
    content = read_journal(path)
    assert "s" in content.entries
    assert "k" not in content.entries
    assert not content.damaged


def test_ctrl_c_during_the_wait_for_the_disk_keeps_the_record(tmp_path, monkeypatch):
    path = _write_journal(tmp_path)
    before = read_journal(path)

    def press(_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    with Journal(path) as journal:
        monkeypatch.setattr(os, "fsync", press)
        with pytest.raises(KeyboardInterrupt):
            journal.add(_entry(8))
        journal.add(_entry(9))

    content = read_journal(path)
    assert set(content.entries) == {*before.entries, _key(8), _key(9)}
    assert not content.damaged


def test_a_second_writer_is_refused_and_readers_are_not(tmp_path):
    path = _write_journal(tmp_path)
    before = _state(path)
    with Journal(path):
        with (
            pytest.raises(BlockingIOError, match="Another process is running the experiment"),
            Journal(path),
        ):
            pass

        assert _state(path) == before

    with Journal(path) as journal:
        assert journal.finished()


def test_a_journal_of_a_folder_without_permission_can_be_read(tmp_path, monkeypatch):
    path = _write_journal(tmp_path)
    before = _state(path)
    # Root may write everywhere, whatever the mode.
    monkeypatch.setattr(os, "access", lambda *_, **__: False)

    with pytest.raises(PermissionError, match="write-protected"), Journal(path):
        pass

    assert _state(path) == before


def test_a_clock_that_jumps_back_changes_nothing(folder, monkeypatch):
    spec = read_spec("spec.toml")
    run_experiment(spec, "out", shard=(1, 2))
    path = folder / "spec.toml"
    path.write_text(path.read_text().replace('name = "small"', 'name = "later"'))
    monkeypatch.setattr(runner_module, "now", lambda: "1970-01-01T00:00:00+00:00")

    summary = run_experiment(read_spec("spec.toml"), "out", shard=(1, 2))
    run_experiment(read_spec("spec.toml"), "out", shard=(2, 2))

    assert (summary.n_done, len(read_results("out"))) == (0, 12)
    # The last start of a journal stays the last of it.
    names = [
        start.provenance["name"]
        for start in read_history("out")
        if start.journal == "journal-1-of-2.jsonl"
    ]
    assert names == ["small", "later"]


# Journals of earlier versions -------------------------------------------------------------------


def _write_old_journal(path, entries, plan, starts):
    """Write a journal as version 0.1 did."""
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE cells (
            key TEXT PRIMARY KEY, dataset TEXT NOT NULL, method TEXT NOT NULL,
            repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
            record TEXT NOT NULL, finished TEXT NOT NULL);
        CREATE TABLE plan (position INTEGER PRIMARY KEY, key TEXT NOT NULL);
        CREATE TABLE runs (started TEXT NOT NULL, provenance TEXT NOT NULL);
        PRAGMA user_version = 1;
    """)
    rows = [
        (
            *(entry.key, entry.dataset, entry.method, entry.repeat, entry.fold),
            *(entry.status, json.dumps(entry.record), entry.finished),
        )
        for entry in entries
    ]
    connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO plan VALUES (?, ?)", enumerate(plan))
    values = [(started, json.dumps(provenance)) for started, provenance in starts]
    connection.executemany("INSERT INTO runs VALUES (?, ?)", values)
    connection.commit()
    connection.close()


@pytest.fixture
def old_run(tmp_path):
    """The folder of a run by an earlier version."""
    entries = [_entry(2), _entry(0), _entry(1, status="failed"), _entry(9)]
    starts = [("2025-01-01", {"name": "a"}), ("2025-01-02", {"name": "b"})]
    _write_old_journal(tmp_path / "journal.sqlite", entries, [*_plan(0, 1, 2, 3)], starts)
    return tmp_path


def test_an_old_journal_is_read(old_run):
    assert [record["fold"] for record in read_results(old_run)] == [0, 2]
    assert failed_cells(old_run) == [_entry(1, status="failed")]
    assert [start.provenance["name"] for start in read_history(old_run)] == ["a", "b"]
    assert [path.name for path in old_run.iterdir()] == ["journal.sqlite"]


def test_a_run_goes_on_from_an_old_journal(old_run):
    before = (read_results(old_run), failed_cells(old_run))
    old = (old_run / "journal.sqlite").read_bytes()

    with Journal(old_run / "journal.jsonl") as journal:
        assert journal.finished() == {
            **{_entry(number).key: "done" for number in (0, 2, 9)},
            _entry(1).key: "failed",
        }

    assert (read_results(old_run), failed_cells(old_run)) == before
    assert [start.provenance["name"] for start in read_history(old_run)] == ["a", "b"]
    with Journal(old_run / "journal.jsonl") as journal:
        journal.add(_entry(3))
    assert [record["fold"] for record in read_results(old_run)] == [0, 2, 3]
    assert (old_run / "journal.sqlite").read_bytes() == old


def test_damage_of_an_old_journal_is_one_kind_of_error(old_run):
    """Without checksums a changed number is not found, but nothing else may happen."""
    path = old_run / "journal.sqlite"
    good = path.read_bytes()
    rng = random.Random(1)
    for place in rng.sample(range(8 * len(good)), 200):
        flipped = bytearray(good)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            read_results(old_run)
            read_history(old_run)
        except DataFileError:
            continue
