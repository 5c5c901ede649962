"""Agrawal's loan applicants: ten rules over nine features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_stream import FunctionStream, as_points
from svmosaic.streams.checks import check_fraction
from svmosaic.streams.stream_protocol import DoubleArray, Samples

__all__ = ["Agrawal"]

BoolArray = NDArray[np.bool_]
# The columns.
_SALARY, _COMMISSION, _AGE, _EDUCATION, _CAR, _ZIPCODE, _HOUSE, _YEARS, _LOAN = range(9)
_THOUSAND = 1000.0


class Agrawal(FunctionStream):
    """Loan applicants, sorted into group A (class 0) and group B (class 1) by one of ten rules.

    Columns: salary, uniform in [20 000, 150 000]; commission, 0 for a salary of 75 000 and more,
    else uniform in [10 000, 85 000]; age, 20 to 80; level of education, 0 to 4; maker of the
    car, 0 to 19; zip code, 0 to 8; value of the house, uniform in [0.5, 1.5] times
    ``100 000 (9 - zip code)``; years since it was bought, 1 to 30; loan, uniform in [0, 500 000].

    Group A by the functions 1 to 10, with "low, middle, high" for ages below 40, below 60 and
    above, s for the salary, t for salary and commission together, e for education, and amounts
    in thousands:

    1. low or high;
    2. s in [50, 100], [75, 125], [25, 75] for low, middle, high;
    3. e in {0, 1}, {1, 2, 3}, {2, 3, 4};
    4. low: s in [25, 75] if e in {0, 1}, else [50, 100]; middle: [50, 100] if e in {1, 2, 3},
       else [75, 125]; high: [50, 100] if e in {2, 3, 4}, else [25, 75];
    5. low: loan in [100, 300] if s in [50, 100], else [200, 400]; middle: [200, 400] if s in
       [75, 125], else [300, 500]; high: [300, 500] if s in [25, 75], else [100, 300];
    6. as 2 with t in place of s;
    7. ``2 t / 3 - loan / 5 - 20 > 0``;
    8. ``2 t / 3 - 5 e - 20 > 0``;
    9. ``2 t / 3 - 5 e - loan / 5 - 10 > 0``;
    10. ``2 t / 3 - 5 e + equity / 5 - 10 > 0`` with equity = house * max(years - 20, 0) / 10.

    After labelling, `perturbation` moves salary, commission (unless 0), age, house, years and
    loan by up to that part of their range, and not beyond it. Unlike MOA, which cuts a perturbed
    house value at 135 000, this keeps it in its own range.

    Parameters
    ----------
    function : int, default=1
        The rule, 1 to 10.
    perturbation : float, default=0.05
        How far the features are moved, as a part of their range.
    balance : bool, default=False
        Whether the classes alternate.
    seed : int, default=0
        Seed of the samples.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Agrawal, Imielinski and Swami, Database mining: a performance perspective, IEEE Transactions
    on Knowledge and Data Engineering 5, 1993, doi:10.1109/69.250074.

    Examples
    --------
    >>> from svmosaic.streams import Agrawal
    >>> X, y = Agrawal(function=1, perturbation=0.0).read(0, 100)
    >>> bool((y == ((X[:, 2] >= 40) & (X[:, 2] < 60))).all())
    True
    """

    def __init__(
        self,
        function: int = 1,
        *,
        perturbation: float = 0.05,
        balance: bool = False,
        seed: int = 0,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            n_features=9,
            function=function,
            n_functions=len(_RULES),
            balance=balance,
            seed=seed,
            n_samples=n_samples,
            name=name,
        )
        self.perturbation = check_fraction("Agrawal", "perturbation", perturbation)

    def label(self, X: Any) -> NDArray[np.int64]:
        """Return the classes of points by the stream's rule: 0 is group A.

        Parameters
        ----------
        X : array-like of shape (n_points, 9)
            The points, not perturbed.

        Returns
        -------
        ndarray of shape (n_points,)
            The class of each point.
        """
        in_group_a = _RULES[self.function - 1](as_points("Agrawal", X, 9))
        return (~in_group_a).astype(np.int64)

    def _draw(self, rng: np.random.Generator, count: int) -> DoubleArray:
        X = np.empty((count, 9))
        u = rng.random((4, count))
        X[:, _SALARY] = 20_000.0 + 130_000.0 * u[0]
        X[:, _COMMISSION] = np.where(X[:, _SALARY] >= 75_000.0, 0.0, 10_000.0 + 75_000.0 * u[1])
        X[:, _AGE] = rng.integers(20, 81, count)
        X[:, _EDUCATION] = rng.integers(0, 5, count)
        X[:, _CAR] = rng.integers(0, 20, count)
        X[:, _ZIPCODE] = rng.integers(0, 9, count)
        X[:, _HOUSE] = (9.0 - X[:, _ZIPCODE]) * 100_000.0 * (0.5 + u[2])
        X[:, _YEARS] = rng.integers(1, 31, count)
        X[:, _LOAN] = 500_000.0 * u[3]
        return X

    def _finish(self, rng: np.random.Generator, X: DoubleArray, y: NDArray[np.int64]) -> Samples:
        if self.perturbation == 0.0:
            return X, y
        unit = (9.0 - X[:, _ZIPCODE]) * 100_000.0
        has_commission = X[:, _COMMISSION] > 0.0
        limits: list[tuple[int, Any, Any]] = [
            (_SALARY, 20_000.0, 150_000.0),
            (_COMMISSION, 10_000.0, 85_000.0),
            (_AGE, 20.0, 80.0),
            (_HOUSE, 0.5 * unit, 1.5 * unit),
            (_YEARS, 1.0, 30.0),
            (_LOAN, 0.0, 500_000.0),
        ]
        u = 2.0 * rng.random((len(limits), X.shape[0])) - 1.0
        for (column, low, high), part in zip(limits, u, strict=True):
            moved = X[:, column] + (high - low) * self.perturbation * part
            X[:, column] = np.clip(moved, low, high)
        X[~has_commission, _COMMISSION] = 0.0
        whole = [_AGE, _YEARS]
        X[:, whole] = np.rint(X[:, whole])
        return X, y


def _by_age(X: DoubleArray, low: BoolArray, middle: BoolArray, high: BoolArray) -> BoolArray:
    age = X[:, _AGE]
    return np.where(age < 40, low, np.where(age < 60, middle, high))


def _within(values: DoubleArray, low: float, high: float) -> BoolArray:
    """Tell which values are in a range given in thousands, ends included."""
    return (values >= low * _THOUSAND) & (values <= high * _THOUSAND)


def _bands(X: DoubleArray, amount: DoubleArray) -> BoolArray:
    return _by_age(X, _within(amount, 50, 100), _within(amount, 75, 125), _within(amount, 25, 75))


def _levels(X: DoubleArray) -> tuple[BoolArray, BoolArray, BoolArray]:
    level = X[:, _EDUCATION]
    return level <= 1, (level >= 1) & (level <= 3), level >= 2


def _rule_1(X: DoubleArray) -> BoolArray:
    age = X[:, _AGE]
    return (age < 40) | (age >= 60)


def _rule_2(X: DoubleArray) -> BoolArray:
    return _bands(X, X[:, _SALARY])


def _rule_3(X: DoubleArray) -> BoolArray:
    return _by_age(X, *_levels(X))


def _rule_4(X: DoubleArray) -> BoolArray:
    salary = X[:, _SALARY]
    first, second, third = _levels(X)
    poor, fair, rich = _within(salary, 25, 75), _within(salary, 50, 100), _within(salary, 75, 125)
    return _by_age(
        X,
        np.where(first, poor, fair),
        np.where(second, fair, rich),
        np.where(third, fair, poor),
    )


def _rule_5(X: DoubleArray) -> BoolArray:
    salary, loan = X[:, _SALARY], X[:, _LOAN]
    small, medium, large = _within(loan, 100, 300), _within(loan, 200, 400), _within(loan, 300, 500)
    return _by_age(
        X,
        np.where(_within(salary, 50, 100), small, medium),
        np.where(_within(salary, 75, 125), medium, large),
        np.where(_within(salary, 25, 75), large, small),
    )


def _income(X: DoubleArray) -> DoubleArray:
    return X[:, _SALARY] + X[:, _COMMISSION]


def _rule_6(X: DoubleArray) -> BoolArray:
    return _bands(X, _income(X))


def _rule_7(X: DoubleArray) -> BoolArray:
    return 2.0 * _income(X) / 3.0 - X[:, _LOAN] / 5.0 - 20_000.0 > 0.0


def _rule_8(X: DoubleArray) -> BoolArray:
    return 2.0 * _income(X) / 3.0 - 5_000.0 * X[:, _EDUCATION] - 20_000.0 > 0.0


def _rule_9(X: DoubleArray) -> BoolArray:
    left = 2.0 * _income(X) / 3.0 - 5_000.0 * X[:, _EDUCATION]
    return left - X[:, _LOAN] / 5.0 - 10_000.0 > 0.0


def _rule_10(X: DoubleArray) -> BoolArray:
    left = 2.0 * _income(X) / 3.0 - 5_000.0 * X[:, _EDUCATION]
    equity = X[:, _HOUSE] * np.maximum(X[:, _YEARS] - 20.0, 0.0) / 10.0
    return left + equity / 5.0 - 10_000.0 > 0.0


_RULES: tuple[Callable[[DoubleArray], BoolArray], ...] = (
    _rule_1,
    _rule_2,
    _rule_3,
    _rule_4,
    _rule_5,
    _rule_6,
    _rule_7,
    _rule_8,
    _rule_9,
    _rule_10,
)
