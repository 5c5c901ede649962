"""Before the estimator: infinite values are named, because nothing can fill them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.preprocessing import refuse_infinities

TABLE = np.array([[1.0, 0.0, np.nan], [0.0, 2.0, 3.0], [0.0, -np.inf, np.inf]])


@pytest.mark.parametrize(
    "make",
    [np.asarray, sp.csr_array, lambda X: Bags(X, [0, 1, len(X)])],
    ids=["rows", "CSR", "bags"],
)
def test_the_first_infinite_value_is_named(make):
    with pytest.raises(ValueError, match="pages has an infinite value, in row 2 and feature 1,"):
        refuse_infinities(make(TABLE), "pages")

    refuse_infinities(make(TABLE[:2]), "pages")  # gaps may be filled
