"""Exchange models as text files of LIBSVM (a library for support vector machines).

The file has a header (``svm_type`` to ``nr_sv``) and, after the line ``SV``, one line per support
vector: its coefficients, then ``index:value`` pairs with indices from 1. Regressors and the
one-class SVM have one function: their header has ``nr_class 2``, no labels and no ``nr_sv``.

Signs: in LIBSVM the classifier of labels i and j, with i before j in the ``label`` line, is
positive for i and has the constant -rho. That is also our convention for three classes and more.
With two classes our decision is positive for ``classes_[1]``; so that label is written first, and
even a decision of exactly 0 means the same class to both.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Any, BinaryIO, NoReturn

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.classifier_state import assemble_classifier
from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.nu_smo_classifier import NuSMOClassifier
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.one_class_smo import OneClassSMO
from svmosaic.classification.one_output import OneOutputEstimator
from svmosaic.engine.expansion_state import GAMMA, assemble_one_output
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.exceptions import ModelFileError
from svmosaic.regression.nu_smo_regressor import NuSMORegressor
from svmosaic.regression.smo_regressor import SMORegressor
from svmosaic.svm.nu_svc import NuSVC
from svmosaic.utils.atomic import atomic_write

__all__ = ["export_libsvm", "import_libsvm"]

# our name -> LIBSVM's name and the parameters its header must give
_KERNELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "linear": ("linear", ()),
    "poly": ("polynomial", ("degree", "gamma", "coef0")),
    "rbf": ("rbf", ("gamma",)),
    "sigmoid": ("sigmoid", ("gamma", "coef0")),
}
_OUR_KERNEL = {theirs: ours for ours, (theirs, _) in _KERNELS.items()}
_CLASSIFIERS = ("c_svc", "nu_svc")
# LIBSVM's name -> our model of one function
_ONE_OUTPUT: dict[str, type[OneOutputEstimator]] = {
    "epsilon_svr": SMORegressor,
    "nu_svr": NuSMORegressor,
    "one_class": OneClassSMO,
}
_TYPES = (*_CLASSIFIERS, *_ONE_OUTPUT)
_EXPORTED: Any = (KernelClassifier, *_ONE_OUTPUT.values())

_MAX_LINE_BYTES = 1 << 24
_MAX_FEATURES = 10_000_000
_INT32 = np.iinfo(np.int32)

# With these characters, float() and int() of Python accept plain decimal numbers only.
_NUMBERS = re.compile(r"[0-9+\-.eE ]*")
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")
_PAIRS = re.compile(r"[0-9+\-.eE: \t]*")

# At and above this share of non-zero values a dense table is the smaller one, roughly.
_DENSE_SHARE = 0.5


# Export -------------------------------------------------------------------------------------


def export_libsvm(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted support vector machine as a LIBSVM model file.

    Programs that read LIBSVM models then give the same decision values. For three classes and
    more they take the first of classes with equal votes, where svmosaic compares the sums of
    decisions.

    Parameters
    ----------
    model : kernel classifier, SMORegressor, NuSMORegressor or OneClassSMO
        Fitted, with the kernel ``"linear"``, ``"poly"``, ``"rbf"`` or ``"sigmoid"``. A classifier
        has integer labels, and one-vs-one classifiers if there are more than two classes. Of a
        search the best model is written.
    path : path-like
        The file to write. Numbers get 17 significant digits, which is exact.

    See Also
    --------
    import_libsvm : Read such a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.persistence import export_libsvm
    >>> model = OLLAWVClassifier(gamma=0.5).fit(*load_iris(return_X_y=True))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "iris.model")
    ...     export_libsvm(model, path)
    ...     print(*path.read_text().splitlines()[:4], sep="; ")
    svm_type c_svc; kernel_type rbf; gamma 0.5; nr_class 3
    """
    model = getattr(model, "best_estimator_", model)
    _check_exportable(model)
    with atomic_write(path, "wb") as stream:
        for line in _lines(model):
            data = line.encode("ascii") + b"\n"
            if len(data) > _MAX_LINE_BYTES:
                raise ValueError(
                    f"A line of the LIBSVM file would be longer than {_MAX_LINE_BYTES} bytes. "
                    "Use svmosaic.persistence.save instead."
                )
            stream.write(data)


def _check_exportable(model: Any) -> None:
    if isinstance(model, Pipeline):
        raise TypeError(
            "A LIBSVM file has no place for the other steps of a Pipeline. Export its last step "
            "and scale the data before prediction, or use svmosaic.persistence.save."
        )
    if not isinstance(model, _EXPORTED):
        advice = " Export its estimator_." if hasattr(model, "estimator_") else ""
        raise TypeError(
            "export_libsvm expected a kernel classifier of svmosaic, SMORegressor, NuSMORegressor "
            f"or OneClassSMO. Got {type(model).__name__}.{advice}"
        )
    check_is_fitted(model)
    if callable(model.kernel) or model.kernel not in _KERNELS:
        shown = "a function" if callable(model.kernel) else repr(model.kernel)
        raise ValueError(
            f"LIBSVM files hold the kernels {', '.join(map(repr, _KERNELS))}. Got {shown} "
            "instead; use svmosaic.persistence.save for other named kernels."
        )
    if model.support_.size == 0:
        raise ValueError(
            f"A LIBSVM file lists support vectors, and this {type(model).__name__} keeps only the "
            "weights of the features. Use svmosaic.persistence.save."
        )
    if isinstance(model, KernelClassifier):
        _check_classes(model)


def _check_classes(model: Any) -> None:
    if model.classes_.size > 2 and model.multi_class != "ovo":
        raise ValueError(
            "LIBSVM files hold one-vs-one models only; this model has multi_class='ovr'. "
            "Fit with multi_class='ovo', or use svmosaic.persistence.save."
        )
    labels = model.classes_
    if labels.dtype.kind not in "iu" or labels.min() < _INT32.min or labels.max() > _INT32.max:
        raise ValueError(
            f"LIBSVM files need integer labels of 32 bits; the labels are {labels.dtype}, from "
            f"{labels[0]} to {labels[-1]}. Fit with sklearn.preprocessing.LabelEncoder's numbers, "
            "or use svmosaic.persistence.save."
        )


def _digits(number: float) -> str:
    return format(float(number), ".17g")


def _type_of(model: Any) -> str:
    if isinstance(model, KernelClassifier):
        return "nu_svc" if isinstance(model, NuSMOClassifier) else "c_svc"
    return next(name for name, kind in _ONE_OUTPUT.items() if isinstance(model, kind))


def _lines(model: Any) -> Iterator[str]:
    """Yield the lines of the file."""
    theirs, needed = _KERNELS[model.kernel]
    values = {
        "degree": str(int(model.degree)),
        "gamma": _digits(model.expansion_.kernel.gamma),
        "coef0": _digits(model.coef0),
    }
    yield f"svm_type {_type_of(model)}"
    yield f"kernel_type {theirs}"
    yield from (f"{name} {values[name]}" for name in needed)
    rows = np.arange(model.support_.size)
    order = []
    if isinstance(model, KernelClassifier):
        # The positive label first; with more classes, pairs are positive for the lower number.
        order = [1, 0] if model.classes_.size == 2 else list(range(model.classes_.size))
        ends = np.cumsum(model.n_support_)
        rows = np.concatenate([np.arange(ends[c] - model.n_support_[c], ends[c]) for c in order])
    yield f"nr_class {len(order) or 2}"
    yield f"total_sv {model.support_.size}"
    # 0.0 - x rather than -x: the text "-0" would only puzzle.
    yield "rho " + " ".join(_digits(0.0 - value) for value in model.intercept_)
    if order:
        yield "label " + " ".join(str(int(model.classes_[c])) for c in order)
        yield "nr_sv " + " ".join(str(int(model.n_support_[c])) for c in order)
    yield "SV"
    vectors = sp.csr_array(model.support_vectors_)
    coefficients = model.dual_coef_
    for row in rows.tolist():
        part = slice(vectors.indptr[row], vectors.indptr[row + 1])
        words = [_digits(value) for value in coefficients[:, row]]
        words += [
            f"{index + 1}:{_digits(value)}"
            for index, value in zip(
                vectors.indices[part].tolist(), vectors.data[part].tolist(), strict=True
            )
            if value != 0.0
        ]
        yield " ".join(words)


# Import -------------------------------------------------------------------------------------


def import_libsvm(
    path: str | os.PathLike[str], *, n_features: int | None = None
) -> OLLAWVClassifier | NuSVC | SMORegressor | NuSMORegressor | OneClassSMO:
    r"""Read a model from a LIBSVM model file.

    The parser is strict: counts that contradict each other, a file cut short, nan, and indices
    that do not ascend are refused, with the line.

    Parameters
    ----------
    path : path-like
        A model of the type ``c_svc``, ``nu_svc``, ``epsilon_svr``, ``nu_svr`` or ``one_class`` with
        the kernel ``linear``, ``polynomial``, ``rbf`` or ``sigmoid``. Probability parameters in it
        are left out.
    n_features : int, default=None
        Number of features of the data to predict. By default the largest index in the file,
        which is too small if the last features of all support vectors are 0.

    Returns
    -------
    model : OLLAWVClassifier, svm.NuSVC, SMORegressor, NuSMORegressor or OneClassSMO
        A ``NuSVC`` gives a sample with equal votes to the first of its classes, as LIBSVM does with
        labels that ascend; an ``OLLAWVClassifier`` compares the sums of decisions.
        Fitted, with float64 support vectors, sparse if less than half of the values are not 0.
        It predicts, but has no path: `at_margin` needs a model that svmosaic trained. `support_`
        counts the vectors of the file, which does not know the rows of the training data, nor
        parameters such as C, nu and epsilon, which have their defaults.

    Raises
    ------
    ModelFileError
        If the file is malformed or holds another kind of model.

    See Also
    --------
    export_libsvm : Write such a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.persistence import import_libsvm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.model")
    ...     _ = path.write_text(
    ...         "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\n"
    ...         "label 1 -1\nnr_sv 1 1\nSV\n0.5 1:1\n-0.5 1:-1\n"
    ...     )
    ...     model = import_libsvm(path)
    >>> model.decision_function([[2.0], [-3.0]]).tolist()
    [2.0, -3.0]
    """
    if n_features is not None and not (
        isinstance(n_features, Integral) and 1 <= n_features <= _INT32.max
    ):
        raise ValueError(
            f"n_features of import_libsvm must be a whole number from 1. Got {n_features} instead."
        )
    with open(path, "rb") as stream:
        reader = _Reader(stream, os.fspath(path), os.fstat(stream.fileno()).st_size)
        header = _read_header(reader)
        coefficients, vectors = _read_vectors(reader, header, n_features)
    if header.svm_type in _ONE_OUTPUT:
        return _fitted_function(header, coefficients, vectors)
    return _fitted(header, coefficients, vectors)


class _Reader:
    """The lines of a file, with their numbers for messages."""

    def __init__(self, stream: BinaryIO, name: str, size: int) -> None:
        self._stream = stream
        self._name = name
        self._left = size
        self.line = 0

    def next(self) -> str | None:
        """Return the next line without its end, or None after the last."""
        data = self._stream.readline(_MAX_LINE_BYTES + 1)
        if not data:
            return None
        self.line += 1
        self._left -= len(data)
        if len(data) > _MAX_LINE_BYTES:
            self.refuse(f"the line is longer than {_MAX_LINE_BYTES} bytes")
        if not data.endswith(b"\n"):
            # Each line of LIBSVM has an end; a number without one may have lost digits.
            self.refuse("the file is cut short in this line")
        if not data.isascii() or b"\0" in data:
            self.refuse("the line is not plain text")
        return data.decode("ascii").rstrip("\n").removesuffix("\r")

    def left(self) -> int:
        """Return the number of bytes not yet read."""
        return self._left

    def refuse(self, reason: str) -> NoReturn:
        raise ModelFileError(f"{self._name}, line {self.line}: {reason}.")

    def refuse_file(self, reason: str) -> NoReturn:
        raise ModelFileError(f"{self._name}: {reason}.")


@dataclass(frozen=True)
class _Header:
    svm_type: str
    kernel: str
    degree: int
    gamma: float
    coef0: float
    rho: DoubleArray
    labels: IndexArray  # none where there is one function
    counts: IndexArray

    @property
    def n_coef(self) -> int:
        """Coefficients of each vector."""
        return max(1, self.labels.size - 1)


def _read_header(reader: _Reader) -> _Header:
    found: dict[str, Any] = {}
    while (line := reader.next()) is not None:
        key, _, rest = line.replace("\t", " ").strip(" ").partition(" ")
        if key == "SV" and not rest:
            break
        if key not in _ENTRIES:
            if reader.line == 1:
                reader.refuse_file("this is not a LIBSVM model; its first word is not 'svm_type'")
            reader.refuse(f"the entry {key[:40]!a} is not known")
        if key in found:
            reader.refuse(f"the entry '{key}' comes twice")
        found[key] = _ENTRIES[key](reader, key, rest)
    else:
        reader.refuse_file("the file is cut short: the line 'SV' is missing")
    return _checked_header(reader, found)


def _word(reader: _Reader, key: str, text: str) -> str:
    return text.strip(" \t")


def _numbers(reader: _Reader, key: str, text: str) -> list[float]:
    try:
        values = [float(word) for word in text.split()] if _NUMBERS.fullmatch(text) else None
    except ValueError:
        values = None
    if not values or not np.isfinite(values).all():
        reader.refuse(f"'{key}' needs finite numbers. Got {text[:40]!a}")
    return values


def _integers(reader: _Reader, key: str, text: str) -> list[int]:
    words = [word for word in text.split(" ") if word]
    if not words or not all(_INTEGER.fullmatch(word) for word in words):
        reader.refuse(f"'{key}' needs whole numbers. Got {text[:40]!a}")
    values = [int(word) for word in words]
    if min(values) < _INT32.min or max(values) > _INT32.max:
        reader.refuse(f"'{key}' needs whole numbers of 32 bits. Got {text[:40]!a}")
    return values


def _single(read: Callable[[_Reader, str, str], list[Any]]) -> Callable[[_Reader, str, str], Any]:
    def one(reader: _Reader, key: str, text: str) -> Any:
        values = read(reader, key, text)
        if len(values) != 1:
            reader.refuse(f"'{key}' needs one number. Got {len(values)}")
        return values[0]

    return one


# entry of the header -> how its text is read
_ENTRIES: dict[str, Callable[[_Reader, str, str], Any]] = {
    "svm_type": _word,
    "kernel_type": _word,
    "degree": _single(_integers),
    "gamma": _single(_numbers),
    "coef0": _single(_numbers),
    "nr_class": _single(_integers),
    "total_sv": _single(_integers),
    "rho": _numbers,
    "label": _integers,
    "probA": _numbers,
    "probB": _numbers,
    "prob_density_marks": _numbers,
    "nr_sv": _integers,
}


def _checked_header(reader: _Reader, found: dict[str, Any]) -> _Header:
    """Return the header; everything is compared before anything of its sizes is allocated."""
    required = ["svm_type", "kernel_type", "nr_class", "total_sv", "rho"]
    of_classes = ["label", "nr_sv"]
    kernel = _OUR_KERNEL.get(found.get("kernel_type", ""))
    if "svm_type" in found and found["svm_type"] not in _TYPES:
        reader.refuse_file(
            f"svm_type must be one of {', '.join(_TYPES)}. Got {found['svm_type'][:40]!a}"
        )
    if found.get("svm_type") not in _ONE_OUTPUT:
        required += of_classes
    elif extra := [key for key in of_classes if key in found]:
        reader.refuse_file(f"a model of the type {found['svm_type']} has no entry '{extra[0]}'")
    if "kernel_type" in found and kernel is None:
        reader.refuse_file(
            f"kernel_type must be one of {', '.join(_OUR_KERNEL)}. "
            f"Got {found['kernel_type'][:40]!a}"
        )
    for key in (*required, *(_KERNELS[kernel][1] if kernel else ())):
        if key not in found:
            reader.refuse_file(f"the entry '{key}' is missing")
    if not found.get("gamma", 1.0) > 0.0:
        reader.refuse_file(f"gamma must be positive. Got {found['gamma']:g}")
    if found.get("degree", 0) < 0:
        reader.refuse_file(f"degree must not be negative. Got {found['degree']}")
    _check_counts(reader, found)
    return _Header(
        svm_type=found["svm_type"],
        kernel=str(kernel),
        degree=found.get("degree", 3),
        gamma=found.get("gamma", 1.0),
        coef0=found.get("coef0", 0.0),
        rho=np.array(found["rho"]),
        labels=np.array(found.get("label", []), dtype=np.int64),
        counts=np.array(found.get("nr_sv", [found["total_sv"]]), dtype=np.int64),
    )


def _check_counts(reader: _Reader, found: dict[str, Any]) -> None:
    n_classes, total = found["nr_class"], found["total_sv"]
    one_output = found["svm_type"] in _ONE_OUTPUT
    if n_classes < 2 or (one_output and n_classes > 2):
        wanted = "2 in a model of one function" if one_output else "at least 2"
        reader.refuse_file(f"nr_class must be {wanted}. Got {n_classes}")
    n_pairs = n_classes * (n_classes - 1) // 2
    lengths = {"rho": n_pairs}
    if not one_output:
        lengths |= {"label": n_classes, "nr_sv": n_classes}
    lengths |= {key: n_pairs for key in ("probA", "probB") if key in found}
    for key, length in lengths.items():
        if len(found[key]) != length:
            reader.refuse_file(
                f"'{key}' needs {length} numbers for {n_classes} classes. Got {len(found[key])}"
            )
    if not one_output and len(set(found["label"])) != n_classes:
        reader.refuse_file("a label comes twice")
    counts = found.get("nr_sv", [total])
    if min(counts) < 0 or sum(counts) != total or total < 1:
        reader.refuse_file(
            f"the numbers of nr_sv must add up to total_sv = {total}, at least 1. "
            f"They add up to {sum(counts)}"
        )
    # A line needs a digit and a separator for each coefficient.
    if total * 2 * (n_classes - 1) > reader.left():
        reader.refuse_file(f"the file is too short for total_sv = {total} support vectors")


def _read_vectors(
    reader: _Reader, header: _Header, n_features: int | None
) -> tuple[DoubleArray, Any]:
    """Return coefficients of shape (n_classes - 1, n_vectors) and the table of vectors."""
    n_coef = header.n_coef
    n_vectors = int(header.counts.sum())
    limit = _MAX_FEATURES if n_features is None else n_features
    coefficients, values, indices = array("d"), array("d"), array("q")
    offsets = array("q", [0])
    while (line := reader.next()) is not None:
        if len(offsets) > n_vectors:
            reader.refuse(f"there is text after the last of total_sv = {n_vectors} vectors")
        words = line.split()
        if not _PAIRS.fullmatch(line) or len(words) < n_coef:
            reader.refuse(f"expected {n_coef} coefficients and then index:value pairs")
        try:
            coefficients.extend(map(float, words[:n_coef]))
            last = 0
            for word in words[n_coef:]:
                index_text, value_text = word.split(":")
                index = int(index_text)
                if not last < index <= limit:
                    reader.refuse(_index_reason(index, last, limit, n_features))
                last = index
                indices.append(index - 1)
                values.append(float(value_text))
        except ModelFileError:
            raise
        except (ValueError, OverflowError):
            reader.refuse(f"expected {n_coef} coefficients and then index:value pairs")
        offsets.append(len(values))
    if len(offsets) != n_vectors + 1:
        reader.refuse_file(
            f"the file is cut short: {len(offsets) - 1} of {n_vectors} support vectors"
        )
    table = np.array(coefficients).reshape(n_vectors, n_coef)
    data, columns, starts = (np.array(a) for a in (values, indices, offsets))
    if not np.isfinite(table).all() or not np.isfinite(data).all():
        reader.refuse_file("a number of the support vectors is too large for float64")
    n_columns = n_features or int(columns.max(initial=0)) + 1
    return table.T, _rows(data, columns, starts, (n_vectors, n_columns))


def _index_reason(index: int, last: int, limit: int, n_features: int | None) -> str:
    if index < 1:
        return f"the index {index} is below 1"
    if index <= last:
        return f"the index {index} follows {last}; indices must ascend"
    which = "at most" if n_features is None else "n_features ="
    return f"the index {index} is too large; {which} {limit} was expected"


def _rows(
    data: DoubleArray, columns: IndexArray, starts: IndexArray, shape: tuple[int, int]
) -> Any:
    # 32 bits for indices where they suffice, as SciPy does.
    narrow = max(data.size, shape[1]) <= _INT32.max
    kind = np.int32 if narrow else np.int64
    vectors = sp.csr_array((data, columns.astype(kind), starts.astype(kind)), shape=shape)
    dense = data.size >= _DENSE_SHARE * shape[0] * shape[1]
    return vectors.toarray() if dense else vectors


def _fitted_function(
    header: _Header, coefficients: DoubleArray, vectors: Any
) -> SMORegressor | NuSMORegressor | OneClassSMO:
    """Return the model of one function."""
    model: Any = _ONE_OUTPUT[header.svm_type](
        kernel=header.kernel, gamma=header.gamma, degree=header.degree, coef0=header.coef0
    )
    n_vectors = vectors.shape[0]
    assemble_one_output(
        model,
        {
            "n_features_in_": vectors.shape[1],
            "support_": np.arange(n_vectors, dtype=np.int32),
            "support_vectors_": vectors,
            "n_support_": np.array([n_vectors], dtype=np.int32),
            "dual_coef_": np.ascontiguousarray(coefficients),
            "intercept_": 0.0 - header.rho,
            GAMMA: header.gamma,
            "n_iter_": np.zeros(1, dtype=np.int64),
            "stop_reason_": np.array(["converged"]),
            "dual_gap_": np.full(1, np.nan),
            "objective_": np.full(1, np.nan),
        },
    )
    if isinstance(model, NuSMORegressor):
        model.epsilon_ = float("nan")
    return model  # type: ignore[no-any-return]


def _fitted(header: _Header, coefficients: DoubleArray, vectors: Any) -> OLLAWVClassifier | NuSVC:
    """Return the classifier, its classes sorted as scikit-learn wants them."""
    order = np.argsort(header.labels)
    ends = np.cumsum(header.counts)
    rows = np.concatenate([np.arange(ends[c] - header.counts[c], ends[c]) for c in order])
    n_support = header.counts[order]
    dual_coef, rho = _reordered(coefficients[:, rows], header.rho, n_support, order)

    common: dict[str, Any] = {
        "kernel": header.kernel,
        "gamma": header.gamma,
        "degree": header.degree,
        "coef0": header.coef0,
    }
    model: OLLAWVClassifier | NuSVC
    extra: dict[str, Any]
    if header.svm_type == "nu_svc":
        model, extra = NuSVC(**common), _nu_state(order.size, rho.size, rows.size)
    else:
        model, extra = OLLAWVClassifier(**common, refine=None), _NO_PATH
    n_outputs = rho.size
    assemble_classifier(
        model,
        {
            "classes_": header.labels[order],
            "n_features_in_": vectors.shape[1],
            "support_": np.arange(rows.size, dtype=np.int32),
            "support_vectors_": vectors[rows],
            "n_support_": n_support.astype(np.int32),
            "dual_coef_": np.ascontiguousarray(dual_coef),
            "intercept_": 0.0 - rho,
            GAMMA: header.gamma,
            "n_iter_": np.zeros(n_outputs, dtype=np.int64),
            "stop_reason_": np.full(n_outputs, "converged"),
            "dual_gap_": np.full(n_outputs, np.nan),
            "objective_": np.full(n_outputs, np.nan),
            **extra,
        },
    )
    return model


# A model that was not trained here cannot continue.
_NO_PATH: dict[str, Any] = {
    "_path": {
        "offsets": np.zeros(1, dtype=np.int64),
        "rows": np.empty(0, dtype=np.int64),
        "steps": np.empty(0),
        "violations": np.empty(0),
        "total_weights": np.empty(0),
    },
    "_selected": {},
}


def _nu_state(n_classes: int, n_outputs: int, n_vectors: int) -> dict[str, Any]:
    """Return what a nu-SVM knows besides; the file has neither margins nor weights."""
    return {
        "C_": np.full(n_outputs, np.nan),
        "class_weight_": np.ones(n_classes),
        "_n_samples_fit": n_vectors,
    }


def _reordered(
    coefficients: DoubleArray, rho: DoubleArray, n_support: IndexArray, order: IndexArray
) -> tuple[DoubleArray, DoubleArray]:
    """Return coefficients and rho for the classes in ascending order.

    `order[a]` is the place in the file of ascending class a; `coefficients` has its columns in
    ascending order already. A binary classifier whose two classes change places changes its sign.
    """
    n_classes = order.size
    if n_classes == 2:
        # In the file positive means the first label, for us the larger one.
        sign = 1.0 if order[1] == 0 else -1.0
        return sign * coefficients, sign * rho
    number = {pair: m for m, pair in enumerate(combinations(range(n_classes), 2))}
    ends = np.cumsum(n_support)
    columns = [slice(end - n, end) for end, n in zip(ends, n_support, strict=True)]
    new_coefficients = np.empty_like(coefficients)
    new_rho = np.empty_like(rho)
    for m, (a, b) in enumerate(combinations(range(n_classes), 2)):
        i, j = int(order[a]), int(order[b])
        sign = 1.0 if i < j else -1.0
        # The row of a vector of class a in the classifier (a, b) is b - 1; of one of class b, a.
        new_coefficients[b - 1, columns[a]] = sign * coefficients[j - (j > i), columns[a]]
        new_coefficients[a, columns[b]] = sign * coefficients[i - (i > j), columns[b]]
        new_rho[m] = sign * rho[number[min(i, j), max(i, j)]]
    return new_coefficients, new_rho
