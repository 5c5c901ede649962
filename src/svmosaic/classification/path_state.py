"""What of OLLAWV's path model files hold, and how it is compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import INTEGERS, Group, Samples, doubles, expect, row_numbers
from svmosaic.utils.state_codec import Array, Kind, Scope

__all__ = ["PATH", "check_path"]

PATH: dict[str, Kind] = {
    "_path": Group(
        {
            "offsets": Array(INTEGERS, ("n_offsets",), minimum=0),
            "rows": row_numbers("n_steps"),
            "steps": doubles("n_steps"),
            # Infinite after a step that left no sample to look at.
            "violations": doubles("n_steps", finite=False),
            "total_weights": doubles("n_paths", above=0),
        }
    ),
    # Samples of ``refine="selected"``, which was removed in 0.2. Nothing reads them; a file that
    # has them keeps them.
    "_selected": Group(
        {
            "rows": row_numbers("n_selected"),
            "vectors": Samples(),
            "labels": Array(INTEGERS, ("n_selected",), minimum=0),
            "weights": doubles("n_selected", above=0),
        },
        may_be_empty=True,
    ),
}


def check_path(model: Any, sizes: Scope) -> None:
    """Compare the path with the binary problems; a model from elsewhere has no path."""
    path = model._path
    offsets = path["offsets"]
    n_problems = sizes["n_paths"]
    if n_problems not in (0, sizes["n_outputs"]):
        refuse(f"there are {n_problems} paths; the model has {sizes['n_outputs']} outputs")
    expect("offsets of the path", offsets.size, n_problems + 1)
    if offsets[0] != 0 or offsets[-1] != sizes["n_steps"] or np.any(offsets[1:] < offsets[:-1]):
        refuse(f"the offsets of the path do not ascend from 0 to {sizes['n_steps']}")
    odd = np.flatnonzero(~np.isfinite(path["violations"]))
    if not np.all(path["violations"][odd] == np.inf) or not np.isin(odd + 1, offsets).all():
        refuse("a violation of the path is nan, or infinite before its last step")
    if model.refine is None and not np.isin(path["rows"], model.support_).all():
        refuse(
            "the path takes a row that is not a support vector; 'refine' was not None in the fit"
        )
