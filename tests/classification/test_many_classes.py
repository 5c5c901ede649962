"""Many classes: votes are counted a block of rows at a time, so memory follows the result."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

from svmosaic import (
    MNSVMClassifier,
    NLSGDClassifier,
    NNISDAClassifier,
    OGEClassifier,
    OLLAWVClassifier,
    OLLAWVClassifierCV,
    OnlineSVMClassifier,
    SMOClassifier,
    StreamOLLAL2,
    StreamOLLAWV,
    SVMCBPClassifier,
    SVMCBPClassifierCV,
)
from svmosaic.classification import multiclass
from svmosaic.classification.multiclass import predict_by_votes, votes_of_samples
from svmosaic.engine.class_pairs import combine_votes

_MEASURE = """
import re
from pathlib import Path

import numpy as np

import svmosaic

def resident(name):
    return int(re.search(rf"{name}:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

rng = np.random.default_rng(0)
centres = rng.normal(size=(60, 8))
y = np.repeat(np.arange(60), 2)
X = centres[y] + 0.1 * rng.normal(size=(120, 8))
queries = np.tile(X, (100, 1))
model = svmosaic.SMOClassifier().fit(X, y)
model.predict(X)
for method in (model.decision_function, model.predict):
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    result = method(queries)
    print(resident("VmHWM") - before - result.nbytes / 2**20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets the highest memory")
def test_decisions_of_many_classes_take_little_memory():
    # The values of all pairs would take 170 MB.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _MEASURE], capture_output=True, text=True, check=True
    )

    taken = [float(line) for line in done.stdout.splitlines()]
    assert len(taken) == 2
    assert max(taken) <= 100


def plain_votes(decisions, n_classes):
    votes, sums = np.zeros((2, len(decisions), n_classes))
    for m, (i, j) in enumerate(combinations(range(n_classes), 2)):
        sums[:, i] += decisions[:, m]
        sums[:, j] -= decisions[:, m]
        votes[:, i] += decisions[:, m] > 0
        votes[:, j] += decisions[:, m] <= 0
    return votes + sums / (3 * (np.abs(sums) + 1))


@pytest.mark.parametrize("n_rows", [1, 2, 9, 200])
@pytest.mark.parametrize("n_classes", [3, 4, 17])
def test_votes_are_counted_pair_by_pair(n_rows, n_classes):
    rng = np.random.default_rng(n_rows)
    decisions = rng.normal(size=(n_rows, n_classes * (n_classes - 1) // 2))
    decisions[rng.random(decisions.shape) < 0.1] = 0.0

    votes = combine_votes(decisions, n_classes)

    np.testing.assert_array_equal(votes, plain_votes(decisions, n_classes))


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_blocks_do_not_change_a_bit(monkeypatch, block):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 6
    X = rng.normal(size=(60, 3)) + y[:, None]
    model = OLLAWVClassifier().fit(X, y)
    votes, labels = model.decision_function(X), model.predict(X)
    seen = []

    def decide(rows):
        seen.append(len(rows))
        return model.expansion_.decide(rows)

    monkeypatch.setattr(multiclass, "_BLOCK_BYTES", block * 15 * 8)

    np.testing.assert_array_equal(votes_of_samples(decide, X, 6), votes)
    np.testing.assert_array_equal(predict_by_votes(decide, X, 6), labels)
    assert max(seen) == min(block, 60)
    assert sum(seen) == 120


@pytest.mark.parametrize("method", ["decision_function", "predict"])
@pytest.mark.parametrize(
    "model",
    [
        OGEClassifier(),
        OnlineSVMClassifier(),
        SMOClassifier(),
        StreamOLLAL2(),
        StreamOLLAWV(),
        MNSVMClassifier(),
        NLSGDClassifier(),
        NNISDAClassifier(),
        OLLAWVClassifier(),
        OLLAWVClassifierCV(cv=2),
        SVMCBPClassifier(),
        SVMCBPClassifierCV(cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_every_classifier_votes_by_blocks(monkeypatch, model, method):
    y = np.arange(60) % 5
    X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    model.fit(X, y)
    expected = getattr(model, method)(X)
    combine, seen = multiclass.combine_votes, []

    def combine_few(decisions, n_classes):
        seen.append(len(decisions))
        return combine(decisions, n_classes)

    monkeypatch.setattr(multiclass, "combine_votes", combine_few)
    monkeypatch.setattr(multiclass, "_BLOCK_BYTES", 7 * 10 * 8)

    np.testing.assert_allclose(getattr(model, method)(X), expected, rtol=1e-12)
    assert seen == [*[7] * 8, 4]
