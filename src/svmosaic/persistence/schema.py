"""What a model file holds: its name, its version, and the state of every class it can store.

`SCHEMAS` is the one table of classes. An entry lists the fields of a fitted state (`Tensor`,
`Rows`, `Labels`, ...) and the checks that compare them. A field knows how to write its attribute
and how to read it back checked; nothing outside this table is ever written or read.

How to bump the version
-----------------------
A new class in `SCHEMAS`, or a new constructor parameter whose default means the old behaviour,
needs no new version: a file that does not name a parameter gets its default. Anything else does:
a new, renamed or dropped field, another type or meaning of one, another checksum. Then

1. raise `VERSION` by one;
2. add to `UPGRADES`, under the old version, a function that takes the header and the tensors of
   an old file, after their checksum was verified, and changes them in place into the new form;
3. store a file of the old version among the tests and load it there.

Readers refuse versions above their own, with a sentence that says to upgrade.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic.classification.kernel_primal import KernelPrimalSVC
from svmosaic.classification.mnsvm import MNSVMClassifier
from svmosaic.classification.nlsgd import NLSGDClassifier
from svmosaic.classification.nnisda import NNISDAClassifier
from svmosaic.classification.oge import OGEClassifier
from svmosaic.classification.olla_l2 import OLLAL2Classifier
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.online_svm import OnlineSVMClassifier
from svmosaic.classification.online_svm_cbp import OnlineSVMCBPClassifier
from svmosaic.classification.smo import SMOClassifier
from svmosaic.classification.svm_cbp import SVMCBPClassifier
from svmosaic.classification.uniform import UniformSVC
from svmosaic.persistence.validation import (
    AnyArray,
    Sizes,
    check_boundary,
    check_chains,
    check_csr,
    check_dtype,
    check_expansion,
    check_min_max_range,
    check_path,
    check_planes,
    check_positive_scale,
    check_regression_expansion,
    check_selected,
    check_shape,
    check_standard_parts,
    check_state,
    check_stream,
    check_values,
    check_weighted_chains,
    refuse,
)
from svmosaic.problem import Status
from svmosaic.regression.chains import SVRCC, SVRRC
from svmosaic.regression.multi_target import MultiTargetSVR
from svmosaic.regression.smo import SMORegressor
from svmosaic.regression.weighted_chains import SVRWC, KernelChains

__all__ = ["FORMAT", "SCHEMAS", "UPGRADES", "VERSION", "Field", "Parts", "Schema", "schema_of"]

FORMAT = "svmosaic"
VERSION = 1

# old version -> function(header, tensors) that turns a file of it into the next version
UPGRADES: dict[int, Callable[[dict[str, Any], dict[str, AnyArray]], None]] = {}

FLOATS = ("float64", "float32")
INTEGERS = ("int32", "int64")

# Rows are numbers of 32 bits in `support_`; more cannot be named.
_LAST_ROW = int(np.iinfo(np.int32).max)
_MISSING = object()


@dataclass
class Parts:
    """The state of one object on its way to or from a file.

    Attributes
    ----------
    values : dict
        What the JSON header holds, by field name.
    tensors : dict
        Arrays by name.
    """

    values: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, AnyArray] = field(default_factory=dict)

    def take_value(self, name: str) -> Any:
        """Return and remove a value."""
        value = self.values.pop(name, _MISSING)
        return value if value is not _MISSING else refuse(f"the value '{name}' is missing")

    def take_tensor(self, name: str) -> AnyArray:
        """Return and remove an array."""
        array = self.tensors.pop(name, None)
        return array if array is not None else refuse(f"the array '{name}' is missing")

    def require_empty(self) -> None:
        """Refuse what no field has taken."""
        for name in (*self.values, *self.tensors):
            refuse(f"'{name[:80]}' is not part of this kind of model")


class Field(Protocol):
    """One attribute of a fitted object."""

    @property
    def name(self) -> str:
        """Name in the file."""

    @property
    def attribute(self) -> str:
        """Name in the object."""

    @property
    def optional(self) -> bool:
        """Whether a fitted object may lack the attribute."""

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the attribute's value into `parts`."""

    def unpack(self, parts: Parts, sizes: Sizes) -> Any:
        """Take the value out of `parts`, checked."""


# Kinds of fields ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Tensor:
    """An array of numbers.

    `shape` names the length of each axis. With `scalar`, a single number may stand in its place;
    with `nullable`, None.
    """

    name: str
    attribute: str
    dtypes: tuple[str, ...]
    shape: tuple[str, ...]
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    finite: bool = True
    scalar: bool = False
    nullable: bool = False
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the array into `parts`."""
        if value is None:
            parts.values[self.name] = None
        else:
            parts.tensors[self.name] = np.asarray(value, order="C")

    def unpack(self, parts: Parts, sizes: Sizes) -> Any:
        """Take the array out of `parts`."""
        if self.nullable and self.name in parts.values:
            value = parts.take_value(self.name)
            return None if value is None else refuse(f"the value '{self.name}' is not null")
        array = parts.take_tensor(self.name)
        check_dtype(self.name, array, self.dtypes)
        single = self.scalar and array.ndim == 0
        if not single:
            check_shape(self.name, array, self.shape, sizes)
        check_values(
            self.name,
            array,
            finite=self.finite,
            minimum=self.minimum,
            maximum=self.maximum,
            above=self.above,
        )
        return array[()] if single else array


@dataclass(frozen=True)
class Rows:
    """Samples: a dense table, or compressed rows in canonical form.

    Their shape depends on the kernel, so that the checks of the class compare it.
    """

    name: str
    attribute: str
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the table into `parts`."""
        if not sp.issparse(value):
            parts.values[self.name] = {"form": "dense"}
            parts.tensors[self.name] = np.asarray(value, order="C")
            return
        form = next((name for name, kind in _CSR.items() if type(value) is kind), None)
        if form is None:
            refuse(f"'{self.name}' has type {type(value).__name__}; expected compressed rows")
        parts.values[self.name] = {"form": form, "shape": [int(n) for n in value.shape]}
        for part in _CSR_PARTS:
            parts.tensors[f"{self.name}.{part}"] = np.asarray(getattr(value, part), order="C")

    def unpack(self, parts: Parts, sizes: Sizes) -> Any:
        """Take the table out of `parts`."""
        about = parts.take_value(self.name)
        if about == {"form": "dense"}:
            table = parts.take_tensor(self.name)
            check_dtype(self.name, table, FLOATS)
            if table.ndim != 2:
                refuse(f"'{self.name}' has {table.ndim} axes; expected 2")
            check_values(self.name, table)
            return table
        return self._compressed(about, parts)

    def _compressed(self, about: Any, parts: Parts) -> Any:
        if not isinstance(about, dict) or set(about) != {"form", "shape"}:
            refuse(f"'{self.name}' is described in another way than expected")
        shape = about["shape"]
        if about["form"] not in tuple(_CSR) or not _is_shape(shape):
            refuse(f"'{self.name}' is described in another way than expected")
        data, indices, indptr = (parts.take_tensor(f"{self.name}.{part}") for part in _CSR_PARTS)
        check_dtype(self.name, data, FLOATS)
        check_dtype(f"{self.name}.indices", indices, INTEGERS)
        check_dtype(f"{self.name}.indptr", indptr, INTEGERS)
        check_csr(self.name, data, indices, indptr, (shape[0], shape[1]))
        check_values(self.name, data)
        table = _CSR[about["form"]]((data, indices, indptr), shape=(shape[0], shape[1]))
        # The constructor of a csr_matrix shrinks 64-bit indices; assignment keeps them.
        table.indices, table.indptr = indices, indptr
        table.has_sorted_indices = True
        table.has_canonical_format = True
        return table


_CSR: dict[str, Any] = {"csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}
_CSR_PARTS = ("data", "indices", "indptr")


def _is_shape(shape: Any) -> bool:
    return (
        isinstance(shape, list)
        and len(shape) == 2
        and all(type(length) is int and 0 <= length < 2**62 for length in shape)
    )


@dataclass(frozen=True)
class Number:
    """A positive finite number."""

    name: str
    attribute: str
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the number into `parts`."""
        parts.values[self.name] = float(value)

    def unpack(self, parts: Parts, sizes: Sizes) -> float:
        """Take the number out of `parts`."""
        value = parts.take_value(self.name)
        if type(value) is not float or not 0.0 < value < np.inf:
            refuse(f"'{self.name}' must be a positive number")
        return value


@dataclass(frozen=True)
class Count:
    """A positive whole number that is also the length of axes."""

    name: str
    attribute: str
    size: str
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the number into `parts`."""
        parts.values[self.name] = int(value)

    def unpack(self, parts: Parts, sizes: Sizes) -> int:
        """Take the number out of `parts`."""
        value = parts.take_value(self.name)
        if type(value) is not int or not 1 <= value < 2**62:
            refuse(f"'{self.name}' must be a whole number from 1")
        sizes.bind(self.size, value, self.name)
        return value


# type of labels -> the Python type of each in the header
_LABEL_KINDS: dict[str, type] = {
    "bool": bool,
    **{f"{sign}int{bits}": int for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": float for bits in (16, 32, 64)},
    "str": str,
    "object": str,
}


@dataclass(frozen=True)
class Labels:
    """Class labels: different and ascending; numbers, truth values or strings."""

    name: str
    attribute: str
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the labels into `parts`."""
        kind = "str" if value.dtype.kind == "U" else value.dtype.name
        items = value.tolist()
        wanted = _LABEL_KINDS.get(kind)
        if wanted is None or not all(type(item) is wanted for item in items):
            refuse(
                f"class labels of type {value.dtype} cannot be saved; "
                "use whole numbers, floats, bools or strings"
            )
        parts.values[self.name] = {"type": kind, "items": items}

    def unpack(self, parts: Parts, sizes: Sizes) -> AnyArray:
        """Take the labels out of `parts`."""
        about = parts.take_value(self.name)
        if not isinstance(about, dict) or set(about) != {"type", "items"}:
            refuse("the class labels are described in another way than expected")
        items = about["items"]
        wanted = _LABEL_KINDS.get(about["type"]) if isinstance(about["type"], str) else None
        if wanted is None or not isinstance(items, list):
            refuse("the class labels are of no known type")
        if len(items) < 2 or not all(type(item) is wanted for item in items):
            refuse(f"the class labels are not at least two of type {about['type']}")
        labels = _label_array(items, about["type"])
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            refuse("a class label is nan or infinite")
        if not (labels[1:] > labels[:-1]).all():
            refuse("the class labels do not ascend")
        sizes.bind("n_classes", labels.size, self.name)
        return labels


def _label_array(items: list[Any], kind: str) -> AnyArray:
    if wanted := {"str": str, "object": object}.get(kind):
        if wanted is str and len(items) * max(map(len, items)) > 2**26:
            refuse("the class labels are too long for an array of strings")
        return np.array(items, dtype=wanted)
    dtype = np.dtype(kind)
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        if min(items) < int(bounds.min) or max(items) > int(bounds.max):
            refuse(f"a class label does not fit into {kind}")
    with np.errstate(over="ignore"):
        return np.array(items, dtype=dtype)


@dataclass(frozen=True)
class Names:
    """Names of the features, if the training data had them."""

    name: str
    attribute: str
    optional: bool = True

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the names into `parts`."""
        parts.values[self.name] = [str(name) for name in value]

    def unpack(self, parts: Parts, sizes: Sizes) -> AnyArray:
        """Take the names out of `parts`."""
        names = _strings(self.name, parts.take_value(self.name))
        sizes.bind("n_features", len(names), self.name)
        return np.array(names, dtype=object)


@dataclass(frozen=True)
class Words:
    """An array of words from a fixed list."""

    name: str
    attribute: str
    size: str
    choices: tuple[str, ...]
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the words into `parts`."""
        parts.values[self.name] = [str(word) for word in value]

    def unpack(self, parts: Parts, sizes: Sizes) -> AnyArray:
        """Take the words out of `parts`."""
        words = _strings(self.name, parts.take_value(self.name))
        if not set(words) <= set(self.choices):
            refuse(f"'{self.name}' holds a word that is not one of {', '.join(self.choices)}")
        sizes.bind(self.size, len(words), self.name)
        return np.array(words, dtype=str)


def _strings(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(type(item) is str for item in value):
        refuse(f"'{name}' is not a list of strings")
    return value


@dataclass(frozen=True)
class Group:
    """A dictionary of fields; with `may_be_empty`, an empty one can stand in its place."""

    name: str
    attribute: str
    fields: tuple[Field, ...]
    may_be_empty: bool = False
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the fields of the dictionary into `parts`."""
        parts.values[self.name] = bool(value)
        if value:
            for part in self.fields:
                part.pack(value[part.attribute], parts)

    def unpack(self, parts: Parts, sizes: Sizes) -> dict[str, Any]:
        """Take the dictionary out of `parts`."""
        given = parts.take_value(self.name)
        if type(given) is not bool:
            refuse(f"'{self.name}' must be true or false")
        if not given:
            return {} if self.may_be_empty else refuse(f"'{self.name}' is missing")
        return {part.attribute: part.unpack(parts, sizes) for part in self.fields}


# The table of classes -----------------------------------------------------------------------


@dataclass(frozen=True)
class Schema:
    """How one class is stored.

    Attributes
    ----------
    kind : type
        The class itself. A file can only name classes of the table.
    fields : tuple of Field
        The fitted attributes.
    checks : tuple of callable
        Called with the restored object and the sizes; they compare the fields.
    predicts : bool
        True for a model, false for a scaler before it.
    members : Schema or None
        How each of the machines in its attribute ``members_`` is stored. Their parameters follow
        from its own: its method ``new_members`` makes them.
    """

    kind: Any
    fields: tuple[Field, ...]
    checks: tuple[Callable[[Any, Sizes], None], ...]
    predicts: bool = True
    members: Schema | None = None

    @property
    def name(self) -> str:
        """The name of the class in the file."""
        return str(self.kind.__name__)


_FEATURES: tuple[Field, ...] = (
    Count("n_features_in", "n_features_in_", "n_features"),
    Names("feature_names_in", "feature_names_in_"),
)

_KERNEL_MACHINE: tuple[Field, ...] = (
    *_FEATURES,
    Number("gamma", "_gamma"),
    Tensor("support", "support_", INTEGERS, ("n_support",), minimum=0, maximum=_LAST_ROW),
    Tensor("dual_coef", "dual_coef_", ("float64",), ("n_coef_rows", "n_support")),
    Tensor("intercept", "intercept_", ("float64",), ("n_machines",)),
    Rows("support_vectors", "support_vectors_"),
    Tensor("n_iter", "n_iter_", INTEGERS, ("n_machines",), minimum=0),
    Words("stop_reason", "stop_reason_", "n_machines", get_args(Status)),
)


def _n_support(size: str) -> Tensor:
    return Tensor("n_support", "n_support_", INTEGERS, (size,), minimum=0, maximum=_LAST_ROW)


_KERNEL_CLASSIFIER: tuple[Field, ...] = (
    *_KERNEL_MACHINE,
    Labels("classes", "classes_"),
    _n_support("n_classes"),
)

# nan where the machine was not solved exactly, or not to the end.
_CERTIFICATE: tuple[Field, ...] = (
    Tensor("dual_gap", "dual_gap_", ("float64",), ("n_machines",), finite=False),
    Tensor("objective", "objective_", ("float64",), ("n_machines",), finite=False),
)

_PATH = Group(
    "path",
    "_path",
    (
        Tensor("path.offsets", "offsets", INTEGERS, ("n_offsets",), minimum=0),
        Tensor("path.rows", "rows", INTEGERS, ("n_steps",), minimum=0, maximum=_LAST_ROW),
        Tensor("path.steps", "steps", ("float64",), ("n_steps",)),
        Tensor("path.violations", "violations", ("float64",), ("n_steps",)),
        Tensor("path.total_weights", "total_weights", ("float64",), ("n_path_machines",), above=0),
    ),
)

_SELECTED = Group(
    "selected",
    "_selected",
    (
        Tensor("selected.rows", "rows", INTEGERS, ("n_selected",), minimum=0, maximum=_LAST_ROW),
        Rows("selected.vectors", "vectors"),
        Tensor("selected.labels", "labels", INTEGERS, ("n_selected",), minimum=0),
        Tensor("selected.weights", "weights", ("float64",), ("n_selected",), above=0),
    ),
    may_be_empty=True,
)

_STREAM: tuple[Field, ...] = (
    Tensor("t", "t_", ("float64",), ("n_machines",), minimum=0),
    Count("n_samples_seen", "n_samples_seen_", "n_samples_seen"),
)


# The width of a machine with boundary points, and the search of it; nan where none was possible.
_WIDTH: tuple[Field, ...] = (
    Number("sigma", "sigma_"),
    Tensor("sigmas", "sigmas_", ("float64",), ("n_sigmas",), above=0),
    Tensor("norms", "norms_", ("float64",), ("n_sigmas",), finite=False),
    Tensor("n_boundary", "n_boundary_", INTEGERS, ("n_machines",), minimum=0),
)


_PER_MACHINE = ("n_machines",)
_PER_TARGET = ("n_targets",)

_CHAINS: tuple[Field, ...] = (
    *_FEATURES,
    Count("n_targets", "n_targets_", "n_targets"),
    Count("y_ndim", "_y_ndim", "y_ndim"),
    Tensor("chains", "chains_", INTEGERS, ("n_chains", "n_targets"), minimum=0),
    Tensor("machines", "machines_", INTEGERS, ("n_chains", "n_targets"), minimum=0),
    Tensor("support", "support_", INTEGERS, ("n_support",), minimum=0, maximum=_LAST_ROW),
    Rows("support_vectors", "support_vectors_"),
    Tensor("dual_coef", "dual_coef_", ("float64",), ("n_machines", "n_support")),
    Tensor("intercept", "intercept_", ("float64",), _PER_MACHINE),
    _n_support("n_machines"),
    Tensor("n_iter", "n_iter_", INTEGERS, _PER_MACHINE, minimum=0),
    Tensor("gamma", "gamma_", ("float64",), _PER_MACHINE, above=0),
    Tensor("C", "C_", ("float64",), _PER_MACHINE, above=0),
    Tensor("epsilon", "epsilon_", ("float64",), _PER_MACHINE, minimum=0),
    Tensor("machine_targets", "machine_targets_", INTEGERS, _PER_MACHINE, minimum=0),
    Tensor(
        "machine_columns", "machine_columns_", INTEGERS, ("n_machines", "n_targets"), minimum=-1
    ),
    Tensor("appended", "appended_", ("float64",), ("n_columns", "n_support")),
    Tensor("target_mean", "target_mean_", ("float64",), _PER_TARGET),
    Tensor("target_scale", "target_scale_", ("float64",), _PER_TARGET, above=0),
    Tensor("candidates", "candidates_", ("float64",), ("n_candidates", "n_parameters")),
    # Infinite where a candidate was not tried, nan where there was nothing to choose.
    Tensor("cv_errors", "cv_errors_", ("float64",), ("n_machines", "n_candidates"), finite=False),
)


def _per_feature(name: str, *, nullable: bool = False) -> Tensor:
    return Tensor(name, f"{name}_", FLOATS, ("n_features",), nullable=nullable)


_SAMPLES_SEEN = Tensor(
    "n_samples_seen",
    "n_samples_seen_",
    ("int64", "float64"),
    ("n_features",),
    minimum=0,
    scalar=True,
)


def _table(schemas: Sequence[Schema]) -> dict[str, Schema]:
    return {schema.name: schema for schema in schemas}


SCHEMAS: dict[str, Schema] = _table(
    [
        Schema(
            OLLAWVClassifier,
            (*_KERNEL_CLASSIFIER, *_CERTIFICATE, _PATH, _SELECTED),
            (check_expansion, check_path, check_selected),
        ),
        *(
            Schema(kind, (*_KERNEL_CLASSIFIER, *_CERTIFICATE), (check_expansion,))
            for kind in (
                SMOClassifier,
                MNSVMClassifier,
                NNISDAClassifier,
                UniformSVC,
                KernelPrimalSVC,
            )
        ),
        Schema(
            SVMCBPClassifier,
            (
                *_KERNEL_CLASSIFIER,
                *_WIDTH,
                Tensor("norm", "norm_", ("float64",), ("n_machines",), minimum=0),
                Tensor("loss", "loss_", ("float64",), ("n_machines",), minimum=0),
                Tensor(
                    "boundary_pairs",
                    "boundary_pairs_",
                    INTEGERS,
                    ("n_points", "two"),
                    minimum=0,
                    maximum=_LAST_ROW,
                ),
            ),
            (check_expansion, check_boundary),
        ),
        Schema(
            OGEClassifier,
            (
                *_FEATURES,
                Labels("classes", "classes_"),
                Tensor("normals", "normals_", ("float64",), ("n_planes", "n_features")),
                Tensor("offsets", "offsets_", ("float64",), ("n_planes",)),
                Tensor("weights", "weights_", ("float64",), ("n_planes",)),
                Tensor("n_planes", "n_planes_", INTEGERS, ("n_machines",), minimum=0),
                Tensor("lam", "lam_", ("float64",), ("n_machines",), minimum=0),
                Tensor("threshold", "threshold_", ("float64",), ("n_machines",)),
            ),
            (check_planes,),
        ),
        Schema(
            SMORegressor,
            (*_KERNEL_MACHINE, _n_support("n_outputs"), *_CERTIFICATE),
            (check_regression_expansion,),
        ),
        *(Schema(kind, _CHAINS, (check_chains,)) for kind in (MultiTargetSVR, SVRRC, SVRCC)),
        Schema(
            SVRWC,
            (
                *_FEATURES,
                Count("n_targets", "n_targets_", "n_targets"),
                Count("y_ndim", "_y_ndim", "y_ndim"),
                Tensor("weights", "weights_", ("float64",), ("n_parts", "n_targets"), minimum=0),
                Tensor("n_iter", "n_iter_", INTEGERS, _PER_MACHINE, minimum=0),
            ),
            (check_weighted_chains,),
            members=Schema(KernelChains, _CHAINS, (check_chains,)),
        ),
        Schema(
            NLSGDClassifier,
            (
                *_KERNEL_CLASSIFIER,
                *_STREAM,
                Tensor("state", "_state", ("float64",), ("n_state_rows", "n_state")),
                Tensor("state_intercept", "_state_intercept", ("float64",), ("n_machines",)),
                Tensor(
                    "feature_weights",
                    "_weights_of_features",
                    ("float64",),
                    ("n_weight_rows", "n_weights"),
                ),
            ),
            (check_expansion, check_stream, check_state),
        ),
        Schema(
            OLLAL2Classifier,
            (*_KERNEL_CLASSIFIER, *_STREAM),
            (check_expansion, check_stream),
        ),
        Schema(
            OnlineSVMClassifier,
            (*_KERNEL_CLASSIFIER, *_STREAM, Number("sigma", "sigma_")),
            (check_expansion, check_stream),
        ),
        Schema(
            OnlineSVMCBPClassifier,
            (
                *_KERNEL_CLASSIFIER,
                *_STREAM,
                *_WIDTH,
                Tensor("boundary_points", "boundary_points_", FLOATS, ("n_points", "n_features")),
            ),
            (check_expansion, check_stream, check_boundary),
        ),
        Schema(
            MinMaxScaler,
            (
                *_FEATURES,
                _SAMPLES_SEEN,
                *map(_per_feature, ("min", "scale", "data_min", "data_max", "data_range")),
            ),
            (check_positive_scale, check_min_max_range),
            predicts=False,
        ),
        Schema(
            StandardScaler,
            (
                *_FEATURES,
                _SAMPLES_SEEN,
                *(_per_feature(name, nullable=True) for name in ("mean", "var", "scale")),
            ),
            (check_positive_scale, check_standard_parts),
            predicts=False,
        ),
        Schema(
            MaxAbsScaler,
            (*_FEATURES, _SAMPLES_SEEN, *map(_per_feature, ("max_abs", "scale"))),
            (check_positive_scale,),
            predicts=False,
        ),
    ]
)


def schema_of(instance: Any) -> Schema | None:
    """Return how an object is stored, or None. A subclass is another class."""
    schema = SCHEMAS.get(type(instance).__name__)
    return schema if schema is not None and schema.kind is type(instance) else None
