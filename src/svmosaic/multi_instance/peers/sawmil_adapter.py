"""The classifiers of the package sawmil, if it is installed."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Tags

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_REAL
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.instance_kernel import instance_gamma
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.optional import import_optional
from svmosaic.utils.sklearn_compat import StrOptions

__all__ = ["SawmilClassifier"]

# Names of ours -> names in sawmil.
_MODELS = {"nsk": "NSK", "smil": "sMIL", "sawmil": "sAwMIL"}
# sawmil 0.2 has a third, daqp, but asks of it what daqp 0.10 does not have.
_SOLVERS = {"osqp": "osqp", "gurobi": "gurobipy"}


class SawmilClassifier(BagClassifier):
    r"""NSK, sMIL and sAwMIL of the package sawmil, with the interface of this library.

    Needs ``pip install sawmil`` and the package of the solver, osqp or gurobipy. Dense
    instances only.

    Parameters
    ----------
    model : {"nsk", "smil", "sawmil"}, default="nsk"
        The normalised set kernel; sparse MIL, where few instances of a positive bag are positive;
        or sparse aware MIL, a second SVM on the instances that sparse MIL ranks highest. sawmil
        0.2 solves the first stage of the last one with gurobi, whatever `solver` says.
    C : float, default=1.0
        Penalty of errors; sawmil divides it by the number of bags or instances.
    kernel : {"rbf", "linear"}, default="rbf"
        The kernel of instances.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the rbf kernel. ``"scale"`` is 1 / (n_features * variance of the instances),
        ``"auto"`` is 1 / n_features.
    solver : {"osqp", "gurobi"}, default="osqp"
        What solves the quadratic program. Both keep the whole kernel matrix.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    model_ : object
        The fitted classifier of sawmil.
    gamma_ : float
        The width used.

    See Also
    --------
    SetKernelClassifier : The normalised set kernel with the solver of this library.

    Notes
    -----
    NSK is the SVM of `SetKernelClassifier`. sMIL asks of positive bags B, with the same
    kernel, only

    .. math:: f(B) \ge \frac{2 - |B|}{|B|} - \xi_B,

    because one positive instance is enough, and takes every negative instance as a bag. Bags are
    scaled to length one in feature space.

    References
    ----------
    .. [1] G. Savcisens, T. Eliassi-Rad (2025), "sAwMIL: Python package for Multiple-Instance
       Support Vector Machines". https://doi.org/10.5281/zenodo.16990499
    .. [2] R. C. Bunescu, R. J. Mooney (2007), "Multiple Instance Learning for Sparse Positive
       Bags", Proceedings of the 24th International Conference on Machine Learning, 105-112.
       https://doi.org/10.1145/1273496.1273510

    Examples
    --------
    >>> from svmosaic.multi_instance.peers import SawmilClassifier
    >>> SawmilClassifier(model="nsk", C=10.0).get_params()["model"]
    'nsk'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "model": [StrOptions(set(_MODELS))],
        "C": POSITIVE_REAL,
        "kernel": [StrOptions({"rbf", "linear"})],
        "gamma": [StrOptions({"scale", "auto"}), *POSITIVE_REAL],
        "solver": [StrOptions(set(_SOLVERS))],
    }

    model_: Any
    gamma_: float

    def __init__(
        self,
        *,
        model: Literal["nsk", "smil", "sawmil"] = "nsk",
        C: float = 1.0,
        kernel: Literal["rbf", "linear"] = "rbf",
        gamma: float | str = "scale",
        solver: Literal["osqp", "gurobi"] = "osqp",
    ) -> None:
        self.model = model
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.solver = solver

    def _fit_binary(self, data: TrainingBags) -> None:
        sawmil = import_optional("sawmil", "fit SawmilClassifier")
        bags = self._dense(data.bags)
        solver = "gurobi" if self.model == "sawmil" else self.solver
        import_optional(_SOLVERS[solver], f"solve with solver={solver!r}")
        X = bags.instances
        self.gamma_ = instance_gamma(self.gamma, X, self.kernel)
        kernel = sawmil.RBF(self.gamma_) if self.kernel == "rbf" else sawmil.Linear()
        options = {"sil_kernel": kernel} if self.model == "sawmil" else {}
        model = getattr(sawmil, _MODELS[self.model])
        # With its other settings sawmil 0.2 divides by the size of a bag twice or not at all, and
        # with the linear kernel predicts by another embedding than it was trained on.
        self.model_ = model(
            C=float(self.C),
            kernel=kernel,
            solver=self.solver,
            normalizer="featurespace",
            **options,
        )
        labelled = zip(bags, data.signs, strict=True)
        self.model_.fit([sawmil.Bag(X=bag, y=float(sign)) for bag, sign in labelled])

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        scores = self.model_.decision_function(self._theirs(bags))
        return np.asarray(scores, dtype=np.float64).ravel()

    def _theirs(self, bags: Bags) -> list[Any]:
        sawmil = import_optional("sawmil", "predict with SawmilClassifier")
        return [sawmil.Bag(X=bag, y=0.0) for bag in self._dense(bags)]

    def _dense(self, bags: Bags) -> Bags:
        if sp.issparse(bags.instances):
            raise TypeError(
                f"{type(self).__name__} takes dense instances only, because sawmil does. Got "
                "sparse ones; use bags.with_instances(bags.instances.toarray())."
            )
        return bags

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
