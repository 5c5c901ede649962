"""``svmosaic demo``: compare the library with scikit-learn and write a report."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmosaic.cli.console import format_table, note, uninterrupted
from svmosaic.cli.files import Files, OutputFolder
from svmosaic.utils.wording import plural
from svmosaic.version import __version__

if TYPE_CHECKING:
    from svmosaic.cli.demo_runs import Scale
    from svmosaic.reports import Document, Figure, Section
    from svmosaic.reports.run_records import Run

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Train OLLAWV and scikit-learn's SVC on data sets that come with scikit-learn and on a generated
one. Shows accuracy, support vectors and times side by side, and writes report.html and
results.csv."""
EPILOG = """\
examples:
  svmosaic demo
  svmosaic demo --out /tmp/demo --quick
"""

_CS_SHOWN = (1.0, 10.0, 100.0)

_METHODS = """\
All models have the rbf kernel, C = 1 (the default of SVC) and the same gamma, \
1 / (n_features * variance). OLLAWV is the classifier of the paper, without refinement. \
"full" is the exact SVM on all samples, the same problem that SVC solves.

Rows are split 70 to 30; min-max scaling is fitted to the training part. Times below 0.3 s are the \
best of several measurements. Factors compare with SVC on the same data in this run: below 1 in \
"SVs / SVC" means fewer support vectors, above 1 in "x SVC" means faster.

"tuned" searches the same gammas, Cs and folds in both libraries, and its fit time is that of the \
whole search; "OLLAWV tuned" is compared with "SVC tuned". The generated set is left out there: \
the search with SVC would take too long."""

_BY_C = """\
OLLAWV without refinement does not depend on C. The exact SVM solves SVC's problem, so its \
accuracy should be that of SVC at every C. Plain OLLAWV has a larger margin in its second column \
and may take all samples. The first table has C = 1 and margin 0.1, the defaults."""

_GAUSSIANS = """\
Two classes with normal distributions and different covariances, as in figure 5.2 of the paper on \
OLLAWV. The best boundary there can be, the Bayes boundary, is a quadratic curve, computed here \
from the true densities. SMO is the solver inside scikit-learn's SVC. With more samples the \
boundaries come closer to it where there are samples.

The third figure shows the exact SVM on the smaller set: the boundary, the margins where the \
decision value is plus and minus 1, and its support vectors."""

_TRAJECTORIES = """\
Each step of OLLAWV takes the sample that is worst off. The curves show the worst value of \
y f(x) / C after each step. It rises while support vectors come in, and the selection stops where \
it reaches the margin. Every smaller margin is an earlier point of the same curve, so all margins \
cost one run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--out",
        default="svmosaic-demo",
        metavar="DIR",
        help="folder for report.html and results.csv (default: %(default)s)",
    )
    parser.add_argument("--quick", action="store_true", help="small data; takes a few seconds")


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    return Files(folder=OutputFolder(args.out, ()))


def run(args: argparse.Namespace) -> None:
    """Measure, draw, write, and show the table."""
    folder = Path(args.out)
    begin = time.perf_counter()

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.reports import write_html
    from svmosaic.reports.run_records import write_runs

    scale = _scale(quick=args.quick)
    # First, because this fails at once where matplotlib is not installed.
    boundaries = _boundary_section(scale)
    runs, plain, by_C = _run_all(scale)
    document = _document(runs, by_C, boundaries, _trajectory_section(plain))

    print(_terminal_table(runs))
    with uninterrupted():
        folder.mkdir(parents=True, exist_ok=True)
        write_runs(runs, folder / "results.csv")
        write_html(document, folder / "report.html")
        print(f"\n{time.perf_counter() - begin:.0f} s in all. Results: {folder / 'results.csv'}")
        print(f"Report: {folder / 'report.html'}")


def _scale(*, quick: bool) -> Scale:
    from svmosaic.cli.demo_runs import Scale

    small = {"iris": "sklearn-iris", "wine": "sklearn-wine"}
    if quick:
        return Scale(small, 600, (0.25, 1.0), (1.0, 10.0), 3, (60, 200))
    return Scale(
        bundled=small | {"digits": "sklearn-digits", "cancer": "sklearn-breast-cancer"},
        n_generated=20_000,
        gammas=(1 / 16, 1 / 4, 1.0, 4.0, 16.0),
        Cs=(0.1, 1.0, 10.0, 100.0),
        n_folds=5,
        n_gaussian=(200, 2000),
    )


def _run_all(scale: Scale) -> tuple[list[Run], dict[str, Any], Section]:
    """Return all runs, the unrefined model of each data set, and what C does."""
    from svmosaic.cli.demo_runs import accuracies_by_C, compare, compare_tuned, load_problems
    from svmosaic.reports import Section, Table

    runs: list[Run] = []
    plain = {}
    tables: list[Table] = []
    for problem in load_problems(scale):
        note(f"{problem.name}: training on {plural(problem.X_train.shape[0], 'row')}")
        of_problem, plain[problem.name] = compare(problem)
        runs += of_problem
        if problem.tuned:
            runs += compare_tuned(problem, scale)
            tables.append(accuracies_by_C(problem, _CS_SHOWN))
    # An empty row parts the data sets.
    rows = [row for table in tables for row in (*table.rows, ())]
    joined = Table(tables[0].header, rows, "Accuracy on the test rows.", tables[0].align)
    return runs, plain, Section("What C does to the refined models", _BY_C, [joined])


# What is shown ------------------------------------------------------------------------------


def _terminal_table(runs: Sequence[Run]) -> str:
    from svmosaic.reports.run_records import comparison_table

    table = comparison_table(runs)
    return format_table(table.header, table.rows, table.align)


def _document(runs: Sequence[Run], *figures: Section) -> Document:
    import sklearn

    from svmosaic.reports import Document, Section
    from svmosaic.reports.run_records import comparison_table
    from svmosaic.utils.threads import available_threads

    threads = plural(available_threads(), "thread")
    table = comparison_table(
        runs,
        f"OLLAWV with {threads}; SVC itself uses one thread, its tuning {threads}.",
    )
    made = datetime.now(UTC).strftime("%d %B %Y")
    return Document(
        title="svmosaic and scikit-learn side by side",
        summary=_headline(runs),
        sections=[Section("Accuracy, support vectors and times", _METHODS, [table]), *figures],
        footer=f"Made by svmosaic {__version__} with scikit-learn {sklearn.__version__} on {made}.",
    )


def _headline(runs: Sequence[Run]) -> str:
    from svmosaic.reports.run_records import find_run

    full = find_run(runs, "generated", "OLLAWV full")
    svc = find_run(runs, "generated", full.reference)
    return (
        f"On the generated data the exact SVM of svmosaic labels {full.accuracy:.2%} of the "
        f"test rows right, scikit-learn's SVC {svc.accuracy:.2%}. Training took "
        f"{full.fit_seconds:.2f} s against {svc.fit_seconds:.2f} s, prediction "
        f"{full.predict_seconds:.3f} s against {svc.predict_seconds:.3f} s."
    )


# Figures ------------------------------------------------------------------------------------


def _boundary_section(scale: Scale) -> Section:
    from sklearn.svm import SVC

    from svmosaic.classification.ollawv import OLLAWVClassifier
    from svmosaic.cli.demo_runs import (
        GAUSSIAN_C,
        GAUSSIAN_GAMMA,
        bayes_decision,
        draw_gaussians,
    )
    from svmosaic.plots import plot_boundaries, plot_boundary
    from svmosaic.reports import Section

    common: dict[str, Any] = {"gamma": GAUSSIAN_GAMMA, "C": GAUSSIAN_C}
    figures = []
    for n_samples in scale.n_gaussian:
        X, y = draw_gaussians(n_samples)
        models = {
            "OLLAWV": OLLAWVClassifier(refine=None, **common).fit(X, y),
            "SMO (SVC)": SVC(**common).fit(X, y),
        }
        ax = plot_boundaries(models, X, y, bayes=bayes_decision, title=f"{n_samples} samples")
        figures.append(
            _figure(
                ax,
                f"Boundaries of OLLAWV, SMO and Bayes between two classes of {n_samples} samples",
                f"OLLAWV with {int(models['OLLAWV'].n_support_.sum())} support vectors, SMO with "
                f"{int(models['SMO (SVC)'].n_support_.sum())}; gamma {GAUSSIAN_GAMMA:g}, "
                f"C {GAUSSIAN_C:g}.",
            )
        )
    n_samples = scale.n_gaussian[0]
    X, y = draw_gaussians(n_samples)
    exact = OLLAWVClassifier(**common).fit(X, y)
    ax = plot_boundary(exact, X, y, title=f"Exact SVM, {n_samples} samples")
    figures.append(
        _figure(
            ax,
            f"Boundary, margins and support vectors of the exact SVM on {n_samples} samples",
            "Rings mark support vectors; dashed lines are the margins.",
        )
    )
    return Section("Decision boundaries", _GAUSSIANS, figures=figures)


def _trajectory_section(plain: dict[str, Any]) -> Section:
    from svmosaic.plots import plot_trajectory
    from svmosaic.reports import Section

    figures = []
    # One binary problem, and the many of the data set with most classes.
    many = max(plain, key=lambda name: int(plain[name].intercept_.size))
    for name in dict.fromkeys(("generated", many)):
        model = plain[name]
        problems = plural(model.intercept_.size, "binary problem")
        ax = plot_trajectory(model, title=f"{name}: {problems}")
        alt = f"Worst violation against support vectors on {name}"
        caption = f"{int(model.n_iter_.sum())} steps in all, margin {model.margin:g}."
        figures.append(_figure(ax, alt, caption))
    return Section("The worst violation on the way", _TRAJECTORIES, figures=figures)


def _figure(ax: Any, alt: str, caption: str) -> Figure:
    from svmosaic.plots import to_svg
    from svmosaic.reports import Figure

    return Figure(to_svg(ax), "image/svg+xml", alt, caption)
