"""The same tests in scikit-posthocs and statsmodels, to ten digits."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.stats import bonferroni, compare, hochberg, holm

posthocs = pytest.importorskip("scikit_posthocs", reason="needs scikit-posthocs")
multitest = pytest.importorskip("statsmodels.stats.multitest", reason="needs statsmodels")
pandas = pytest.importorskip("pandas", reason="needs pandas")

METHODS = list("abcdef")


@pytest.fixture(params=range(5))
def table(request):
    """Scores of six methods on 14 data sets; those of odd seeds have ties."""
    rng = np.random.default_rng(request.param)
    scores = rng.normal(size=(14, 6)) + 0.5 * np.arange(6)
    return pandas.DataFrame(
        np.round(scores) if request.param % 2 else scores,
        index=[f"data {i}" for i in range(14)],
        columns=METHODS,
    )


def test_nemenyi(table):
    theirs = posthocs.posthoc_nemenyi_friedman(table)

    for pair in compare(table).pairs:
        expected = theirs.loc[pair.method, pair.versus]
        assert pair.adjusted["nemenyi"] == pytest.approx(expected, abs=1e-10)


def test_rank_differences_in_normal_form(table):
    """Siegel and Castellan's z; the library has the p-values of all pairs, unadjusted."""
    theirs = posthocs.posthoc_siegel_friedman(table)

    for pair in compare(table).pairs:
        assert pair.p_value == pytest.approx(theirs.loc[pair.method, pair.versus], abs=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(bonferroni, "bonferroni"), (holm, "holm"), (hochberg, "simes-hochberg")]
)
@pytest.mark.parametrize("n", [1, 2, 10, 45])
def test_adjusted_p_values(ours, theirs, n):
    rng = np.random.default_rng(n)
    for scale in (1.0, 0.05):
        p = scale * rng.uniform(size=n)
        p[: n // 3] = p[-1]
        expected = multitest.multipletests(p, method=theirs)[1]

        np.testing.assert_allclose(ours(p), expected, rtol=0, atol=1e-10)
