"""The whole comparison: what it says, what it does not say, and what must not change it."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats as scipy_stats

from demsar import METHODS, SCORES
from svmosaic.stats import compare, critical_difference, wilcoxon

TABLES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(2, 5)),
    elements=st.integers(0, 9).map(float),
)


@pytest.fixture
def clear():
    """Twelve data sets on which a beats b beats c, with a few exceptions."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.06, (12, 3))
    return pd.DataFrame(
        np.array([0.9, 0.85, 0.7]) + noise,
        columns=["a", "b", "c"],
        index=[f"d{i}" for i in range(12)],
    )


def _demsar(**options):
    return compare(list(SCORES.values()), methods=METHODS, datasets=tuple(SCORES), **options)


def test_demsars_example_for_all_pairs():
    result = _demsar()

    assert {name: round(rank, 3) for name, rank in result.average_ranks.items()} == {
        "C4.5+m+cf": 1.964,
        "C4.5+m": 2.000,
        "C4.5+cf": 2.893,
        "C4.5": 3.143,
    }
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)
    # "The post-hoc test is not powerful enough to detect any significant differences."
    assert all(pair.adjusted["nemenyi"] > 0.05 for pair in result.pairs)
    assert "no pair differs significantly" in result.text()


def test_demsars_example_with_a_control():
    result = _demsar(control="C4.5")

    pairs = {pair.versus: pair for pair in result.pairs}
    # Section 3.2.2 prints z, p and Holm's thresholds; its z come from rounded ranks.
    printed = {
        "C4.5+m+cf": (2.416, 0.016, 0.017),
        "C4.5+m": (2.342, 0.019, 0.025),
        "C4.5+cf": (0.512, 0.607, 0.050),
    }
    for name, (z, p, threshold) in printed.items():
        assert -pairs[name].z == pytest.approx(z, abs=2e-3)
        assert pairs[name].p_value == pytest.approx(p, abs=2e-3)
        assert pairs[name].holm_threshold == pytest.approx(threshold, abs=5e-4)
    # "The Holm procedure rejects the first and then the second hypothesis."
    rejected = {m for m in METHODS[1:] if pairs[m].adjusted["holm"] <= 0.05}
    assert rejected == {"C4.5+m+cf", "C4.5+m"}
    assert "ranks significantly worse than C4.5+m+cf and C4.5+m" in result.text()


def _nemenyi_by_hand(scores):
    """Return the p-values of all pairs from SciPy's ranks and studentised range."""
    n, k = scores.shape
    mean = scipy_stats.rankdata(-scores, axis=1).mean(axis=0)
    q = np.abs(mean[:, None] - mean) / math.sqrt(k * (k + 1) / (12 * n))
    return scipy_stats.studentized_range.sf(q, k, np.inf)


@given(TABLES)
def test_pairs_are_the_formulas(scores):
    n, k = scores.shape
    result = compare(scores)
    place = {name: j for j, name in enumerate(result.table.methods)}
    expected = _nemenyi_by_hand(scores)

    assert len(result.pairs) == k * (k - 1) // 2
    for pair in result.pairs:
        a, b = place[pair.method], place[pair.versus]
        assert pair.adjusted["nemenyi"] == pytest.approx(expected[a, b], abs=1e-10)
        assert pair.wins + pair.ties + pair.losses == n
        assert pair.wins == np.sum(scores[:, a] > scores[:, b])
        assert pair.wilcoxon == wilcoxon(scores[:, a], scores[:, b])
        assert pair.rank_difference >= 0


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_methods_and_data_sets_does_not_matter(scores, random):
    n, k = scores.shape
    names = [f"m{j}" for j in range(k)]
    rows, columns = random.sample(range(n), n), random.sample(range(k), k)
    one = compare(scores, methods=names, control="m0")
    other = compare(scores[rows][:, columns], methods=[names[j] for j in columns], control="m0")

    assert other.friedman.p_value == pytest.approx(one.friedman.p_value)
    ours, theirs = ({p.versus: p for p in result.pairs} for result in (one, other))
    for name, pair in ours.items():
        assert theirs[name].adjusted["holm"] == pytest.approx(pair.adjusted["holm"])
        assert theirs[name].wilcoxon.p_value == pytest.approx(pair.wilcoxon.p_value)


@given(TABLES, st.sampled_from([0.01, 2.0, 1e5]))
def test_unit_and_direction_of_the_scores_do_not_matter(scores, unit):
    one = compare(scores, control="method 1")
    scaled = compare(unit * scores, control="method 1")
    turned = compare(-scores, False, control="method 1")

    assert scaled.frame() == one.frame()
    assert turned.frame() == one.frame()


@given(TABLES)
def test_rank_tests_ignore_increasing_transforms(scores):
    keys = ("z", "p_value", "nemenyi", "holm", "shaffer", "wins")
    one, other = compare(scores).frame(), compare(np.exp(scores)).frame()

    assert [[r[k] for k in keys] for r in one] == [[r[k] for k in keys] for r in other]


@given(TABLES)
def test_the_diagram_agrees_with_the_p_values(scores):
    result = compare(scores)
    together = {
        frozenset((a, b)) for group in result.groups for a in group for b in group if a != b
    }
    for pair in result.pairs:
        p = pair.adjusted["nemenyi"]
        if abs(p - 0.05) > 1e-9:
            assert (frozenset((pair.method, pair.versus)) in together) == (p > 0.05)


def test_the_best_method_can_be_the_control_and_the_text_says_so(clear):
    chosen, named = compare(clear, control="best"), compare(clear, control="a")

    assert chosen.control == "a"
    assert chosen.frame() == named.frame()
    assert "became the control because it ranks best" in chosen.text()
    assert "became the control" not in named.text()


def test_a_method_may_be_called_best():
    result = compare({"best": [1, 1, 1], "other": [2, 2, 2]}, control="best")

    assert result.control == "best"
    assert not result.control_was_chosen


def test_the_critical_difference_belongs_to_the_question(clear):
    assert compare(clear).critical_difference == critical_difference(3, 12)
    assert compare(clear, control="b").critical_difference == critical_difference(
        3, 12, test="bonferroni-dunn"
    )


def test_a_clear_case_is_told(clear):
    text = compare(clear, measure="accuracy").text()

    assert text.startswith(
        "3 methods were compared on 12 data sets by accuracy (higher is better). "
        "Average ranks, best first: a 1."
    )
    assert "the methods differ significantly at the level 0.05 (F(2, 22) = " in text
    assert "a ranks significantly better than c" in text


def test_no_pair_is_called_different_if_the_methods_as_a_whole_are_not():
    rng = np.random.default_rng(4)
    result = compare(rng.normal(size=(20, 4)))

    assert result.friedman.p_value > 0.05
    assert "do not differ significantly" in result.text()
    assert "does not show that the methods are equal" in result.text()
    assert "better" not in result.text().replace("higher is better", "")


def test_the_text_tells_when_the_weaker_test_sees_less():
    # Differences between the thresholds of Holm and of Bonferroni and Dunn.
    rng = np.random.default_rng(11)
    for _ in range(200):
        result = compare(rng.normal([0, 0.45, 0.9, 1.4], 1, (16, 4)), control="method 4")
        holm = {p.versus for p in result.pairs if p.adjusted["holm"] <= 0.05}
        dunn = {p.versus for p in result.pairs if p.adjusted["bonferroni_dunn"] <= 0.05}
        if holm != dunn and result.friedman.p_value <= 0.05:
            break

    assert dunn < holm
    (lost,) = holm - dunn
    assert f"is weaker and does not decide about {lost}" in result.text()


def test_cautions_are_part_of_the_text(clear):
    clear.iloc[0, 0] = np.nan

    text = compare(clear.iloc[:9], missing="drop").text()

    assert "Left out because a score is missing: d0." in text
    assert "With 8 data sets the p-values of the rank tests are rough." in text


def test_records_are_plain_and_make_a_frame(clear):
    result = compare(clear, control="a")

    frame = pd.DataFrame(result.frame())
    assert list(frame["versus"]) == ["b", "c"]
    assert {"z", "holm", "holm_threshold", "r_plus", "wilcoxon_holm"} <= set(frame.columns)
    assert all(type(v) in (str, int, float) for record in result.frame() for v in record.values())
    methods = pd.DataFrame(result.frame("methods")).set_index("method")
    assert methods.loc["a", "mean_score"] == pytest.approx(clear["a"].mean())
    assert methods["times_best"].sum() == 12


def test_latex_marks_the_best_and_escapes_names():
    result = compare({"50%_a": [0.5, 0.6], "b&c": [0.5, 0.4]}, datasets=["x^2", "{y}~\\z"])

    text = result.latex(digits=2)

    assert text.splitlines()[2] == r"Data set & 50\%\_a & b\&c \\"
    assert r"x\textasciicircum{}2 & \textbf{0.50} & \textbf{0.50} \\" in text
    assert r"\{y\}\textasciitilde{}\textbackslash{}z & \textbf{0.60} & 0.40 \\" in text
    assert r"Average rank & \textbf{1.2500} & 1.7500 \\" in text
    assert len({line.count(" & ") for line in text.splitlines() if " & " in line}) == 1


def test_latex_of_the_pairs(clear):
    lines = compare(clear, control="a").latex("pairs").splitlines()

    assert "Bonferroni-Dunn & Holm & Hochberg" in lines[2]
    assert lines[4].startswith("a & b & ")
    assert re.fullmatch(r"\\begin\{tabular\}\{llr+\}", lines[0])
    assert len({line.count(" & ") for line in lines if " & " in line}) == 1


def test_the_statistics_start_without_the_modules_that_draw():
    import subprocess
    import sys

    code = "import sys, svmosaic.stats; print('matplotlib' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "between 0 and 1. Got 0"),
        ({"control": "x"}, "'x' is not in the table. Its methods are: a, b, c; 'best' takes"),
        ({"zeros": "none"}, "Got 'none'"),
    ],
)
def test_bad_requests_are_refused(clear, options, message):
    with pytest.raises(ValueError, match=message):
        compare(clear, **options)


def test_unknown_parts_are_refused(clear):
    result = compare(clear)

    with pytest.raises(ValueError, match="'pairs' or 'methods'"):
        result.frame("rows")
    with pytest.raises(ValueError, match="'scores' or 'pairs'"):
        result.latex("rows")
