"""Check-points of a prequential evaluation: an interrupted run resumes from its last one.

The file has a magic word, the version of the format and the length of the header, the header in
JSON, the arrays one after the other, and at its end a SHA-256 of all before. The checksum finds
damage, not intent: whoever changes a file can compute a new one. Therefore all content is checked
as if there were no checksum. Nothing in the file is imported or run.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.exceptions import DataFileError, ModelFileError
from svmosaic.utils.array_checks import AnyArray, refuse
from svmosaic.utils.atomic import atomic_write
from svmosaic.utils.state_codec import NotPlainError, PlainState
from svmosaic.utils.strict_json import parse_object

__all__ = ["describe_plan", "read_check_point", "write_check_point"]

_MAGIC = b"SVMOSAIC-CHECK-POINT"
# Formats up to 3 were pickles.
_FORMAT = 4
# The magic word, the format, the bytes of the header.
_START = struct.Struct(f"<{len(_MAGIC)}sIQ")
_DIGEST_BYTES = hashlib.sha256().digest_size
_DTYPES = {"float64": "<f8", "float32": "<f4", "int64": "<i8", "int32": "<i4"}
_MAX_AXES = 2
# This many samples tell one stream from another.
_SAMPLES_COMPARED = 100


def describe_plan(named: Mapping[str, Any], stream: Any, *options: Any) -> str:
    """Return a hash of what is run: a check-point of something else must not be taken up."""
    models = [f"{name}={_describe_settings(model)}" for name, model in named.items()]
    parts = [*models, repr(stream), repr(options)]
    digest = hashlib.sha256("\n".join(parts).encode())
    # Streams of one name and length differ by their samples, for example those of two seeds.
    X, y = stream.read(0, _SAMPLES_COMPARED)
    digest.update(np.ascontiguousarray(X).tobytes())
    digest.update(repr(y.tolist()).encode())
    return digest.hexdigest()


def _describe_settings(model: Any) -> str:
    """Return a model in words; of one that has none but its address, the class."""
    kind: Any = type(model)
    return str(kind.__qualname__ if kind.__repr__ is object.__repr__ else repr(model))


# Writing --------------------------------------------------------------------------------------


def write_check_point(path: str | os.PathLike[str], plan: str, state: PlainState) -> None:
    """Write the state of a run, whole or not at all."""
    digest = hashlib.sha256()
    with atomic_write(path, "wb") as out:
        for part in _parts(plan, state):
            digest.update(part)
            out.write(part)
        out.write(digest.digest())


def _parts(plan: str, state: PlainState) -> Iterator[bytes]:
    for array in state.arrays:
        if array.dtype.name not in _DTYPES or array.ndim > _MAX_AXES:
            raise NotPlainError(f"an array of {array.dtype} with {array.ndim} axes is not stored")
    arrays = [[array.dtype.name, *array.shape] for array in state.arrays]
    # Not sorted: the order of the entries of a record is that of the columns of the table.
    header = json.dumps(
        {"plan": plan, "state": state.values, "arrays": arrays},
        separators=(",", ":"),
        allow_nan=False,
    ).encode()
    yield _START.pack(_MAGIC, _FORMAT, len(header))
    yield header
    for array in state.arrays:
        yield array.astype(_DTYPES[array.dtype.name], order="C", copy=False).tobytes()


# Reading --------------------------------------------------------------------------------------


def read_check_point(
    path: str | os.PathLike[str], plans: Sequence[str]
) -> tuple[str, PlainState | None]:
    """Return the plan of a file, one of `plans`, and the state in it, not yet checked.

    Without a file these are the first plan and None.
    """
    if not Path(path).exists():
        return plans[0], None
    content = Path(path).read_bytes()
    if content[:1] == b"\x80" and content[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        raise DataFileError(
            f"{path} is a pickle, as check-points of earlier versions were, and is not read, "
            "because a pickle can run any code: remove the file to start over."
        )
    if not content.startswith(_MAGIC):
        raise DataFileError(
            f"{path} is no check-point of prequential. Remove it or name another file."
        )
    try:
        saved_plan, state = _decode(content)
    except ModelFileError as error:
        raise DataFileError(
            f"{path} is not a valid check-point: {error}. Remove it to start over."
        ) from error
    if saved_plan not in plans:
        raise DataFileError(
            f"{path} is the check-point of another run: learners, stream or options differ. Remove "
            "it or name another file."
        )
    return saved_plan, state


def _decode(content: bytes) -> tuple[str, PlainState]:
    body, digest = content[:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
    if len(body) < _START.size or hashlib.sha256(body).digest() != digest:
        refuse("it is damaged or cut short, its checksum does not match")
    _, version, length = _START.unpack_from(body)
    if version != _FORMAT:
        refuse(f"its format is {version}; this version of svmosaic reads format {_FORMAT}")
    begin = _START.size + length
    if begin > len(body):
        refuse("its header is longer than the file")
    try:
        text = body[_START.size : begin].decode()
    except UnicodeDecodeError:
        refuse("its header is damaged")
    header = parse_object(text, "its header")
    if set(header) != {"plan", "state", "arrays"} or not isinstance(header["arrays"], list):
        refuse("its header has other entries than expected")
    if type(header["plan"]) is not str:
        refuse("its header has an entry of another type than expected")
    return header["plan"], PlainState(header["state"], _arrays(header["arrays"], body, begin))


def _arrays(described: list[Any], body: bytes, begin: int) -> tuple[AnyArray, ...]:
    arrays = []
    for about in described:
        if not isinstance(about, list) or not 1 <= len(about) <= 1 + _MAX_AXES:
            refuse("an array is described in another way than expected")
        name, *shape = about
        if type(name) is not str or name not in _DTYPES:
            refuse("an array has a type that no state uses")
        if not all(type(length) is int and 0 <= length < 2**62 for length in shape):
            refuse("an array has a shape that cannot be")
        dtype = np.dtype(_DTYPES[name])
        count = math.prod(shape)
        if count * dtype.itemsize > len(body) - begin:
            refuse("an array is longer than the file")
        found = np.frombuffer(body, dtype, count, begin).reshape(shape)
        # A copy: places in a file are not aligned as the core wants them.
        arrays.append(found.astype(dtype.newbyteorder("=")))
        begin += count * dtype.itemsize
    if begin != len(body):
        refuse("there are bytes after its last array")
    return tuple(arrays)
