"""What of chains model files hold, and how it is compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.utils.array_checks import check_values, refuse
from svmosaic.utils.declaration import (
    FEATURES,
    INTEGERS,
    Declaration,
    Samples,
    doubles,
    expect_shape,
    row_numbers,
)
from svmosaic.utils.state_codec import Array, Kind, Scope, Whole

__all__ = ["CHAINS", "TARGETS", "check_targets"]

TARGETS: dict[str, Kind] = {
    **FEATURES,
    "n_targets_": Whole(1, size="n_targets"),
    "_y_ndim": Whole(1, 2),
    "n_iter_": Array(INTEGERS, ("n_links",), minimum=0),
}


def check_targets(model: Any, sizes: Scope) -> None:
    """Compare the form of `y` with the number of targets."""
    if model._y_ndim == 1 and model.n_targets_ != 1:
        refuse("'y_ndim' does not fit the number of targets")


def _check_chains(model: Any, sizes: Scope) -> None:
    """Refuse chains whose links do not fit them, or look at what is not known yet."""
    expect_shape("support_vectors", model.support_vectors_, sizes["n_support"], sizes["n_features"])
    check_values("links", model.links_, maximum=sizes["n_links"] - 1)
    check_values("link_columns", model.link_columns_, maximum=sizes["n_columns"] - 1)
    targets = np.arange(model.n_targets_)
    for order, links in zip(model.chains_, model.links_, strict=True):
        if not np.array_equal(np.sort(order), targets):
            refuse("a chain does not name every target once")
        if not np.array_equal(model.link_targets_[links], targets):
            refuse("a chain has the link of another target")
        for position, target in enumerate(order):
            seen = np.flatnonzero(model.link_columns_[links[target]] >= 0)
            if not np.isin(seen, order[:position]).all():
                refuse("a link looks at a target that comes later in its chain")


CHAINS = Declaration(
    {
        **TARGETS,
        "chains_": Array(INTEGERS, ("n_chains", "n_targets"), minimum=0),
        "links_": Array(INTEGERS, ("n_chains", "n_targets"), minimum=0),
        "support_": row_numbers("n_support"),
        "support_vectors_": Samples(),
        "dual_coef_": doubles("n_links", "n_support"),
        "intercept_": doubles("n_links"),
        "n_support_": row_numbers("n_links"),
        "gamma_": doubles("n_links", above=0),
        "C_": doubles("n_links", above=0),
        "epsilon_": doubles("n_links", minimum=0),
        "link_targets_": Array(INTEGERS, ("n_links",), minimum=0),
        "link_columns_": Array(INTEGERS, ("n_links", "n_targets"), minimum=-1),
        "appended_": doubles("n_columns", "n_support"),
        "target_mean_": doubles("n_targets"),
        "target_scale_": doubles("n_targets", above=0),
        "candidates_": doubles("n_candidates", 3),
        # Infinite where a candidate was not tried, nan where there was nothing to choose.
        "cv_errors_": doubles("n_links", "n_candidates", finite=False),
    },
    (check_targets, _check_chains),
    stored_as={
        "links_": "machines",
        "link_targets_": "machine_targets",
        "link_columns_": "machine_columns",
    },
)
