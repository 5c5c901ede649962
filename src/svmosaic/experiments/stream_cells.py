"""Cells of a prequential experiment: one learner on one stream."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from svmosaic.experiments.cells import Cell, hash_question
from svmosaic.experiments.code_version import class_names, method_code_version
from svmosaic.experiments.spec import DataSpec, ExperimentSpec, ProtocolSpec
from svmosaic.experiments.stream_learners import build_learner
from svmosaic.model_selection.derived_seeds import derive_seed
from svmosaic.model_selection.evaluation import Split
from svmosaic.streams import FileStream, Stream, describe_stream, prequential, stream

__all__ = ["iter_stream_cells", "open_stream", "run_stream_cell"]

# Samples that are read at a time for the hash of a data set.
_HASHED = 10_000
# What all results depend on beside the learner: the stream and how it is walked through.
_AROUND_A_LEARNER = ("svmosaic.experiments.stream_cells",)


def open_stream(protocol: ProtocolSpec, data: DataSpec) -> Stream:
    """Return the stream of a data entry, cut to the samples of the protocol."""
    if data.stream is None:
        assert data.path is not None  # the spec has one of both
        return FileStream(data.path, target=-1 if data.target is None else data.target)
    most = describe_stream(data.stream).n_samples
    samples = most if protocol.samples is None else min(most, protocol.samples)
    return stream(data.stream, n_samples=samples, seed=protocol.random_state)


def iter_stream_cells(spec: ExperimentSpec, data: DataSpec, source: Stream) -> Iterator[Cell]:
    """Yield the cells of one stream, one for each method."""
    content = _content(spec.protocol, data, source)
    nothing = np.empty(0, dtype=np.int64)
    for method in spec.methods:
        if data.name in method.not_on:
            continue
        names = tuple(class_names(method.estimator, method.params))
        parts = {
            "dataset": data.name,
            "data": content,
            "method": method.name,
            "estimator": method.estimator,
            "params": method.params,
            "protocol": ["prequential", spec.protocol.chunk, spec.protocol.samples],
            "window": spec.protocol.window,
            "random_state": spec.protocol.random_state,
        }
        code = method_code_version(names, _AROUND_A_LEARNER)
        yield Cell(
            hash_question(parts), code, data.name, method.name, Split(0, 0, nothing, nothing)
        )


def run_stream_cell(spec: ExperimentSpec, cell: Cell, source: Stream) -> dict[str, Any]:
    """Return the record of one learner on one stream; its entries are those of other cells.

    Training and test seconds are sums; those of a chunk are means, of the processor, for the
    published tables.
    """
    protocol = spec.protocol
    (method,) = (method for method in spec.methods if method.name == cell.method)
    # The same for all methods: they start alike. Java's random numbers take 31 bits.
    seed = derive_seed(protocol.random_state, "start", cell.dataset, 0, 0) % 2**31
    learner = build_learner(method.estimator, method.params, seed)
    if hasattr(learner, "start"):
        learner.start()
    result = prequential(
        {cell.method: learner},
        source,
        n_samples=protocol.samples,
        chunk=protocol.chunk,
        window=protocol.window,
        # As in the dissertation, for all learners alike.
        one_by_one=False,
    )
    (row,) = result.summary()
    n_chunks = len(result.records)
    if n_chunks < 2:
        raise ValueError(
            f"The stream {cell.dataset} ends with its first chunk, so nothing is predicted. Choose "
            "a smaller chunk."
        )
    first = result.records[0]
    return {
        "repeat": 0,
        "fold": 0,
        "n_train": row["n_samples"],
        "n_test": row["n_samples"] - first["end"],
        **{name: row[name] for name in _scores(row)},
        "inner_score": None,
        "n_fits": n_chunks,
        "fit_seconds": row["train_seconds"],
        "fit_cpu_seconds": row["train_cpu_seconds"],
        "score_seconds": row["test_seconds"],
        "train_chunk_seconds": row["train_cpu_seconds"] / n_chunks,
        "test_chunk_seconds": row["test_cpu_seconds"] / (n_chunks - 1),
        "n_support": row.get("n_support"),
        "n_bytes": row.get("n_bytes"),
        "params": {},
        "search_scores": None,
    }


def _scores(row: dict[str, Any]) -> list[str]:
    """Return the measures that are over all predictions, and numbers."""
    return [
        name for name in row if f"window_{name}" in row and not math.isnan(row[f"window_{name}"])
    ]


def _content(protocol: ProtocolSpec, data: DataSpec, source: Stream) -> str:
    """Return a hash of what the samples depend on."""
    if data.stream is not None:
        info = describe_stream(data.stream)
        if info.data is None:
            # The settings and the code, which is part of the key, make the samples.
            settings = {"seed": protocol.random_state, "length": source.length, **asdict(info)}
            return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
    digest = hashlib.sha256()
    for X, y in source.chunks(_HASHED, end=protocol.samples):
        digest.update(X.tobytes())
        digest.update(json.dumps(y.tolist()).encode())
    return digest.hexdigest()
