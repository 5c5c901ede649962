"""Table 5.3 of Melki's thesis, whose ranks of accuracy are printed in reverse."""

from __future__ import annotations

import pytest

from svmosaic.stats import compare

# Accuracy of OLLAWV, NNISDA and MNSVM on 23 data sets, as printed.
TABLE_5_3 = """
97.33 94.00 96.67  52.32 52.31 52.95  98.87 96.60 96.60  80.36 81.86 81.38  92.32 89.48 87.57
72.41 67.81 69.30  96.54 96.11 93.99  82.22 83.33 83.33  97.82 98.36 98.36  88.96 88.86 88.97
77.38 79.56 81.21  99.11 99.29 99.31  91.66 92.39 92.35  97.49 98.05 98.24  99.56 99.62 99.61
98.03 98.08 97.99  96.99 99.11 99.13  84.75 85.07 85.13  98.86 98.82 98.82  99.77 99.83 99.87
98.94 99.00 99.00  98.31 99.34 99.41  99.77 99.67 99.66
"""


def test_the_p_value_is_the_printed_one_and_the_ranks_are_four_minus_the_printed_ones():
    numbers = [float(word) for word in TABLE_5_3.split()]
    scores = [numbers[i : i + 3] for i in range(0, len(numbers), 3)]

    result = compare(scores, methods=["OLLAWV", "NNISDA", "MNSVM"], control="OLLAWV")

    assert len(scores) == 23
    assert result.friedman.p_value == pytest.approx(0.2397, abs=5e-5)
    assert pytest.approx(1.476, abs=5e-4) == result.friedman.F
    assert result.critical_difference == pytest.approx(0.661, abs=5e-4)
    assert result.average_ranks == pytest.approx(
        {"MNSVM": 4 - 2.239, "NNISDA": 4 - 2.022, "OLLAWV": 4 - 1.739}, abs=6e-4
    )
    # The mean accuracy of OLLAWV is the highest, its average rank the worst.
    means = {record["method"]: record["mean_score"] for record in result.frame("methods")}
    assert max(means, key=means.get) == "OLLAWV"
    assert [*result.average_ranks][-1] == "OLLAWV"
