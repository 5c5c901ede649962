"""MI-SVM: the margin of a positive bag is that of its most positive instance."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.multi_instance.bag_statistics import argmax_in_bags, mean_in_bags
from svmosaic.multi_instance.instance_kernel import instance_gamma
from svmosaic.multi_instance.peers.instance_svm import InstanceSVM
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.validation import canonical_csr, match_form

__all__ = ["BagMISVMClassifier"]


class BagMISVMClassifier(InstanceSVM):
    r"""MI-SVM: one witness for each positive bag against all instances of negative bags.

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
    witnesses_ : ndarray of shape (n_positive_bags,)
        The row among the given instances that represents each positive bag, in ascending order;
        after the last SVM.
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
    InstanceMISVMClassifier : Labels every instance of the positive bags.

    Notes
    -----
    With bags B_I and their labels Y_I it minimises

    .. math:: \tfrac12 \|w\|^2 + C \sum_I \xi_I, \quad
       \max_{x \in B_I} f(x) \ge 1 - \xi_I \; (Y_I = 1), \quad
       -f(x) \ge 1 - \xi_x \; \text{for all } x \in B_I \; (Y_I = -1)

    by turns: solve the SVM for given witnesses, beginning with the means of the positive bags;
    then take the instances with the largest f as witnesses. It stops when a set of witnesses
    comes back, the last or an earlier one. Each SVM begins with the coefficients of the one
    before. The score of a bag is the largest f of its instances.

    References
    ----------
    .. [1] S. Andrews, I. Tsochantaridis, T. Hofmann (2002), "Support Vector Machines for
       Multiple-Instance Learning", Advances in Neural Information Processing Systems 15,
       561-568. Figure 3.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import BagMISVMClassifier
    >>> bags = [np.array([[0.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> model = BagMISVMClassifier(C=10.0).fit(bags, [1, 1, 0, 0])
    >>> model.witnesses_
    array([1, 2])
    """

    witnesses_: IndexArray

    def _fit_binary(self, data: TrainingBags) -> None:
        signs = data.signs
        bags = data.bags
        X = canonical_csr(bags.instances)
        self.gamma_ = instance_gamma(self.gamma, X, self.kernel)
        positive, negative = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
        candidates, others = bags[positive], bags.rows_of(negative)
        rows = bags.rows_of(positive)
        targets = np.concatenate([np.ones(positive.size), -np.ones(others.size)])

        # The means, with which it begins, are rows below the instances.
        stack = sp.vstack if sp.issparse(X) else np.vstack
        table = match_form(stack([X, mean_in_bags(candidates, candidates.instances)]), X)
        witnesses = bags.n_instances + np.arange(positive.size)
        start: DoubleArray | None = None
        seen: set[bytes] = set()
        for n_passes in range(1, self.max_passes + 1):
            samples = np.concatenate([witnesses, others])
            solution = self._solve(table, samples, targets, start)
            self._keep(table, solution)
            self.n_passes_ = n_passes
            witnesses = rows[argmax_in_bags(candidates, self._score(candidates.instances))]
            if witnesses.tobytes() in seen:
                break
            seen.add(witnesses.tobytes())
            # A new witness takes over the coefficient of the one before.
            coefficients = np.zeros(table.shape[0])
            coefficients[solution.support] = solution.coef
            start = coefficients[samples]
        else:
            self._warn_of_passes()
        self.witnesses_ = np.sort(data.row_order[witnesses])
