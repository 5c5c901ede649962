"""Rules for gamma, and rows of every form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.problem import CallbackRows, CsrRows, DenseRows, PairwiseRows
from svmosaic.engine.rows import make_rows

X = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 2.0]])
EVERYONE, ONES = np.arange(3), np.ones(3)


def test_named_rules_for_gamma():
    assert resolve_gamma(0.3, X, EVERYONE, ONES) == 0.3
    assert resolve_gamma("auto", X, EVERYONE, ONES) == 0.5
    assert resolve_gamma("scale", X, EVERYONE, ONES) == pytest.approx(1 / (2 * X.var()))
    assert resolve_gamma("scale", np.ones((3, 2)), EVERYONE, ONES) == 1.0


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_scale_counts_weights_as_copies_and_only_the_samples_given(form):
    weights = np.array([2.0, 3.0])
    copies = X[[0, 0, 2, 2, 2]]

    gamma = resolve_gamma("scale", form(X), np.array([0, 2]), weights)

    assert gamma == pytest.approx(1 / (2 * copies.var()))


def test_every_form_of_rows():
    assert isinstance(make_rows(X, "rbf"), DenseRows)
    assert isinstance(make_rows(sparse.csr_array(X), "rbf"), CsrRows)
    assert isinstance(make_rows(X @ X.T, "precomputed"), PairwiseRows)


def test_a_kernel_function_gives_columns_and_the_diagonal():
    rows = make_rows(X, lambda A, B: A @ B.T)

    assert isinstance(rows, CallbackRows)
    np.testing.assert_allclose(rows.column(2), X @ X[2])
    np.testing.assert_allclose(rows.diagonal, (X**2).sum(axis=1))
