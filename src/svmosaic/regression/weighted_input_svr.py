"""Support vector regression of inputs that count by weights, which differ between the folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.tasks import RegressionTuneSettings, TunedRegression
from svmosaic.regression.chain_building import ChainBuilder
from svmosaic.regression.chain_state import CHAINS
from svmosaic.regression.link_tuning import LinkTuner, fold_weights
from svmosaic.regression.multi_target_svr import MultiTargetSVR
from svmosaic.regression.weighted_parts import HeldOut
from svmosaic.utils.declaration import doubles
from svmosaic.utils.splits import Split
from svmosaic.utils.validation import check_regression, check_samples

__all__ = ["WeightedInputSVR", "input_weights"]

# Shares of the width by the scale of the weighted inputs. There are few, because the kernel values
# of each fold are others: they cost more than where all folds have the same.
_GAMMAS = (0.125, 0.5, 2.0)


class WeightedInputSVR(MultiTargetSVR):
    """An SVR for each target on inputs that count by weights.

    The weights come from elsewhere and may have been learnt from the targets. What is predicted for
    rows left out is honest if the weights of each inner fold come from its training rows, so each
    fold has its own.

    Parameters and attributes are those of `MultiTargetSVR`, of weighted inputs; `input_weights_`
    are the weights of the final fit.
    """

    _model_file = CHAINS.extend({"input_weights_": doubles("n_features", minimum=0)})

    def _settings(self, X: Any) -> RegressionTuneSettings:
        n = X.shape[0]
        width = resolve_gamma("scale", X, np.arange(n), np.ones(n))
        return replace(super()._settings(X), gammas=width * np.array(_GAMMAS))

    def fit_held_out(
        self, X: Any, Y: DoubleArray, splits: Sequence[Split], weights: DoubleArray
    ) -> HeldOut:
        """Choose gamma, C and epsilon over the splits, fit, and predict the rows left out.

        Candidates differ in the share of the width that the scale of the weighted inputs gives;
        each fold takes the scale of its training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        Y : ndarray of shape (n_samples, n_targets)
            Target values.
        splits : list of (ndarray, ndarray)
            The inner folds, in place of `cv`.
        weights : ndarray of shape (n_splits + 1, n_features)
            The weights of the inputs on each split, and those of the final fit.

        Returns
        -------
        HeldOut
            What the best candidate of each target predicts, shape (n_samples, n_targets).
        """
        X, y = check_regression(self, X, Y, multi_output=True)
        Y = self._scale_targets(self._set_targets(y))
        self.input_weights_ = weights[-1]
        weighted = _weighted(X, self.input_weights_)
        settings = self._settings(weighted)
        # The distances of a fold are computed twice, so that one matrix at a time is in memory.
        errors = np.zeros((self.n_targets_, settings.n_candidates))
        for split, of_fold in zip(splits, weights, strict=False):
            fold_tuner = self._fold_tuner(X, Y, split, of_fold)
            folds = fold_weights([split], fold_tuner.table.sample_of)
            errors += [one.errors for one in fold_tuner.tune_alone(folds, lead_on=False)]
        best = errors.argmin(axis=1)
        held_out = np.empty_like(Y)
        for split, of_fold in zip(splits, weights, strict=False):
            fold_tuner = self._fold_tuner(X, Y, split, of_fold)
            of_sample = [one.held_out for one in _fit_chosen(fold_tuner, [split], best)]
            held_out[split[1]] = np.transpose(of_sample)[fold_tuner.table.sample_of[split[1]]]

        tuner = self._tuner(weighted, Y, [], settings)
        builder = ChainBuilder(tuner, fold_weights(splits, tuner.table.sample_of), "true")
        fitted = zip(_fit_chosen(tuner, [], best), errors, best.tolist(), strict=True)
        builder.take_alone([replace(one, errors=e, best=b) for one, e, b in fitted])
        numbers = np.arange(self.n_targets_)[np.newaxis]
        self.chains_ = numbers
        self._gather(weighted, builder, numbers)
        return HeldOut(held_out, builder.worst_violation)

    def _fold_tuner(self, X: Any, Y: DoubleArray, split: Split, weights: DoubleArray) -> LinkTuner:
        weighted = _weighted(X, weights)
        return self._tuner(weighted, Y, [split], self._settings(weighted[split[0]]))

    def predict_chains(self, X: Any) -> DoubleArray:
        """Return the values of the SVRs, as one chain."""
        return super().predict_chains(_weighted(check_samples(self, X), self.input_weights_))


def input_weights(importances: DoubleArray) -> DoubleArray:
    """Return importances of features as weights with sum of squares 1; equal ones if all are 0."""
    norm = np.linalg.norm(importances)
    if not norm > 0.0:
        return np.full(importances.size, importances.size**-0.5)
    return np.asarray(importances / norm)


def _weighted(X: Any, weights: DoubleArray) -> Any:
    """Return samples whose features are multiplied by weights."""
    if not sp.issparse(X):
        return X * weights
    data = X.data * weights[X.indices]
    return type(X)((data, X.indices, X.indptr), shape=X.shape)


def _fit_chosen(
    tuner: LinkTuner, splits: Sequence[Split], chosen: IndexArray
) -> list[TunedRegression]:
    """Fit to each target the candidate that was chosen for it."""
    folds = fold_weights(splits, tuner.table.sample_of)
    found: dict[int, TunedRegression] = {}
    for number in np.unique(chosen).tolist():
        targets = np.flatnonzero(chosen == number).tolist()
        one = tuner.of_one_candidate(number)
        links: list[tuple[int, list[int]]] = [(target, []) for target in targets]
        found |= zip(targets, one.tune_links(links, tuner.table.targets, folds), strict=True)
    return [found[target] for target in range(len(chosen))]
