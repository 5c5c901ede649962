"""What a classifier of bags owes, as checks that raise an AssertionError which names the gap."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from svmosaic.bags import Bags
from svmosaic.classification.smo_classifier import SMOClassifier

__all__ = ["bag_classifier_checks", "check_bag_classifier"]

Check = Callable[[], None]

# Sums in another order differ in the last digits; a search that they lead elsewhere does not.
_CLOSE = (1e-5, 1e-7)
# Sparse and dense kernels are computed by different loops and solved to a tolerance.
_SOLVED = (2e-2, 2e-2)


def check_bag_classifier(estimator: Any, *, svm_like: bool = False) -> None:
    """Check that an estimator behaves as a classifier of bags should.

    Parameters
    ----------
    estimator : estimator
        A classifier of bags, not fitted. If it has a `random_state`, the checks set it.
    svm_like : bool, default=False
        Whether bags of one instance make it the ordinary L1-SVM with its `C`, `kernel` and
        `gamma`. Then it is compared with `SMOClassifier`.

    Raises
    ------
    AssertionError
        A check failed; the message says what was expected.

    Examples
    --------
    >>> from svmosaic import MIRSVMClassifier
    >>> from svmosaic.testing import check_bag_classifier
    >>> check_bag_classifier(MIRSVMClassifier(), svm_like=True)
    """
    for _, check in bag_classifier_checks(estimator, svm_like=svm_like):
        check()


def bag_classifier_checks(estimator: Any, *, svm_like: bool = False) -> list[tuple[str, Check]]:
    """Return the checks of `check_bag_classifier` one by one, with their names.

    Parameters
    ----------
    estimator : estimator
        A classifier of bags, not fitted.
    svm_like : bool, default=False
        As in `check_bag_classifier`.

    Returns
    -------
    list of tuple
        Names and functions without parameters.

    Examples
    --------
    >>> from svmosaic import MIRSVMClassifier
    >>> from svmosaic.testing import bag_classifier_checks
    >>> [name for name, _ in bag_classifier_checks(MIRSVMClassifier())][:2]
    ['clones_and_parameters', 'fit_returns_itself_and_learns']
    """
    checks = [*_CHECKS, _is_the_svm_on_single_instances] if svm_like else _CHECKS
    return [
        (check.__name__.removeprefix("_"), partial(check, estimator, _where(estimator)))
        for check in checks
    ]


# Helpers ------------------------------------------------------------------------------------


def _where(estimator: Any) -> str:
    return type(estimator).__name__


def _new(estimator: Any) -> Any:
    """Return a copy with a fixed seed."""
    model = clone(estimator)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    return model


def _toy(n_bags: int = 24, n_features: int = 3, seed: int = 0) -> tuple[list[Any], NDArray[Any]]:
    """Return bags and labels: one instance of a positive bag is far away, the others move a bit."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_bags) % 2
    bags = []
    for label in labels:
        bag = rng.normal(0.7 * label, 1.0, (rng.integers(1, 6), n_features))
        bag[rng.integers(bag.shape[0]), 0] += 5.0 * label
        # Numbers that float32 holds exactly, with zeros for sparse matrices.
        bag = np.round(bag * 64) / 64
        bags.append(np.where(np.abs(bag) < 0.15, 0.0, bag))
    return bags, labels


def _scores(model: Any, X: Any) -> NDArray[np.float64]:
    """Return what the model says in numbers: its scores, or else its classes."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    return np.asarray(np.searchsorted(model.classes_, model.predict(X)), dtype=np.float64)


def _expect(condition: Any, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def _expect_close(
    ours: Any, theirs: Any, message: str, tolerances: tuple[float, float] = _CLOSE
) -> None:
    relative, absolute = tolerances
    if not np.allclose(ours, theirs, rtol=relative, atol=absolute):
        gap = float(np.max(np.abs(np.asarray(ours) - np.asarray(theirs))))
        raise AssertionError(f"{message} The largest difference is {gap:.1e}.")


def _expect_refused(action: Callable[[], object], word: str, message: str) -> None:
    try:
        action()
    except (TypeError, ValueError) as error:
        _expect(word.lower() in str(error).lower(), f"{message} Its message is: {error}")
    else:
        raise AssertionError(f"{message} Nothing was raised.")


def _state(model: Any) -> dict[str, bytes]:
    """Return the content of all attributes; that of one object changes only if the object does."""
    return {name: pickle.dumps(value) for name, value in vars(model).items()}


# Checks -------------------------------------------------------------------------------------


def _clones_and_parameters(estimator: Any, who: str) -> None:
    params = estimator.get_params(deep=False)
    again = clone(estimator)
    _expect(type(again) is type(estimator), f"{who}: a clone is of another class.")
    for name, value in again.get_params(deep=False).items():
        _expect(
            value is params[name] or repr(value) == repr(params[name]),
            f"{who}: the clone has another {name!r}.",
        )
    again.set_params(**params)
    _expect_refused(
        lambda: again.set_params(no_such_parameter=1),
        "no_such_parameter",
        f"{who} should refuse a parameter that it does not have.",
    )


def _fit_returns_itself_and_learns(estimator: Any, who: str) -> None:
    bags, y = _toy()
    model = _new(estimator)
    before = {name: repr(value) for name, value in model.get_params(deep=False).items()}
    _expect(model.fit(bags, y) is model, f"{who}: fit should return the estimator.")
    after = {name: repr(value) for name, value in model.get_params(deep=False).items()}
    _expect(before == after, f"{who}: fit changed a parameter.")
    _expect(np.array_equal(model.classes_, [0, 1]), f"{who}: classes_ should be the labels.")
    _expect(model.n_features_in_ == 3, f"{who}: n_features_in_ should be 3.")
    share = float(np.mean(model.predict(bags) == y))
    _expect(share >= 0.7, f"{who} has {share:.0%} of easy training bags right; expected 70 %.")


def _scores_and_classes_agree(estimator: Any, who: str) -> None:
    bags, y = _toy()
    model = _new(estimator).fit(bags, y)
    if not hasattr(model, "decision_function"):
        return
    scores = model.decision_function(bags)
    _expect(scores.shape == (24,), f"{who}: two classes have one score per bag.")
    _expect(np.all(np.isfinite(scores)), f"{who}: a score is not finite.")
    _expect(
        np.array_equal(model.predict(bags) == 1, scores > 0),
        f"{who}: a score above zero should mean the second class.",
    )


def _unfitted_is_told(estimator: Any, who: str) -> None:
    try:
        clone(estimator).predict(_toy()[0])
    except NotFittedError:
        return
    raise AssertionError(f"{who} predicts before it was fitted; expected NotFittedError.")


def _survives_pickle(estimator: Any, who: str) -> None:
    bags, y = _toy()
    for train in (bags, [sp.csr_array(bag) for bag in bags]):
        model = _new(estimator).fit(train, y)
        again = pickle.loads(pickle.dumps(model))
        _expect(
            np.array_equal(_scores(again, train), _scores(model, train)),
            f"{who}: an unpickled model predicts something else.",
        )


def _a_seed_repeats_the_model(estimator: Any, who: str) -> None:
    bags, y = _toy()
    first, second = (_scores(_new(estimator).fit(bags, y), bags) for _ in range(2))
    _expect(np.array_equal(first, second), f"{who}: the same seed gave another model.")
    model = _new(estimator).fit(*_toy(seed=1))
    _expect(
        np.array_equal(_scores(model.fit(bags, y), bags), first),
        f"{who}: a second fit depends on the first.",
    )


def _order_does_not_matter(estimator: Any, who: str) -> None:
    bags, y = _toy()
    rng = np.random.default_rng(1)
    order = rng.permutation(len(bags))
    mixed = [bags[i][rng.permutation(bags[i].shape[0])] for i in order]
    scores = _scores(_new(estimator).fit(bags, y), bags)
    model = _new(estimator).fit(mixed, y[order])
    _expect_close(_scores(model, bags), scores, f"{who} depends on the order of bags or instances.")
    turned = [bag[::-1] for bag in bags]
    _expect_close(_scores(model, turned), scores, f"{who}: the order within a new bag matters.")


def _forms_of_bags_are_one(estimator: Any, who: str) -> None:
    bags, y = _toy()
    model = _new(estimator).fit(bags, y)
    scores = _scores(model, bags)
    whole = Bags.from_list(bags)
    _expect_close(
        _scores(_new(estimator).fit(whole, y), whole), scores, f"{who}: Bags and a list differ."
    )
    ids = whole.bag_of
    flat = _new(estimator).fit(whole.instances, y[ids], bags=ids)
    _expect_close(_scores(flat, bags), scores, f"{who}: flat instances with ids differ.")
    _expect(
        np.array_equal(flat.predict(whole.instances, bags=ids), model.predict(bags)),
        f"{who}: predict should take flat instances with bags=ids.",
    )


def _prediction_is_pure(estimator: Any, who: str) -> None:
    bags, y = _toy()
    model = _new(estimator).fit(bags, y)
    given = [bag.copy() for bag in bags]
    state = _state(model)
    first = _scores(model, bags)
    labels = model.predict(bags)
    _expect(np.array_equal(_scores(model, bags), first), f"{who}: a second prediction differs.")
    _expect(np.array_equal(model.predict(bags), labels), f"{who}: a second prediction differs.")
    after = _state(model)
    _expect(set(after) == set(state), f"{who}: predict adds or removes attributes.")
    for name, value in state.items():
        _expect(after[name] == value, f"{who}: predict changes {name!r}.")
    _expect(all(map(np.array_equal, bags, given)), f"{who}: predict changes the given bags.")
    alone = [_scores(model, [bag])[0] for bag in bags]
    _expect_close(alone, first, f"{who}: a bag's score depends on the other bags.")


def _labels_may_be_anything(estimator: Any, who: str) -> None:
    bags, y = _toy()
    plain = _new(estimator).fit(bags, y).predict(bags)
    for names in (np.array(["no", "yes"]), np.array([-1, 1]), np.array([False, True])):
        model = _new(estimator).fit(bags, names[y])
        _expect(np.array_equal(model.classes_, names), f"{who}: classes_ should be {names}.")
        _expect(
            np.array_equal(model.predict(bags), names[plain]),
            f"{who}: labels {names.tolist()} give other predictions than 0 and 1.",
        )


def _three_classes(estimator: Any, who: str) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(30) % 3
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    bags = [rng.normal(centres[label], 0.7, (rng.integers(1, 5), 2)) for label in y]
    model = _new(estimator).fit(bags, np.array(["a", "b", "c"])[y])
    found = model.predict(bags)
    share = float(np.mean(found == np.array(["a", "b", "c"])[y]))
    _expect(set(found) <= {"a", "b", "c"}, f"{who} predicts classes that there are not.")
    _expect(share >= 0.6, f"{who} has {share:.0%} of three easy classes right; expected 60 %.")
    if hasattr(model, "decision_function"):
        shape = model.decision_function(bags).shape
        _expect(shape == (30, 3), f"{who}: three classes have scores of shape {shape}.")


def _single_instances(estimator: Any, who: str) -> None:
    bags, y = _toy()
    model = _new(estimator).fit([bag[:1] for bag in bags], y)
    _expect(model.predict(bags).shape == (24,), f"{who} cannot learn from bags of one instance.")


def _is_the_svm_on_single_instances(estimator: Any, who: str) -> None:
    bags, y = _toy(n_bags=40)
    X = np.array([bag[np.abs(bag).argmax() // 3] for bag in bags])
    model = _new(estimator)
    known = ("C", "kernel", "gamma", "degree", "coef0")
    params = {k: v for k, v in model.get_params(deep=False).items() if k in known}
    svm = SMOClassifier(**params).fit(X, y)
    scores = _scores(model.fit([row[None, :] for row in X], y), [row[None, :] for row in X])
    _expect_close(
        scores,
        svm.decision_function(X),
        f"{who} on bags of one instance should be the ordinary SVM.",
        _SOLVED,
    )


def _bad_bags_are_refused(estimator: Any, who: str) -> None:
    bags, y = _toy()
    model = _new(estimator).fit(bags, y)
    empty = [*bags[:5], np.empty((0, 3)), *bags[6:]]
    holes = [bag.copy() for bag in bags]
    holes[3][0, 1] = np.nan
    narrow = [bag[:, :2] for bag in bags]
    for action, word, what in (
        (lambda: _new(estimator).fit(empty, y), "bag 5 is empty", "an empty bag in fit"),
        (lambda: model.predict(empty), "bag 5 is empty", "an empty bag in predict"),
        (lambda: _new(estimator).fit(holes, y), "nan", "a missing value in fit"),
        (lambda: model.predict(holes), "nan", "a missing value in predict"),
        (lambda: model.predict(narrow), "features", "another number of features"),
        (lambda: _new(estimator).fit(bags, y[:-1]), "label", "fewer labels than bags"),
        (lambda: _new(estimator).fit(bags, np.ones(24)), "class", "bags of one class"),
        (lambda: _new(estimator).fit([], []), "bag", "no bags at all"),
    ):
        _expect_refused(action, word, f"{who} should refuse {what} and say {word!r}.")


def _sparse_is_dense(estimator: Any, who: str) -> None:
    bags, y = _toy()
    sparse = [sp.csr_array(bag) for bag in bags]
    dense_model, model = _new(estimator).fit(bags, y), _new(estimator).fit(sparse, y)
    _expect_close(
        _scores(model, sparse),
        _scores(dense_model, bags),
        f"{who}: sparse bags give another model.",
        _SOLVED,
    )
    _expect(
        np.array_equal(model.predict(bags), model.predict(sparse)),
        f"{who}: a model of sparse bags tells dense bags from sparse ones.",
    )


def _single_precision(estimator: Any, who: str) -> None:
    bags, y = _toy()
    wide = _new(estimator).fit(bags, y).predict(bags)
    half = [bag.astype(np.float32) for bag in bags]
    share = float(np.mean(_new(estimator).fit(half, y).predict(half) == wide))
    _expect(share >= 0.9, f"{who}: float32 changes {1 - share:.0%} of the predictions.")


def _works_in_cross_validation(estimator: Any, who: str) -> None:
    bags, y = _toy()
    for X in (Bags.from_list(bags), bags):
        found = cross_val_predict(_new(estimator), X, y, cv=StratifiedKFold(2))
        _expect(found.shape == y.shape, f"{who} does not work in cross-validation.")


_CHECKS: list[Callable[[Any, str], None]] = [
    _clones_and_parameters,
    _fit_returns_itself_and_learns,
    _scores_and_classes_agree,
    _unfitted_is_told,
    _survives_pickle,
    _a_seed_repeats_the_model,
    _order_does_not_matter,
    _forms_of_bags_are_one,
    _prediction_is_pure,
    _labels_may_be_anything,
    _three_classes,
    _single_instances,
    _bad_bags_are_refused,
    _sparse_is_dense,
    _single_precision,
    _works_in_cross_validation,
]
