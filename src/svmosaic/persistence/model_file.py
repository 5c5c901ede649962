"""Write and read model files: a safetensors file with a JSON header in its metadata.

The metadata of the safetensors file has the one key ``"svmosaic"``. Its value is a JSON text:

- ``format``, ``version``, ``library``: what wrote the file;
- ``pipeline``: whether the model is a scikit-learn pipeline;
- ``steps``: for each step its ``name``, ``class``, ``params`` and ``values``;
- ``sha256``: a checksum over everything else, in the header and in the tensors.

The checksum finds damage, not intent: whoever changes a file can compute a new one. Therefore
all content is checked as if there were no checksum.

How to bump the version
-----------------------
A new class, or a new constructor parameter whose default means the old behaviour, needs no new
version: a file that does not name a parameter gets its default. Anything else does: a new, renamed
or dropped field, another type or meaning of one, another checksum. Then

1. raise `VERSION` by one;
2. add to `UPGRADES`, under the old version, a function that takes the header and the tensors of
   an old file, after their checksum was verified, and changes them in place into the new form;
3. store a file of the old version among the tests and load it there.

Readers refuse versions above their own, with a sentence that says to upgrade.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from svmosaic.exceptions import ModelFileError
from svmosaic.persistence.storable import find_declaration, storable
from svmosaic.utils.array_checks import AnyArray, refuse
from svmosaic.utils.atomic import atomic_write
from svmosaic.utils.declaration import (
    Declaration,
    Estimators,
    MayLack,
    Parts,
    Role,
    pack_state,
    unpack_state,
)
from svmosaic.utils.optional import import_optional
from svmosaic.utils.plain_values import from_plain, plain_value
from svmosaic.utils.strict_json import canonical_json, parse_object
from svmosaic.version import __version__

__all__ = ["decode", "encode", "load", "save"]

FORMAT = "svmosaic"
VERSION = 3


def _without_targets(header: dict[str, Any], tensors: dict[str, AnyArray]) -> None:
    """Turn a file of version 1 into one of version 2, whose targets have no names."""
    header["targets"] = None


def _without_roles(header: dict[str, Any], tensors: dict[str, AnyArray]) -> None:
    """Turn a file of version 2 into one of version 3, which says nothing of other columns."""
    header["columns"] = None


# old version -> function(header, tensors) that turns a file of it into the next version
UPGRADES: dict[int, Callable[[dict[str, Any], dict[str, AnyArray]], None]] = {
    1: _without_targets,
    2: _without_roles,
}
# classes of earlier versions -> what to do
_REMOVED = {
    "MIRSetSVMClassifier": "load it with svmosaic 0.1, or fit a MIRMixSVMClassifier in its place"
}

# The limit of the safetensors format itself.
MAX_HEADER_BYTES = 100_000_000
_MAX_STEPS = 16
_MAX_TARGETS = 1_000_000
# Estimators within estimators: of one class against the rest, each with its members.
_MAX_DEPTH = 4

_PREFIX_BYTES = 8
_METADATA_KEY = "svmosaic"
_HEADER = "the header of the model file"
_DTYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4"}
_HEADER_KEYS = {"format", "version", "library", "pipeline", "steps", "sha256"}
# What version 2 has in addition, and what version 3.
_TARGET_KEY = "targets"
_COLUMNS_KEY = "columns"
# What columns may be that are neither features nor targets, or are dates in this order.
_COLUMN_ROLES = ("id", "bag", "drop", "ymd", "dmy", "mdy")
# How numbers are written in the training file, each one character: not a role of columns, but
# needed to read the same columns again. A file without them has decimal points.
_NUMBER_ROLES = ("decimal", "thousands")
_ESTIMATOR_KEYS = {"class", "params", "values"}
# The step name of a model that is in no pipeline.
_MODEL_STEP = "model"


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model to a file that is safe to load.

    The file is written beside `path` and then renamed: an error leaves an existing file as it
    was. Predictions of the loaded model are the same, bit for bit.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted estimator of svmosaic, or a scikit-learn pipeline that ends in one and otherwise
        holds `MinMaxScaler`, `StandardScaler`, `MaxAbsScaler`, `QuantileTransformer`,
        `SimpleImputer` or `ConstantHolder`, for bags each in a `BagTransformer`. A model with a
        function as its kernel cannot be saved: the file holds no code. If it has an attribute
        `target_names_in_`, the names of the columns that it predicts, the file has them too. So it
        is with `column_roles_in_`, a dict that has the names of columns with another role:
        ``"id"``, ``"bag"``, ``"drop"`` (left out), or dates in the order ``"ymd"``, ``"dmy"`` or
        ``"mdy"``. It also has how numbers were written if not with plain decimal points:
        ``"decimal": [","]``, ``"thousands": ["'"]``.
    path : path-like
        The file to write, by custom with the extension ``.safetensors``.

    See Also
    --------
    load : Read the file.
    export_libsvm : Write LIBSVM's text format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.persistence import load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OLLAWVClassifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "iris.safetensors")
    ...     save(model, path)
    ...     loaded = load(path)
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    content = encode(model)
    with atomic_write(path, "wb") as stream:
        stream.write(content)


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model that `save` wrote.

    Everything in the file is checked before use. Nothing is imported by a name from the file and
    nothing in it is run, so that loading a file from a stranger is safe; whether its predictions
    deserve trust is another question.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    model : estimator or Pipeline
        The fitted model, of the class that was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged, of another format or of a newer version.

    See Also
    --------
    import_libsvm : Read a model in LIBSVM's text format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.exceptions import ModelFileError
    >>> from svmosaic.persistence import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "notes.txt")
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         load(path)
    ...     except ModelFileError as error:
    ...         print(str(error).partition("notes.txt")[2])
    : this is not a model file of svmosaic; it seems to be a text file.
    """
    shown = os.fspath(path)
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        try:
            # Looked at before the rest is read: a large file of another kind costs nothing.
            _check_container(stream.read(_SNIFF_BYTES), size)
            stream.seek(0)
            return decode(stream.read())
        except ModelFileError as error:
            raise ModelFileError(f"{shown}: {str(error).removesuffix('.')}.") from error


# From a model to bytes ----------------------------------------------------------------------


def encode(model: Any) -> bytes:
    """Return the content of the model file."""
    safetensors = import_optional("safetensors.numpy", "save models")
    pipeline = isinstance(model, Pipeline)
    named = list(model.steps) if pipeline else [(_MODEL_STEP, model)]
    _check_kinds(named)
    steps = []
    tensors: dict[str, AnyArray] = {}
    for number, (name, estimator) in enumerate(named):
        check_is_fitted(estimator)
        packed = _pack(estimator)
        own = packed.pop("tensors").items()
        tensors |= {f"step{number}.{key}": array for key, array in own}
        steps.append({"name": name, **packed})
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "library": __version__,
        "pipeline": pipeline,
        "steps": steps,
        _TARGET_KEY: list(getattr(model, "target_names_in_", ())) or None,
        _COLUMNS_KEY: getattr(model, "column_roles_in_", None) or None,
    }
    try:
        # What cannot be loaded is not written.
        _restore(header, dict(tensors))
    except ModelFileError as error:
        raise ValueError(
            f"The fitted {type(model).__name__} cannot be saved: {error}. Fit it again."
        ) from error
    header["sha256"] = _checksum(header, tensors)
    content: bytes = safetensors.save(tensors, metadata={_METADATA_KEY: canonical_json(header)})
    if int.from_bytes(content[:_PREFIX_BYTES], "little") > MAX_HEADER_BYTES:
        raise ValueError("The names of features and classes are too long for a model file.")
    return content


def _check_kinds(steps: list[tuple[str, Any]]) -> None:
    for number, (_, estimator) in enumerate(steps):
        role: Role = "model" if number == len(steps) - 1 else "scaler"
        known = storable(role)
        # A subclass is another class: it may hold more than the file does, unless it says no.
        kind = vars(type(estimator)).get("_stored_as", type(estimator))
        if known.get(kind.__name__) is not kind:
            place = {
                "model": "A saved model must end in",
                "scaler": "Before the model a file can hold only",
            }[role]
            advice = " Save its best_estimator_." if hasattr(estimator, "best_estimator_") else ""
            raise TypeError(
                f"{place} {' or '.join(known)}. Got {type(estimator).__name__} instead.{advice}"
            )
    if len(steps) > _MAX_STEPS:
        raise ValueError(f"A model file holds at most {_MAX_STEPS} steps. Got {len(steps)}.")


def _pack(estimator: Any) -> dict[str, Any]:
    """Return class, parameters and state of an estimator; its arrays are under ``tensors``."""
    kind = type(estimator).__name__
    declared = find_declaration(type(estimator))
    if declared is None:
        advice = ""
        if isinstance(estimator, Pipeline):
            advice = " inside another model; make the steps before it a pipeline around it"
        raise TypeError(f"A model file cannot hold {kind}{advice}.")
    params = {
        name: plain_value(value, f"The '{name}' parameter of {kind}")
        for name, value in estimator.get_params(deep=False).items()
        if name not in declared.copied and name not in declared.in_state
    }
    try:
        parts = pack_state(estimator, declared)
    except ModelFileError as error:
        raise ValueError(f"The fitted {kind} cannot be saved: {error}.") from error
    for name, inner in parts.estimators.items():
        packed = [_pack(one) for one in inner]
        for number, one in enumerate(packed):
            own = one.pop("tensors").items()
            parts.tensors |= {f"{name}{number}.{key}": array for key, array in own}
        parts.values[name] = packed
    return {"class": kind, "params": params, "values": parts.values, "tensors": parts.tensors}


# From bytes to a model ----------------------------------------------------------------------


def decode(content: bytes) -> Any:
    """Return the model in the content of a model file."""
    _check_container(content[:_SNIFF_BYTES], len(content))
    safetensors = import_optional("safetensors", "load models")
    try:
        # Verifies that the tensors lie one after the other and end where the file ends.
        entries = safetensors.deserialize(content)
    except safetensors.SafetensorError as error:
        refuse(f"the model file is damaged ({error})")
    header = _read_header(content)
    tensors = {name: _read_tensor(name, entry) for name, entry in entries}
    _check_version(header)
    since = {_TARGET_KEY: 2, _COLUMNS_KEY: 3}
    added = {key for key, version in since.items() if header["version"] >= version}
    if set(header) != _HEADER_KEYS | added:
        refuse("the header of the model file has other entries than expected")
    stored = header.pop("sha256")
    if stored != _checksum(header, tensors):
        refuse("the model file is damaged: its checksum does not match. Copy it again")
    for version in range(header["version"], VERSION):
        UPGRADES[version](header, tensors)
    try:
        return _restore(header, tensors)
    except ModelFileError as error:
        raise ModelFileError(f"the model file is not valid: {error}") from error


def _read_header(content: bytes) -> dict[str, Any]:
    length = int.from_bytes(content[:_PREFIX_BYTES], "little")
    try:
        text = content[_PREFIX_BYTES : _PREFIX_BYTES + length].decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError("the header of the model file is damaged") from error
    outer = parse_object(text, _HEADER)
    metadata = outer.get("__metadata__")
    if not isinstance(metadata, dict) or set(metadata) != {_METADATA_KEY}:
        refuse("this is a safetensors file, but not a model file of svmosaic")
    return parse_object(metadata[_METADATA_KEY], _HEADER)


def _read_tensor(name: str, entry: dict[str, Any]) -> AnyArray:
    dtype, shape, data = entry["dtype"], entry["shape"], entry["data"]
    if dtype not in _DTYPES:
        refuse(f"the array '{name[:80]}' has a type that no model uses ({dtype})")
    stored = np.dtype(_DTYPES[dtype])
    if (
        len(shape) > 2
        or math.prod(shape) * stored.itemsize != len(data)
        or max(shape, default=0) >= 2**62
    ):
        refuse(f"the array '{name[:80]}' has a shape that its size does not fit")
    array = np.frombuffer(data, dtype=stored).reshape(shape)
    # Arrays of a model are in the byte order of the computer; on most this copies nothing.
    return array.astype(stored.newbyteorder("="), copy=False)


def _check_version(header: dict[str, Any]) -> None:
    if header.get("format") != FORMAT:
        refuse("this is a safetensors file, but not a model file of svmosaic")
    version = header.get("version")
    if type(version) is not int or version < 1:
        refuse("the model file is damaged: its version is not a number from 1")
    if version > VERSION:
        refuse(
            f"the model file has version {version} of the format; this is svmosaic {__version__}, "
            f"which reads up to version {VERSION}. Upgrade svmosaic"
        )


def _checksum(header: dict[str, Any], tensors: dict[str, AnyArray]) -> str:
    """Return the SHA-256 of the header and of all tensors with their names, types and shapes."""
    digest = hashlib.sha256()

    def add(text: str) -> None:
        data = text.encode()
        # The length before each text: two texts cannot pass for one.
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)

    add(canonical_json(header))
    for name in sorted(tensors):
        array = tensors[name]
        add(canonical_json([name, array.dtype.name, list(array.shape)]))
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(little.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _restore(header: dict[str, Any], tensors: dict[str, AnyArray]) -> Any:
    """Return the model; raises `ModelFileError` unless all of its content is in order."""
    model = _restore_steps(header, tensors)
    targets, roles = header[_TARGET_KEY], header[_COLUMNS_KEY]
    if targets is not None:
        _check_names(targets, "targets")
        model.target_names_in_ = np.array(targets, dtype=object)
    if roles is not None:
        known = {*_COLUMN_ROLES, *_NUMBER_ROLES}
        if not isinstance(roles, dict) or not roles or not set(roles) <= known:
            refuse("the roles of the columns are not valid")
        for role, names in roles.items():
            _check_names(names, "columns")
            if role in _NUMBER_ROLES and (len(names) != 1 or len(names[0]) != 1):
                refuse(f"the sign of '{role}' is not one character")
        model.column_roles_in_ = roles
    return model


def _check_names(names: Any, what: str) -> None:
    if not isinstance(names, list) or not 1 <= len(names) <= _MAX_TARGETS:
        refuse(f"the names of the {what} are not a list, or too many")
    if not all(type(name) is str for name in names) or len(set(names)) != len(names):
        refuse(f"the names of the {what} are not valid")


def _restore_steps(header: dict[str, Any], tensors: dict[str, AnyArray]) -> Any:
    steps, pipeline = header["steps"], header["pipeline"]
    if type(pipeline) is not bool or type(header["library"]) is not str:
        refuse("the header of the model file has an entry of another type than expected")
    if not isinstance(steps, list) or not 1 <= len(steps) <= (_MAX_STEPS if pipeline else 1):
        refuse("the number of steps is out of range")
    named = []
    for number, step in enumerate(steps):
        own = _take_prefix(f"step{number}.", tensors)
        role: Role = "model" if number == len(steps) - 1 else "scaler"
        named.append(_restore_step(step, own, role))
    Parts({}, tensors).require_empty()
    if len({estimator.n_features_in_ for _, estimator in named}) != 1:
        refuse("the scaler and the model have different numbers of features")
    if len({_declared(type(estimator)).of_bags for _, estimator in named}) != 1:
        refuse("the model is one of bags and its scaler not, or the other way round")
    if not pipeline:
        return named[0][1]
    names = [name for name, _ in named]
    if len(set(names)) != len(names) or any(not name or "__" in name for name in names):
        refuse("the names of the steps are not valid")
    if set(names) & set(Pipeline([]).get_params(deep=False)):
        refuse("the names of the steps are not valid")
    return Pipeline(named)


def _take_prefix(prefix: str, tensors: dict[str, AnyArray]) -> dict[str, AnyArray]:
    own = [name for name in tensors if name.startswith(prefix)]
    return {name.removeprefix(prefix): tensors.pop(name) for name in own}


def _restore_step(step: Any, tensors: dict[str, AnyArray], role: Role) -> tuple[str, Any]:
    if not isinstance(step, dict) or set(step) != {"name", *_ESTIMATOR_KEYS}:
        refuse("a step has other entries than expected")
    about = dict(step)
    name = about.pop("name")
    if type(name) is not str:
        refuse("a step has an entry of another type than expected")
    return name, _restore_estimator(about, tensors, storable(role))


def _restore_estimator(
    about: Any, tensors: dict[str, AnyArray], kinds: Mapping[str, type], depth: int = 0
) -> Any:
    """Return a fitted estimator; its state must be whole and have nothing else."""
    if depth > _MAX_DEPTH:
        refuse("estimators are nested too deeply")
    if not isinstance(about, dict) or set(about) != _ESTIMATOR_KEYS:
        refuse("an estimator has other entries than expected")
    name, values = about["class"], about["values"]
    if type(name) is not str or not isinstance(values, dict):
        refuse("a step has an entry of another type than expected")
    if name in _REMOVED:
        refuse(f"the class {name} is no longer part of svmosaic; {_REMOVED[name]}")
    if name not in kinds:
        refuse(f"the class {name[:80]!r} is not known in this place; a newer svmosaic may know it")
    kind = kinds[name]
    declared = _declared(kind)
    parts = Parts(dict(values), tensors)
    for attribute, field in declared.fields.items():
        inner = field.kind if isinstance(field, MayLack) else field
        if isinstance(inner, Estimators):
            stored = declared.name_in_files(attribute)
            _restore_inner(stored, _kinds_within(inner, kind), parts, depth + 1)
    copies = dict.fromkeys(declared.in_state)
    for parameter, entry in declared.copied.items():
        found = parts.estimators.get(entry)
        copies[parameter] = clone(found[0]) if found else None
    try:
        estimator = _new_estimator(kind, about["params"], copies, declared.former_values)
        unpack_state(estimator, declared, parts)
    except ModelFileError:
        raise
    except (TypeError, ValueError) as error:
        # Parameters that do not fit, alone or together.
        raise ModelFileError(str(error).removesuffix(".")) from error
    return estimator


def _declared(kind: type) -> Declaration:
    found = find_declaration(kind)
    assert found is not None, kind
    return found


def _kinds_within(field: Estimators, owner: type) -> dict[str, type]:
    if isinstance(field.kinds, str):
        return storable(field.kinds, of_bags=False)
    return {kind.__name__: kind for kind in field.kinds or (owner,)}


def _restore_inner(name: str, kinds: Mapping[str, type], parts: Parts, depth: int) -> None:
    """Turn the descriptions of estimators within another one into estimators."""
    if name not in parts.values:
        return
    stored = parts.values.pop(name)
    if not isinstance(stored, list):
        refuse(f"'{name}' must be a list of estimators")
    parts.estimators[name] = [
        _restore_estimator(one, _take_prefix(f"{name}{number}.", parts.tensors), kinds, depth)
        for number, one in enumerate(stored)
    ]


def _new_estimator(
    kind: Any, stored: Any, copies: dict[str, Any], former: Mapping[str, str]
) -> Any:
    known = set(kind._get_param_names()) - set(copies)
    if not isinstance(stored, dict):
        refuse("the parameters are not a dictionary")
    if unknown := sorted(set(stored) - known):
        refuse(f"the parameter {unknown[0][:80]!r} is not known; a newer version may know it")
    given = {name: from_plain(value) for name, value in stored.items()}
    # An option of an earlier version is not valid any more, but it tells how the model was fitted.
    kept = {name: given.pop(name) for name, value in former.items() if given.get(name) == value}
    estimator = kind(**given, **copies)
    estimator._validate_params()
    return estimator.set_params(**kept)


# Files of another kind ----------------------------------------------------------------------

_SNIFF_BYTES = 4096
_OWN_START = b'{"__metadata__":{"svmosaic":'

# first bytes -> what the file seems to be
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"svm_type ", "a LIBSVM model; read it with svmosaic.persistence.import_libsvm"),
    (b"\x80\x02", "a pickle, which can run any code when loaded"),
    (b"\x80\x03", "a pickle, which can run any code when loaded"),
    (b"\x80\x04", "a pickle, which can run any code when loaded"),
    (b"\x80\x05", "a pickle, which can run any code when loaded"),
    (b"PK\x03\x04", "a ZIP archive (skops, npz and PyTorch files are)"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"\x93NUMPY", "a NumPy array file"),
    (b"\x89HDF", "an HDF5 file"),
)


def _check_container(start: bytes, size: int) -> None:
    """Refuse a file that cannot be safetensors, by its first bytes and its size."""
    if size == 0:
        refuse("the file is empty")
    length = int.from_bytes(start[:_PREFIX_BYTES], "little")
    room = size - _PREFIX_BYTES
    if 2 <= length <= min(room, MAX_HEADER_BYTES) and start[_PREFIX_BYTES:][:1] == b"{":
        return
    if start[_PREFIX_BYTES:].startswith(_OWN_START):
        refuse("the model file is damaged or cut short. Copy it again")
    refuse(f"this is not a model file of svmosaic; it seems to be {_guess_kind(start)}")


def _guess_kind(start: bytes) -> str:
    for magic, kind in _KINDS:
        if start.startswith(magic):
            return kind
    # The last character may be cut in two.
    text = start.decode("utf-8", errors="replace").removesuffix("\N{REPLACEMENT CHARACTER}")
    if all(character.isprintable() or character in "\t\r\n" for character in text) and (
        "\N{REPLACEMENT CHARACTER}" not in text
    ):
        return "a text file"
    return "a binary file of another format"
