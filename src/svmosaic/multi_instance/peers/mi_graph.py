"""The miGraph kernel: instances of a bag weigh less, the more of them are alike."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from svmosaic.bags import Bags
from svmosaic.engine import cpu
from svmosaic.engine.problem import DoubleArray
from svmosaic.engine.rows import make_rows
from svmosaic.multi_instance.peers.bag_blocks import BLOCK_ROWS
from svmosaic.multi_instance.peers.bag_kernel_svm import BagKernelSVM
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.validation import canonical_csr

__all__ = ["MIGraphClassifier"]


class MIGraphClassifier(BagKernelSVM):
    r"""SVM on the miGraph kernel: instances that are alike share one vote.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training bags more closely.
    kernel : {"rbf", "linear", "poly"}, default="rbf"
        The kernel of instances.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the rbf and poly kernels. ``"scale"`` is 1 / (n_features * variance of the
        instances), ``"auto"`` is 1 / n_features.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly kernel, not negative.
    epsilon : "mean" or float, default="mean"
        Instances of a bag at most so far apart are joined by an edge of its graph. ``"mean"`` is
        the mean distance of all pairs in the bag, an instance with itself included. With 0 only
        equal instances are joined; a very large value gives the set kernel.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    support_ : ndarray of shape (n_support,)
        Training bags that are support vectors.
    support_bags_ : Bags
        These bags.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients.
    intercept_ : float
        The constant term.
    gamma_ : float
        The width used.

    See Also
    --------
    SetKernelClassifier : All instances weigh the same.

    Notes
    -----
    Instance a of bag A has the weight 1 / (number of its neighbours in the graph, itself
    included), so that a clique counts like one instance, and

    .. math:: K(A, B) = \frac{\sum_{a \in A} \sum_{b \in B} w_a w_b k(a, b)}
       {\sum_{a \in A} w_a \sum_{b \in B} w_b}.

    The kernel is positive semidefinite: it is the inner product of weighted means in feature
    space. The distances within a bag of more than 1024 instances are computed twice, all others
    once.

    References
    ----------
    .. [1] Z.-H. Zhou, Y.-Y. Sun, Y.-F. Li (2009), "Multi-Instance Learning by Treating Instances
       As Non-I.I.D. Samples", Proceedings of the 26th International Conference on Machine
       Learning, 1249-1256. https://doi.org/10.1145/1553374.1553534

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import MIGraphClassifier
    >>> bags = [np.array([[0.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> MIGraphClassifier(C=10.0).fit(bags, [1, 1, 0, 0]).predict(bags)
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BagKernelSVM._parameter_constraints,
        "epsilon": [StrOptions({"mean"}), Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        epsilon: float | str = "mean",
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.epsilon = epsilon
        self.tol = tol
        self.n_jobs = n_jobs

    def _instance_weights(self, bags: Bags) -> DoubleArray:
        return np.concatenate([self._weigh_instances(bag) for bag in bags])

    def _weigh_instances(self, X: Any) -> DoubleArray:
        """Return the weights of the instances of one bag; they sum to one."""
        size = X.shape[0]

        def parts() -> Iterator[DoubleArray]:
            return (_distances(X[i : i + BLOCK_ROWS], X) for i in range(0, size, BLOCK_ROWS))

        # The distances of a small bag are kept, those of a large one computed twice.
        known = list(parts()) if size <= BLOCK_ROWS else None
        if isinstance(self.epsilon, str):
            epsilon = sum(float(part.sum()) for part in known or parts()) / size**2
        else:
            epsilon = float(self.epsilon)
        neighbours = [np.count_nonzero(part <= epsilon, axis=1) for part in known or parts()]
        # Rounding can leave a sparse instance at a tiny distance from itself.
        weights = 1.0 / np.maximum(np.concatenate(neighbours), 1)
        return np.asarray(weights / weights.sum(), dtype=np.float64)


def _distances(A: Any, B: Any) -> DoubleArray:
    if not sp.issparse(A):
        # By differences: equal instances are at distance 0 exactly.
        return np.asarray(cdist(A, B), dtype=np.float64)
    rows, vectors = (make_rows(canonical_csr(X), "rbf") for X in (A, B))
    return np.sqrt(cpu.pair_distances(rows, vectors))  # type: ignore[arg-type]
