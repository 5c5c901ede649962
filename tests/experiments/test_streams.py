"""Prequential experiments: streams and learners in a spec, cells that are kept."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from svmosaic.exceptions import DataFileError
from svmosaic.experiments import read_results, read_spec, run_experiment, stream_cells
from svmosaic.experiments.results import failed_cells
from svmosaic.experiments.stream_learners import build_learner
from svmosaic.reports import experiment_report
from svmosaic.streams import prequential, stream

PROTOCOL = """
kind = "prequential"
chunk = 500
samples = 3000
scoring = ["accuracy", "kappa"]
"""
SPEC = f"""
[protocol]
{PROTOCOL}
[[data]]
stream = "SEASuddenAN0"
[[data]]
name = "file"
path = "points.csv"
target = "kind"
[[methods]]
name = "OLLA-L2"
estimator = "OLLAL2Classifier"
params = {{ budget = 50 }}
[[methods]]
name = "Bayes"
estimator = "sklearn.naive_bayes.GaussianNB"
not_on = ["file"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = [f"{'yes' if a > 0 else 'no'},{a:.4f},{b:.4f}" for a, b in rng.normal(size=(1200, 2))]
    (tmp_path / "points.csv").write_text("\n".join(["kind,a,b", *lines]) + "\n")
    (tmp_path / "spec.toml").write_text(SPEC)
    return tmp_path


def test_a_cell_is_a_learner_on_a_stream(folder):
    spec = read_spec("spec.toml")

    summary = run_experiment(spec, "out")

    assert (summary.n_cells, summary.n_failed) == (3, 0)
    records = {(r["dataset"], r["method"]): r for r in read_results("out")}
    learner = build_learner("OLLAL2Classifier", {"budget": 50}, seed=1)
    assert set(records) == {
        *(("SEASuddenAN0", "OLLA-L2"), ("SEASuddenAN0", "Bayes"), ("file", "OLLA-L2"))
    }
    bayes = build_learner("sklearn.naive_bayes.GaussianNB", {})
    result = prequential(bayes, stream("SEASuddenAN0", n_samples=3000), chunk=500)
    record = records["SEASuddenAN0", "Bayes"]
    assert record["accuracy"] == result.last()["GaussianNB"]["accuracy"]
    assert (record["n_samples"], record["n_features"], record["n_classes"]) == (3000, 3, 2)
    assert (record["n_train"], record["n_test"], record["n_fits"]) == (3000, 2500, 6)
    assert record["train_chunk_seconds"] == pytest.approx(record["fit_cpu_seconds"] / 6)
    assert record["test_chunk_seconds"] > 0
    assert records["SEASuddenAN0", "OLLA-L2"]["n_support"] <= learner.budget
    assert records["file", "OLLA-L2"]["accuracy"] > 0.8


def test_finished_cells_are_kept_and_changed_ones_are_run(folder):
    run_experiment(read_spec("spec.toml"), "out")

    again = run_experiment(read_spec("spec.toml"), "out")
    (folder / "spec.toml").write_text(SPEC.replace("budget = 50", "budget = 60"))
    changed = run_experiment(read_spec("spec.toml"), "out")
    with (folder / "points.csv").open("a") as points:
        points.write("yes,9,9\n")
    longer = run_experiment(read_spec("spec.toml"), "out")

    assert [run.n_before for run in (again, changed, longer)] == [3, 1, 2]


def test_a_change_of_our_learners_does_not_run_the_learners_of_others_again(folder, monkeypatch):
    run_experiment(read_spec("spec.toml"), "out")

    version = stream_cells.method_code_version

    def changed_version(names, around):
        ours = any("." not in name for name in names)
        return "changed" if ours else version(names, around)

    monkeypatch.setattr(stream_cells, "method_code_version", changed_version)
    changed = run_experiment(read_spec("spec.toml"), "out")

    assert (changed.n_cells, changed.n_before) == (3, 1)


def test_other_processes_give_the_same_numbers(folder):
    run_experiment(read_spec("spec.toml"), "one")
    run_experiment(read_spec("spec.toml"), "two", n_jobs=2)

    scores = [
        sorted((r["dataset"], r["method"], r["accuracy"], r["kappa"]) for r in read_results(name))
        for name in ("one", "two")
    ]
    assert scores[0] == scores[1]


def test_the_report_knows_the_protocol(folder):
    run_experiment(read_spec("spec.toml"), "out")

    document = experiment_report("out").document

    assert "Every chunk of 500 samples is predicted, then learned" in document.summary


def test_a_stream_of_one_chunk_fails_and_says_so(folder):
    (folder / "spec.toml").write_text(SPEC.replace("chunk = 500", "chunk = 2000"))

    run_experiment(read_spec("spec.toml"), "out")

    (failed,) = failed_cells("out")
    assert "The stream file ends with its first chunk" in failed.record["error"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('stream = "SEASuddenAN0"', 'stream = "SEASudden"', "No stream is called 'SEASudden'"),
        ('stream = "SEASuddenAN0"', 'name = "iris"', "needs one of 'stream' and 'path'"),
        ('target = "kind"', 'target = "kind"\nrows = 10', "'rows' is not for streams"),
        (PROTOCOL, 'kind = "nested"', "'stream' is for the protocol of kind"),
        (
            '"kappa"]',
            '"roc_auc"]',
            "'scoring' has 'roc_auc'; a stream has kappa_t, accuracy, kappa",
        ),
        ('"OLLAL2Classifier"', '"SMOClassifier"', "'SMOClassifier' cannot learn incrementally"),
        ("budget = 50", "bugdet = 50", "unexpected keyword argument 'bugdet'"),
        ("chunk = 500", "chunk = 0", "'chunk' must be a whole number from 1, got 0"),
        ("params =", "grid =", "there is no entry 'grid'"),
    ],
)
def test_mistakes_are_told(folder, old, new, message):
    (folder / "spec.toml").write_text(SPEC.replace(old, new))

    with pytest.raises(DataFileError, match=message):
        read_spec("spec.toml")


def test_learners_of_other_packages_are_built_with_what_is_inside_them():
    pytest.importorskip("river")
    tree = {"estimator": "river.tree.HoeffdingTreeClassifier", "params": {"grace_period": 50}}
    detector = {"estimator": "river.drift.binary.DDM"}

    model = build_learner(
        "river.drift.DriftRetrainingClassifier", {"model": tree, "drift_detector": detector}
    )

    assert model.model.grace_period == 50
    assert type(model.drift_detector).__name__ == "DDM"


def test_the_example_of_the_page_is_a_spec(folder):
    pytest.importorskip("river")
    page = Path(__file__).parents[2] / "docs" / "streams.md"
    (text,) = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (folder / "spec.toml").write_text(text)
    (folder / "points.csv").rename("log.csv")

    spec = read_spec("spec.toml")

    assert [method.name for method in spec.methods] == [
        *("OLLAL2Classifier", "DriftRetrainingClassifier", "HOT")
    ]


def test_learners_of_moa_are_by_adapter():
    name = "moa.classifiers.bayes.NaiveBayes"

    assert repr(build_learner(name, {}, seed=4)) == f"CapyMOALearner('{name}', cli='', seed=4)"
