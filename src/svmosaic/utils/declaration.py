"""How an estimator is stored: it names its fitted attributes and their checks where it is defined.

A class has ``_model_file``, a `Declaration`. Model files and the check-points of streams write and
read what it names and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp

from svmosaic.utils.array_checks import AnyArray, check_csr, check_dtype, check_values, refuse
from svmosaic.utils.plain_values import from_plain, plain_value
from svmosaic.utils.state_codec import Array, Flag, Kind, Names, PlainState, Scope, Whole

__all__ = [
    "FEATURES",
    "FLOATS",
    "INTEGERS",
    "LAST_ROW",
    "Declaration",
    "Estimators",
    "Group",
    "MayLack",
    "OwnState",
    "Parts",
    "Role",
    "Samples",
    "Settings",
    "doubles",
    "expect",
    "expect_shape",
    "pack_state",
    "read_declared",
    "row_numbers",
    "set_attributes",
    "take_named",
    "unpack_state",
    "write_declared",
]

FLOATS = ("float64", "float32")
INTEGERS = ("int32", "int64")
# Rows are numbers of 32 bits in `support_`; more cannot be named.
LAST_ROW = int(np.iinfo(np.int32).max)
# The values of a file have nothing where there is an array of the same name.
_NOTHING: Any = object()


@dataclass
class Parts:
    """The state of one object on its way to or from a file: everything has a name.

    Attributes
    ----------
    values : dict
        What the JSON header holds, by name.
    tensors : dict
        Arrays by name.
    estimators : dict
        Lists of fitted estimators by name, which are written and read as the object itself is.
    """

    values: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, AnyArray] = field(default_factory=dict)
    estimators: dict[str, list[Any]] = field(default_factory=dict)

    def put(self, path: str, kind: Kind, value: Any) -> None:
        """Put a value in."""
        plain = kind.pack(value, path, self)
        if plain is not _NOTHING:
            self.values[path] = plain

    def get(self, path: str, kind: Kind, scope: Scope) -> Any:
        """Return a value, checked, and remove it."""
        if not self.has(path):
            refuse(f"'{path}' is missing")
        return kind.unpack(self.values.pop(path, _NOTHING), path, scope)

    def has(self, path: str) -> bool:
        """Whether there is anything of that name."""
        return path in self.values or path in self.tensors or path in self.estimators

    def place(self, array: AnyArray, path: str) -> Any:
        """Put an array in."""
        self.tensors[path] = array
        return _NOTHING

    def take(self, plain: Any, path: str) -> AnyArray:
        """Return and remove an array."""
        if plain is not _NOTHING:
            refuse(f"'{path}' must be an array, not a value of the header")
        array = self.tensors.pop(path, None)
        return array if array is not None else refuse(f"the array '{path}' is missing")

    def require_empty(self) -> None:
        """Refuse what no field has taken."""
        for name in (*self.values, *self.tensors, *self.estimators):
            refuse(f"'{name[:80]}' is not part of this kind of model")


# Kinds of attributes that only files have ----------------------------------------------------


def doubles(*shape: int | str, **limits: Any) -> Array:
    """Return the kind of float64 arrays."""
    return Array(("float64",), shape, **limits)


def row_numbers(*shape: int | str) -> Array:
    """Return the kind of numbers of rows."""
    return Array(INTEGERS, shape, minimum=0, maximum=LAST_ROW)


def take_named(scope: Scope, path: str) -> AnyArray:
    """Return the array of a name."""
    return scope.arrays.take(_NOTHING, path)


@dataclass(frozen=True)
class MayLack:
    """An attribute that a fitted object may lack."""

    kind: Kind

    def pack(self, value: Any, path: str, arrays: Any) -> Any:
        """Return the value."""
        return self.kind.pack(value, path, arrays)

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the value, checked."""
        return self.kind.unpack(plain, path, scope)


@dataclass(frozen=True)
class Samples:
    """Samples: a dense table, or compressed rows in canonical form.

    Their shape depends on the kernel, so that the checks of the class compare it.
    """

    def pack(self, value: Any, path: str, arrays: Any) -> dict[str, Any]:
        """Return the form of the table."""
        if not sp.issparse(value):
            arrays.place(np.asarray(value, order="C"), path)
            return {"form": "dense"}
        form = next((name for name, kind in _CSR.items() if type(value) is kind), None)
        if form is None:
            refuse(f"'{path}' has type {type(value).__name__}; expected compressed rows")
        for part in _CSR_PARTS:
            arrays.place(np.asarray(getattr(value, part), order="C"), f"{path}.{part}")
        return {"form": form, "shape": [int(length) for length in value.shape]}

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the table, checked."""
        if plain != {"form": "dense"}:
            return self._compressed(plain, path, scope)
        table = take_named(scope, path)
        check_dtype(path, table, FLOATS)
        if table.ndim != 2:
            refuse(f"'{path}' has {table.ndim} axes; expected 2")
        check_values(path, table)
        return table

    def _compressed(self, plain: Any, path: str, scope: Scope) -> Any:
        if not isinstance(plain, dict) or set(plain) != {"form", "shape"}:
            refuse(f"'{path}' is described in another way than expected")
        form, shape = plain["form"], plain["shape"]
        if form not in tuple(_CSR) or not _is_shape(shape):
            refuse(f"'{path}' is described in another way than expected")
        data, indices, indptr = (take_named(scope, f"{path}.{part}") for part in _CSR_PARTS)
        check_dtype(path, data, FLOATS)
        check_dtype(f"{path}.indices", indices, INTEGERS)
        check_dtype(f"{path}.indptr", indptr, INTEGERS)
        check_csr(path, data, indices, indptr, (shape[0], shape[1]))
        check_values(path, data)
        table = _CSR[form]((data, indices, indptr), shape=(shape[0], shape[1]))
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
class Settings:
    """A dictionary of plain values, which the checks of the class look into."""

    def pack(self, value: Any, path: str, arrays: Any) -> Any:
        """Return the dictionary."""
        return plain_value(value, f"'{path}'")

    def unpack(self, plain: Any, path: str, scope: Scope) -> dict[Any, Any]:
        """Return the dictionary."""
        found = from_plain(plain)
        return found if isinstance(found, dict) else refuse(f"'{path}' is not a dictionary")


@dataclass(frozen=True)
class Group:
    """A dictionary with a kind for each of its values; it may be empty if `may_be_empty`."""

    fields: Mapping[str, Kind]
    may_be_empty: bool = False

    def pack(self, value: Any, path: str, arrays: Any) -> bool:
        """Return whether there is anything in it."""
        if value:
            for name, kind in self.fields.items():
                arrays.put(f"{path}.{name}", kind, value[name])
        return bool(value)

    def unpack(self, plain: Any, path: str, scope: Scope) -> dict[str, Any]:
        """Return the dictionary, checked."""
        parts: Any = scope.arrays
        if Flag().unpack(plain, path, scope):
            return {
                name: parts.get(f"{path}.{name}", kind, scope) for name, kind in self.fields.items()
            }
        return {} if self.may_be_empty else refuse(f"'{path}' is missing")


@dataclass(frozen=True)
class OwnState:
    """The plain data of a class that has a codec of its own, which checks them; see `Record`."""

    def pack(self, value: PlainState, path: str, arrays: Any) -> Any:
        """Return the values; the arrays have their numbers as names."""
        for number, array in enumerate(value.arrays):
            arrays.place(array, f"{path}.{number}")
        return value.values

    def unpack(self, plain: Any, path: str, scope: Scope) -> PlainState:
        """Return the data, not checked."""
        parts: Any = scope.arrays
        arrays: list[AnyArray] = []
        while (name := f"{path}.{len(arrays)}") in parts.tensors:
            arrays.append(take_named(scope, name))
        return PlainState(plain, tuple(arrays))


# The step before a model, or the model.
Role = Literal["model", "scaler"]


@dataclass(frozen=True)
class Estimators:
    """Fitted estimators within the object: a list, or one alone.

    Attributes
    ----------
    kinds : tuple of type, "scaler" or "model"
        The classes that they may have: these, or every scaler or every model of samples that files
        can hold. None of them means the class of the object itself.
    alone : bool
        Whether the attribute is one estimator instead of a list.
    """

    kinds: tuple[type, ...] | Role = ()
    alone: bool = False

    def pack(self, value: Any, path: str, arrays: Any) -> Any:
        """Put the estimators beside the values."""
        arrays.estimators[path] = [value] if self.alone else list(value)
        return _NOTHING

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the estimators, which were checked when they were read."""
        parts: Any = scope.arrays
        found = parts.estimators.pop(path)
        if not self.alone:
            return found
        return found[0] if len(found) == 1 else refuse(f"'{path}' must be one estimator")


# Declarations -------------------------------------------------------------------------------


def set_attributes(estimator: Any, state: dict[str, Any]) -> None:
    """Set the values of fields as attributes."""
    for attribute, value in state.items():
        setattr(estimator, attribute, value)


@dataclass(frozen=True)
class Declaration:
    """How one class is stored.

    Attributes
    ----------
    fields : mapping of str to Kind
        The fitted attributes, in the order in which they are read. In files they have the last
        part of their names, without underscores at its ends, or the name in `stored_as`.
    checks : tuple of callable
        Called with what was read, as if it were the fitted object, and the sizes; they compare the
        fields.
    assemble : callable
        Called with the object that is not fitted yet and the values of its fields, which have
        passed the checks; it makes the object a fitted one.
    role : {"model", "scaler"}
        Where in a file it may be.
    of_bags : bool
        Whether its samples are bags of instances.
    copied : mapping of str to str
        Parameters that are estimators: each is stored as a fitted estimator of the state, whose
        field is named here, and becomes a copy of it that is not fitted.
    in_state : tuple of str
        Parameters that `assemble` sets, because they are no plain values.
    stored_as : mapping of str to str
        The names in files of attributes that have been renamed since: names in files stay.
    former_values : mapping of str to str
        For parameters, an option that has been removed since. A model of an earlier version can
        have it, and predicts; `fit` refuses it.
    """

    fields: Mapping[str, Kind]
    checks: tuple[Callable[[Any, Scope], None], ...] = ()
    assemble: Callable[[Any, dict[str, Any]], None] = set_attributes
    role: Role = "model"
    of_bags: bool = False
    copied: Mapping[str, str] = field(default_factory=dict)
    in_state: tuple[str, ...] = ()
    stored_as: Mapping[str, str] = field(default_factory=dict)
    former_values: Mapping[str, str] = field(default_factory=dict)

    def name_in_files(self, attribute: str) -> str:
        """Return the name that a field has in files."""
        return self.stored_as.get(attribute, attribute.rpartition(".")[2].strip("_"))

    def extend(
        self, fields: Mapping[str, Kind], *checks: Callable[[Any, Scope], None], **changes: Any
    ) -> Self:
        """Return the declaration of a subclass, which has more attributes and checks."""
        return replace(
            self, fields={**self.fields, **fields}, checks=(*self.checks, *checks), **changes
        )


FEATURES: dict[str, Kind] = {
    "n_features_in_": Whole(1, size="n_features"),
    "feature_names_in_": MayLack(Names()),
}


class LoadedState:
    """What was read of a fitted object: its parameters and the values of its fields."""

    def __init__(self, estimator: Any, state: dict[str, Any]) -> None:
        # Mangled names: fields may have any other.
        self.__estimator = estimator
        self.__values = state

    def __getattr__(self, name: str) -> Any:
        found = self.__values.get(name, _NOTHING)
        return getattr(self.__estimator, name) if found is _NOTHING else found


def pack_state(estimator: Any, declaration: Declaration) -> Parts:
    """Return the fitted state of an estimator."""
    parts = Parts()
    for attribute, kind in declaration.fields.items():
        try:
            value = attrgetter(attribute)(estimator)
        except AttributeError:
            if isinstance(kind, MayLack):
                continue
            raise
        parts.put(declaration.name_in_files(attribute), kind, value)
    return parts


def unpack_state(estimator: Any, declaration: Declaration, parts: Parts) -> None:
    """Make an estimator with its parameters a fitted one; the state must have nothing else."""
    scope = Scope(parts)
    state = {}
    for attribute, kind in declaration.fields.items():
        name = declaration.name_in_files(attribute)
        if parts.has(name) or not isinstance(kind, MayLack):
            state[attribute] = parts.get(name, kind, scope)
    parts.require_empty()
    # What is put together relies on what the checks compare, so they come first.
    for check in declaration.checks:
        check(LoadedState(estimator, state), scope)
    declaration.assemble(estimator, state)


def write_declared(estimator: Any) -> PlainState:
    """Return the fitted state of an estimator as plain data."""
    parts = pack_state(estimator, estimator._model_file)
    values = {"values": parts.values, "arrays": list(parts.tensors)}
    return PlainState(values, tuple(parts.tensors.values()))


def read_declared(estimator: Any, state: PlainState) -> None:
    """Give an estimator the fitted state of one with the same parameters, all of it checked."""
    values = state.values
    if not isinstance(values, dict) or set(values) != {"values", "arrays"}:
        refuse("the state has other entries than expected")
    names = values["arrays"]
    if not isinstance(values["values"], dict) or not isinstance(names, list):
        refuse("the state has other entries than expected")
    if not all(type(name) is str for name in names) or len(names) != len(state.arrays):
        refuse("the state has more or fewer arrays than names")
    bare: Any = object.__new__(type(estimator))
    vars(bare).update(estimator.get_params(deep=False))
    # An array whose name comes again is lost here, and missing then.
    tensors = dict(zip(names, state.arrays, strict=True))
    unpack_state(bare, estimator._model_file, Parts(dict(values["values"]), tensors))
    # One assignment: nobody sees a part of the new state.
    estimator.__dict__ = vars(bare)


# What checks say ----------------------------------------------------------------------------


def expect(what: str, found: int, expected: int) -> None:
    """Refuse another number than expected."""
    if found != expected:
        refuse(f"{what}: {found} where {expected} was expected")


def expect_shape(name: str, table: Any, *shape: int) -> None:
    """Refuse a table of another shape."""
    if table.shape != shape:
        refuse(f"'{name}' has shape {table.shape}; expected {shape}")
