"""SVRRC, support vector regression with random chains of the targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.regression.chain_building import Appended, ChainBuilder
from svmosaic.regression.chain_orders import random_orders
from svmosaic.regression.chain_parameters import ChainKernel, ChainSearch
from svmosaic.regression.chained_svr import CHAIN_CONSTRAINTS, ChainedSVR

__all__ = ["SVRRC"]


class SVRRC(ChainedSVR):
    """Support vector regression with random chains of the targets.

    Up to `n_chains` different orders of the targets are drawn. In each, the regressor of a target
    sees the inputs and the targets before it. The predictions of the chains are averaged. All
    chains share the distances between samples: appending a value v to the inputs multiplies the
    rbf kernel by exp(-gamma (v_i - v_j)^2).

    Parameters
    ----------
    n_chains : int, default=10
        Chains at most; with few targets there are only n_targets! orders. More chains take
        longer and vary less with the seed.
    appended : {"true", "out_of_fold"}, default="true"
        What training uses for the earlier targets. ``"true"``: their true values, as published; but
        prediction has only predicted ones. ``"out_of_fold"``: what their own links predict for rows
        that they were not trained on, which is what prediction has.
    search : {"pattern", "grid"}, default="pattern"
        How the parameters of a link after the first are searched. ``"pattern"`` begins with those
        of the target alone and moves to the best neighbour in the grid (one step of gamma, C or
        epsilon) as long as that improves. ``"grid"`` tries all candidates; one that cannot win any
        more is abandoned after some of the folds.
    kernel : {"rbf", "laplacian"}, default="rbf"
        exp(-gamma |x - z|^2), or exp(-gamma sum_k |x_k - z_k|), which is less smooth and suits
        targets with steps and kinks.
    gammas : array-like of float, default=None
        Widths to try. None means eight: powers of 4 around 1 / (n_features * X.var()), from 4^-4 to
        4^3 times that; with the laplacian kernel powers of 2 around 1 / (n_features * X.std()),
        from 2^-5 to 2^2 times that.
    Cs : array-like of float, default=(1.0, 10.0, 100.0)
        Penalties to try. A larger C follows the training data more closely and takes longer.
    epsilons : array-like of float, default=(0.01, 0.1, 0.2)
        Half widths of the tube to try, in units of the target; of its standard deviation with
        `scale_targets`. A wider tube has fewer support vectors.
    cv : int, splitter or iterable, default=5
        The inner folds. A number means that many shuffled folds. With one candidate in the grid
        and ``appended="true"`` they are not used.
    scale_targets : bool, default=True
        Whether to bring every target to mean 0 and variance 1 on the training rows before anything
        else. Then one grid suits all targets. Appended values then suit scaled inputs.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, in units of the target.
    max_iter : int, default=-1
        Limit on updates of each fit. -1 means max(10 million, 100 n_samples), never infinity.
    random_state : int, RandomState instance or None, default=0
        Seed of the inner folds and of the orders.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    memory_limit_mb : float, default=2000.0
        Limit in MB on the matrices of distances and kernel values: 24 bytes for each pair of
        samples, and 16 more for each further thread.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    chains_ : ndarray of shape (n_chains, n_targets)
        The order of the targets in each chain.
    links_ : ndarray of shape (n_chains, n_targets)
        The number of the link, one fitted SVR, of each target in each chain. Chains share links
        that are alike.
    gamma_, C_, epsilon_ : ndarray of shape (n_links,)
        The parameters chosen for each link.
    cv_errors_ : ndarray of shape (n_links, n_candidates)
        Root mean squared error of each candidate over the inner folds, on the scaled target;
        infinite where it was not tried or given up.
    candidates_ : ndarray of shape (n_candidates, 3)
        Gamma, C and epsilon of each candidate; C changes slowest and gamma fastest.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors of any link.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray of shape (n_links,)
        Number of support vectors of each link.
    dual_coef_ : ndarray of shape (n_links, n_support)
        Coefficients.
    intercept_ : ndarray of shape (n_links,)
        Constant terms.
    link_targets_ : ndarray of shape (n_links,)
        The target of each link.
    link_columns_ : ndarray of shape (n_links, n_targets)
        The row of `appended_` that replaces each target beside the inputs of a link; -1 where the
        link does not see the target.
    appended_ : ndarray of shape (n_columns, n_support)
        What was appended to the support vectors.
    target_mean_, target_scale_ : ndarray of shape (n_targets,)
        What the targets were scaled by.
    n_iter_ : ndarray of shape (n_links,)
        Updates of the final fit of each link.
    n_targets_ : int
        Number of targets.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SVRCC : One chain, by correlation.
    MultiTargetSVR : No chain.

    References
    ----------
    .. [1] G. Melki, A. Cano, V. Kecman, S. Ventura (2017), "Multi-target support vector regression
       via correlation regressor chains", Information Sciences 415-416, 53-69.
       https://doi.org/10.1016/j.ins.2017.06.017
       (Algorithms 2 and 3; 3.2 and 3.3 of the first author's thesis).

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import SVRRC
    >>> X = np.linspace(0, 3, 40)[:, None]
    >>> Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0])])
    >>> model = SVRRC().fit(X, Y)
    >>> model.chains_.tolist()
    [[0, 1], [1, 0]]
    >>> bool(model.score(X, Y) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChainedSVR._parameter_constraints,
        **CHAIN_CONSTRAINTS,
        "n_chains": POSITIVE_COUNT,
    }

    def __init__(
        self,
        *,
        n_chains: int = 10,
        appended: Appended = "true",
        search: ChainSearch = "pattern",
        kernel: ChainKernel = "rbf",
        gammas: Sequence[float] | None = None,
        Cs: Sequence[float] = (1.0, 10.0, 100.0),
        epsilons: Sequence[float] = (0.01, 0.1, 0.2),
        cv: Any = 5,
        scale_targets: bool = True,
        tol: float = 1e-3,
        max_iter: int = -1,
        random_state: Any = 0,
        n_jobs: int | None = None,
        memory_limit_mb: float = 2000.0,
        verbose: int = 0,
    ) -> None:
        self.n_chains = n_chains
        self.appended = appended
        self.search = search
        self.kernel = kernel
        self.gammas = gammas
        self.Cs = Cs
        self.epsilons = epsilons
        self.cv = cv
        self.scale_targets = scale_targets
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit_mb = memory_limit_mb
        self.verbose = verbose

    def _build(
        self, builder: ChainBuilder, Y: DoubleArray, random_state: Any
    ) -> tuple[IndexArray, IndexArray]:
        orders = random_orders(Y.shape[1], int(self.n_chains), random_state)
        if builder.link_folds is None:
            builder.build_alone(lead_on=True)
        return orders, builder.build_chains(orders)
