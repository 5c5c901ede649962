"""Tables of a comparison for LaTeX documents that use the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from svmosaic.stats.comparison_record import ComparisonRecord

__all__ = ["bold", "escape_latex", "pairs_latex", "scores_latex", "tabular"]

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)
_PAIR_HEADINGS = {
    "bonferroni_dunn": "Bonferroni-Dunn",
    "nemenyi": "Nemenyi",
    "holm": "Holm",
    "hochberg": "Hochberg",
    "shaffer": "Shaffer",
}


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it is."""
    return " ".join(text.split()).translate(_ESCAPES)


def scores_latex(result: ComparisonRecord, digits: int) -> str:
    """Return the scores with the best of each row in bold, their means and the average ranks."""
    table, ranks = result.table, result.ranks
    rows = []
    for name, scores, of_row in zip(table.datasets, table.scores, ranks, strict=True):
        best = of_row.min()
        cells = [
            bold(f"{score:.{digits}f}", rank == best)
            for score, rank in zip(scores, of_row, strict=True)
        ]
        rows.append([escape_latex(name), *cells])
    means = [f"{mean:.{digits}f}" for mean in table.scores.mean(axis=0)]
    average = ranks.mean(axis=0)
    of_ranks = [bold(f"{rank:.4f}", rank == average.min()) for rank in average]
    header = ["Data set", *(escape_latex(name) for name in table.methods)]
    return tabular(header, [rows, [["Mean", *means], ["Average rank", *of_ranks]]])


def pairs_latex(result: ComparisonRecord) -> str:
    """Return the comparisons of pairs with their p-values."""
    adjusted = list(result.pairs[0].adjusted)
    header = [
        "Method",
        "versus",
        "wins/ties/losses",
        "$z$",
        "$p$",
        *(_PAIR_HEADINGS[name] for name in adjusted),
        "$R^+$",
        "$R^-$",
        "Wilcoxon $p$",
    ]
    rows = [
        [
            escape_latex(pair.method),
            escape_latex(pair.versus),
            f"{pair.wins}/{pair.ties}/{pair.losses}",
            f"{pair.z:.2f}",
            _p_cell(pair.p_value),
            *(_p_cell(pair.adjusted[name]) for name in adjusted),
            f"{pair.wilcoxon.r_plus:g}",
            f"{pair.wilcoxon.r_minus:g}",
            _p_cell(pair.wilcoxon.p_value),
        ]
        for pair in result.pairs
    ]
    return tabular(header, [rows], left=2)


def _p_cell(p: float) -> str:
    return "$<0.0001$" if p < 1e-4 else f"{p:.4f}"


def bold(text: str, best: bool) -> str:
    """Return the text in bold if it is the best."""
    return rf"\textbf{{{text}}}" if best else text


def tabular(header: Sequence[str], parts: Sequence[Sequence[Sequence[str]]], left: int = 1) -> str:
    """Return a table of LaTeX text in groups of rows with a line between them.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    parts : sequence of sequences of rows
        The groups.
    left : int, default=1
        How many columns are aligned left; the others are aligned right.
    """
    lines = [rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(header) - left)}}}", r"\toprule"]
    lines.append(" & ".join(header) + r" \\")
    for rows in parts:
        lines.append(r"\midrule")
        lines.extend(" & ".join(row) + r" \\" for row in rows)
    lines.extend([r"\bottomrule", r"\end{tabular}"])
    return "\n".join(lines) + "\n"
