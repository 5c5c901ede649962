"""mi-SVM: the labels of instances in positive bags are found together with the SVM."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.multi_instance.bag_statistics import argmax_in_bags
from svmosaic.multi_instance.instance_kernel import instance_gamma
from svmosaic.multi_instance.peers.instance_svm import InstanceSVM
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.validation import canonical_csr

__all__ = ["InstanceMISVMClassifier"]


class InstanceMISVMClassifier(InstanceSVM):
    r"""mi-SVM: every instance has a label, and every positive bag at least one positive instance.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training bags more closely.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian"}, default="rbf"
        The kernel of instances.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the kernels other than linear. ``"scale"`` is 1 / (n_features * variance of the
        instances), ``"auto"`` is 1 / n_features.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    max_passes : int, default=50
        Limit on the number of SVMs solved.
    cache_mb : float or "auto", default="auto"
        Memory in MB for kernel columns. ``"auto"`` is a quarter of the memory that is free, and no
        more than all columns need. The model does not depend on it.
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
    instance_labels_ : ndarray of shape (n_instances,)
        +1 or -1 for each training instance: what the last SVM was trained on.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients.
    intercept_ : ndarray of shape (1,)
        The constant term.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    gamma_ : float
        The width used.
    n_passes_ : int
        SVMs solved.

    See Also
    --------
    BagMISVMClassifier : One instance represents each positive bag.

    Notes
    -----
    It minimises, over the SVM and the labels y_i of the instances,

    .. math:: \tfrac12 \|w\|^2 + C \sum_i \xi_i, \quad y_i f(x_i) \ge 1 - \xi_i, \quad
       \sum_{i \in I} \frac{y_i + 1}{2} \ge 1 \; (Y_I = 1), \quad y_i = -1 \; (Y_I = -1)

    by turns: solve the SVM for given labels, beginning with the labels of the bags; then label
    the instances of positive bags by the sign of f, and the largest one of a bag that has no
    positive instance left. It stops when a set of labels comes back. Each SVM is solved on all
    instances and begins with the coefficients of the one before. The score of a bag is the
    largest f of its instances.

    References
    ----------
    .. [1] S. Andrews, I. Tsochantaridis, T. Hofmann (2002), "Support Vector Machines for
       Multiple-Instance Learning", Advances in Neural Information Processing Systems 15,
       561-568. Figure 2.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import InstanceMISVMClassifier
    >>> bags = [np.array([[0.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> model = InstanceMISVMClassifier(C=10.0).fit(bags, [1, 1, 0, 0])
    >>> model.instance_labels_
    array([-1,  1,  1, -1, -1, -1])
    """

    instance_labels_: IndexArray

    def _fit_binary(self, data: TrainingBags) -> None:
        signs = data.signs
        bags = data.bags
        X = canonical_csr(bags.instances)
        self.gamma_ = instance_gamma(self.gamma, X, self.kernel)
        positive = np.flatnonzero(signs > 0)
        candidates, rows = bags[positive], bags.rows_of(positive)
        samples = np.arange(bags.n_instances)
        labels = np.repeat(signs, bags.sizes)
        start: DoubleArray | None = None
        seen = {labels.tobytes()}
        for n_passes in range(1, self.max_passes + 1):
            solution = self._solve(X, samples, labels, start)
            self._keep(X, solution)
            self.n_passes_ = n_passes
            self.instance_labels_ = np.empty(labels.size, dtype=np.int64)
            self.instance_labels_[data.row_order] = labels
            scores = self._score(candidates.instances)
            guesses = np.where(scores > 0, 1.0, -1.0)
            guesses[argmax_in_bags(candidates, scores)] = 1.0
            labels = labels.copy()
            labels[rows] = guesses
            if labels.tobytes() in seen:
                break
            seen.add(labels.tobytes())
            # The solver sets coefficients of changed labels to zero and restores the balance.
            start = np.zeros(labels.size)
            start[solution.support] = solution.coef
        else:
            self._warn_of_passes()
