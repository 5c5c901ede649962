"""Checks of what a model file says of classifiers of bags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.multi_instance.mir_mix_svm import VIEWS
from svmosaic.persistence.fields import Field
from svmosaic.persistence.validation import Sizes, expect, refuse

__all__ = [
    "check_bag_kernel",
    "check_mixture",
    "check_one_against_rest",
    "check_representatives",
    "check_scaler_of_bags",
    "check_summary_rows",
]


def check_one_against_rest(state: Sequence[Field]) -> Callable[[Any, Sizes], None]:
    """Return the check that two classes have a state, and more a machine each that has one."""

    def check(model: Any, sizes: Sizes) -> None:
        machines = getattr(model, "machines_", [])
        several = sizes["n_classes"] > 2
        expect("machines", len(machines), sizes["n_classes"] if several else 0)
        for part in state:
            if hasattr(model, part.attribute) == several:
                word = "too much" if several else "missing"
                refuse(f"'{part.attribute}' is {word} for {sizes['n_classes']} classes")
        for machine in machines:
            expect("features of a machine", machine.n_features_in_, model.n_features_in_)
            expect("classes of a machine", machine.classes_.size, 2)

    return check


def check_representatives(model: Any, sizes: Sizes) -> None:
    """Compare the representatives, support vectors and coefficients of MIRSVM."""
    if sizes["n_classes"] > 2:
        return
    _check_lengths(sizes)
    expect("sum of n_support", int(model.n_support_.sum(dtype=np.int64)), sizes["n_support"])
    _check_support(model, sizes["n_bags"])
    _check_table("support_vectors", model.support_vectors_, sizes["n_support"], sizes["n_features"])


def check_bag_kernel(model: Any, sizes: Sizes) -> None:
    """Compare the support bags of an SVM on whole bags with their weights and coefficients."""
    if sizes["n_classes"] > 2:
        return
    bags = model.support_bags_
    expect("support_bags", len(bags), sizes["n_support"])
    expect("support_weights", sizes["n_instances"], bags.n_instances)
    expect("features of support_bags", bags.n_features, sizes["n_features"])
    _check_support(model, None)


def check_summary_rows(model: Any, sizes: Sizes) -> None:
    """Compare the rows of bags with the columns that the summary gives."""
    if sizes["n_classes"] > 2:
        return
    n = sizes["n_features"]
    columns = {"mean": n, "min-max": 2 * n, "mean-size": n + 1, "profile": 4 * n + 1}
    expect("columns of the summary", sizes["n_columns"], columns[model.summary])
    _check_table("support_vectors", model.support_vectors_, sizes["n_support"], sizes["n_columns"])
    if sp.issparse(model.support_vectors_):
        refuse("'support_vectors' is sparse; rows of bags are dense")
    _check_support(model, None)


def check_mixture(model: Any, sizes: Sizes) -> None:
    """Compare the members of a mixture with its views and weights."""
    if sizes["n_classes"] > 2:
        return
    views = list(model.views)
    if not views or len(set(views)) < len(views) or not set(views) <= set(VIEWS):
        refuse("'views' names a view twice, or one that there is not")
    expect("weights", sizes["n_views"], len(views))
    expect("members", len(model.members_), len(views))
    for view, member in zip(views, model.members_, strict=True):
        wanted = model.new_member(view)
        if type(member) is not type(wanted):
            refuse(f"the member of the view '{view}' is a {type(member).__name__}")
        if getattr(member, "summary", None) != getattr(wanted, "summary", None):
            refuse(f"the member of the view '{view}' has another summary")
        expect("features of a member", member.n_features_in_, model.n_features_in_)
        expect("classes of a member", member.classes_.size, 2)
    scores, params = model.member_scores_, model.best_params_
    if list(scores) != views or not all(type(score) is float for score in scores.values()):
        refuse("'member_scores' does not have a number for each view")
    if list(params) != views or not all(isinstance(one, dict) for one in params.values()):
        refuse("'best_params' does not have parameters for each view")


def check_scaler_of_bags(transformer: Any, sizes: Sizes) -> None:
    """Compare the features of a transformer of bags with those of the scaler inside."""
    expect(
        "features of the transformer",
        transformer.transformer_.n_features_in_,
        transformer.n_features_in_,
    )


def _check_lengths(sizes: Sizes) -> None:
    expect("rows of dual_coef", sizes["one"], 1)
    expect("n_support", sizes["two"], 2)


def _check_support(model: Any, n_bags: int | None) -> None:
    support = model.support_
    if np.unique(support).size != support.size:
        refuse("'support' names a bag twice")
    if n_bags is not None and support.size and support.max() >= n_bags:
        refuse(f"'support' names a bag above {n_bags - 1}")


def _check_table(name: str, table: Any, n_rows: int, n_columns: int) -> None:
    if table.shape != (n_rows, n_columns):
        refuse(f"'{name}' has shape {table.shape}; expected {(n_rows, n_columns)}")
