"""What of OLLAWV's path model files hold, and how it is compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.engine.expansion_state import expect_samples
from svmosaic.utils.array_checks import check_values, refuse
from svmosaic.utils.declaration import INTEGERS, Group, Samples, doubles, expect, row_numbers
from svmosaic.utils.state_codec import Array, Kind, Scope

__all__ = ["PATH", "check_path", "check_selected"]

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


def check_selected(model: Any, sizes: Scope) -> None:
    """Compare the selected samples with the path that takes them."""
    selected = model._selected
    if not selected:
        if model.refine == "selected" and sizes["n_paths"] > 0:
            refuse("refine='selected' needs the selected samples, which are missing")
        return
    n_selected = sizes["n_selected"]
    pairwise = model.kernel == "precomputed"
    n_columns = n_selected if pairwise else model.n_features_in_
    expect_samples(
        "selected.vectors", selected["vectors"], n_selected, n_columns, dense_only=pairwise
    )
    check_values("selected.labels", selected["labels"], maximum=sizes["n_classes"] - 1)
    if np.unique(selected["rows"]).size != n_selected:
        refuse("'selected.rows' names a row twice")
    if not np.isin(model._path["rows"], selected["rows"]).all():
        refuse("the path takes a row that is not among the selected samples")
