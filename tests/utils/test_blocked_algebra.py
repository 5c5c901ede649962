"""Algebra in blocks is that of NumPy and SciPy, whatever the size of a block."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from svmosaic.utils import blocked_algebra
from svmosaic.utils.blocked_algebra import (
    add_outer_product,
    exponentials,
    factorise,
    solve_lower,
    squared_distances,
)


@pytest.fixture(params=["whole", "blocks"])
def blocks(request, monkeypatch):
    """Blocks as they are, or of a few rows each."""
    if request.param == "blocks":
        monkeypatch.setattr(blocked_algebra, "_BLOCK_PRODUCTS", 2e4)
        monkeypatch.setattr(blocked_algebra, "_BLOCK_DIFFERENCES", 100.0)
        monkeypatch.setattr(blocked_algebra, "_BLOCK_EXPONENTIALS", 30.0)
        monkeypatch.setattr(blocked_algebra, "_PANEL", 13)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("n", [0, 1, 12, 13, 14, 100])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_outer_product(n, order):
    A = np.asarray(np.random.default_rng(0).normal(size=(n, 7)), order=order)
    total = np.ones((n, n))
    add_outer_product(total, A)

    assert_allclose(total, 1.0 + A @ A.T, rtol=1e-12, atol=1e-12)
    assert_array_equal(total, total.T)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("n", [1, 12, 13, 14, 100])
def test_a_factor_and_its_solutions(n):
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(n, n)), rng.normal(size=(n, n + 3))
    R = A @ A.T + np.eye(n)
    L = factorise(R.copy())

    assert_allclose(L, np.linalg.cholesky(R), rtol=1e-9, atol=1e-9)
    assert_array_equal(L, np.tril(L))
    assert_allclose(L @ solve_lower(L, B.copy()), B, rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("blocks")
def test_what_is_not_positive_definite_is_refused():
    R = np.eye(40)
    R[30, 30] = -1.0

    with pytest.raises(np.linalg.LinAlgError):
        factorise(R)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(("n", "m"), [(0, 3), (1, 1), (30, 20)])
def test_squared_distances(n, m):
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(n, 4)), rng.normal(size=(m, 4))

    assert_allclose(squared_distances(X, Z), cdist(X, Z) ** 2, rtol=1e-12)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (1, 100), (17, 9)])
def test_exponentials(shape):
    exponents = np.random.default_rng(2).normal(size=shape)
    before = exponents.copy()

    found = exponentials(exponents, -0.3)

    assert_array_equal(found, np.exp(-0.3 * exponents))
    assert_array_equal(exponents, before)
