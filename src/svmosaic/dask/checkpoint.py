"""A file from which an interrupted fit continues: who is in play, and with what coefficients."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.atomic import atomic_write

__all__ = ["Checkpoint", "read_checkpoint", "write_checkpoint"]

_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state of a fit, in numbers that do not depend on workers.

    Attributes
    ----------
    begins : ndarray of int64
        The number of the first sample of each chunk of samples in play.
    partitions, positions, labels : ndarray of int64
        Where the samples in play come from, and their classes.
    targets, weights : ndarray of float64
        Their targets in regression, and their weights.
    left_partitions, left_positions : ndarray of int64
        All samples that are out of their partitions, copies included.
    keys : ndarray of uint64
        Hashes of the samples in play.
    rows, problems : ndarray of int64
        Which coefficients are not zero.
    values : ndarray of float64
        Their values.
    """

    begins: IndexArray
    partitions: IndexArray
    positions: IndexArray
    labels: IndexArray
    targets: DoubleArray
    weights: DoubleArray
    left_partitions: IndexArray
    left_positions: IndexArray
    keys: Any
    rows: IndexArray
    problems: IndexArray
    values: DoubleArray


def write_checkpoint(path: str | os.PathLike[str], fit: dict[str, Any], state: Checkpoint) -> None:
    """Write a file that says which fit it belongs to, with a checksum."""
    # Strided arrays would be written with what is between their elements.
    arrays = {name: np.ascontiguousarray(array) for name, array in vars(state).items()}
    content = safetensors.numpy.save(arrays)
    digest = hashlib.sha256(content).hexdigest()
    header = json.dumps({"svmosaic-checkpoint": _FORMAT, "sha256": digest, "fit": fit})
    with atomic_write(path, "wb") as file:
        file.write(header.encode() + b"\n" + content)


def read_checkpoint(
    path: str | os.PathLike[str],
    fit: dict[str, Any],
    who: str,
    n_problems: int,
    sizes: Sequence[int],
) -> Checkpoint | None:
    """Return where a fit stood; None if there is no file.

    `sizes` are the numbers of samples of the partitions.

    Raises
    ------
    ValueError
        If the file is damaged, or belongs to a fit of other data or parameters.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    name = os.fspath(path)
    first, _, rest = content.partition(b"\n")
    try:
        header = json.loads(first)
        is_whole = header["svmosaic-checkpoint"] == _FORMAT
        is_whole = is_whole and hashlib.sha256(rest).hexdigest() == header["sha256"]
        known = dict(header["fit"])
    except (ValueError, KeyError, TypeError, RecursionError):
        is_whole, known = False, {}
    if not is_whole:
        raise ValueError(
            f"{who} expected a check-point in {name!r}. Got another or a damaged file; remove it "
            "to start over."
        )
    other = sorted(key for key in fit if known.get(key) != json.loads(json.dumps(fit[key])))
    if other:
        raise ValueError(
            f"The check-point {name!r} of {who} belongs to another fit: {', '.join(other)} "
            "differ. Remove it to start over, or name another file."
        )
    try:
        found = Checkpoint(**safetensors.numpy.load(rest))
        _check(found, n_problems, sizes)
        return found
    except (ValueError, TypeError, KeyError, safetensors.SafetensorError) as error:
        raise ValueError(
            f"The check-point {name!r} of {who} cannot be read; remove it to start over."
        ) from error


def _check(state: Checkpoint, n_problems: int, sizes: Sequence[int]) -> None:
    """Raise ValueError for numbers that no fit has written."""
    n = state.weights.size
    limits = np.array(sizes, dtype=np.int64)
    in_play = (state.partitions, state.positions, state.labels, state.targets, state.keys)
    entries = (state.problems, state.values)
    is_right = (
        n > 0
        and all(array.shape == (n,) for array in in_play)
        and all(array.shape == state.rows.shape for array in entries)
        and state.left_partitions.shape == state.left_positions.shape
        and state.begins.size > 0
        and state.begins[0] == 0
        and bool(np.all(np.diff(state.begins, append=n) > 0))
        and _are_within(state.rows, n)
        and _are_within(state.problems, n_problems)
        and _are_in_partitions(state.partitions, state.positions, limits)
        and _are_in_partitions(state.left_partitions, state.left_positions, limits)
        and bool(np.all(np.isfinite(state.values)) and np.all(state.weights > 0))
    )
    if not is_right:
        raise ValueError("impossible numbers")


def _are_within(numbers: Any, limit: int) -> bool:
    return bool(numbers.dtype.kind == "i" and np.all((numbers >= 0) & (numbers < limit)))


def _are_in_partitions(partitions: Any, positions: Any, sizes: Any) -> bool:
    return _are_within(partitions, sizes.size) and bool(
        np.all((positions >= 0) & (positions < sizes[partitions]))
    )
