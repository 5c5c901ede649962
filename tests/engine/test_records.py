"""Records of arrays: two of them are the same only if they are one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients, DenseRows, Problem, Solution

ONES = np.ones(3)
COEFFICIENTS = Coefficients.of_one_output(ONES)


@pytest.mark.parametrize(
    "record",
    [
        DenseRows(np.eye(3)),
        Problem(np.arange(3), ONES, ONES),
        Solution(np.arange(3), ONES),
        COEFFICIENTS,
        KernelExpansion(KernelSpec("linear"), np.eye(3), COEFFICIENTS, np.zeros(1)),
    ],
    ids=lambda record: type(record).__name__,
)
def test_records_compare_by_identity(record):
    other = replace(record)

    assert record == record
    assert record != other
    assert len({record, other}) == 2
