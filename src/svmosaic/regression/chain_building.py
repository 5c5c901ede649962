"""Chains of regressors: every link sees the inputs and the targets before it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.tasks import TunedRegression
from svmosaic.regression.link_tuning import LinkTuner

__all__ = ["Appended", "ChainBuilder", "Folds", "Link"]

Appended = Literal["true", "out_of_fold"]
Folds = tuple[DoubleArray, DoubleArray]
Prefix = tuple[int, ...]


@dataclass(frozen=True)
class Link:
    """A tuned link: its target, and the column that stands for each target before it."""

    target: int
    columns: dict[int, int]
    tuned: TunedRegression


@dataclass
class ChainBuilder:
    """Tunes the links of chains; a link that two chains share is tuned once.

    With ``appended="true"`` a link depends on which targets come before it and not on their
    order, since the kernel does not. With ``appended="out_of_fold"`` it depends on the order, too:
    each target before it is represented by what its own link predicts for samples left out.

    Attributes
    ----------
    tuner : LinkTuner
        Tunes links.
    folds : Folds
        The folds of all links.
    appended : {"true", "out_of_fold"}
        What is appended to the inputs in training.
    link_folds : callable or None
        Folds of its own for each (chain, position), for replays of published results.
    """

    tuner: LinkTuner
    folds: Folds
    appended: Appended
    link_folds: Callable[[int, int], Folds] | None = None
    links: list[Link] = field(default_factory=list)
    _known: dict[Hashable, int] = field(default_factory=dict)

    @property
    def worst_violation(self) -> float:
        """The largest violation of the optimality conditions of any link."""
        return max(link.tuned.violation for link in self.links)

    @property
    def columns(self) -> DoubleArray:
        """What may be appended: the targets, or what each link predicts out of fold."""
        if self.appended == "true":
            return self.tuner.table.targets
        values = np.array([link.tuned.held_out for link in self.links])
        return values.reshape(len(self.links), self.tuner.table.targets.shape[1])

    def build_alone(self, *, lead_on: bool) -> None:
        """Build a link for each target without a chain (Algorithm 3.1).

        With `lead_on`, they are the first links of chains, and the other links start from them.
        """
        self.take_alone(self.tuner.tune_alone(self.folds, lead_on=lead_on))

    def take_alone(self, tuned: Sequence[TunedRegression]) -> None:
        """Take a tuned link for each target without a chain."""
        for target, one in enumerate(tuned):
            self._add(target, (), {}, one)

    def build_chains(self, orders: IndexArray) -> IndexArray:
        """Build a chained model for each order (Algorithms 3.2 and 3.3).

        Returns the numbers of the links by chain and target.
        """
        numbers = np.empty_like(orders)
        links = [
            (chain, target, tuple(order[:position].tolist()))
            for chain, order in enumerate(orders)
            for position, target in enumerate(order.tolist())
        ]
        if self.appended == "true":
            # The true values are known beforehand, so all links are built at once.
            levels = [links]
        else:
            levels = [[link for link in links if len(link[2]) == p] for p in range(len(orders[0]))]
        for level in levels:
            if self.link_folds is None:
                found = self.extend([(target, prefix) for _, target, prefix in level])
            else:
                found = [self._with_own_folds(*link) for link in level]
            for (chain, target, _), number in zip(level, found, strict=True):
                numbers[chain, target] = number
        return numbers

    def extend(self, links: Sequence[tuple[int, Prefix]]) -> list[int]:
        """Return the numbers of links (target, targets before it); build those that are missing."""
        missing = {self._key(*link): link for link in links if self._key(*link) not in self._known}
        beside = [self._appended_columns(prefix) for _, prefix in missing.values()]
        if missing:
            tuned = self.tuner.tune_links(
                [
                    (target, [columns[t] for t in sorted(columns)])
                    for (target, _), columns in zip(missing.values(), beside, strict=True)
                ],
                self.columns,
                self.folds,
            )
            for (target, prefix), columns, one in zip(missing.values(), beside, tuned, strict=True):
                self._add(target, prefix, columns, one)
        return [self._known[self._key(*link)] for link in links]

    def error(self, number: int) -> float:
        """Return the root mean squared error of a link over the inner folds."""
        tuned = self.links[number].tuned
        return float(np.sqrt(tuned.errors[tuned.best] / self.folds[1].sum()))

    def _with_own_folds(self, chain: int, target: int, prefix: Prefix) -> int:
        assert self.link_folds is not None
        columns = self._appended_columns(prefix)
        (tuned,) = self.tuner.tune_links(
            [(target, [columns[t] for t in sorted(columns)])],
            self.columns,
            self.link_folds(chain, len(prefix)),
        )
        self.links.append(Link(target, columns, tuned))
        return len(self.links) - 1

    def _appended_columns(self, prefix: Prefix) -> dict[int, int]:
        if self.appended == "true":
            return {target: target for target in prefix}
        return {
            target: self._known[self._key(target, prefix[:position])]
            for position, target in enumerate(prefix)
        }

    def _key(self, target: int, prefix: Prefix) -> Hashable:
        return target, frozenset(prefix) if self.appended == "true" else prefix

    def _add(
        self, target: int, prefix: Prefix, columns: dict[int, int], tuned: TunedRegression
    ) -> None:
        self._known[self._key(target, prefix)] = len(self.links)
        self.links.append(Link(target, columns, tuned))
