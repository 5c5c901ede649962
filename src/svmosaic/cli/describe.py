"""What a model is made of, in words, for ``train`` and ``info``."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from svmosaic.datasets.readers.dates import DATE_ORDERS
from svmosaic.utils.wording import plural

__all__ = [
    "Fields",
    "bag_fields",
    "chain_fields",
    "ensemble_fields",
    "listed",
    "mixture_fields",
    "part_name",
    "positive_fields",
    "role_fields",
    "stop_reasons",
]

Fields = list[tuple[str, object]]

# This many classes or names are shown.
_SHOWN = 8


def listed(items: list[Any]) -> str:
    """Return the first items, with commas."""
    shown = ", ".join(str(item) for item in items[:_SHOWN])
    return f"{shown}, ..." if len(items) > _SHOWN else shown


def role_fields(roles: dict[str, list[str]]) -> Fields:
    """Return what columns are that are neither features nor targets, and which are dates."""
    words = {"id": "ids", "bag": "bag ids", "drop": "left out"}
    fields: Fields = [(words[role], listed(roles[role])) for role in words if role in roles]
    dates = [f"{listed(roles[role])} ({role})" for role in DATE_ORDERS if role in roles]
    if dates:
        fields.append(("dates", "; ".join(dates)))
    signs = {"decimal": "decimal sign", "thousands": "thousands sign"}
    return [*fields, *((words, roles[role][0]) for role, words in signs.items() if role in roles)]


def positive_fields(model: Any) -> Fields:
    """Return which of two classes of bags an instance proves, for models in which it matters."""
    side = getattr(model, "positive", None)
    if side is None or model.classes_.size != 2:
        return []
    label = model.classes_[0 if side == "first" else 1]
    return [("positive class", f"{label}: one such instance makes a bag {label}")]


def part_name(model: Any) -> str:
    """Return what the outputs of a model of rows are called."""
    return "binary problems" if is_classifier(model) else "regressors"


def stop_reasons(model: Any) -> str:
    """Return why the selections stopped and how many did for each reason."""
    reasons, counts = np.unique(model.stop_reason_, return_counts=True)
    if reasons.size == 1:
        return str(reasons[0])
    return ", ".join(f"{count} {reason}" for reason, count in zip(reasons, counts, strict=True))


def chain_fields(model: Any) -> Fields:
    """Return what a regressor of several targets has: chains, or weighted members."""
    members = getattr(model, "members_", None)
    if members is not None:
        means = model.weights_.mean(axis=1)
        by_member = means[: 2 * len(members)].reshape(len(members), 2)
        weights = [
            f"{member.kernel} alone {alone:.2f}, in chains {chained:.2f}"
            for member, (alone, chained) in zip(members, by_member, strict=True)
        ]
        selecting = getattr(model, "weighted_members_", [])
        if selecting:
            # Weighted for each target and, with several, for all of them.
            n_last = min(2, model.n_targets_)
            weights.append(f"trees {means[by_member.size : -n_last].sum():.2f}")
            weights.append(f"weighted inputs {means[-n_last:].sum():.2f}")
        return [
            ("regressors", sum(member.intercept_.size for member in [*members, *selecting])),
            ("mean weights", "; ".join(weights)),
        ]
    return [
        ("regressors", f"{model.intercept_.size} in {plural(len(model.chains_), 'chain')}"),
        ("support vectors", model.support_.size),
    ]


def ensemble_fields(model: Any) -> Fields:
    """Return the members of an ensemble of tuned classifiers, the heaviest first."""
    shown = sorted(
        zip(model.member_scores_.items(), model.weights_, strict=True), key=lambda one: -one[1]
    )
    rows = {row for member in model.members_ for row in member.support_.tolist()}
    return [
        ("support vectors", f"{len(rows)} rows, in {plural(len(model.members_), 'model')}"),
        *(
            (name, f"weight {weight:.2f}, score {score:.4f}, {_chosen(model.best_params_[name])}")
            for (name, score), weight in shown
        ),
    ]


def _chosen(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in parameters.items())


def bag_fields(model: Any) -> Fields:
    """Return what a classifier of bags has: representatives, or a mixture."""
    parts = getattr(model, "binary_classifiers_", None) or [model]
    fields: Fields = []
    if len(parts) > 1:
        fields.append(("binary problems", f"{len(parts)}, each class against the rest"))
    if hasattr(parts[0], "members_"):
        return [*fields, *mixture_fields(parts[0])] if len(parts) == 1 else fields
    reasons = listed([f"{m.n_passes_} ({m.stop_reason_})" for m in parts])
    return [
        *fields,
        ("passes", reasons),
        ("support vectors", f"{sum(m.support_.size for m in parts)} bags"),
    ]


def mixture_fields(model: Any) -> Fields:
    """Return the views of a mixture with their shares and scores."""
    shares = np.abs(model.weights_) / np.abs(model.weights_).sum()
    parts = [
        f"{view} {share:.0%}"
        for share, view in sorted(zip(shares, model.member_scores_, strict=True), reverse=True)
    ]
    return [("views", ", ".join(parts))]
