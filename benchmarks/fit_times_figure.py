"""Draw the fit times of `benchmarks/classification.py` as bars, for the README.

    python benchmarks/fit_times_figure.py [--rows classification.csv] [--out fit_times.svg]

A bar of intelex is its fastest form on the set.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_INTELEX = ("intelex", "intelex_dense", "intelex_32")


def fit_seconds(rows: list[dict[str, str]], name: str) -> dict[str, float]:
    """Return the fit times of SVC, intelex and ours on one set."""
    seconds = {row["peer"]: float(row["fit_seconds"]) for row in rows if row["set"] == name}
    return {
        "scikit-learn SVC": seconds["svc"],
        "scikit-learn-intelex": min(seconds[form] for form in _INTELEX),
        "svmosaic": seconds["full"],
    }


def draw(rows: list[dict[str, str]]) -> Any:
    """Return a figure with three bars for each set, from the smallest set to the largest."""
    from svmosaic.plots.style import COLOURS, finish, new_axes

    sizes = {row["set"]: int(row["n_train"]) for row in rows}
    names = sorted(sizes, key=lambda name: sizes[name], reverse=True)
    ax = new_axes((7.2, 4.2))
    colours = {"scikit-learn SVC": "#B5B5B5", "scikit-learn-intelex": COLOURS[4]}
    for place, name in enumerate(names):
        for row, (peer, seconds) in enumerate(fit_seconds(rows, name).items()):
            bar = ax.barh(
                place + 0.27 * (1 - row),
                seconds,
                height=0.25,
                color=colours.get(peer, COLOURS[0]),
                label=peer if place == 0 else None,
            )
            ax.bar_label(bar, fmt=" %.2g s" if seconds < 10 else " %.0f s", fontsize=8)
    ax.set_xscale("log")
    ax.set_xlim(right=200)
    ax.set_yticks(range(len(names)), [f"{name}\n{sizes[name]:,} rows" for name in names])
    ax.legend(frameon=False, loc="upper right")
    finish(ax, title=None, xlabel="fit, seconds (logarithmic)", ylabel="")
    return ax.figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    results = _ROOT / "benchmarks" / "results" / "classification.csv"
    parser.add_argument("--rows", type=Path, default=results)
    parser.add_argument("--out", type=Path, default=_ROOT / "docs" / "images" / "fit_times.svg")
    options = parser.parse_args()
    with options.rows.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # No date: the same rows give the same file.
    draw(rows).savefig(options.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
