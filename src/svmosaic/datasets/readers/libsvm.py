"""Read LIBSVM text: ``label index:value index:value ...``, indices from 1."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from svmosaic import _core
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.columns import to_dense, whole_if_integral
from svmosaic.datasets.readers.text import MAX_LINE_BYTES, file_error, iter_chunks, table_name

__all__ = ["read_libsvm"]


def read_libsvm(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    max_features: int = 10_000_000,
    allow_nan: bool = False,
    dense: bool | None = None,
    max_dense_mb: float = 4096.0,
) -> Dataset:
    r"""Read a LIBSVM text file into a sparse matrix and its labels.

    Parameters
    ----------
    path : path-like
        The file, plain or gzip'd.
    n_features : int, default=None
        Number of columns. By default the largest index in the file; give the number of the
        training data when you read test data.
    max_features : int, default=10_000_000
        A feature index above it is refused.
    allow_nan : bool, default=False
        Accept nan and inf.
    dense : bool, default=None
        True gives an ndarray, otherwise `X` is a ``csr_array``.
    max_dense_mb : float, default=4096
        The largest dense array to make, in megabytes.

    Returns
    -------
    Dataset
        `feature_names` is None: the format has no names. Query ids are left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets.readers.libsvm import read_libsvm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.svm")
    ...     _ = path.write_text("+1 1:0.5 3:2\n-1 2:1\n")
    ...     data = read_libsvm(path, dense=True)
    >>> data.X.tolist(), data.y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1, -1])
    """
    source = Path(path)
    parser = _core.LibsvmTextParser(
        max_features=max_features if n_features is None else n_features,
        max_line_bytes=MAX_LINE_BYTES,
        allow_nonfinite=allow_nan,
    )
    try:
        for chunk in iter_chunks(source):
            parser.feed(chunk)
        labels, indptr, indices, values, n_seen = parser.finish()
    except _core.LibsvmTextError as error:
        raise file_error(source, parser.line, str(error)) from None
    if labels.size == 0:
        raise file_error(source, max(parser.line, 1), "the file has no samples. Check the path.")
    width = n_seen if n_features is None else n_features
    if width == 0:
        raise file_error(
            source, parser.line, "no line so far has a feature. Check the file, or pass n_features."
        )
    X = _csr(values, indices, indptr, (labels.size, width))
    if dense:
        X = to_dense(X, source, max_dense_mb)
    return Dataset(X=X, y=whole_if_integral(labels), name=table_name(source))


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
