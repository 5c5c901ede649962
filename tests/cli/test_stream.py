"""The command ``svmosaic stream``: learners along a stream, stopped and taken up."""

from __future__ import annotations

import csv
import io
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from svmosaic.cli.interrupt import GentleInterrupt
from svmosaic.cli.stream import _ProgressLine

LEARNERS = ("--learner", "olla-l2", "--learner", "sklearn.naive_bayes.GaussianNB")


def _rows(path):
    with path.open() as stream:
        return [
            {k: v for k, v in row.items() if not k.endswith(("_seconds", "n_bytes"))}
            for row in csv.DictReader(stream)
        ]


def test_a_stream_by_name(svmosaic, tmp_path):
    outcome = svmosaic(
        *("stream", "SEASuddenAN0", *LEARNERS, "--samples", 4000, "--out", tmp_path / "out")
    )

    assert outcome.code == 0, outcome.err
    # Kappa-T, then the accuracy.
    assert re.search(r"olla-l2 +-?0\.\d+ +0\.[78]", outcome.out)
    assert "GaussianNB" in outcome.out
    assert re.search(r"no-change +-?0\.0", outcome.out)
    assert re.search(r"majority +-?0\.\d+ +0\.\d+", outcome.out)
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {"chunks.csv", "accuracy.svg", "report.html", "run.checkpoint"}
    assert [row["end"] for row in _rows(tmp_path / "out" / "chunks.csv")][:4] == [
        *("1000", "2000", "3000", "4000")
    ]


def test_predictions_and_alarms(svmosaic, tmp_path):
    outcome = svmosaic(
        *("stream", "STAGGERGeneratorF1BF", "--learner", "stream-ollawv", "--samples", 4000),
        *("--predictions", "--out", tmp_path / "out"),
    )

    assert outcome.code == 0, outcome.err
    assert "chunks.csv, predictions.csv" in outcome.out
    assert re.search(r"changes found +false alarms +mean delay\n", outcome.out)
    lines = (tmp_path / "out" / "predictions.csv").read_text().splitlines()
    assert lines[0] == "sample,label,stream-ollawv"
    assert len(lines) == 4001
    assert "Alarms" in (tmp_path / "out" / "report.html").read_text()


def test_a_file_without_known_changes_says_so(svmosaic, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    data = tmp_path / "rows.csv"
    np.savetxt(data, np.column_stack([X, X[:, 0] > 0]), delimiter=",", fmt="%.3f")

    outcome = svmosaic(
        *("stream", data, "--learner", "stream-ollawv", "--chunk", 100),
        *("--out", tmp_path / "out"),
    )

    assert outcome.code == 0, outcome.err
    page = (tmp_path / "out" / "report.html").read_text()
    for text in (outcome.out, page):
        assert "none known" in text
        assert "0 of 0" not in text
    assert "nobody can say which" in page


def test_a_file_with_its_target(svmosaic, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["kind,a,b"]
    for a, b in rng.normal(size=(400, 2)):
        lines.append(f"{'yes' if a > 0 else 'no'},{a:.4f},{b:.4f}")
    path = tmp_path / "points.csv"
    path.write_text("\n".join(lines) + "\n")

    outcome = svmosaic(
        *("stream", path, "--learner", "nlsgd", "--target", "kind", "--chunk", 100),
        *("--window", 50, "--out", tmp_path / "out"),
    )

    assert outcome.code == 0, outcome.err
    rows = _rows(tmp_path / "out" / "chunks.csv")
    (*_, last) = (row for row in rows if row["learner"] == "nlsgd")
    assert last["end"] == "400"
    assert [row["learner"] for row in rows[-2:]] == ["no-change", "majority"]
    assert float(last["accuracy"]) > 0.8


def test_a_file_as_people_have_it(svmosaic, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["Nr;Größe;Code;seit;wer;Klasse"]
    for i, a in enumerate(rng.normal(size=300)):
        size = f"{a:.4f}".replace(".", ",")
        lines.append(f"{i};{size};{i % 3};{i % 28 + 1}.2.2024;x{i};{'süß' if a > 0 else 'herb'}")
    path = tmp_path / "export.csv"
    path.write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    words = ("stream", path, "--learner", "nlsgd", "--chunk", 100, "--window", 50)

    outcome = svmosaic(
        *(*words, "--out", tmp_path / "out", "--encoding", "cp1252", "--dates", "dmy"),
        *("--id", "Nr", "--drop", "wer", "--categorical", "Code"),
    )
    refused = svmosaic(*words, "--out", tmp_path / "o", "--encoding", "cp1252", "--drop", "wer")
    unknown = svmosaic(*words, "--out", tmp_path / "o", "--encoding", "cp1252", "--drop", "wo")
    other = svmosaic(*words, "--out", tmp_path / "o")

    assert outcome.code == 0, outcome.err
    assert "<td>5</td>" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    (*_, last) = _rows(tmp_path / "out" / "chunks.csv")
    assert last["end"] == "300"
    assert "column 'seit' holds dates such as '1.2.2024'. Pass --dates" in refused.err
    assert "--drop: export.csv has no column 'wo'" in unknown.err
    assert "pass --encoding cp1252" in other.err


def test_parameters_belong_to_the_learner_before_them(svmosaic, tmp_path):
    outcome = svmosaic(
        *("stream", "SEASuddenAN0", "--samples", 2000, "--no-checkpoint", "--out", tmp_path / "o"),
        *("--learner", "olla-l2", "--set", "budget=20"),
        *("--learner", "olla-l2", "--set", "budget=50", "--set", "gamma=2.0"),
    )

    assert outcome.code == 0, outcome.err
    support = {
        row["learner"]: int(row["n_support"])
        for row in _rows(tmp_path / "o" / "chunks.csv")
        if row["n_support"]
    }
    assert support["olla-l2"] <= 20 < support["olla-l2 2"] <= 50
    assert "olla-l2 (budget=50, gamma=2.0)" in (tmp_path / "o" / "report.html").read_text()
    assert not (tmp_path / "o" / "run.checkpoint").exists()


def test_one_by_one_and_late_labels(svmosaic, tmp_path):
    outcome = svmosaic(
        *("stream", "SEASuddenAN0", "--samples", 300, "--chunk", 100, "--out", tmp_path / "o"),
        *("--learner", "olla-l2", "--one-by-one", "--delay", 20),
    )

    assert outcome.code == 0, outcome.err
    assert "one by one" in (tmp_path / "o" / "report.html").read_text()


def test_the_list_has_every_stream(svmosaic):
    outcome = svmosaic("stream", "list")

    assert outcome.code == 0
    assert "SEASuddenAN0" in outcome.out
    assert "CovType" in outcome.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("SEASuddenAN0",), "A learner is needed: --learner NAME"),
        (("SEASudenAN0", *LEARNERS), "No stream is called 'SEASudenAN0'. Did you mean"),
        (("nothing.csv", *LEARNERS), "There is no file 'nothing.csv'. Check the path"),
        (("SEASuddenAN0", "--set", "C=1"), "--set gives a parameter to the --learner before it"),
        (("SEASuddenAN0", "--learner", "nlsdg"), "'nlsdg' cannot be made: there is no estimator"),
        (("SEASuddenAN0", "--learner", "stream-olawv"), "Did you mean 'stream-ollawv'?"),
        (("SEASuddenAN0", "--learner", "SMOClassifier"), "cannot learn incrementally"),
        (
            ("SEASuddenAN0", "--learner", "nlsgd", "--set", "speed=1"),
            "unexpected keyword argument 'speed'",
        ),
        (
            ("SEASuddenAN0", *LEARNERS, "--target", "a"),
            "SEASuddenAN0 is a stream by name; --target is for files. Leave it out.",
        ),
        (("SEASuddenAN0", *LEARNERS, "--chunk", "0"), "expected a whole number from 1"),
        (("SEASuddenAN0", *LEARNERS, "--delay", "-1"), "expected a whole number from 0"),
    ],
)
def test_mistakes_are_told_in_one_line(svmosaic, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)

    outcome = svmosaic("stream", *words)

    assert outcome.code != 0
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_check_point_of_other_options_is_refused_until_restarted(svmosaic, tmp_path):
    words = ("stream", "SEASuddenAN0", *LEARNERS, "--samples", 2000, "--out", tmp_path / "out")
    assert svmosaic(*words).code == 0

    refused = svmosaic(*words, "--window", 500)
    restarted = svmosaic(*words, "--window", 500, "--restart")

    assert "check-point of another run" in refused.err
    assert restarted.code == 0


# Keeps its state after every chunk, so that the test need not wait for it.
_PROGRAM = """
import sys
import svmosaic.cli.stream
from svmosaic.cli.main import main
svmosaic.cli.stream._CHECKPOINT_SECONDS = 0.0
sys.exit(main())
"""


def test_after_ctrl_c_the_same_command_goes_on(svmosaic, tmp_path):
    words = [
        *("stream", "RBFNoDrift", "--learner", "olla-l2", "--set", "budget=300"),
        *("--samples", "20000", "--chunk", "100", "--out"),
    ]
    checkpoint = tmp_path / "out" / "run.checkpoint"
    command = [sys.executable, "-c", _PROGRAM, *words, str(tmp_path / "out")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.01)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert f"the same command resumes from {checkpoint}" in err
    assert not (tmp_path / "out" / "chunks.csv").exists()
    resumed = svmosaic(*words, tmp_path / "out")
    assert resumed.code == 0
    # The check-point holds the learner, so it need not learn the stream again.
    assert "again" not in resumed.err
    assert svmosaic(*words, tmp_path / "whole").code == 0
    assert _rows(tmp_path / "out" / "chunks.csv") == _rows(tmp_path / "whole" / "chunks.csv")


def test_work_that_asks_ends_between_its_pieces():
    with GentleInterrupt() as interrupt:
        interrupt.check()
        signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            interrupt.check()


def test_work_that_does_not_ask_is_interrupted_in_a_quarter_of_a_second():
    def work():
        while time.process_time() - begin < 10:
            sum(range(1000))

    with GentleInterrupt():
        begin = time.process_time()
        signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            work()

    assert time.process_time() - begin < 0.25


def test_the_handler_of_before_is_back_afterwards():
    before = signal.getsignal(signal.SIGINT)

    with GentleInterrupt():
        assert signal.getsignal(signal.SIGINT) != before

    assert signal.getsignal(signal.SIGINT) == before


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_line_shows_how_far_the_run_is(monkeypatch):
    screen = _Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("svmosaic.cli.stream._LINE_SECONDS", 0.0)
    line = _ProgressLine("SEA", 4000)

    line.update(1000, {"one": {"accuracy": 0.5, "n_support": 1234}, "two": {"accuracy": 0.75}})
    line.update(2000, {"one": {"accuracy": 0.6}})
    line.end()

    first, second, *_ = screen.getvalue().split("\r")[1:]
    assert first.startswith("SEA: 1,000 of 4,000, 0 samples/s")
    assert first.endswith("| one 0.5000, 1,234 SV | two 0.7500")
    assert "| one 0.6000" in second
    # The rest of the longer line is gone, and so is the line at the end.
    assert len(second) == len(first)
    assert screen.getvalue().endswith(" \r")
