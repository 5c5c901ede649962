"""Seeds for the parts of an experiment, each from one root seed and the part's name."""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["derive_seed"]


def derive_seed(root: int, *labels: str | int) -> int:
    """Return the seed of a part of an experiment.

    It depends on the root and on the labels only: not on how many parts there are, in which order
    they run, or on which computer. Methods that ask with the same labels get the same seed and so
    the same splits.

    Parameters
    ----------
    root : int
        The seed of the whole experiment, 0 or more.
    *labels : str or int
        What names the part, for example ``"iris", "outer", 3``.

    Returns
    -------
    int
        A seed below 2^32, as scikit-learn takes it.

    Examples
    --------
    >>> from svmosaic.model_selection import derive_seed
    >>> derive_seed(0, "iris", "outer", 1) == derive_seed(0, "iris", "outer", 1)
    True
    >>> derive_seed(0, "iris", "outer", 1) == derive_seed(0, "iris", "outer", 2)
    False
    """
    # A type in front and a stop behind: ("a", 1), ("a1",) and ("a", "1") are different parts.
    text = "".join(f"{type(label).__name__}:{label}\0" for label in labels)
    digest = hashlib.sha256(text.encode()).digest()
    key = np.frombuffer(digest, dtype="<u4").tolist()
    return int(np.random.SeedSequence(root, spawn_key=key).generate_state(1)[0])
