"""Objects as plain data, JSON values and arrays, and back with every value checked.

A class declares its state as a `Record`: the names of its attributes, each with a kind that writes
it and reads it back. Nothing that a declaration does not name is written or read, and reading
imports and runs nothing, so that plain data of unknown origin gives an object in order or
`ModelFileError` with one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from svmosaic.utils.array_checks import AnyArray, check_dtype, check_values, refuse

__all__ = [
    "Array",
    "Arrays",
    "Flag",
    "Inner",
    "Kind",
    "Labels",
    "Listing",
    "Maybe",
    "Names",
    "NotPlainError",
    "Numbered",
    "OneOf",
    "PlainState",
    "Real",
    "Record",
    "Scope",
    "Table",
    "Together",
    "Whole",
    "Word",
    "Words",
    "read_state",
    "write_state",
]

_MOST = 2**62


class NotPlainError(TypeError):
    """An object holds something that has no declared plain form, such as a foreign detector."""


@dataclass(frozen=True)
class PlainState:
    """The state of an object as data that any safe format can hold.

    Attributes
    ----------
    values : JSON value
        Numbers, strings, truth values and None, in lists and dicts. An array is given by its place
        among `arrays`.
    arrays : tuple of ndarray
        The arrays; one that the object holds twice is here once.
    """

    values: Any
    arrays: tuple[AnyArray, ...]


def write_state(kind: Kind, value: Any) -> PlainState:
    """Return a value as plain data."""
    arrays = Numbered()
    values = kind.pack(value, "state", arrays)
    return PlainState(values, tuple(arrays.arrays))


def read_state(kind: Kind, state: PlainState, **sizes: int) -> Any:
    """Return the value that was written, checked; `sizes` are lengths that are known before."""
    arrays = Numbered(list(state.arrays))
    scope = Scope(arrays, {name: (length, name) for name, length in sizes.items()})
    value = kind.unpack(state.values, "state", scope)
    if len(arrays.places) != len(state.arrays):
        refuse("there are arrays that no part of the state names")
    return value


class Arrays(Protocol):
    """The arrays of plain data, which has a way of its own to refer to them."""

    def place(self, array: AnyArray, path: str) -> Any:
        """Keep an array; return what the values have in its place."""

    def take(self, plain: Any, path: str) -> AnyArray:
        """Return an array by what the values have in its place."""


@dataclass
class Numbered:
    """Arrays by their numbers; one that several objects share is there once."""

    # The arrays themselves stay here, so that no other one can get the same address.
    arrays: list[AnyArray] = field(default_factory=list)
    # Of arrays that were placed or taken: their numbers by their identities.
    places: dict[int, int] = field(default_factory=dict)

    def place(self, array: AnyArray, path: str) -> int:
        """Return the number of an array, which joins the others if it is new."""
        if id(array) not in self.places:
            self.places[id(array)] = len(self.arrays)
            self.arrays.append(array)
        return self.places[id(array)]

    def take(self, plain: Any, path: str) -> AnyArray:
        """Return an array by its number."""
        if type(plain) is not int or not 0 <= plain < len(self.arrays):
            refuse(f"'{path}' names no array")
        self.places[id(self.arrays[plain])] = plain
        return self.arrays[plain]


@dataclass
class Scope:
    """The arrays of a state, and lengths by name.

    The first array with a name fixes its length, for the record it is in and for the records
    within that.
    """

    arrays: Arrays
    sizes: dict[str, tuple[int, str]] = field(default_factory=dict)

    def inner(self) -> Scope:
        """Return the scope of a record within this one."""
        return Scope(self.arrays, dict(self.sizes))

    def bind(self, size: str, length: int, path: str) -> None:
        """Fix a length, or compare it with what another value fixed."""
        known, first = self.sizes.setdefault(size, (length, path))
        if known != length:
            refuse(
                f"'{path}' has {length} entries where {known} were expected: "
                f"'{first}' sets {size} = {known}"
            )

    def __getitem__(self, size: str) -> int:
        return self.sizes[size][0]

    def __contains__(self, size: str) -> bool:
        return size in self.sizes


class Kind(Protocol):
    """How values of one kind are written and read."""

    def pack(self, value: Any, path: str, arrays: Arrays) -> Any:
        """Return the value as JSON; its arrays join `arrays`."""

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the value, checked; `path` names it in messages."""


# Single values ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """A whole number; with `size`, the length of the axes of that name."""

    minimum: int = 0
    maximum: int = _MOST
    size: str | None = None

    def pack(self, value: Any, path: str, arrays: Arrays) -> int:
        """Return the number."""
        return int(value)

    def unpack(self, plain: Any, path: str, scope: Scope) -> int:
        """Return the number, checked."""
        if type(plain) is not int or not self.minimum <= plain <= self.maximum:
            refuse(f"'{path}' is not a whole number from {self.minimum} to {self.maximum}")
        if self.size is not None:
            scope.bind(self.size, plain, path)
        return plain


@dataclass(frozen=True)
class Real:
    """A number; nan and infinities only where `odd` names them, as ``"nan"`` or ``"inf"``."""

    minimum: float = -math.inf
    maximum: float = math.inf
    above: float = -math.inf
    odd: tuple[str, ...] = ()

    def pack(self, value: Any, path: str, arrays: Arrays) -> float | str:
        """Return the number; JSON has only finite ones, so that others become words."""
        number = float(value)
        return number if math.isfinite(number) else str(number)

    def unpack(self, plain: Any, path: str, scope: Scope) -> float:
        """Return the number, checked."""
        if type(plain) is str and plain in self.odd:
            return float(plain)
        if type(plain) is not float or not self.minimum <= plain <= self.maximum:
            refuse(f"'{path}' is not {self._wanted()}")
        return plain if plain > self.above else refuse(f"'{path}' is not {self._wanted()}")

    def _wanted(self) -> str:
        if self.above == -math.inf:
            return f"a number from {self.minimum:g} to {self.maximum:g}"
        return f"a number above {self.above:g}, at most {self.maximum:g}"


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def pack(self, value: Any, path: str, arrays: Arrays) -> bool:
        """Return the truth value."""
        return bool(value)

    def unpack(self, plain: Any, path: str, scope: Scope) -> bool:
        """Return the truth value, checked."""
        return plain if type(plain) is bool else refuse(f"'{path}' is not true or false")


@dataclass(frozen=True)
class Word:
    """One word from a fixed list."""

    choices: tuple[str, ...]

    def pack(self, value: Any, path: str, arrays: Arrays) -> str:
        """Return the word."""
        return str(value)

    def unpack(self, plain: Any, path: str, scope: Scope) -> str:
        """Return the word, checked."""
        if type(plain) is not str or plain not in self.choices:
            refuse(f"'{path}' is not one of {', '.join(self.choices)}")
        return plain


# Arrays -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Array:
    """An array of numbers.

    `shape` has the length of each axis, a number or a name. With `below`, all values are less than
    the length of that name; with `ascending`, each is greater than the one before. With `scalar`, a
    single number can be in its place.
    """

    dtypes: tuple[str, ...]
    shape: tuple[int | str, ...]
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: str | None = None
    ascending: bool = False
    finite: bool = True
    scalar: bool = False

    def pack(self, value: Any, path: str, arrays: Arrays) -> Any:
        """Return the place of the array."""
        return arrays.place(np.asarray(value, order="C"), path)

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the array, checked."""
        array = scope.arrays.take(plain, path)
        check_dtype(path, array, self.dtypes)
        single = self.scalar and array.ndim == 0
        if not single:
            self._check_shape(array, path, scope)
        maximum = self.maximum if self.below is None else scope[self.below] - 1
        check_values(
            *(path, array),
            finite=self.finite,
            minimum=self.minimum,
            maximum=maximum,
            above=self.above,
        )
        if self.ascending and not (array[1:] > array[:-1]).all():
            refuse(f"'{path}' does not ascend")
        return array[()] if single else array

    def _check_shape(self, array: AnyArray, path: str, scope: Scope) -> None:
        if array.ndim != len(self.shape):
            refuse(f"'{path}' has {array.ndim} axes; expected {len(self.shape)}")
        for wanted, length in zip(self.shape, array.shape, strict=True):
            if isinstance(wanted, str):
                scope.bind(wanted, length, path)
            elif wanted != length:
                refuse(f"'{path}' has an axis of length {length}; expected {wanted}")


# type of labels -> the Python type of each in JSON
_LABEL_KINDS: dict[str, type] = {
    "bool": bool,
    **{f"{sign}int{bits}": int for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": float for bits in (16, 32, 64)},
    "str": str,
    "object": str,
}


@dataclass(frozen=True)
class Labels:
    """Class labels, different and ascending: numbers, truth values or strings.

    There are at least `least`; their number is the length `size`.
    """

    size: str = "n_classes"
    least: int = 2

    def pack(self, value: Any, path: str, arrays: Arrays) -> dict[str, Any]:
        """Return the labels and their type."""
        kind = "str" if value.dtype.kind == "U" else value.dtype.name
        items = value.tolist()
        wanted = _LABEL_KINDS.get(kind)
        if wanted is None or not all(type(item) is wanted for item in items):
            refuse(
                f"class labels of type {value.dtype} cannot be saved; "
                "use whole numbers, floats, bools or strings"
            )
        return {"type": kind, "items": items}

    def unpack(self, plain: Any, path: str, scope: Scope) -> AnyArray:
        """Return the labels, checked."""
        if not isinstance(plain, dict) or set(plain) != {"type", "items"}:
            refuse("the class labels are described in another way than expected")
        items = plain["items"]
        wanted = _LABEL_KINDS.get(plain["type"]) if isinstance(plain["type"], str) else None
        if wanted is None or not isinstance(items, list):
            refuse("the class labels are of no known type")
        if len(items) < self.least or not all(type(item) is wanted for item in items):
            refuse(f"the class labels are not at least two of type {plain['type']}")
        labels = _label_array(items, plain["type"])
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            refuse("a class label is nan or infinite")
        if not (labels[1:] > labels[:-1]).all():
            refuse("the class labels do not ascend")
        scope.bind(self.size, labels.size, path)
        return labels


def _label_array(items: list[Any], kind: str) -> AnyArray:
    if wanted := {"str": str, "object": object}.get(kind):
        if wanted is str and len(items) * max(map(len, items), default=0) > 2**26:
            refuse("the class labels are too long for an array of strings")
        return np.array(items, dtype=wanted)
    dtype = np.dtype(kind)
    if dtype.kind in "iu" and items:
        bounds = np.iinfo(dtype)
        if min(items) < int(bounds.min) or max(items) > int(bounds.max):
            refuse(f"a class label does not fit into {kind}")
    with np.errstate(over="ignore"):
        return np.array(items, dtype=dtype)


@dataclass(frozen=True)
class Words:
    """An array of words, any or from a fixed list; their number is the length `size`."""

    size: str
    choices: tuple[str, ...] = ()
    dtype: type = str

    def pack(self, value: Any, path: str, arrays: Arrays) -> list[str]:
        """Return the words."""
        return [str(word) for word in value]

    def unpack(self, plain: Any, path: str, scope: Scope) -> AnyArray:
        """Return the words, checked."""
        if not isinstance(plain, list) or not all(type(word) is str for word in plain):
            refuse(f"'{path}' is not a list of strings")
        if self.choices and not set(plain) <= set(self.choices):
            refuse(f"'{path}' holds a word that is not one of {', '.join(self.choices)}")
        scope.bind(self.size, len(plain), path)
        return np.array(plain, dtype=self.dtype)


@dataclass(frozen=True)
class Names(Words):
    """Names of the features."""

    size: str = "n_features"
    dtype: type = object


@dataclass(frozen=True)
class Inner:
    """The plain data of another object within these; whoever knows the object checks them."""

    def pack(self, value: PlainState, path: str, arrays: Arrays) -> dict[str, Any]:
        """Return the values and the places of the arrays."""
        return {"values": value.values, "arrays": [arrays.place(one, path) for one in value.arrays]}

    def unpack(self, plain: Any, path: str, scope: Scope) -> PlainState:
        """Return the data, not checked."""
        if not isinstance(plain, dict) or set(plain) != {"values", "arrays"}:
            refuse(f"'{path}' has other entries than expected")
        if not isinstance(plain["arrays"], list):
            refuse(f"'{path}' names no arrays")
        arrays = tuple(scope.arrays.take(place, path) for place in plain["arrays"])
        return PlainState(plain["values"], arrays)


# Values of values ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Maybe:
    """A value or None."""

    kind: Kind

    def pack(self, value: Any, path: str, arrays: Arrays) -> Any:
        """Return the value, or None."""
        return None if value is None else self.kind.pack(value, path, arrays)

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the value, checked, or None."""
        return None if plain is None else self.kind.unpack(plain, path, scope)


@dataclass(frozen=True)
class Listing:
    """A list of values of one kind, `least` to `most` of them."""

    kind: Kind
    least: int = 0
    most: int = 10_000_000

    def pack(self, value: Any, path: str, arrays: Arrays) -> list[Any]:
        """Return the list."""
        return [self.kind.pack(item, path, arrays) for item in value]

    def unpack(self, plain: Any, path: str, scope: Scope) -> list[Any]:
        """Return the list, checked."""
        if not isinstance(plain, list) or not self.least <= len(plain) <= self.most:
            refuse(f"'{path}' is not a list of {self.least} to {self.most} values")
        return [
            self.kind.unpack(item, f"{path}[{number}]", scope) for number, item in enumerate(plain)
        ]


@dataclass(frozen=True)
class Together:
    """A tuple, with a kind for each of its values."""

    kinds: tuple[Kind, ...]

    def pack(self, value: Any, path: str, arrays: Arrays) -> list[Any]:
        """Return the values as a list."""
        return [kind.pack(item, path, arrays) for kind, item in zip(self.kinds, value, strict=True)]

    def unpack(self, plain: Any, path: str, scope: Scope) -> tuple[Any, ...]:
        """Return the tuple, checked."""
        if not isinstance(plain, list) or len(plain) != len(self.kinds):
            refuse(f"'{path}' is not a list of {len(self.kinds)} values")
        # Lengths are those of this tuple alone.
        inner = scope.inner()
        return tuple(
            kind.unpack(item, f"{path}[{number}]", inner)
            for number, (kind, item) in enumerate(zip(self.kinds, plain, strict=True))
        )


@dataclass(frozen=True)
class Table:
    """A dict, written as a list of keys and values."""

    key: Kind
    value: Kind

    def pack(self, value: Any, path: str, arrays: Arrays) -> list[Any]:
        """Return the pairs."""
        pair = Together((self.key, self.value))
        return [pair.pack(item, path, arrays) for item in value.items()]

    def unpack(self, plain: Any, path: str, scope: Scope) -> dict[Any, Any]:
        """Return the dict, checked."""
        pairs = Listing(Together((self.key, self.value))).unpack(plain, path, scope)
        found = dict(pairs)
        return found if len(found) == len(pairs) else refuse(f"'{path}' has a key twice")


@dataclass(frozen=True)
class Record:
    """An object by its attributes.

    Attributes
    ----------
    kind : type
        Its class.
    fields : mapping of str to Kind
        Its attributes, in the order in which they are read; an underscore before a name is left
        out in the data.
    make : callable or None
        Called with the attributes as keywords to make the object. None: it is made without its
        constructor, as `copy.copy` does it.
    checks : tuple of callable
        Called with the object, its path and the lengths; they compare the attributes.
    absent : mapping of str to JSON value
        Values of attributes that data of earlier versions do not have.
    """

    kind: type
    fields: Mapping[str, Kind]
    make: Callable[..., Any] | None = None
    checks: tuple[Callable[[Any, str, Scope], None], ...] = ()
    absent: Mapping[str, Any] = field(default_factory=dict)

    def pack(self, value: Any, path: str, arrays: Arrays) -> dict[str, Any]:
        """Return the attributes."""
        if type(value) is not self.kind:
            raise NotPlainError(
                f"{type(value).__name__} cannot be stored; expected {self.kind.__name__}"
            )
        return {
            name.lstrip("_"): kind.pack(getattr(value, name), path, arrays)
            for name, kind in self.fields.items()
        }

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the object, checked."""
        if isinstance(plain, dict):
            plain = {**self.absent, **plain}
        if not isinstance(plain, dict) or set(plain) != {name.lstrip("_") for name in self.fields}:
            refuse(f"'{path}' has other entries than expected")
        inner = scope.inner()
        state = {
            name: kind.unpack(plain[name.lstrip("_")], f"{path}.{name.lstrip('_')}", inner)
            for name, kind in self.fields.items()
        }
        made = self._bare(state) if self.make is None else self.make(**state)
        for check in self.checks:
            check(made, path, inner)
        return made

    def _bare(self, state: dict[str, Any]) -> Any:
        made: Any = object.__new__(self.kind)
        vars(made).update(state)
        return made


@dataclass(frozen=True)
class OneOf:
    """An object of one of some classes; its data have the word of its class."""

    records: Mapping[str, Record]

    def pack(self, value: Any, path: str, arrays: Arrays) -> dict[str, Any]:
        """Return the word and the attributes."""
        for word, record in self.records.items():
            if type(value) is record.kind:
                return {"kind": word, "state": record.pack(value, path, arrays)}
        raise NotPlainError(
            f"{type(value).__name__} cannot be stored; expected "
            f"{' or '.join(record.kind.__name__ for record in self.records.values())}"
        )

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Return the object, checked."""
        if not isinstance(plain, dict) or set(plain) != {"kind", "state"}:
            refuse(f"'{path}' has other entries than expected")
        word = Word(tuple(self.records)).unpack(plain["kind"], path, scope)
        return self.records[word].unpack(plain["state"], path, scope)
