"""Model files and check-points of stream learners before there were landmarks and guesses.

`adaptive.safetensors` is ``StreamOLLAWV(chunk_size=40, memory=400)`` after 450 samples of
``Sine(seed=1)``, `decisions.csv` its decisions on the first 50 of them, and `run.checkpoint` a run
of 600 samples in chunks of 40 that was stopped at 280. Version 0.1.0 wrote them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from svmosaic import StreamOLLAWV, load
from svmosaic.streams import Sine, prequential

FOLDER = Path(__file__).parent / "streams_of_0_1"


def test_a_model_file_loads_and_goes_on():
    X, y = Sine(seed=1).read(0, 600)
    model = load(FOLDER / "adaptive.safetensors")

    # The last bits are those of the processor.
    expected = np.loadtxt(FOLDER / "decisions.csv")
    np.testing.assert_allclose(model.decision_function(X[:50]), expected, atol=1e-4)
    model.partial_fit(X[450:500], y[450:500])
    told = model.predict_then_learn(X[500:], y[500:])
    assert np.mean(told == y[500:]) > 0.9
    assert model.n_samples_seen_ == 600


def test_a_run_resumes_by_chunks_as_it_began(tmp_path):
    shutil.copy(FOLDER / "run.checkpoint", tmp_path / "run.checkpoint")
    learner = StreamOLLAWV(chunk_size=40, memory=400)

    resumed = prequential(
        learner, Sine(seed=1), n_samples=600, chunk=40, checkpoint=tmp_path / "run.checkpoint"
    )

    assert [record["end"] for record in resumed.records] == list(range(40, 601, 40))
    assert resumed.last()["StreamOLLAWV"]["accuracy"] > 0.9
    # Of all samples that were predicted: not of the first chunk.
    _, y = Sine(seed=1).read(0, 600)
    assert resumed.last_baselines()["no-change"]["accuracy"] == np.mean(y[40:] == y[39:-1])
    # The labels of a chunk came together, after all of it was predicted.
    assert all(record["test_seconds"] > 0.0 for record in resumed.records[1:])
