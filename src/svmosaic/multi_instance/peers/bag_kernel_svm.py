"""What the SVMs on kernels between bags share."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from svmosaic.bags import Bags, CanonicalBags
from svmosaic.base import kernel_spec, resolve_gamma
from svmosaic.classification.smo import SMOClassifier
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.peers.bag_kernels import bag_kernel, bag_norms
from svmosaic.problem import DoubleArray, IndexArray, KernelSpec
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import match_form

__all__ = ["BagKernelSVM"]


class BagKernelSVM(BagClassifier):
    """Base of the SVMs on kernels between bags.

    A bag is a weighted sum of its instances in feature space; a subclass says which weights they
    have, and whether the sum is then scaled to length one.
    """

    # Only kernels that are positive semidefinite, so that the bag kernel is too.
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "kernel": [StrOptions({"rbf", "linear", "poly"})],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0.0, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    C: float
    kernel: str
    gamma: float | str
    degree: int
    coef0: float
    tol: float
    n_jobs: int | None

    support_: IndexArray
    support_bags_: Bags
    dual_coef_: DoubleArray
    intercept_: float
    gamma_: float
    # Of the instances of the support bags, divided by the lengths of these bags if need be.
    _support_weights: DoubleArray

    @abstractmethod
    def _instance_weights(self, bags: Bags) -> DoubleArray:
        """Return the weights of the instances; they sum to one in every bag."""

    def _has_unit_length(self) -> bool:
        """Whether bags are scaled to length one in feature space."""
        return False

    def _fit_bags(self, data: CanonicalBags, signs: DoubleArray) -> None:
        bags = data.bags
        everything = np.arange(bags.n_instances)
        self.gamma_ = resolve_gamma(
            self.gamma, bags.instances, everything, np.ones(bags.n_instances), kernel=self.kernel
        )
        weights = self._instance_weights(bags)
        gram = bag_kernel(bags, bags, weights, weights, self._spec(), n_threads=self._threads())
        if self._has_unit_length():
            inverse = _inverse(np.sqrt(np.maximum(np.diagonal(gram), 0.0)))
            gram *= inverse[:, np.newaxis] * inverse
            weights = weights * np.repeat(inverse, bags.sizes)
        machine = SMOClassifier(C=self.C, kernel="precomputed", tol=self.tol)
        machine.fit(gram, signs)

        support = machine.support_.astype(np.int64)
        self.support_ = data.bag_order[support]
        self.support_bags_ = bags[support]
        self._support_weights = weights[bags.rows_of(support)]
        self.dual_coef_ = machine.dual_coef_[0]
        self.intercept_ = float(machine.intercept_[0])

    def _decide(self, bags: Bags) -> DoubleArray:
        known = self.support_bags_
        bags = bags.with_instances(match_form(bags.instances, known.instances))
        weights, options = self._instance_weights(bags), {"n_threads": self._threads()}
        values = bag_kernel(bags, known, weights, self._support_weights, self._spec(), **options)
        if self._has_unit_length():
            values *= _inverse(bag_norms(bags, weights, self._spec(), **options))[:, np.newaxis]
        return np.asarray(values @ self.dual_coef_ + self.intercept_)

    def _spec(self) -> KernelSpec:
        return kernel_spec(self.kernel, self.gamma_, self.degree, self.coef0)

    def _threads(self) -> int:
        return resolve_threads(self.n_jobs)


def _inverse(lengths: DoubleArray) -> DoubleArray:
    """Return 1 / length; a bag at the origin of feature space stays there."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
