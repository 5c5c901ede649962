"""OLLAWV with gamma, margin and C chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.metrics import get_scorer_names
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.device_data import DeviceScore, check_classes_on, check_samples_on
from svmosaic.classification.kernel_estimator import check_weights
from svmosaic.classification.ollawv import (
    OLLAWV_PARAMETERS,
    make_refine_settings,
    make_settings,
)
from svmosaic.classification.parameters import (
    CLASS_WEIGHT,
    DEVICE,
    KERNEL_PARAMETERS,
    MULTICLASS_PARAMETERS,
    RUN_PARAMETERS,
)
from svmosaic.classification.search_cells import (
    CandidateScores,
    SearchData,
    candidate_parameters,
    fit_best,
    score_all,
    scoring_of,
)
from svmosaic.classification.search_race import race_candidates
from svmosaic.classification.training import Training, prepare_training
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.kernels import KERNELS
from svmosaic.engine.settings import LearningRate
from svmosaic.engine.tasks import TuneSettings
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.foreign_arrays import follow
from svmosaic.utils.number_list import check_numbers
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import Interval, StrOptions, fit_context, refuse_parameters
from svmosaic.utils.splits import Split, classification_splits, splits_that_count
from svmosaic.utils.threads import resolve_threads

__all__ = ["OLLAWVClassifierCV"]

# With fewer rows a race saves little.
_FEWEST_ROWS_TO_RACE = 1000


class OLLAWVClassifierCV(DeviceScore, ClassifierMixin, Estimator):  # type: ignore[misc]
    """OLLAWV with gamma, margin and C chosen by cross-validation.

    The whole grid is one call of an engine. Squared distances are computed once and serve all
    gammas; on a GPU they are computed for each gamma. Kernel values are computed once per gamma and
    serve all folds and class pairs. Margins cost nothing: the selection runs once, to the largest
    margin, and every smaller margin is a prefix of it. Refined models go from small C to large,
    each from the one before. After the search the best model is fitted to all data.

    From 1000 rows on, candidates race: all of them are tried on a small part of the rows,
    and only the best few on all rows; see `racing`. Scores of repeated folds vary less:
    ``cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)``.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"}, default="rbf"
        The kernel.
    gammas : array-like of float, default=None
        Values to try. None means eight powers of 4 around 1 / (n_features * X.var()), from 4^-4
        to 4^3 times that. Kernels without gamma ignore it.
    margins : array-like of float, default=(0.1, 0.2, 0.5, 1.0)
        Values to try for the selection's margin. With ``refine="full"`` the model does not
        depend on the margin and only the first is used.
    Cs : array-like of float, default=(0.1, 1.0, 10.0, 100.0, 1000.0)
        Values to try for the penalty of the refinement. ``refine=None`` ignores them.
    refine : {"full", None}, default="full"
        As in `OLLAWVClassifier`.
    degree, coef0, tol, fit_intercept, learning_rate : optional
        As in `OLLAWVClassifier`.
    max_iter : int or float, default=1.0
        Limit on selection steps, as in `OLLAWVClassifier`. Here the margin decides when the
        selection ends; with the authors' limit of half of the samples (0.5) margins that are
        reached later would have the same model.
    max_support, class_weight, multi_class : optional
        As in `OLLAWVClassifier`.
    cv : int, splitter or iterable, default=5
        The folds. A number means stratified folds that are shuffled with a fixed seed,
        ``StratifiedKFold(cv, shuffle=True, random_state=0)``. scikit-learn does not shuffle them,
        but the rows of many files are ordered. Splitters and iterables are taken as they are.
    scoring : str, callable or None, default="accuracy"
        What is maximised: a name of scikit-learn, or a function ``scorer(model, X, y)`` that gets
        arrays and returns a number; None means accuracy. Ties go to the candidate with fewer
        support vectors. Scores that follow from the confusion matrix (accuracy, balanced accuracy,
        F1, precision, recall, Jaccard, Matthews, Cohen's kappa) come with the fast search. For
        others, such as ``"roc_auc"`` and your own functions, every candidate is fitted to every
        fold by itself, which takes as long as `GridSearchCV`.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    racing : {"auto"} or bool, default="auto"
        Whether candidates race. The first round tries all of them on about 300 rows (more where
        classes are many or rare), and each further round those that are left on two to five times
        as many. Candidates stay if they are within two standard errors of the best one, or its
        neighbours on the grid. About five are tried on all rows; there the rest end after one or
        two folds if they are far behind. The subsets are stratified, and training and test parts
        are those of `cv` without the other rows, so groups stay together. The same data give the
        same result. ``"auto"`` races from 1000 rows on. False tries every candidate on all rows, as
        does every search with fewer than twice the rows of the first round, or with fewer than 6
        candidates.
    memory_limit_mb : float, default=2000
        Memory that the search takes. Pairwise and kernel values are stored if they fit into it;
        otherwise kernel columns are computed when they are needed. A limit that is too small for 64
        columns and the decision values of one fold is exceeded by these.
    device : str, default=None
        Where to compute: ``"cuda"``, or ``"cuda:1"`` for the second GPU, which needs ``pip install
        'svmosaic[gpu]'``, or ``"cpu"``. None is where the data are: a GPU for tensors of PyTorch
        and arrays of CuPy in its memory, else the CPU. Predictions are arrays of the same library
        in the same memory. The fitted model holds NumPy arrays and predicts on the CPU where there
        is no GPU.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    best_estimator_ : OLLAWVClassifier
        The best model, fitted to all data.
    best_params_ : dict
        Its gamma, margin and C, as far as they were searched.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of ndarrays
        One entry per candidate: ``param_gamma``, ``param_margin``, ``param_C``,
        ``split0_test_score`` and so on, ``mean_test_score``, ``std_test_score`` and
        ``mean_n_support``. ``iter`` is the last round of the race that the candidate finished,
        ``n_resources`` the number of rows of that round, and the scores are from there. The best
        one is chosen among those that finished the last round.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_iter_ : ndarray of shape (n_outputs,)
        Selection steps of each binary problem of the best estimator.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    OLLAWVClassifier : The classifier itself.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from svmosaic import OLLAWVClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> search = OLLAWVClassifierCV(cv=3).fit(minmax_scale(X), y)
    >>> bool(search.best_score_ > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OLLAWV_PARAMETERS,
        **CLASS_WEIGHT,
        "kernel": [StrOptions(set(KERNELS))],
        **{name: KERNEL_PARAMETERS[name] for name in ("degree", "coef0")},
        **{name: RUN_PARAMETERS[name] for name in ("n_jobs", "verbose")},
        **DEVICE,
        "multi_class": MULTICLASS_PARAMETERS["multi_class"],
        "gammas": ["array-like", None],
        "margins": ["array-like"],
        "Cs": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "racing": [StrOptions({"auto"}), "boolean"],
        "memory_limit_mb": [Interval(Real, 0.0, None, closed="left")],
    }

    # Groups are for the splitter; whoever routes metadata asks it and not this class.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"groups": UNUSED}

    def __init__(
        self,
        *,
        kernel: str = "rbf",
        gammas: Sequence[float] | None = None,
        margins: Sequence[float] = (0.1, 0.2, 0.5, 1.0),
        Cs: Sequence[float] = (0.1, 1.0, 10.0, 100.0, 1000.0),
        refine: Literal["full"] | None = "full",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        fit_intercept: bool = True,
        learning_rate: LearningRate = "2/sqrt(t)",
        max_iter: float = 1.0,
        max_support: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        cv: Any = 5,
        scoring: str | Callable[..., float] | None = "accuracy",
        n_jobs: int | None = None,
        racing: bool | Literal["auto"] = "auto",
        memory_limit_mb: float = 2000.0,
        device: str | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gammas = gammas
        self.margins = margins
        self.Cs = Cs
        self.refine = refine
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_support = max_support
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.racing = racing
        self.memory_limit_mb = memory_limit_mb
        self.device = device
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> Self:
        """Search, then fit the best model to all data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition, in training and in the scores. A scoring function without a
            parameter `sample_weight` counts every sample once.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples for a splitter that keeps them together, such as `GroupKFold`.
        **params : dict
            With scikit-learn's metadata routing, what the splitter and the scorer request. Then
            weights count in the scores if the scorer requests them.

        Returns
        -------
        self : object
            The fitted search.
        """
        given = X
        X, y = check_classes_on(self, X, y)
        if sample_weight is not None:
            sample_weight = check_weights(X, sample_weight, type(self).__name__)
        for_splits, for_scores = self._route(sample_weight, groups, params)
        data = SearchData(X, y, sample_weight, for_scores)
        n_threads = resolve_threads(self.n_jobs)
        training = prepare_training(
            X,
            y,
            sample_weight,
            who=type(self).__name__,
            kernel=self.kernel,
            class_weight=self.class_weight,
            multi_class=self.multi_class,
            n_threads=n_threads,
        )
        grid = self._grid(training)
        splits = classification_splits(self.cv, given, y, **for_splits)
        splits = splits_that_count(splits, sample_weight, type(self).__name__)
        find = race_candidates if self._is_race(training) else score_all
        found = find(
            self,
            training,
            data,
            splits,
            grid,
            n_threads=n_threads,
            progress=current_progress(type(self).__name__, self.verbose),
        )
        self._report(grid, found)
        best = fit_best(self, training, data, self._best(splits), n_jobs=self.n_jobs)
        self.best_estimator_ = best
        self.classes_ = training.classes
        self.n_iter_ = best.n_iter_
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata go: to the splitter, to the scorer and, as weights, to `fit`.

        Returns
        -------
        routing : MetadataRouter
            What scikit-learn's metadata routing asks every meta-estimator for.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if hasattr(self.cv, "split"):
            to_splitter = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=self.cv, method_mapping=to_splitter)
        to_scorer = MethodMapping().add(caller="fit", callee="score")
        return router.add(scorer=scoring_of(self).scorer, method_mapping=to_scorer)

    def _route(
        self, sample_weight: Any, groups: Any, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what goes to the splitter, and what to the scorer."""
        refuse_parameters(params, self, "fit")
        given = {"sample_weight": sample_weight, "groups": groups, **params}
        given = {name: value for name, value in given.items() if value is not None}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **given)
            splitter = routed.splitter.split if hasattr(self.cv, "split") else {}
            return dict(splitter), dict(routed.scorer.score)
        weighted = sample_weight is not None and scoring_of(self).takes_weights
        return {"groups": groups}, {"sample_weight": sample_weight} if weighted else {}

    # The search -----------------------------------------------------------------------------

    def _grid(self, training: Training) -> TuneSettings:
        who = type(self).__name__
        margins = check_numbers(self.margins, "margins", who)
        Cs = check_numbers(self.Cs, "Cs", who)
        if self.kernel in ("linear", "precomputed"):
            gammas = np.ones(1)
        elif self.gammas is None:
            middle = resolve_gamma("scale", training.X, training.samples, training.weights)
            gammas = np.array([middle * 4.0**k for k in range(-4, 4)])
        else:
            gammas = check_numbers(self.gammas, "gammas", who)
        return TuneSettings(
            gammas,
            # The exact SVM does not depend on the margin, the plain OLLAWV not on C.
            margins[:1] if self.refine == "full" else margins,
            np.ones(1) if self.refine is None else Cs,
            self.multi_class,
            make_settings(
                refine=make_refine_settings(self.refine, 1.0, self.tol),
                fit_intercept=self.fit_intercept,
                learning_rate=self.learning_rate,
                max_iter=self.max_iter,
                max_support=self.max_support,
            ),
            float(self.memory_limit_mb),
        )

    def _is_race(self, training: Training) -> bool:
        if self.racing == "auto":
            return bool(np.count_nonzero(training.row_weights > 0) >= _FEWEST_ROWS_TO_RACE)
        return bool(self.racing)

    def _report(self, grid: TuneSettings, found: CandidateScores) -> None:
        n_splits = found.scores.shape[-1]
        flat = found.scores.reshape(-1, n_splits)
        # Scores may be infinite.
        with np.errstate(invalid="ignore"):
            mean, deviation = flat.mean(axis=1), flat.std(axis=1)
        sizes = found.n_support.reshape(-1, n_splits).mean(axis=1)
        rounds = found.rounds.ravel()
        gamma, margin, C = (
            values.ravel()
            for values in np.meshgrid(grid.gammas, grid.margins, grid.Cs, indexing="ij")
        )
        self.cv_results_ = {
            "param_gamma": gamma,
            "param_margin": margin,
            "param_C": C,
            **{f"split{f}_test_score": flat[:, f] for f in range(n_splits)},
            "mean_test_score": mean,
            "std_test_score": deviation,
            "mean_n_support": sizes,
            "iter": rounds,
            "n_resources": found.n_rows.ravel(),
        }
        # Of those that finished the last round: highest score, then fewest support vectors, then
        # the first of the grid. Scores are rounded so that the order of a sum does not decide.
        best = int(np.lexsort((sizes, -mean.round(12), -rounds))[0])
        if not np.isfinite(mean[best]):
            raise ValueError(
                f"{type(self).__name__} expected a finite score of at least one candidate. The "
                f"best is {mean[best]}; look at 'scoring' and at what it means for small folds."
            )
        self.best_score_ = float(mean[best])
        self.best_index_ = best
        self.best_params_ = candidate_parameters(self, gamma[best], margin[best], C[best])

    def _best(self, splits: Sequence[Split]) -> dict[str, Any]:
        """Return the best candidate for `fit_best`."""
        return {
            "params": self.best_params_,
            "mean": self.best_score_,
            "deviation": float(self.cv_results_["std_test_score"][self.best_index_]),
            "n_tested": round(np.mean([test.size for _, test in splits])),
        }

    # Prediction -----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of the best model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]`` with two classes. With more: votes, with ties ordered by
            the sums of decisions (one-vs-one), or the outputs (one-vs-rest).
        """
        rows = self._check_rows(X)
        return follow(self.best_estimator_.decision_function(rows), X)

    def predict(self, X: Any) -> Any:
        """Return the class of each sample by the best model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        rows = self._check_rows(X)
        return follow(self.best_estimator_.predict(rows), X)

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_samples_on(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
