"""What of classifiers of bags model files hold, and how it is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmosaic.bags import Bags
from svmosaic.utils.array_checks import check_dtype, refuse
from svmosaic.utils.declaration import (
    FEATURES,
    Declaration,
    Estimators,
    MayLack,
    Samples,
    expect,
    set_attributes,
    take_named,
)
from svmosaic.utils.state_codec import Kind, Labels, Scope

__all__ = ["BagSamples", "bag_declaration", "check_support"]


@dataclass(frozen=True)
class BagSamples:
    """Bags: their instances as `Samples`, and where each begins."""

    def pack(self, value: Any, path: str, arrays: Any) -> Any:
        """Return the form of the instances."""
        if not isinstance(value, Bags):
            refuse(f"'{path}' does not hold bags")
        arrays.place(value.offsets, f"{path}.offsets")
        return Samples().pack(value.instances, path, arrays)

    def unpack(self, plain: Any, path: str, scope: Scope) -> Bags:
        """Return the bags, checked."""
        instances = Samples().unpack(plain, path, scope)
        offsets = take_named(scope, f"{path}.offsets")
        check_dtype(f"{path}.offsets", offsets, ("int64",))
        if offsets.ndim != 1 or offsets.size == 0 or offsets[0] != 0:
            refuse(f"the offsets of '{path}' do not begin at 0")
        if offsets[-1] != instances.shape[0] or not (offsets[1:] > offsets[:-1]).all():
            refuse(f"the offsets of '{path}' do not ascend to {instances.shape[0]}")
        return Bags(instances, offsets)


def bag_declaration(
    state: Mapping[str, Kind],
    check: Callable[[Any, Scope], None],
    assemble: Callable[[Any, dict[str, Any]], None] = set_attributes,
) -> Declaration:
    """Return the declaration of a classifier of bags.

    Parameters
    ----------
    state : mapping of str to Kind
        What a classifier of two classes has. With more, only the classifiers within it have that,
        one for each class.
    check : callable
        Called with what was read of two classes, and the sizes.
    assemble : callable
        As in `Declaration`.
    """

    def check_classes(model: Any, sizes: Scope) -> None:
        _check_one_against_rest(model, sizes["n_classes"], state)
        if sizes["n_classes"] == 2:
            check(model, sizes)

    fields: dict[str, Kind] = {
        **FEATURES,
        "classes_": Labels(),
        "binary_classifiers_": MayLack(Estimators()),
        **{attribute: MayLack(kind) for attribute, kind in state.items()},
    }
    stored_as = {"binary_classifiers_": "machines"}
    return Declaration(fields, (check_classes,), assemble, of_bags=True, stored_as=stored_as)


def _check_one_against_rest(model: Any, n_classes: int, state: Mapping[str, Kind]) -> None:
    binary = getattr(model, "binary_classifiers_", [])
    several = n_classes > 2
    expect("binary classifiers", len(binary), n_classes if several else 0)
    for attribute in state:
        if hasattr(model, attribute) == several:
            word = "too much" if several else "missing"
            refuse(f"'{attribute}' is {word} for {n_classes} classes")
    for one in binary:
        expect("features of a binary classifier", one.n_features_in_, model.n_features_in_)
        expect("classes of a binary classifier", one.classes_.size, 2)


def check_support(model: Any, n_bags: int | None = None) -> None:
    """Refuse bags that are named twice, or that do not exist where their number is known."""
    support = model.support_
    if np.unique(support).size != support.size:
        refuse("'support' names a bag twice")
    if n_bags is not None and support.size and support.max() >= n_bags:
        refuse(f"'support' names a bag above {n_bags - 1}")
