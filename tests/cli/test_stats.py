"""``svmosaic stats``: what it shows, what it writes, and how it refuses."""

from __future__ import annotations

import csv

import pytest

SCORES = """set,OLLAWV,SVC,tree
iris,0.95,0.94,0.90
wine,0.98,0.97,0.91
sonar,0.88,0.85,0.72
glass,0.70,0.71,0.66
heart,0.84,0.83,0.78
vote,0.96,0.95,0.94
"""


@pytest.fixture
def scores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


def test_all_pairs_are_shown_with_the_numbers_and_in_words(svmosaic, scores):
    outcome = svmosaic("stats", scores)

    assert outcome.code == 0, outcome.err
    # Ranks 7, 11 and 18 over 6: chi2 = 6 * (0.8333^2 + 0.1667^2 + 1^2) / 1 = 10.3333.
    assert "chi2(2) = 10.3333, p = 0.0057" in outcome.out
    assert "F(2, 10) = 31.0000" in outcome.out
    assert "Nemenyi, level 0.05" in outcome.out
    assert "OLLAWV        1.1667" in outcome.out
    text = " ".join(outcome.out.split())
    assert "By Nemenyi's test (critical difference 1.35) OLLAWV ranks significantly better" in text
    assert "With 6 data sets the p-values of the rank tests are rough." in text


def test_a_control_and_the_other_direction(svmosaic, scores):
    outcome = svmosaic(
        *("stats", scores, "--control", "tree", "--lower-is-better"),
        *("--alpha", "0.1", "--measure", "error"),
    )

    assert outcome.code == 0, outcome.err
    assert "Bonferroni-Dunn, level 0.1" in outcome.out
    text = " ".join(outcome.out.split())
    assert "by error (lower is better)" in text
    assert "the control tree ranks significantly better than SVC and OLLAWV" in text


def test_files_are_written(svmosaic, scores):
    outcome = svmosaic(
        *("stats", scores, "--control", "best", "--plot", "ranks.svg"),
        *("--latex", "table.tex", "--csv", "pairs.csv"),
    )

    folder = scores.parent
    assert outcome.code == 0, outcome.err
    assert b"<svg" in (folder / "ranks.svg").read_bytes()
    assert (folder / "table.tex").read_text().count(r"\begin{tabular}") == 2
    with (folder / "pairs.csv").open() as stream:
        assert [row["versus"] for row in csv.DictReader(stream)] == ["SVC", "tree"]
    assert "diagram" in outcome.out


def test_png_too(svmosaic, scores):
    assert svmosaic("stats", scores, "--plot", "ranks.PNG").code == 0
    assert (scores.parent / "ranks.PNG").read_bytes().startswith(b"\x89PNG")


def test_averages_are_refused_until_they_are_left_out(svmosaic, scores):
    scores.write_text(SCORES + "Average,0.885,0.875,0.818\n")

    refused = svmosaic("stats", scores)
    taken = svmosaic("stats", scores, "--skip", "Average")

    assert refused.code == 1
    assert "'Average' is a summary" in refused.err
    assert "with the option skip: Average" in refused.err
    assert taken.code == 0


def test_incomplete_data_sets_are_refused_until_they_are_dropped(svmosaic, scores):
    scores.write_text(SCORES + "fox,,0.6,0.5\n")

    refused = svmosaic("stats", scores)
    taken = svmosaic("stats", scores, "--missing", "drop")

    assert refused.code == 1
    assert "score of 'OLLAWV' on 'fox' is missing" in refused.err
    assert "with the option missing: drop" in refused.err
    assert "Left out because a score is missing: fox." in taken.out


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["--control", "svc"], 1, "'svc' is not in the table. Its methods are: OLLAWV, SVC, tree"),
        (["--alpha", "5"], 2, "between 0 and 1, got '5'"),
        (["--alpha", "small"], 2, "between 0 and 1, got 'small'"),
        (["--plot", "ranks.pdf"], 2, ".svg or .png, got 'ranks.pdf'"),
        (["--plot", "nowhere/ranks.svg"], 1, "'nowhere' of the output does not exist"),
        (["--skip", "Mean"], 1, "no row and no column 'Mean'"),
        (["--higher"], 2, "there is no option --higher"),
    ],
)
def test_bad_requests_are_one_line(svmosaic, scores, words, code, part):
    outcome = svmosaic("stats", scores, *words)

    assert outcome.code == code
    assert part in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""
    assert [path.name for path in scores.parent.iterdir()] == ["scores.csv"]


def test_a_missing_file_is_one_line(svmosaic):
    outcome = svmosaic("stats", "nothing.csv")

    assert outcome.code == 1
    assert outcome.err == "svmosaic: error: nothing.csv: No such file or directory\n"
