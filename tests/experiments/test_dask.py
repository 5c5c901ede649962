"""Runs on a Dask cluster, here one inside this process."""

from __future__ import annotations

import warnings

import joblib
import pytest

from svmosaic.experiments import read_results, read_spec, run_experiment

pytestmark = pytest.mark.dask


def test_dask_gives_the_scores_of_a_plain_run(folder):
    distributed = pytest.importorskip("distributed")
    spec = read_spec("spec.toml")
    run_experiment(spec, "plain")

    with (
        distributed.Client(
            processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
        ),
        joblib.parallel_config("dask"),
        warnings.catch_warnings(),
    ):
        # Dask warns of large graphs and of its own future changes.
        warnings.simplefilter("ignore")
        summary = run_experiment(spec, "dask")
        again = run_experiment(spec, "dask")
        with pytest.raises(ValueError, match="A time limit needs processes"):
            run_experiment(spec, "dask", time_limit=5)

    assert (summary.n_done, summary.n_failed) == (12, 0)
    assert again.n_done == 0
    keys = ("dataset", "method", "fold", "accuracy", "f1_macro")
    ours, theirs = (
        sorted(tuple(str(record[key]) for key in keys) for record in read_results(name))
        for name in ("dask", "plain")
    )
    assert ours == theirs
