"""OGE, Optimized Geometric Ensembles, as a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from svmosaic.boundary.points import pair_midpoints, pairs_between
from svmosaic.classification.classifier_state import count_problems
from svmosaic.classification.multiclass_prediction import MulticlassPrediction
from svmosaic.classification.parameters import MULTICLASS_PARAMETERS, POSITIVE_REAL, RUN_PARAMETERS
from svmosaic.classification.training import prepare_training
from svmosaic.engine.problem import DoubleArray, FloatArray, Problem
from svmosaic.utils.blocked_algebra import add_outer_product
from svmosaic.utils.declaration import FEATURES, INTEGERS, Declaration, doubles, expect
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.interruptible import interruptible
from svmosaic.utils.sklearn_compat import Interval, StrOptions, fit_context
from svmosaic.utils.state_codec import Array, Labels, Scope
from svmosaic.utils.threads import one_blas_thread, resolve_threads
from svmosaic.utils.validation import check_samples, check_training

__all__ = ["ON_PLANE", "OGEClassifier"]

# Signs that are held at once: rows times planes.
_MOST_SIGNS = 2**22
# A sample this near to a plane, relative to its size, is on it.
ON_PLANE = 1e-12
# Of the largest singular value; lam is looked for between its largest and these shares of it.
_LAMBDAS = np.logspace(-5, 2, 57)


@dataclass(frozen=True)
class _Planes:
    """The base classifiers of one binary problem: n . x > offset votes for the positive class."""

    normals: DoubleArray
    offsets: DoubleArray

    def signs(self, X: FloatArray) -> DoubleArray:
        """Return -1, 0 or 1 for every sample and plane."""
        values = X.astype(np.float64) @ self.normals.T - self.offsets
        size = np.abs(X).max(axis=1, initial=0.0)[:, None] + np.abs(self.offsets)
        return np.asarray(np.sign(values) * (np.abs(values) > ON_PLANE * size))


def _blocks(n_rows: int, n_planes: int) -> list[slice]:
    """Return ranges of planes whose signs fit into memory."""
    step = max(1, _MOST_SIGNS // max(1, n_rows))
    return [slice(begin, begin + step) for begin in range(0, n_planes, step)]


@dataclass(frozen=True)
class _Ensemble:
    """Weights of the planes and what they were chosen by."""

    weights: DoubleArray
    lam: float
    threshold: float


def _check_planes(model: Any, sizes: Scope) -> None:
    """Compare the planes with their numbers and with the classes."""
    expect("threshold", sizes["n_outputs"], count_problems(sizes["n_classes"], "ovo"))
    expect("sum of n_planes", int(model.n_planes_.sum(dtype=np.int64)), sizes["n_planes"])


class OGEClassifier(MulticlassPrediction, Estimator):
    r"""Ensemble of the planes midway between neighbours of different classes.

    Every characteristic boundary point gives a plane: through the point, across the line between
    its two samples. The planes vote; Tikhonov regularisation weighs the votes and generalised
    cross-validation says how much. There is no kernel and nothing to tune. Scale the features
    first.

    Parameters
    ----------
    lam : "gcv" or float, default="gcv"
        How strongly the weights are held to the initial ones. ``"gcv"`` minimises generalised
        cross-validation on the training data. A larger number gives smoother boundaries.
    initial : "equal" or float, default="equal"
        The initial weight of every plane; ``"equal"`` is one over their number.
    threshold : "train" or float, default="train"
        The votes that the positive class needs; ``"train"`` makes fewest errors on the training
        data, and is the smallest in size among equal ones.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it. Threads find the
        boundary points.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    normals_ : ndarray of shape (n_planes, n_features)
        Unit normals, towards the positive class; output after output.
    offsets_ : ndarray of shape (n_planes,)
        A plane votes for the positive class where normal . x > offset.
    weights_ : ndarray of shape (n_planes,)
        Weights of the planes.
    n_planes_ : ndarray of shape (n_outputs,)
        Number of planes of each output.
    lam_ : ndarray of shape (n_outputs,)
        The regularisation of each output.
    threshold_ : ndarray of shape (n_outputs,)
        The threshold of each output.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SVMCBPClassifier : A kernel machine that stays near the boundary points.

    Notes
    -----
    With A the signs of the planes at the samples and a* the initial weights,

    .. math:: \min_a \sum_i w_i ((A a)_i - y_i)^2 + \lambda^2 |a - a^*|^2, \quad
        \hat y = \mathrm{sign}(\sum_k a_k \mathrm{sign}(\pi_k(x)) - a_0).

    A weight means repetition. Boundary points of radius 0, copies of a row in two classes, have no
    plane. The thesis names a global threshold a_0 and does not say how it is found.

    References
    ----------
    .. [1] A. Guitart, "Optimizing Support Vector Machines with Characteristic Boundary Points",
       master thesis, Universitat de Barcelona, Eq. 2.5-2.10.
    .. [2] O. Pujol, D. Masip (2009), "Geometry-based ensembles: toward a structural
       characterization of the classification boundary", IEEE Transactions on Pattern Analysis and
       Machine Intelligence 31, 1140-1146.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import OGEClassifier
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> OGEClassifier().fit(X, y).predict(X[:3])
    array([0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "lam": [StrOptions({"gcv"}), *POSITIVE_REAL],
        "initial": [StrOptions({"equal"}), Interval(Real, None, None, closed="neither")],
        "threshold": [StrOptions({"train"}), Interval(Real, None, None, closed="neither")],
        "decision_function_shape": MULTICLASS_PARAMETERS["decision_function_shape"],
        "n_jobs": RUN_PARAMETERS["n_jobs"],
    }

    multi_class = "ovo"

    _model_file = Declaration(
        {
            **FEATURES,
            "classes_": Labels(),
            "normals_": doubles("n_planes", "n_features"),
            "offsets_": doubles("n_planes"),
            "weights_": doubles("n_planes"),
            "n_planes_": Array(INTEGERS, ("n_outputs",), minimum=0),
            "lam_": doubles("n_outputs", minimum=0),
            "threshold_": doubles("n_outputs"),
        },
        (_check_planes,),
    )

    def __init__(
        self,
        *,
        lam: float | str = "gcv",
        initial: float | str = "equal",
        threshold: float | str = "train",
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
    ) -> None:
        self.lam = lam
        self.initial = initial
        self.threshold = threshold
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs

    # Training -------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the ensemble to training data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition: 2 counts the row twice, 0 leaves it out.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        X, y = check_training(self, X, y)
        training = prepare_training(X, y, sample_weight, who=type(self).__name__, dense_only=True)
        problems = training.problems
        planes = [self._planes(X, problem) for problem in problems]
        with one_blas_thread():
            ensembles = [
                self._weigh(X, problem, found)
                for problem, found in zip(problems, planes, strict=True)
            ]

        self.classes_ = training.classes
        self.normals_ = np.concatenate([p.normals for p in planes])
        self.offsets_ = np.concatenate([p.offsets for p in planes])
        self.weights_ = np.concatenate([e.weights for e in ensembles])
        self.n_planes_ = np.array([p.offsets.size for p in planes])
        self.lam_ = np.array([e.lam for e in ensembles])
        self.threshold_ = np.array([e.threshold for e in ensembles])
        return self

    def _planes(self, X: FloatArray, problem: Problem) -> _Planes:
        pairs = pairs_between(
            X,
            problem.samples[problem.targets > 0],
            problem.samples[problem.targets < 0],
            n_threads=resolve_threads(self.n_jobs),
        )
        radii = pair_midpoints(X, pairs)[1]
        pairs = pairs[radii > 0.0]
        first, second = X[pairs[:, 0]].astype(np.float64), X[pairs[:, 1]].astype(np.float64)
        normals = (first - second) / (2.0 * radii[radii > 0.0])[:, None]
        offsets = np.einsum("ij,ij->i", 0.5 * first + 0.5 * second, normals)
        return _Planes(normals, offsets)

    def _weigh(self, X: FloatArray, problem: Problem, planes: _Planes) -> _Ensemble:
        """Return the weights of the planes, Eq. 2.8."""
        rows, y, w = X[problem.samples], problem.targets, problem.weights
        n_planes = planes.offsets.size
        if n_planes == 0:
            # All boundary points have radius 0: nothing tells the classes apart.
            return _Ensemble(np.empty(0), 0.0, self._best_threshold(np.zeros(y.size), y, w))
        first = 1.0 / n_planes if isinstance(self.initial, str) else float(self.initial)
        root = np.sqrt(w)
        # B = W^1/2 A through B B', which is small where planes are many.
        gram = np.zeros((y.size, y.size))
        votes = np.zeros(y.size)
        for part in _blocks(y.size, n_planes):
            signs = _Planes(planes.normals[part], planes.offsets[part]).signs(rows)
            votes += signs.sum(axis=1)
            signs *= root[:, None]
            add_outer_product(gram, signs)
        residual = root * (y - first * votes)
        squares, U = interruptible(np.linalg.eigh, gram)
        squares = np.maximum(squares, 0.0)
        projected = U.T @ residual
        if isinstance(self.lam, str):
            lam = _gcv(squares, projected, float(w.sum()))
        else:
            lam = float(self.lam)
        # a - a* = B' (B B' + lam^2 I)^-1 r
        z = root * (U @ (projected / (squares + lam**2)))
        weights = np.full(n_planes, first)
        votes = np.zeros(y.size)
        for part in _blocks(y.size, n_planes):
            signs = _Planes(planes.normals[part], planes.offsets[part]).signs(rows)
            weights[part] += signs.T @ z
            votes += signs @ weights[part]
        return _Ensemble(weights, lam, self._best_threshold(votes, y, w))

    def _best_threshold(self, votes: DoubleArray, y: DoubleArray, w: DoubleArray) -> float:
        if not isinstance(self.threshold, str):
            return float(self.threshold)
        return _fewest_errors(votes, y, w)

    # Prediction -----------------------------------------------------------------------------

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        X = check_samples(self, X)
        return X.toarray() if sp.issparse(X) else X

    def _output_values(self, X: Any) -> DoubleArray:
        values = np.empty((X.shape[0], self.n_planes_.size))
        ends = np.cumsum(self.n_planes_)
        for m, (begin, end) in enumerate(zip(ends - self.n_planes_, ends, strict=True)):
            values[:, m] = -self.threshold_[m]
            for part in _blocks(X.shape[0], int(end - begin)):
                inside = slice(begin + part.start, min(end, begin + part.stop))
                planes = _Planes(self.normals_[inside], self.offsets_[inside])
                # The order of a sum by BLAS depends on the number of threads.
                with one_blas_thread():
                    values[:, m] += planes.signs(X) @ self.weights_[inside]
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _gcv(squares: DoubleArray, projected: DoubleArray, total: float) -> float:
    """Return the lam with the smallest |residual|^2 / (total - degrees of freedom)^2."""
    largest = float(np.sqrt(squares.max()))
    if largest == 0.0:
        return 1.0
    lambdas = largest * _LAMBDAS
    kept = lambdas[:, None] ** 2 / (squares + lambdas[:, None] ** 2)
    residuals = ((kept * projected) ** 2).sum(axis=1)
    # The trace of I - B B+, of which repeated rows are part.
    freedom = total - squares.size + kept.sum(axis=1)
    return float(lambdas[np.argmin(residuals / freedom**2)])


def _fewest_errors(votes: DoubleArray, y: DoubleArray, w: DoubleArray) -> float:
    """Return the threshold with the least weight of errors, the nearest to 0 of equal ones."""
    order = np.argsort(votes, kind="stable")
    values = votes[order]
    # Votes that differ by rounding are one value.
    width = 1e-9 * max(1.0, float(np.abs(values).max()))
    cuts = np.flatnonzero(np.diff(values) > width)
    # Positives up to a cut and negatives after it are errors.
    positive = np.concatenate([[0.0], np.cumsum(np.where(y > 0, w, 0.0)[order])])
    negative = np.concatenate([[0.0], np.cumsum(np.where(y > 0, 0.0, w)[order])])
    places = np.concatenate([[0], cuts + 1, [y.size]])
    candidates = np.concatenate(
        [[values[0] - 1.0], 0.5 * (values[cuts] + values[cuts + 1]), [values[-1] + 1.0]]
    )
    errors = positive[places] + negative[-1] - negative[places]
    at_zero = float(w @ ((votes > 0.0) != (y > 0)))
    least = float(errors.min())
    slack = 1e-12 * float(w.sum())
    if at_zero <= least + slack:
        return 0.0
    best = np.flatnonzero(errors <= least + slack)
    return float(candidates[best[np.argmin(np.abs(candidates[best]))]])
