"""Absurd numbers in the header of a model file are refused or harmless, whatever the checksum.

The models are files of version 0.1, which has every class but the learners of streams, and those.
"""

from __future__ import annotations

import copy
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from forged_files import forge, open_up
from svmosaic import StreamOLLAL2, StreamOLLAWV
from svmosaic.exceptions import ModelFileError
from svmosaic.persistence.model_file import decode, encode

FOLDER = Path(__file__).with_name("models_0_1")
# The small ones first: the first file that has a number is the one that is forged.
PATHS = sorted(FOLDER.glob("*.safetensors"), key=lambda path: (path.stat().st_size, path.name))
EXPECTED = np.load(FOLDER / "expected.npz", allow_pickle=False)

NUMBERS = [10**400, 2**63, -1, -0.0, 0.5, 1e308, 5e-324, True]
# What JSON cannot say, or says in a second way.
TEXTS = ["1e400", "-1e400", "NaN", "-Infinity", "-0", "00", "1e-400", "9" * 5000, "[[[[1]]]]"]


def number_paths(value, path=()):
    """Yield the keys that lead to each number; of a list, to its first three."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from number_paths(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value[:3]):
            yield from number_paths(inner, (*path, place))
    elif isinstance(value, int | float):
        yield path


def meaning(header, path):
    """Return the class that a number belongs to and its names: one file for each is enough."""
    kind, value = None, header
    for key in path:
        if isinstance(value, dict):
            kind = value.get("class", kind)
        value = value[key]
    return kind, tuple(key for key in path[-3:] if isinstance(key, str))


def put(header, path, number):
    changed = inner = copy.deepcopy(header)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = number
    return changed


def queries(name):
    if f"{name}/queries" in EXPECTED:
        rows = EXPECTED[f"{name}/queries"]
        return rows if name.endswith("sparse") else rows[:3]
    return np.split(EXPECTED["bags"], EXPECTED["offsets"][1:-1])[:2]


def streams():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    for model in (StreamOLLAWV(chunk_size=30), StreamOLLAL2(chunk_size=30)):
        yield encode(model.partial_fit(X, y, classes=[0, 1])), X[:3]


def test_forged_numbers_are_refused_or_harmless():
    known = set()
    accepted = refused = 0
    for content, X in [*((p.read_bytes(), queries(p.stem)) for p in PATHS), *streams()]:
        header, tensors = open_up(content)
        for path in number_paths(header):
            if meaning(header, path) in known:
                continue
            known.add(meaning(header, path))
            for number in NUMBERS:
                try:
                    model = decode(forge(put(header, path, number), tensors))
                except ModelFileError:
                    refused += 1
                    continue
                accepted += 1
                with warnings.catch_warnings():
                    # A huge number may overflow in decisions, as it should.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    try:
                        model.predict(X)
                    except ValueError as error:
                        assert "cannot hold" in str(error)  # noqa: PT017
    assert accepted > 100
    assert refused > 1000


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:10])
def test_other_texts_of_numbers_are_refused_or_the_same(text):
    content = PATHS[0].read_bytes()
    original = encode(decode(content))
    length = int.from_bytes(content[:8], "little")
    outer = json.loads(content[8 : 8 + length])
    header = outer["__metadata__"]["svmosaic"]
    places = [found.span() for found in re.finditer(r"(?<=[:,\[])-?[0-9.e+-]+(?=[,\]}])", header)]
    assert len(places) > 10

    for begin, end in places:
        outer["__metadata__"]["svmosaic"] = header[:begin] + text + header[end:]
        changed = json.dumps(outer).encode()
        try:
            model = decode(len(changed).to_bytes(8, "little") + changed + content[8 + length :])
        except ModelFileError:
            continue
        # 0 may become -0.
        assert encode(model) == original
