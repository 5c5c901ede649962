"""Check-points of a prequential evaluation: a killed run goes on from its last one."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.exceptions import DataFileError
from svmosaic.utils.atomic import atomic_write

__all__ = ["plan_of", "read_check_point", "write_check_point"]

_FORMAT = 3
# So many samples tell one stream from another.
_SAMPLES_COMPARED = 100


def plan_of(named: Mapping[str, Any], stream: Any, *options: Any) -> str:
    """Return a hash of what is run: a check-point of something else must not be taken up."""
    models = [f"{name}={_settings_of(model)}" for name, model in named.items()]
    parts = [*models, repr(stream), repr(options)]
    digest = hashlib.sha256("\n".join(parts).encode())
    # Streams of one name and length differ by their samples, for example those of two seeds.
    X, y = stream.read(0, _SAMPLES_COMPARED)
    digest.update(np.ascontiguousarray(X).tobytes())
    digest.update(repr(y.tolist()).encode())
    return digest.hexdigest()


def _settings_of(model: Any) -> str:
    """Return a model in words; of one that has none but its address, the class."""
    kind: Any = type(model)
    return str(kind.__qualname__ if kind.__repr__ is object.__repr__ else repr(model))


def write_check_point(path: str | os.PathLike[str], plan: str, state: Any) -> None:
    """Write the state of a run, whole or not at all."""
    try:
        with atomic_write(path, "wb") as out:
            pickle.dump((_FORMAT, plan, state), out, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"prequential cannot write a check-point of {', '.join(state.courses)}: {error}. Run "
            "without checkpoint, or with learners that can be pickled."
        ) from error


def read_check_point(path: str | os.PathLike[str] | None, plan: str) -> Any:
    """Return the state that was written; None if there is no file."""
    if path is None or not Path(path).exists():
        return None
    try:
        with open(path, "rb") as stream:
            saved = pickle.load(stream)
    except (pickle.UnpicklingError, EOFError, ValueError, AttributeError, ImportError):
        saved = None
    if not isinstance(saved, tuple) or len(saved) != 3:
        raise DataFileError(
            f"{path} is no check-point of prequential. Remove it or name another file."
        )
    version, saved_plan, state = saved
    if version != _FORMAT or saved_plan != plan:
        raise DataFileError(
            f"{path} is the check-point of another run: learners, stream or options differ. Remove "
            "it or name another file."
        )
    return state
