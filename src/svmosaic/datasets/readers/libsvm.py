"""Read LIBSVM text: ``label index:value index:value ...``, indices from 1."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import svmosaic._core as _core
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.feature_matrix import to_dense
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import whole_if_integral
from svmosaic.datasets.readers.text import (
    MAX_LINE_BYTES,
    file_error,
    iter_blocks,
    iter_chunks,
    shorten,
    table_name,
)

__all__ = ["most_features", "read_libsvm", "refuse_long_labels"]

_MOST_FEATURES = 10_000_000
# Doubles hold every whole number up to here.
_LARGEST_WHOLE = 2.0**53
_DIGITS_OF_LARGEST = 16


def read_libsvm(path: Path, options: TableOptions) -> Dataset:
    """Read a LIBSVM text file into its labels and a sparse matrix, or a dense one if asked for.

    `feature_names` is None: the format has no names. Query ids are left out.
    """
    n_features = options.n_features
    parser = _core.LibsvmTextParser(
        max_features=most_features(options),
        max_line_bytes=MAX_LINE_BYTES,
        allow_nonfinite=options.allow_nan,
    )
    try:
        for chunk in iter_chunks(path, options.max_bytes, options.encoding):
            parser.feed(chunk)
        labels, indptr, indices, values, n_seen = parser.finish()
    except _core.LibsvmTextError as error:
        raise file_error(path, parser.line, str(error)) from None
    if labels.size == 0:
        raise file_error(path, max(parser.line, 1), "the file has no samples. Check the path.")
    width = n_seen if n_features is None else n_features
    if width == 0:
        raise file_error(
            path, parser.line, "no line so far has a feature. Check the file, or pass n_features."
        )
    if np.any(np.abs(labels) >= _LARGEST_WHOLE):
        for block in iter_blocks(path, options.max_bytes, encoding=options.encoding):
            refuse_long_labels(path, enumerate(block.lines, block.first))
    X = _csr(values, indices, indptr, (labels.size, width))
    if options.dense:
        X = to_dense(X, path, options.max_bytes)
    return Dataset(X=X, y=whole_if_integral(labels), name=table_name(path))


def refuse_long_labels(path: Path, lines: Iterable[tuple[int, str]]) -> None:
    """Refuse whole numbers, such as ids, that would become one and the same label.

    Parameters
    ----------
    path : Path
        The file, for the message.
    lines : iterable of (int, str)
        Lines with their numbers.
    """
    for number, line in lines:
        label = line.split(maxsplit=1)[0] if line.strip() else ""
        digits = label.lstrip("+-").lstrip("0")
        if not digits.isascii() or not digits.isdecimal():
            continue
        if len(digits) > _DIGITS_OF_LARGEST or int(digits) >= _LARGEST_WHOLE:
            raise file_error(
                path,
                number,
                f"the label {shorten(label)} is a whole number of 2^53 or more, which cannot be "
                "distinguished from its neighbours. Number the classes from 1, or write CSV with "
                "names.",
            )


def most_features(options: TableOptions) -> int:
    """Return the largest feature index that is taken."""
    if options.n_features is not None:
        return options.n_features
    return _MOST_FEATURES if options.max_features is None else options.max_features


def _csr(values: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    # SciPy wants both index arrays of one type; int32 unless there are 2^31 values.
    wide = values.size > np.iinfo(np.int32).max
    index_type = np.int64 if wide else np.int32
    X = scipy.sparse.csr_array(
        (values, indices.astype(index_type, copy=False), indptr.astype(index_type, copy=False)),
        shape=shape,
    )
    # The parser checked that indices ascend without repeats; this saves SciPy the search.
    X.has_canonical_format = True
    return X
