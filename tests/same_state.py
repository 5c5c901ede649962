"""Whether two fitted models have the same state, to the last bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy.sparse as sp

__all__ = ["assert_same_state", "identical"]


def identical(a, b):
    """Compare type, shape and bits, also of what is inside records and dicts."""
    if sp.issparse(a):
        return type(a) is type(b) and all(
            identical(getattr(a, part), getattr(b, part)) for part in ("data", "indices", "indptr")
        )
    if dataclasses.is_dataclass(a):
        names = [field.name for field in dataclasses.fields(a)]
        return type(a) is type(b) and all(identical(getattr(a, n), getattr(b, n)) for n in names)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(identical(a[key], b[key]) for key in a)
    if isinstance(a, list) and all(isinstance(one, dict) for one in a):
        return len(a) == len(b) and all(identical(*pair) for pair in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        same = a.dtype == b.dtype and a.shape == b.shape
        return same and (a.tolist() == b.tolist() or a.tobytes() == b.tobytes())
    return a == b


def assert_same_state(loaded, model):
    """Compare the parameters and every attribute of two estimators, except the report of a fit."""
    assert type(loaded) is type(model)
    assert identical(loaded.get_params(), model.get_params())
    state = {name: value for name, value in vars(model).items() if name != "_fit_report"}
    assert vars(loaded).keys() - {"_fit_report"} == state.keys()
    for name, value in state.items():
        assert identical(value, getattr(loaded, name)), name
