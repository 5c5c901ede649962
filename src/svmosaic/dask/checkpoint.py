"""A file from which an interrupted fit goes on: who is in play, and with what coefficients."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.atomic import atomic_write

__all__ = ["Checkpoint", "read_checkpoint", "write_checkpoint"]

_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Where a fit stands, in numbers that do not depend on workers.

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
    buffer = io.BytesIO()
    np.savez(buffer, **vars(state))
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    header = json.dumps({"svmosaic-checkpoint": _FORMAT, "sha256": digest, "fit": fit})
    with atomic_write(path, "wb") as file:
        file.write(header.encode() + b"\n" + content)


def read_checkpoint(
    path: str | os.PathLike[str], fit: dict[str, Any], who: str
) -> Checkpoint | None:
    """Return where a fit stood; None if there is no file.

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
        known = header["fit"]
    except (ValueError, KeyError, TypeError):
        is_whole, known = False, {}
    if not is_whole:
        raise ValueError(
            f"{who} expected a check-point in {name!r}. Got another or a damaged file; remove it "
            "to begin anew."
        )
    other = sorted(key for key in fit if known.get(key) != json.loads(json.dumps(fit[key])))
    if other:
        raise ValueError(
            f"The check-point {name!r} of {who} belongs to another fit: {', '.join(other)} "
            "differ. Remove it to begin anew, or name another file."
        )
    try:
        with np.load(io.BytesIO(rest), allow_pickle=False) as arrays:
            return Checkpoint(**{key: arrays[key] for key in arrays.files})
    except (ValueError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"The check-point {name!r} of {who} cannot be read; remove it to begin anew."
        ) from error
