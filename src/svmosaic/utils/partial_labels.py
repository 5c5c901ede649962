"""The labels of ``partial_fit``: all classes come with the first call, codes with every call."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["encode_chunk", "known_classes"]


def known_classes(estimator: Any, classes: Any) -> Any:
    """Return all classes of a stream, sorted; `estimator` has them after its first call."""
    name = type(estimator).__name__
    earlier = getattr(estimator, "classes_", None)
    if classes is None:
        if earlier is None:
            raise ValueError(
                f"The first call of partial_fit of {name} needs classes: a chunk may not "
                "contain all of them; pass classes=np.unique(all labels)."
            )
        return earlier
    given = np.unique(np.asarray(classes))
    if earlier is not None and not np.array_equal(given, earlier):
        raise ValueError(
            f"partial_fit of {name} got classes={given.tolist()}, but the first call had "
            f"{earlier.tolist()}; pass the same or none."
        )
    if given.size < 2:
        raise ValueError(
            f"partial_fit of {name} needs at least 2 classes. Got {given.tolist()} instead."
        )
    return given


def encode_chunk(estimator: Any, y: Any, known: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the positions of the labels of a chunk in the classes of the stream."""
    places = np.searchsorted(known, y)
    strange = np.asarray(known[np.minimum(places, known.size - 1)] != y)
    if strange.any():
        raise ValueError(
            f"partial_fit of {type(estimator).__name__} got the label {y[strange].tolist()[0]!r}, "
            f"which is not among the classes {known.tolist()} of the first call; start again "
            "with all classes."
        )
    return np.asarray(places, dtype=np.int64)
