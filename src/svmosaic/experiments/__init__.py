"""Experiments that survive crashes: a TOML file in, a journal of results out."""

from __future__ import annotations

from svmosaic.experiments.results import read_results, result_table, write_results
from svmosaic.experiments.runner import RunSummary, reuse_results, run_experiment
from svmosaic.experiments.spec import ExperimentSpec, read_spec

__all__ = [
    "ExperimentSpec",
    "RunSummary",
    "read_results",
    "read_spec",
    "result_table",
    "reuse_results",
    "run_experiment",
    "write_results",
]
