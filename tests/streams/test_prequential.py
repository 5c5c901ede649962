"""Prequential evaluation: who has seen what, tables, adapters."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from small_streams import Blobs, Watcher
from svmosaic.exceptions import MissingDependencyError
from svmosaic.streams.learners import as_learner
from svmosaic.streams.prequential import prequential


def test_every_chunk_is_predicted_before_it_is_learned():
    watcher = Watcher()

    result = prequential(watcher, Blobs(2500), chunk=1000)

    assert watcher.events == [
        ("learn", 1000),
        ("predict", 1000),
        ("learn", 1000),
        ("predict", 500),
        ("learn", 500),
    ]
    assert [(r["begin"], r["end"]) for r in result.records] == [
        (0, 1000),
        (1000, 2000),
        (2000, 2500),
    ]
    assert np.isnan(result.records[0]["accuracy"])


def test_one_by_one_is_a_chunk_of_one_with_fewer_records():
    watcher = Watcher()
    result = prequential(watcher, Blobs(), n_samples=30, chunk=10, one_by_one=True)

    assert watcher.events == [("learn", 1)] + [("predict", 1), ("learn", 1)] * 29
    assert len(result.records) == 3


@pytest.mark.parametrize("delay", [0, 3, 10, 25])
def test_labels_arrive_late(delay):
    learned = []

    class Late(Watcher):
        def learn(self, X, y, classes):
            super().learn(X, y, classes)
            learned.extend(X[:, 2])

    watcher = Late()
    prequential(watcher, Blobs(60), chunk=10, delay=delay)

    n_predicted = n_known = 0
    for event, n in watcher.events:
        if event == "predict":
            n_predicted += n
        else:
            n_known += n
    assert n_known == 60 - delay
    np.testing.assert_array_equal(learned, Blobs().read(0, 60)[0][: 60 - delay, 2])


def test_scores_follow_the_drift():
    result = prequential(GaussianNB(), Blobs(), n_samples=5000, chunk=500, window=500)
    by_end = {record["end"]: record for record in result.records}

    assert by_end[3000]["window_accuracy"] > 0.9
    assert by_end[3500]["window_accuracy"] < 0.2
    assert 0.2 < by_end[5000]["accuracy"] < by_end[3000]["accuracy"]
    assert result.drifts == (3000,)


def test_several_learners_see_the_same_samples():
    together = prequential(
        {"a": GaussianNB(), "b": SGDClassifier(random_state=0)}, Blobs(), n_samples=3000
    )
    alone = prequential({"b": SGDClassifier(random_state=0)}, Blobs(), n_samples=3000)

    assert together.last()["b"]["accuracy"] == alone.last()["b"]["accuracy"]
    assert set(together.last()) == set(together.seconds()) == {"a", "b"}


def test_the_table_as_a_file(tmp_path):
    result = prequential(GaussianNB(), Blobs(), n_samples=2000)
    result.to_csv(tmp_path / "table.csv")

    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[0].startswith("learner,begin,end,kappa_t,accuracy,")
    # Two chunks of the learner, of no-change and of the majority.
    assert [line.split(",")[0] for line in lines[1:]] == [
        *["GaussianNB"] * 2,
        *["no-change", "majority"] * 2,
    ]


def test_the_summary_has_the_end_and_the_sums():
    result = prequential(
        {"a": GaussianNB(), "b": SGDClassifier(random_state=0)}, Blobs(), n_samples=2500
    )

    first, second = result.summary()

    assert (first["learner"], second["learner"]) == ("a", "b")
    assert first["accuracy"] == result.last()["a"]["accuracy"]
    assert first["n_samples"] == 2500
    assert first["train_seconds"] == pytest.approx(
        sum(record["train_seconds"] for record in result.of("a"))
    )
    assert first["samples_per_second"] == pytest.approx(2500 / result.seconds()["a"])


def test_the_table_as_a_parquet_file(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = prequential(GaussianNB(), Blobs(), n_samples=2000)

    result.to_parquet(tmp_path / "table.parquet")

    rows = parquet.read_table(tmp_path / "table.parquet").to_pylist()
    assert rows[1] == result.records[1]


def test_without_pyarrow_it_says_what_to_install(tmp_path, monkeypatch):
    result = prequential(GaussianNB(), Blobs(), n_samples=2000)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingDependencyError, match="'pyarrow' is needed to write parquet files"):
        result.to_parquet(tmp_path / "table.parquet")
    assert list(tmp_path.iterdir()) == []


class Forgetful(Watcher):
    """Restarts with its fourth chunk, and always says 1."""

    n_drifts_ = 0

    def learn(self, X, y, classes):
        super().learn(X, y, classes)
        self.n_drifts_ = int(sum(event == "learn" for event, _ in self.events) >= 4)

    def predict(self, X):
        return super().predict(X) + 1


@pytest.mark.parametrize("one_by_one", [False, True])
def test_predictions_are_kept_if_asked_for(tmp_path, one_by_one):
    learners = {"zero": Watcher(), "one": Forgetful()}
    result = prequential(
        learners, Blobs(250), chunk=100, one_by_one=one_by_one, keep_predictions=True
    )
    n_first = 1 if one_by_one else 100

    np.testing.assert_array_equal(result.labels, Blobs().read(0, 250)[1])
    assert result.predictions["zero"].tolist() == [0] * (250 - n_first)
    assert result.predictions["one"].tolist() == [1] * (250 - n_first)
    right = result.labels[n_first:] == result.predictions["one"]
    assert result.last()["one"]["accuracy"] == pytest.approx(right.mean())

    result.predictions_to_csv(tmp_path / "said.csv")
    lines = (tmp_path / "said.csv").read_text().splitlines()
    assert lines[0] == "sample,label,zero,one"
    assert lines[1] == f"0,{result.labels[0]},,"
    assert lines[-1] == f"249,{result.labels[-1]},0,1"
    assert len(lines) == 251


def test_predictions_that_were_not_kept_are_told(tmp_path):
    result = prequential(Watcher(), Blobs(250), chunk=100)

    with pytest.raises(ValueError, match="keep_predictions=True"):
        result.predictions_to_csv(tmp_path / "said.csv")


def test_alarms_are_the_chunks_in_which_a_learner_restarted():
    result = prequential({"forgetful": Forgetful(), "watcher": Watcher()}, Blobs(6000), chunk=1000)

    assert result.alarms("forgetful") == [4000]
    assert result.alarms("watcher") == []
    # The concept changes at 3000. Who says nothing of alarms has no scores.
    assert set(result.alarm_scores()) == {"forgetful"}
    assert result.alarm_scores()["forgetful"][:4] == (1, 0, 0, 1000.0)
    assert result.alarm_scores(horizon=500)["forgetful"][:3] == (0, 1, 1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"chunk": 0}, "chunk >= 1"),
        ({"window": 0}, "window >= 1"),
        ({"delay": -1}, "delay >= 0"),
        ({"metrics": ["accurate"]}, "no metric 'accurate'"),
    ],
)
def test_bad_options_are_told(options, words):
    with pytest.raises(ValueError, match=words):
        prequential(GaussianNB(), Blobs(100), **options)


def test_what_is_no_learner_is_told():
    with pytest.raises(TypeError, match="partial_fit and predict, or learn_one"):
        as_learner(object())
    with pytest.raises(ValueError, match="at least one learner"):
        prequential({}, Blobs(10))


def test_river_models_by_their_methods():
    class Majority:
        def __init__(self):
            self.counts = {}

        def learn_one(self, x, y):
            assert set(x) == {0, 1, 2}
            self.counts[y] = self.counts.get(y, 0) + 1

        def predict_one(self, x):
            return max(self.counts, key=self.counts.get) if len(self.counts) == 2 else None

    result = prequential(Majority(), Blobs(), n_samples=400, chunk=100)

    assert 0.3 < result.last()["Majority"]["accuracy"] < 0.7
