"""How a class is stored: the fields of its fitted state, each written and read back checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.persistence.plain_values import from_plain, plain_value
from svmosaic.persistence.validation import (
    AnyArray,
    Sizes,
    check_csr,
    check_dtype,
    check_shape,
    check_values,
    refuse,
)
from svmosaic.utils import state_codec
from svmosaic.utils.state_codec import PlainState

__all__ = [
    "FEATURES",
    "FLOATS",
    "INTEGERS",
    "LAST_ROW",
    "BagRows",
    "Count",
    "Estimators",
    "Field",
    "Group",
    "Labels",
    "LoadedState",
    "Names",
    "Number",
    "Parts",
    "Role",
    "Rows",
    "Schema",
    "Settings",
    "Tensor",
    "Word",
    "Words",
    "set_attributes",
]

FLOATS = ("float64", "float32")
INTEGERS = ("int32", "int64")

# Rows are numbers of 32 bits in `support_`; more cannot be named.
LAST_ROW = int(np.iinfo(np.int32).max)
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
    estimators : dict
        Lists of fitted estimators by name, which are written and read as the object itself is.
    """

    values: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, AnyArray] = field(default_factory=dict)
    estimators: dict[str, list[Any]] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether there is anything of that name."""
        return name in self.values or name in self.tensors or name in self.estimators

    def take_value(self, name: str) -> Any:
        """Return and remove a value."""
        value = self.values.pop(name, _MISSING)
        return value if value is not _MISSING else refuse(f"the value '{name}' is missing")

    def take_tensor(self, name: str) -> AnyArray:
        """Return and remove an array."""
        array = self.tensors.pop(name, None)
        return array if array is not None else refuse(f"the array '{name}' is missing")

    def take_estimators(self, name: str) -> list[Any]:
        """Return and remove a list of estimators."""
        found = self.estimators.pop(name, None)
        return found if found is not None else refuse(f"the machines '{name}' are missing")

    def put_state(self, state: PlainState) -> None:
        """Put in what a class that declares its state itself has given."""
        self.values["state"] = state.values
        self.tensors |= {f"state.{place}": array for place, array in enumerate(state.arrays)}

    def take_state(self) -> PlainState:
        """Return and remove the state of such a class."""
        values = self.take_value("state")
        arrays = tuple(self.take_tensor(f"state.{place}") for place in range(len(self.tensors)))
        return PlainState(values, arrays)

    def require_empty(self) -> None:
        """Refuse what no field has taken."""
        for name in (*self.values, *self.tensors, *self.estimators):
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


@dataclass(frozen=True)
class Labels:
    """Class labels: different and ascending; numbers, truth values or strings."""

    name: str
    attribute: str
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the labels into `parts`."""
        parts.values[self.name] = state_codec.Labels().pack(value, self.name, None)

    def unpack(self, parts: Parts, sizes: Sizes) -> AnyArray:
        """Take the labels out of `parts`."""
        scope = state_codec.Scope(None)
        labels = state_codec.Labels().unpack(parts.take_value(self.name), self.name, scope)
        sizes.bind("n_classes", labels.size, self.name)
        return labels


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
class Word:
    """One word from a fixed list."""

    name: str
    attribute: str
    choices: tuple[str, ...]
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the word into `parts`."""
        parts.values[self.name] = str(value)

    def unpack(self, parts: Parts, sizes: Sizes) -> str:
        """Take the word out of `parts`."""
        word = parts.take_value(self.name)
        if type(word) is not str or word not in self.choices:
            refuse(f"'{self.name}' is not one of {', '.join(self.choices)}")
        return word


@dataclass(frozen=True)
class Settings:
    """A dictionary of plain values, which the checks of the class look into."""

    name: str
    attribute: str
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the dictionary into `parts`."""
        parts.values[self.name] = plain_value(value, f"'{self.name}'")

    def unpack(self, parts: Parts, sizes: Sizes) -> dict[Any, Any]:
        """Take the dictionary out of `parts`."""
        found = from_plain(parts.take_value(self.name))
        return found if isinstance(found, dict) else refuse(f"'{self.name}' is no dictionary")


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


@dataclass(frozen=True)
class BagRows:
    """Bags: their instances as `Rows`, and where each begins; with `nullable`, None."""

    name: str
    attribute: str
    nullable: bool = False
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the bags into `parts`."""
        if value is None:
            parts.values[self.name] = None
            return
        Rows(self.name, self.attribute).pack(value.instances, parts)
        parts.tensors[f"{self.name}.offsets"] = value.offsets

    def unpack(self, parts: Parts, sizes: Sizes) -> Bags | None:
        """Take the bags out of `parts`."""
        if self.nullable and parts.values.get(self.name, ...) is None:
            parts.take_value(self.name)
            return None
        instances = Rows(self.name, self.attribute).unpack(parts, sizes)
        offsets = parts.take_tensor(f"{self.name}.offsets")
        check_dtype(f"{self.name}.offsets", offsets, ("int64",))
        if offsets.ndim != 1 or offsets.size == 0 or offsets[0] != 0:
            refuse(f"the offsets of '{self.name}' do not begin at 0")
        if offsets[-1] != instances.shape[0] or not (offsets[1:] > offsets[:-1]).all():
            refuse(f"the offsets of '{self.name}' do not ascend to {instances.shape[0]}")
        return Bags(instances, offsets)


@dataclass(frozen=True)
class Estimators:
    """Fitted estimators within the object: a list, or one alone.

    Attributes
    ----------
    kinds : tuple of str
        The classes that they may have.
    alone : bool
        Whether the attribute is one estimator instead of a list.
    """

    name: str
    attribute: str
    kinds: tuple[str, ...]
    alone: bool = False
    optional: bool = False

    def pack(self, value: Any, parts: Parts) -> None:
        """Put the estimators into `parts`."""
        parts.estimators[self.name] = [value] if self.alone else list(value)

    def unpack(self, parts: Parts, sizes: Sizes) -> Any:
        """Take the estimators out of `parts`."""
        found = parts.take_estimators(self.name)
        if not self.alone:
            return found
        return found[0] if len(found) == 1 else refuse(f"'{self.name}' must be one estimator")


# A class of fields -------------------------------------------------------------------------

# The end of a pipeline, a step before it, or nothing but a part of another machine.
Role = Literal["model", "scaler", "part"]


def set_attributes(estimator: Any, state: dict[str, Any]) -> None:
    """Set the values of fields as attributes."""
    for attribute, value in state.items():
        setattr(estimator, attribute, value)


class LoadedState:
    """What was read of a fitted object: its parameters and the values of its fields."""

    def __init__(self, estimator: Any, state: dict[str, Any]) -> None:
        # Mangled names: fields may have any other.
        self.__estimator = estimator
        self.__values = state

    def __getattr__(self, name: str) -> Any:
        found = self.__values.get(name, _MISSING)
        return getattr(self.__estimator, name) if found is _MISSING else found


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
        Called with what was read, as if it were the fitted object, and the sizes; they compare the
        fields.
    assemble : callable
        Called with the object that is not fitted yet and the values of its fields, which have
        passed the checks; it makes the object a fitted one.
    role : {"model", "scaler", "part"}
        Where in a file it may stand.
    of_bags : bool
        Whether its samples are bags of instances.
    copied : dict of str to str
        Parameters that are estimators: each is stored as a fitted estimator of the state, whose
        field is named here, and becomes a copy of it that is not fitted.
    declares : bool
        Whether the class declares its state itself: it has `get_plain_state` and
        `set_plain_state`, and no fields here.
    in_state : tuple of str
        Parameters that `set_plain_state` sets, because they are no plain values.
    """

    kind: Any
    fields: tuple[Field, ...]
    checks: tuple[Callable[[Any, Sizes], None], ...]
    assemble: Callable[[Any, dict[str, Any]], None] = set_attributes
    role: Role = "model"
    of_bags: bool = False
    copied: Mapping[str, str] = field(default_factory=dict)
    declares: bool = False
    in_state: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the class in the file."""
        return str(self.kind.__name__)


FEATURES: tuple[Field, ...] = (
    Count("n_features_in", "n_features_in_", "n_features"),
    Names("feature_names_in", "feature_names_in_"),
)
