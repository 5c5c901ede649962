"""No-change and majority beside every learner."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from svmosaic import StreamOLLAWV
from svmosaic.streams import ArrayStream, prequential
from svmosaic.streams.baselines import BASELINES, Baselines


def labels(n_samples, seed=0):
    """Return labels in runs of three classes, one of them frequent."""
    rng = np.random.default_rng(seed)
    runs = rng.choice(3, p=[0.2, 0.2, 0.6], size=n_samples)
    return np.repeat(runs, rng.integers(1, 6, size=n_samples))[:n_samples]


def told_by_hand(y, delay):
    """Return both predictions of every sample, one after the other."""
    last, majority = [], []
    for t in range(len(y)):
        known = y[: max(0, t - delay)]
        last.append(known[-1] if known.size else 0)
        majority.append(np.bincount(known, minlength=3).argmax())
    return np.array(last), np.array(majority)


@pytest.mark.parametrize("delay", [0, 1, 7, 500])
@pytest.mark.parametrize("batch", [1, 13, 300])
def test_baselines_are_those_of_a_loop(delay, batch):
    y = labels(300)
    baselines = Baselines([0, 1, 2], window=50, delay=delay)

    for begin in range(0, y.size, batch):
        part = y[begin : begin + batch]
        baselines.add(part, part.size)

    found = {row["learner"]: row["accuracy"] for row in baselines.measure(["accuracy"])}
    expected = [float(np.mean(told == y)) for told in told_by_hand(y, delay)]
    assert found == dict(zip(BASELINES, expected, strict=True))


def test_kappa_t_of_no_change_is_zero_and_comes_first():
    y = labels(600)
    stream = ArrayStream(np.random.default_rng(1).normal(size=(600, 2)), y)

    result = prequential(GaussianNB(), stream, chunk=100)

    rows = {row["learner"]: row for row in result.baseline_summary()}
    assert list(rows) == ["no-change", "majority"]
    assert rows["no-change"]["kappa_t"] == 0.0
    assert list(result.summary()[0])[2] == "kappa_t"
    # The samples that the learner predicted: not the first chunk.
    assert rows["no-change"]["accuracy"] == np.mean(y[100:] == y[99:-1])


def test_a_run_that_resumes_has_the_same_baselines(tmp_path):
    stream = ArrayStream(np.random.default_rng(1).normal(size=(600, 2)), labels(600))
    options = {"chunk": 100, "checkpoint": tmp_path / "run.checkpoint"}
    prequential(StreamOLLAWV(chunk_size=100), stream, n_samples=300, **options)

    resumed = prequential(StreamOLLAWV(chunk_size=100), stream, **options)

    whole = prequential(StreamOLLAWV(chunk_size=100), stream, chunk=100)
    # As text, because the first chunk has no scores, and nan is not nan.
    assert str(resumed.baselines) == str(whole.baselines)
    assert len(whole.baselines) == 12


@pytest.mark.parametrize("one_by_one", [True, False])
def test_kappa_t_of_repeating_the_label_is_exactly_zero(one_by_one):
    labels = np.repeat([0, 1, 0, 1], [7, 8, 9, 6])
    stream = ArrayStream(np.zeros((30, 1)), labels)

    result = prequential(StreamOLLAWV(), stream, one_by_one=one_by_one, chunk=10)

    assert result.last_baselines()["no-change"]["kappa_t"] == 0.0
