"""Outputs never destroy: not the inputs, not each other, not what is no file."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from pathlib import Path

import pytest

from svmosaic.cli.console import uninterrupted
from svmosaic.cli.main import build_parser
from svmosaic.utils.atomic import atomic_write

SPEC = """
[protocol]
outer = 2
inner = 2
[[data]]
path = "{data}"
[[methods]]
estimator = "sklearn.naive_bayes.GaussianNB"
"""

SCORES = "set,a,b\n" + "".join(f"s{i},0.{9 - i},0.{8 - i}\n" for i in range(6))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model file; trained once."""
    from sklearn.datasets import load_iris

    from svmosaic import OLLAWVClassifier
    from svmosaic.persistence import save

    X, y = load_iris(return_X_y=True)
    path = tmp_path_factory.mktemp("model") / "M"
    save(OLLAWVClassifier().fit(X[:, :2], y), path)
    return path.read_bytes()


@pytest.fixture
def folder(flowers, model, monkeypatch):
    """The current folder, with an input of every kind."""
    monkeypatch.chdir(flowers.parent)
    rows = [f"{i % 5},{i % 3},{i % 2}" for i in range(30)]
    text = "\n".join(["x,z,class", *rows]) + "\n"
    for name in ("clean.csv", "results.csv", "chunks.csv", "test.csv"):
        Path(name).write_text(text)
    Path("M").write_bytes(model)
    Path("scores.csv").write_text(SCORES)
    Path("spec.toml").write_text(SPEC.format(data="clean.csv"))
    Path("reads-results.toml").write_text(SPEC.format(data="results.csv"))
    Path("several.arff").write_text("@relation r\n@attribute a numeric\n@data\n1\n")
    Path("several.xml").write_text("<labels/>\n")
    return flowers.parent


def _contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _is_one_error_line(text):
    return text.startswith("svmosaic: error: ") and text.count("\n") == 1


INPUT_AS_OUTPUT = [
    "train clean.csv -o clean.csv",
    "train clean.csv -o ./clean.csv",
    "train clean.csv -o SOFT",
    "train SOFT -o clean.csv",
    "train clean.csv -o HARD",
    "train HARD -o SOFT",
    "train clean.csv -o m --test test.csv --libsvm test.csv",
    "train clean.csv -o test.csv --test test.csv",
    "train clean.csv -o m --libsvm clean.csv",
    "train several.arff -o several.xml --method svrcc",
    "predict M clean.csv -o M",
    "predict M clean.csv -o clean.csv",
    "predict M clean.csv -o HARD",
    "tune clean.csv -o clean.csv",
    "tune clean.csv -o m --results SOFT",
    "stats scores.csv --csv scores.csv",
    "stats scores.csv --latex scores.csv",
    "stream chunks.csv --learner olla-l2 --out .",
    "stream clean.csv --learner olla-l2 --checkpoint clean.csv",
    "stream clean.csv --learner olla-l2 --checkpoint HARD --restart",
    "run reads-results.toml --out .",
    "run spec.toml --out . --reuse results.csv",
    "reproduce 004-5.1 --quick --out . --reuse results.csv",
]


@pytest.mark.parametrize("words", INPUT_AS_OUTPUT)
def test_an_input_is_never_an_output(svmosaic, folder, words):
    os.symlink("clean.csv", "SOFT")
    os.link("clean.csv", "HARD")
    before = _contents(folder)

    outcome = svmosaic(*words.split())

    assert outcome.code == 1
    assert "is the same file as the input" in outcome.err
    assert _is_one_error_line(outcome.err)
    assert outcome.out == ""
    assert _contents(folder) == before


@pytest.mark.parametrize(
    "words",
    [
        "train shuttle -o FILE",
        "train shuttle -o SOFT",
        "train shuttle -o m --libsvm HARD",
        "train clean.csv --test shuttle -o FILE",
        "predict M shuttle -o HARD",
        "tune shuttle --results SOFT",
        "run by-name.toml --out out",
        "stream Shuttle --learner olla-l2 --checkpoint FILE",
    ],
)
def test_the_file_of_a_data_set_by_name_is_an_input(svmosaic, folder, monkeypatch, words):
    file = folder / "data" / "classification" / "shuttle.svm.gz"
    file.parent.mkdir(parents=True)
    file.write_text("1 1:1\n")
    monkeypatch.setenv("SVMOSAIC_DATA", str(folder / "data"))
    os.symlink(file, "SOFT")
    os.link(file, "HARD")
    Path("by-name.toml").write_text(SPEC.replace("path =", "name =").format(data="shuttle"))
    Path("out").mkdir()
    os.symlink(file, "out/results.csv")
    before = _contents(folder)

    outcome = svmosaic(*words.replace("FILE", str(file)).split())

    assert (outcome.code, outcome.out) == (1, "")
    assert f"is the same file as the input {str(file)!r}" in outcome.err
    assert _contents(folder) == before


def test_a_fetched_data_set_by_name_is_an_input(svmosaic, folder, monkeypatch):
    file = folder / "cache" / "datasets" / "shuttle.npz"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"rows")
    monkeypatch.setenv("SVMOSAIC_DATA", str(folder))
    monkeypatch.setenv("SVMOSAIC_CACHE", str(folder / "cache"))

    outcome = svmosaic("train", "shuttle", "-o", file)

    assert (outcome.code, outcome.out) == (1, "")
    assert "is the same file as the input" in outcome.err
    assert file.read_bytes() == b"rows"


def test_the_journal_of_a_run_is_an_input(svmosaic, folder):
    assert svmosaic("run", "spec.toml", "--out", "out").code == 0
    os.symlink("out/journal.jsonl", "ranks.svg")
    os.link("out/journal.jsonl", "page.html")
    before = _contents(folder)

    for words in (
        "stats out --score accuracy --csv out/journal.jsonl",
        "stats out --score accuracy --plot ranks.svg",
        "report out --out page.html",
    ):
        outcome = svmosaic(*words.split())
        assert (outcome.code, outcome.out) == (1, "")
        assert "is the same file as the input 'out/journal.jsonl'" in outcome.err

    assert _contents(folder) == before


@pytest.mark.parametrize(
    "words",
    [
        "train clean.csv -o m --libsvm m",
        "train clean.csv -o m --libsvm ./m",
        "tune clean.csv -o LINK --results m",
        "stats scores.csv --latex m --csv m",
    ],
)
def test_two_outputs_are_two_files(svmosaic, folder, words):
    os.symlink("m", "LINK")
    before = _contents(folder)

    outcome = svmosaic(*words.split())

    assert outcome.code == 1
    assert "are the same file, and one would overwrite the other" in outcome.err
    assert _is_one_error_line(outcome.err)
    assert _contents(folder) == before


def test_a_run_may_live_beside_its_inputs(svmosaic, folder):
    Path("results.csv").unlink()
    before = _contents(folder)

    assert svmosaic("run", "spec.toml", "--out", ".").code == 0
    # A second run writes over the files of the first, which are not its inputs.
    assert svmosaic("run", "spec.toml", "--out", ".").code == 0
    assert svmosaic("report", ".").code == 0

    after = _contents(folder)
    assert {name: after[name] for name in before} == before
    assert after.keys() >= {"results.csv", "report.html", "journal.jsonl"}


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("train clean.csv -o nowhere/m", "The folder 'nowhere' of the output does not exist."),
        ("train clean.csv -o m --libsvm no/m", "The folder 'no' of the output does not exist."),
        ("predict M clean.csv -o .", "'.' is a folder. Name a file in it."),
        ("tune clean.csv --results nowhere/r", "The folder 'nowhere' of the output does not exi"),
        ("stats scores.csv --csv nowhere/c", "The folder 'nowhere' of the output does not exist."),
        ("run spec.toml --out clean.csv", "'clean.csv' is not a folder. Choose another --out."),
        ("run spec.toml --out clean.csv/x", "The folder"),
        ("report out --out clean.csv", "'clean.csv' is not a folder"),
        ("reproduce 004-5.1 --quick --out M", "'M' is not a folder. Choose another --out."),
        ("demo --quick --out M", "'M' is not a folder. Choose another --out."),
        ("stream clean.csv --learner olla-l2 --out M", "'M' is not a folder. Choose another"),
        ("stream clean.csv --learner olla-l2 --checkpoint no/c", "The folder 'no' of the output"),
        ("stream clean.csv --learner olla-l2 --checkpoint pipe", "is not a regular file"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_first(svmosaic, folder, words, part):
    os.mkfifo("pipe")
    before = _contents(folder)

    outcome = svmosaic(*words.split())

    assert outcome.code == 1
    assert part in outcome.err
    assert _is_one_error_line(outcome.err)
    assert outcome.out == ""
    assert _contents(folder) == before
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@pytest.mark.parametrize("words", ["train clean.csv -o m", "tune clean.csv -o m"])
def test_a_missing_package_is_reported_before_the_training(svmosaic, folder, monkeypatch, words):
    monkeypatch.setitem(sys.modules, "safetensors", None)

    outcome = svmosaic(*words.split())

    assert outcome.code == 1
    assert "'safetensors' is needed to save models" in outcome.err
    assert outcome.out == ""
    assert not Path("m").exists()


def test_every_command_that_writes_says_what(folder):
    """Hold the list of files against the options whose values are written to."""
    lines = {
        "train": "train DATA -o A --libsvm B",
        "predict": "predict MODEL DATA -o A",
        "export": "export MODEL -o A",
        "tune": "tune DATA -o A --results B",
        "stats": "stats DATA --plot A.svg --latex B --csv C",
        "stream": "stream DATA --learner x --out A --checkpoint B",
        "run": "run DATA --out A",
        "report": "report DATA --out A",
        "reproduce": "reproduce 5.3 --out A",
        "demo": "demo --out A",
    }
    parser = build_parser()
    (commands,) = (action.choices for action in parser._actions if action.dest == "command")
    assert commands.keys() - lines.keys() == {"info", "data"}
    for line in lines.values():
        args = parser.parse_args(line.split())
        files = args.files(args)
        written = [Path(path).name.partition(".")[0] for path in files.outputs]
        if files.folder is not None:
            written.append(Path(files.folder.path).name)
        wanted = [word.partition(".")[0] for word in line.split() if word[0] in "ABC"]
        assert sorted(written) == wanted
        assert all(word in files.inputs for word in line.split() if word in ("DATA", "MODEL"))


# What is no regular file ----------------------------------------------------------------------


def test_predictions_go_through_a_pipe_and_a_link(svmosaic, folder):
    os.mkfifo("pipe")
    os.symlink("far.txt", "link")
    labels = svmosaic("predict", "M", "test.csv").out
    read = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()), daemon=True)
    reader.start()

    assert svmosaic("predict", "M", "test.csv", "-o", "pipe").code == 0
    assert svmosaic("predict", "M", "test.csv", "-o", "link").code == 0

    reader.join(10)
    assert read == [labels]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert (Path("far.txt").read_text(), os.readlink("link")) == (labels, "far.txt")


def test_a_model_goes_through_a_link_and_stays_private(svmosaic, folder):
    Path("private").write_text("old")
    Path("private").chmod(0o600)
    os.symlink("private", "link")

    assert svmosaic("train", "clean.csv", "-o", "link").code == 0

    assert os.readlink("link") == "private"
    assert stat.S_IMODE(os.stat("private").st_mode) == 0o600
    assert svmosaic("info", "private").code == 0


def test_ctrl_c_ends_the_wait_for_a_reader(folder):
    os.mkfifo("pipe")
    presses = [
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)) for seconds in (0.2, 0.4)
    ]

    def write():
        with uninterrupted(), atomic_write("pipe") as stream:
            stream.write("nobody reads this")

    for press in presses:
        press.start()
    with pytest.raises(KeyboardInterrupt, match="the output may be incomplete"):
        write()

    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
