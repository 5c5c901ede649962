"""Processes to kill: they start at once, because a server has imported the library for them."""

from __future__ import annotations

import multiprocessing
import os
import sys

__all__ = ["start_process"]

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "pytest",
        "sklearn.linear_model",
        "sklearn.neighbors",
        "svmosaic.classification.stream.stream_ollawv",
        "svmosaic.cli.main",
        "svmosaic.experiments.runner",
        "svmosaic.streams",
    ]
)


def start_process(function, *args):
    """Start a function of a module in a process of its own; what it prints is thrown away."""
    process = _CONTEXT.Process(target=_call, args=(function, args), daemon=True)
    process.start()
    return process


def _call(function, args):
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.exit(function(*args))
