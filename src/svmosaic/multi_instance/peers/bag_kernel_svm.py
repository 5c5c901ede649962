"""What the SVMs on kernels between bags share."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from svmosaic.bags import Bags
from svmosaic.classification.convergence import warn_if_violated
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine import cpu
from svmosaic.engine.expansion_state import POSITIVE
from svmosaic.engine.kernels import kernel_spec
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.rows import rows_of_samples
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_kernels import bag_norms, bag_sums
from svmosaic.multi_instance.bag_learner import Candidate
from svmosaic.multi_instance.bag_state import BagSamples, bag_declaration, check_support
from svmosaic.multi_instance.gram_svm import score_left_out_on_gram, solve_gram
from svmosaic.multi_instance.inner_folds import Splits, alike_but_for
from svmosaic.multi_instance.instance_kernel import InstanceKernel, instance_gamma
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.declaration import doubles, expect, row_numbers
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.state_codec import Scope
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import canonical_csr, match_form

__all__ = ["BagKernelSVM", "share_bag_kernels"]


def _check_bags(model: Any, sizes: Scope) -> None:
    """Compare the support bags with their weights and coefficients."""
    bags = model.support_bags_
    expect("support_bags", len(bags), sizes["n_support"])
    expect("support_weights", sizes["n_instances"], bags.n_instances)
    expect("features of support_bags", bags.n_features, sizes["n_features"])
    check_support(model)


class BagKernelSVM(BagClassifier):
    """Base of the SVMs on kernels between bags.

    A bag is a weighted sum of its instances in feature space; a subclass says which weights they
    have, and whether the sum is then scaled to length one.
    """

    # Only kernels that are positive semidefinite, so that the bag kernel is too.
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": POSITIVE_REAL,
        "kernel": [StrOptions({"rbf", "linear", "poly"})],
        "gamma": [StrOptions({"scale", "auto"}), *POSITIVE_REAL],
        "degree": POSITIVE_COUNT,
        "coef0": [Interval(Real, 0.0, None, closed="left")],
        "tol": POSITIVE_REAL,
        "n_jobs": [Integral, None],
    }

    _model_file = bag_declaration(
        {
            "gamma_": POSITIVE,
            "support_": row_numbers("n_support"),
            "support_bags_": BagSamples(),
            "_support_weights": doubles("n_instances", minimum=0),
            "dual_coef_": doubles("n_support"),
            "intercept_": doubles(scalar=True),
        },
        _check_bags,
    )

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

    def _fit_binary(self, data: TrainingBags) -> None:
        bags = data.bags.with_instances(canonical_csr(data.bags.instances))
        self.gamma_ = instance_gamma(self.gamma, bags.instances, self.kernel)
        gram, weights = self._known_gram(data, bags, self.gamma_)
        settings = SmoSettings(C=float(self.C), tol=float(self.tol))
        coef, self.intercept_, violation = solve_gram(
            gram, data.signs, np.ones(len(bags)), settings
        )
        warn_if_violated(self, violation, "Scale the features or raise tol")
        support = np.flatnonzero(coef)
        self.support_ = data.bag_order[support]
        self.support_bags_ = bags[support]
        self._support_weights = weights[bags.rows_of(support)]
        self.dual_coef_ = coef[support]

    def _kernel_key(self) -> tuple[str, str]:
        """Return what names the weights of instances, and with gamma the kernel between bags."""
        same = {
            name: value
            for name, value in self.get_params().items()
            if name not in ("C", "gamma", "tol", "n_jobs")
        }
        return type(self).__name__, repr(sorted(same.items()))

    def _known_gram(
        self, data: TrainingBags, bags: Bags, gamma: float
    ) -> tuple[DoubleArray, DoubleArray]:
        """Return the kernel between training bags and the weights of their instances in it."""
        key = self._kernel_key()
        weights = data.once(key, lambda: self._instance_weights(bags))

        def make() -> tuple[DoubleArray, DoubleArray]:
            if self.kernel != "rbf":
                gram = bag_sums(self._kernel(gamma), bags, bags, weights, weights)
            else:
                gram = _rbf_grams(bags, [weights], [gamma], self.n_jobs)[0, 0]
            return self._to_unit_length(bags, gram, weights)

        found: tuple[DoubleArray, DoubleArray] = data.once((*key, gamma), make)
        return found

    def _to_unit_length(
        self, bags: Bags, gram: DoubleArray, weights: DoubleArray
    ) -> tuple[DoubleArray, DoubleArray]:
        """Scale bags to length one if the kernel asks for it."""
        if not self._has_unit_length():
            return gram, weights
        inverse = _inverse(np.sqrt(np.maximum(np.diagonal(gram), 0.0)))
        gram *= inverse[:, np.newaxis] * inverse
        return gram, weights * np.repeat(inverse, bags.sizes)

    def score_left_out(
        self, data: TrainingBags, splits: Splits, candidates: Sequence[Candidate]
    ) -> list[list[DoubleArray]]:
        """Return for each candidate the scores of the left-out bags of each split.

        Parameters
        ----------
        data : TrainingBags
            The training bags.
        splits : list of (ndarray, ndarray)
            Numbers of training and left-out bags of each split.
        candidates : sequence of dict
            The parameters to try.

        Returns
        -------
        list of list of ndarray
            For each candidate and split, one score per left-out bag.
        """
        bags = data.bags.with_instances(canonical_csr(data.bags.instances))
        groups = alike_but_for(candidates, "C", "tol", "n_jobs")
        share_bag_kernels([copy.copy(self).set_params(**shared) for shared, _ in groups], data)

        def make_gram(candidate: BagKernelSVM) -> DoubleArray:
            # A bag's weights and length are its own, so the kernel of some bags is a part of it.
            gamma = instance_gamma(candidate.gamma, bags.instances, candidate.kernel)
            return candidate._known_gram(data, bags, gamma)[0]

        return score_left_out_on_gram(self, make_gram, data.signs, splits, candidates)

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        known = self.support_bags_
        bags = bags.with_instances(match_form(canonical_csr(bags.instances), known.instances))
        weights, kernel = self._instance_weights(bags), self._kernel(self.gamma_)
        values = bag_sums(kernel, bags, known, weights, self._support_weights)
        if self._has_unit_length():
            values *= _inverse(bag_norms(kernel, bags, weights))[:, np.newaxis]
        return np.asarray(values @ self.dual_coef_ + self.intercept_)

    def _kernel(self, gamma: float) -> InstanceKernel:
        spec = kernel_spec(self.kernel, gamma, self.degree, self.coef0)
        return InstanceKernel(spec, resolve_threads(self.n_jobs))


def share_bag_kernels(learners: Sequence[BagKernelSVM], data: TrainingBags) -> None:
    """Compute the rbf kernels of several classifiers in one pass over the pairs of instances.

    Their fits to the same training bags find them. Of many bags none is kept.
    """
    if not data.keeps:
        return
    bags = data.bags.with_instances(canonical_csr(data.bags.instances))
    gammas: set[float] = set()
    wanted: dict[tuple[str, str], BagKernelSVM] = {}
    for one in learners:
        gamma = instance_gamma(one.gamma, bags.instances, one.kernel)
        if one.kernel == "rbf" and (*one._kernel_key(), gamma) not in data.known:
            wanted[one._kernel_key()] = one
            gammas.add(gamma)
    if not wanted:
        return
    weights = [data.once(key, partial(one._instance_weights, bags)) for key, one in wanted.items()]
    grams = _rbf_grams(bags, weights, sorted(gammas), learners[0].n_jobs)
    for (key, one), own, by_gamma in zip(wanted.items(), weights, grams, strict=True):
        for gamma, gram in zip(sorted(gammas), by_gamma, strict=True):
            data.once((*key, gamma), partial(one._to_unit_length, bags, gram, own))


def _rbf_grams(
    bags: Bags, weights: Sequence[DoubleArray], gammas: Sequence[float], n_jobs: int | None
) -> DoubleArray:
    return cpu.rbf_between_bags(
        rows_of_samples(bags.instances),
        bags.offsets,
        np.array(weights),
        np.array(gammas),
        n_threads=resolve_threads(n_jobs),
    )


def _inverse(lengths: DoubleArray) -> DoubleArray:
    """Return 1 / length; a bag at the origin of feature space stays there."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
