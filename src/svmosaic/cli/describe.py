"""What a machine is made of, in words, for ``train`` and ``info``."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.utils.wording import plural

__all__ = ["Fields", "bag_fields", "chain_fields", "listed", "mixture_fields", "stop_reasons"]

Fields = list[tuple[str, object]]

# So many classes or names are shown.
_SHOWN = 8


def listed(items: list[Any]) -> str:
    """Return the first items, with commas."""
    shown = ", ".join(str(item) for item in items[:_SHOWN])
    return f"{shown}, ..." if len(items) > _SHOWN else shown


def stop_reasons(machine: Any) -> str:
    """Return why the selections stopped and how many did for each reason."""
    reasons, counts = np.unique(machine.stop_reason_, return_counts=True)
    if reasons.size == 1:
        return str(reasons[0])
    return ", ".join(f"{count} {reason}" for reason, count in zip(reasons, counts, strict=True))


def chain_fields(machine: Any) -> Fields:
    """Return what a machine of several targets has: chains, or weighted members."""
    members = getattr(machine, "members_", None)
    if members is not None:
        mean = machine.weights_.mean(axis=1).reshape(len(members), 2)
        weights = [
            f"{member.kernel} alone {alone:.2f}, in chains {chained:.2f}"
            for member, (alone, chained) in zip(members, mean, strict=True)
        ]
        return [
            ("machines", sum(member.intercept_.size for member in members)),
            ("mean weights", "; ".join(weights)),
        ]
    return [
        ("machines", f"{machine.intercept_.size} in {plural(len(machine.chains_), 'chain')}"),
        ("support vectors", machine.support_.size),
    ]


def bag_fields(machine: Any) -> Fields:
    """Return what a classifier of bags has: representatives, or a mixture."""
    machines = getattr(machine, "machines_", None) or [machine]
    fields: Fields = []
    if len(machines) > 1:
        fields.append(("machines", f"{len(machines)}, each class against the rest"))
    if hasattr(machines[0], "members_"):
        return [*fields, *mixture_fields(machines[0])] if len(machines) == 1 else fields
    reasons = listed([f"{m.n_passes_} ({m.stop_reason_})" for m in machines])
    return [
        *fields,
        ("passes", reasons),
        ("support vectors", f"{sum(m.support_.size for m in machines)} bags"),
    ]


def mixture_fields(machine: Any) -> Fields:
    """Return the views of a mixture with their shares and scores."""
    shares = np.abs(machine.weights_) / np.abs(machine.weights_).sum()
    parts = [
        f"{view} {share:.0%}"
        for share, view in sorted(zip(shares, machine.member_scores_, strict=True), reverse=True)
    ]
    return [("views", ", ".join(parts))]
