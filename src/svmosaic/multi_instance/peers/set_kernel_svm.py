"""The SVM on the normalised set kernel."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.peers.bag_kernel_svm import BagKernelSVM
from svmosaic.utils.sklearn_compat import StrOptions

__all__ = ["SetKernelClassifier"]


class SetKernelClassifier(BagKernelSVM):
    r"""SVM on the normalised set kernel: a bag is the mean of its instances in feature space.

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
    normalization : {"feature_space", "average"}, default="feature_space"
        ``"average"`` divides by the sizes of both bags. ``"feature_space"`` scales bags to
        length one in feature space as well, so that wide bags weigh as much as narrow ones.
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
    MIGraphClassifier : Weights instances by how many are like them.

    Notes
    -----
    The kernel of the bags A and B is

    .. math:: K(A, B) = \frac{1}{|A| |B|} \sum_{x \in A} \sum_{z \in B} k(x, z), \qquad
       \frac{K(A, B)}{\sqrt{K(A, A) K(B, B)}} \text{ for normalization="feature\_space"}.

    Fitting computes half of all pairs of instances once, block by block.

    References
    ----------
    .. [1] T. Gärtner, P. A. Flach, A. Kowalczyk, A. J. Smola (2002), "Multi-Instance Kernels",
       Proceedings of the 19th International Conference on Machine Learning, 179-186.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import SetKernelClassifier
    >>> bags = [np.array([[0.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> SetKernelClassifier(C=10.0).fit(bags, [1, 1, 0, 0]).predict(bags)
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BagKernelSVM._parameter_constraints,
        "normalization": [StrOptions({"feature_space", "average"})],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        normalization: Literal["feature_space", "average"] = "feature_space",
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.normalization = normalization
        self.tol = tol
        self.n_jobs = n_jobs

    def _instance_weights(self, bags: Bags) -> DoubleArray:
        return np.repeat(1.0 / bags.sizes, bags.sizes)

    def _has_unit_length(self) -> bool:
        return self.normalization == "feature_space"
