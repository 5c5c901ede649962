"""Plain data: what is written comes back, and what cannot be is refused with its place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from svmosaic.exceptions import ModelFileError
from svmosaic.utils.state_codec import (
    Array,
    Flag,
    Labels,
    Listing,
    Maybe,
    NotPlainError,
    OneOf,
    PlainState,
    Real,
    Record,
    Table,
    Together,
    Whole,
    Word,
    read_state,
    write_state,
)
from svmosaic.utils.strict_json import parse_object


@dataclass
class Leaf:
    values: Any
    note: Any = None


LEAF = Record(Leaf, {"values": Array(("float64",), ("n",)), "note": Maybe(Word(("a", "b")))})


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Whole(), 3),
        (Real(odd=("inf", "nan")), math.inf),
        (Real(), 0.1),
        (Flag(), True),
        (Word(("a", "b")), "b"),
        (Maybe(Whole()), None),
        (Listing(Whole()), [1, 2]),
        (Together((Whole(), Flag())), (1, False)),
        (Table(Together((Whole(), Whole())), Real()), {(0, 1): 0.5, (1, 2): 2.0}),
    ],
)
def test_values_come_back(kind, value):
    assert read_state(kind, write_state(kind, value)) == value


@pytest.mark.parametrize("labels", [[1, 2], [False, True], ["a", "bc"], [0.5, 1.5]])
def test_labels_come_back_with_their_type(labels):
    labels = np.array(labels)
    found = read_state(Labels(), write_state(Labels(), labels))

    assert found.dtype == labels.dtype
    np.testing.assert_array_equal(found, labels)


def test_arrays_that_are_shared_are_written_once():
    values = np.arange(3.0)
    kind = Listing(OneOf({"leaf": LEAF}))

    state = write_state(kind, [Leaf(values), Leaf(values, "a"), Leaf(np.zeros(2))])
    found = read_state(kind, state)

    assert len(state.arrays) == 2
    assert found[0].values is found[1].values
    assert [leaf.note for leaf in found] == [None, "a", None]


@pytest.mark.parametrize(
    ("kind", "plain", "words"),
    [
        (Whole(), 1.0, "not a whole number"),
        (Whole(), True, "not a whole number"),
        (Whole(maximum=4), 5, "from 0 to 4"),
        (Real(), 1, "not a number"),
        (Real(), "nan", "not a number"),
        (Real(above=0.0), 0.0, "not a number above 0"),
        (Flag(), 1, "not true or false"),
        (Word(("a",)), "b", "not one of a"),
        (Listing(Whole(), most=1), [1, 2], "not a list of 0 to 1"),
        (Listing(Whole()), [1, -1], r"'state\[1\]' is not"),
        (Together((Whole(),)), [1, 2], "not a list of 1 values"),
        (Table(Whole(), Whole()), [[1, 2], [1, 3]], "a key twice"),
        (LEAF, {"values": 0}, "other entries"),
        (LEAF, {"values": 0, "note": "c"}, "'state.note' is not one of"),
        (LEAF, {"values": 1, "note": None}, "'state.values' names no array"),
        (LEAF, {"values": False, "note": None}, "names no array"),
        (OneOf({"leaf": LEAF}), {"kind": "tree", "state": {}}, "not one of leaf"),
        (Array(("float64",), (4,)), 0, "length 3; expected 4"),
        (Array(("int64",), ("n",)), 0, "has type float64"),
        (Array(("float64",), ("n", "m")), 0, "has 1 axes"),
        (Array(("float64",), ("n",), minimum=1.0), 0, "at least 1"),
        (Array(("float64",), ("n",), above=0.0), 0, "more than 0"),
        (Array(("float64",), ("m",), below="two"), 0, "at most 1"),
        (Array(("float64",), ("two",)), 0, "3 entries where 2 were"),
    ],
)
def test_what_cannot_be_is_refused(kind, plain, words):
    state = PlainState(plain, (np.arange(3.0),))

    with pytest.raises(ModelFileError, match=words):
        read_state(kind, state, two=2)


def test_arrays_that_nobody_names_are_refused():
    with pytest.raises(ModelFileError, match="no part of the state names"):
        read_state(Whole(), PlainState(1, (np.zeros(1),)))


def test_what_has_no_plain_form_is_not_written():
    with pytest.raises(NotPlainError, match="int cannot be stored; expected Leaf"):
        write_state(LEAF, 5)
    with pytest.raises(NotPlainError, match="int cannot be stored; expected Leaf"):
        write_state(OneOf({"leaf": LEAF}), 5)


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', "[1]", "{", "[" * 100_000]
)
def test_json_that_is_not_strict_is_refused(text):
    with pytest.raises(ModelFileError, match="the header"):
        parse_object(text, "the header")
