"""Dask's collections as partitions of rows, which stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.utils.optional import import_optional

__all__ = ["check_blocks", "delayed_blocks", "is_array", "is_frame", "zip_partitions"]


def is_array(value: Any) -> bool:
    """Return whether a value is a dask array."""
    array = import_optional("dask.array", "fit models on a cluster")
    return isinstance(value, array.Array)


def is_frame(value: Any) -> bool:
    """Return whether a value is a dask dataframe or one of its columns."""
    return all(hasattr(value, name) for name in ("to_delayed", "divisions", "_meta"))


def zip_partitions(X: Any, y: Any, weights: Any, who: str) -> list[tuple[Any, Any, Any]]:
    """Return delayed rows, targets and weights of each partition.

    Raises
    ------
    TypeError
        If something is no collection of Dask.
    ValueError
        If rows are cut into columns too, or partitions do not match.
    """
    blocks = delayed_blocks(X, "X", who)
    targets = _matching(y, "y", X, blocks, who)
    given = [None] * len(blocks)
    if weights is not None:
        given = _matching(weights, "sample_weight", X, blocks, who)
    return list(zip(blocks, targets, given, strict=True))


def delayed_blocks(X: Any, name: str, who: str) -> list[Any]:
    """Return the partitions of a table by row."""
    check_blocks(X, name, who)
    return list(X.to_delayed().ravel()) if is_array(X) else list(X.to_delayed())


def check_blocks(X: Any, name: str, who: str) -> None:
    """Refuse what is not a table of Dask cut into partitions by row."""
    if is_frame(X):
        return
    if not is_array(X):
        raise TypeError(
            f"{who} takes arrays and dataframes of Dask. Got {type(X).__name__} as {name}; use the "
            "estimator without 'Dask' for data in memory, or dask.array.from_array."
        )
    if X.ndim != 2:
        raise ValueError(
            f"{who} expected {name} of 2 dimensions, rows and features. Got {X.ndim}; use "
            f"{name}.reshape(-1, 1) if it is a single feature."
        )
    if X.numblocks[1] != 1 or np.isnan(X.shape[1]):
        raise ValueError(
            f"{who} expected {name} cut into blocks of rows only, with a known number of "
            f"features. Got chunks {_shown(X.chunks)}; use {name}.rechunk({{1: -1}}), after "
            f"{name}.compute_chunk_sizes() if sizes are unknown."
        )


def _matching(values: Any, name: str, X: Any, blocks: list[Any], who: str) -> list[Any]:
    if is_array(values):
        if values.ndim == 2 and values.numblocks[1] != 1:
            values = values.rechunk({1: -1})
        parts = list(values.to_delayed().ravel())
        known = values.chunks[0]
    elif is_frame(values):
        parts, known = list(values.to_delayed()), None
    else:
        raise TypeError(
            f"{who} takes {name} as an array or a column of Dask, like X. Got "
            f"{type(values).__name__}; use dask.array.from_array with the chunks of X."
        )
    if len(parts) != len(blocks):
        raise ValueError(
            f"{who} expected X and {name} in the same partitions. Got {len(blocks)} and "
            f"{len(parts)}; use {name}.rechunk or {name}.repartition."
        )
    own = X.chunks[0] if is_array(X) else None
    if (
        own is not None
        and known is not None
        and not np.isnan([*own, *known]).any()
        and own != known
    ):
        raise ValueError(
            f"{who} expected X and {name} in the same partitions. Got rows {_shown(own)} and "
            f"{_shown(known)}; use {name}.rechunk(X.chunks[0])."
        )
    return parts


def _shown(chunks: Any) -> str:
    text = str(chunks)
    return text if len(text) <= 80 else text[:77] + "..."
