"""What is noted of a run beside its scores."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from svmosaic.experiments import read_results, read_spec, run_experiment
from svmosaic.experiments.description import describe_data, rename_search
from svmosaic.experiments.results import read_history


def test_data_are_described():
    X = np.zeros((4, 3))

    assert describe_data(X, np.array(["a", "b", "a", "b"])) == {
        **{"n_samples": 4, "n_features": 3, "n_classes": 2},
    }
    assert describe_data(sp.csr_array(X), np.array([0.5, 1.5, 2.5, 3.25]))["n_classes"] is None
    assert describe_data(X, np.arange(4))["n_classes"] == 4


def test_parameters_of_a_search_are_named_as_in_the_spec():
    scores = {"params": {"model__C": [1, 2]}, "score": [0.5, 0.6]}

    assert rename_search(scores, "model__")["params"] == {"C": [1, 2]}
    assert rename_search(None, "model__") is None


def test_a_record_has_the_shape_of_its_data_and_the_scores_of_its_search(folder):
    run_experiment(read_spec("spec.toml"), "out")

    ours, *_ = read_results("out")
    assert (ours["n_samples"], ours["n_features"], ours["n_classes"]) == (150, 4, 3)
    assert ours["search_scores"]["params"] == {"C": [1.0, 10.0]}
    assert max(ours["search_scores"]["score"]) == round(ours["inner_score"], 6)


def test_every_start_is_told_with_its_setup(folder):
    spec = read_spec("spec.toml")
    run_experiment(spec, "out")
    run_experiment(spec, "out", shard=(1, 2))

    starts = {start.journal: start for start in read_history("out")}
    assert set(starts) == {"journal.jsonl", "journal-1-of-2.jsonl"}
    first, second = starts["journal.jsonl"], starts["journal-1-of-2.jsonl"]
    assert len(first.planned) == 12
    assert second.planned < first.planned
    experiment = first.provenance["experiment"]
    assert [data["name"] for data in experiment["data"]] == ["sklearn-iris", "two"]
    assert experiment["data"][1]["path"].endswith("two.csv")
    assert experiment["protocol"]["scoring"] == ["accuracy", "f1_macro"]
    assert {"svmosaic", "numpy"} <= set(first.provenance["versions"])
    assert first.provenance["processor"]
