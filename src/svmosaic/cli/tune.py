"""``svmosaic tune``: choose gamma, margin and C by cross-validation."""

from __future__ import annotations

import argparse
import csv
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from svmosaic.cli import options
from svmosaic.cli.console import (
    format_fields,
    format_table,
    note,
    show_progress,
    uninterrupted,
)
from svmosaic.cli.files import Files
from svmosaic.utils.optional import import_optional
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
    from svmosaic.cli.preparation import Preparation
    from svmosaic.datasets import Dataset

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Choose gamma, margin and C by cross-validation.

A fifth of the rows is put aside first. Scaling and search see only the rest, so the accuracy on
the fifth is an unbiased estimate. The saved model is then trained on all rows with the chosen
parameters."""
EPILOG = """\
examples:
  svmosaic tune heart.csv -o heart.model
  svmosaic tune heart.csv --gammas 0.01,0.1,1 --Cs 1,10,100 --results grid.csv
  svmosaic tune sklearn-wine --refine selected --scoring balanced_accuracy --no-holdout
"""

_HOLDOUT_SHARE = 0.2
_CANDIDATES_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    options.add_data_options(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", help="save the chosen model here")
    parser.add_argument("--results", metavar="CSV", help="write the scores of all candidates")
    parser.add_argument(
        "--target",
        type=options.column,
        default=-1,
        metavar="COL",
        help="column of the labels, by name or by number from 0 (default: the last)",
    )
    options.add_impute_option(parser)
    options.add_scale_option(parser)
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--gammas",
        type=options.number_list,
        metavar="LIST",
        help="kernel widths to try, for example 0.1,1,10 (default: eight around 'scale')",
    )
    search.add_argument(
        "--margins",
        type=options.number_list,
        metavar="LIST",
        help="margins to try (default: 0.1,0.2,0.5,1); they cost nothing",
    )
    search.add_argument(
        "--Cs",
        type=options.number_list,
        metavar="LIST",
        help="penalties to try (default: 0.1,1,10,100,1000)",
    )
    search.add_argument(
        "--cv", type=_folds, default=5, metavar="K", help="number of folds (default: %(default)s)"
    )
    search.add_argument(
        "--scoring",
        choices=("accuracy", "balanced_accuracy", "f1_macro"),
        default="accuracy",
        help="what to maximise (default: %(default)s)",
    )
    search.add_argument(
        "--no-holdout",
        dest="holdout",
        action="store_false",
        help="search on all rows and give no unbiased estimate",
    )
    options.add_estimator_options(parser.add_argument_group("the model"))
    parser.add_argument("-v", "--verbose", action="store_true", help="show more")


def _folds(text: str) -> int:
    number = options.positive_int(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"expected at least 2 folds, got {text!r}")
    return number


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    return Files((args.data,), (args.output, args.results))


def run(args: argparse.Namespace) -> None:
    """Search, estimate, refit, save."""
    if args.output is not None:
        import_optional("safetensors", "save models")

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.cli import inputs
    from svmosaic.cli.data_kinds import Columns

    gaps = args.impute != "none"
    columns = Columns(args.format, args.target, max_bytes=args.max_bytes)
    data = inputs.read_training(args.data, columns, gaps=gaps)
    searched, held_out = _split(data) if args.holdout else (_all_rows(data), None)
    begin = time.perf_counter()
    search, preparation = _search(searched, data.feature_names, args)
    seconds = time.perf_counter() - begin

    fields = [
        ("rows", _rows_text(searched, held_out)),
        ("features", data.n_features),
        ("classes", inputs.describe_classes(data.y)),
        *preparation.fields(),
        ("candidates", f"{search.cv_results_['mean_test_score'].size}, {args.cv} folds each"),
        ("seconds", f"{seconds:.2f}"),
    ]
    print(format_fields(fields))
    print(f"\n{_best_candidates(search)}\n")
    print(format_fields(_scores(search, preparation, held_out, args)))
    _write(search, preparation, data, held_out is not None, args)


# The search ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """Some rows of the data."""

    X: Any
    y: Any
    sample_weight: Any


def _all_rows(data: Dataset) -> _Part:
    return _Part(data.X, data.y, data.sample_weight)


def _split(data: Dataset) -> tuple[_Part, _Part]:
    """Put a fifth of the rows aside, with the same shares of the classes."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    y = np.asarray(data.y)
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"The class {classes[counts.argmin()]} of {data.name} has one row, which cannot be "
            "on both sides of the hold-out split. Use --no-holdout."
        )
    rows = np.arange(data.n_samples)
    size = max(math.ceil(_HOLDOUT_SHARE * rows.size), classes.size)
    if rows.size - size < classes.size:
        raise ValueError(
            f"{data.name} has {rows.size} rows of {classes.size} classes, too few to put some "
            "aside. Use --no-holdout."
        )
    searched, aside = train_test_split(rows, test_size=size, stratify=y, random_state=0)
    weight = data.sample_weight

    def part(chosen: Any) -> _Part:
        chosen.sort()
        of_weight = None if weight is None else weight[chosen]
        return _Part(data.X[chosen], y[chosen], of_weight)

    return part(searched), part(aside)


def _search(
    part: _Part, names: tuple[str, ...] | None, args: argparse.Namespace
) -> tuple[OLLAWVClassifierCV, Preparation]:
    from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
    from svmosaic.cli.preparation import plan_preparation

    preparation = plan_preparation(args.scale, args.impute, part.X, names)
    grids = {"gammas": args.gammas, "margins": args.margins, "Cs": args.Cs}
    search = OLLAWVClassifierCV(
        cv=args.cv,
        scoring=args.scoring,
        **{name: values for name, values in grids.items() if values is not None},
        **options.estimator_parameters(args),
    )
    X = preparation.fit_transform(part.X)
    if args.verbose:
        note(f"searching on {plural(X.shape[0], 'row')}")
    with show_progress("searching", verbose=args.verbose):
        search.fit(X, part.y, part.sample_weight)
    return search, preparation


# What is shown ------------------------------------------------------------------------------


def _rows_text(searched: _Part, held_out: _Part | None) -> str:
    n_searched = searched.X.shape[0]
    if held_out is None:
        return str(n_searched)
    n_aside = held_out.X.shape[0]
    return f"{n_searched + n_aside}: {n_searched} to search on, {n_aside} held out"


def _best_candidates(search: OLLAWVClassifierCV) -> str:
    import numpy as np

    results = search.cv_results_
    order = np.lexsort((results["mean_n_support"], -results["mean_test_score"].round(12)))
    columns = [name for name in ("gamma", "margin", "C") if name in search.best_params_]
    rows = [
        [
            *(f"{results[f'param_{name}'][i]:.4g}" for name in columns),
            f"{results['mean_test_score'][i]:.4f}",
            f"{results['std_test_score'][i]:.4f}",
            f"{results['mean_n_support'][i]:.0f}",
        ]
        for i in order[:_CANDIDATES_SHOWN]
    ]
    header = [*columns, "score", "deviation", "support vectors"]
    return format_table(header, rows, "r" * len(header))


def _scores(
    search: OLLAWVClassifierCV, preparation: Preparation, held_out: _Part | None, args: Any
) -> list[tuple[str, object]]:
    chosen = ", ".join(f"{name}={value:.6g}" for name, value in search.best_params_.items())
    why = "of the best candidate: it was chosen by this score"
    if preparation.steps:
        why += " and the scaler saw all folds"
    fields: list[tuple[str, object]] = [
        ("chosen", chosen),
        ("search score", f"{search.best_score_:.4f} {args.scoring} {why}, so it is optimistic"),
    ]
    if held_out is not None:
        from sklearn.metrics import get_scorer

        X = preparation.transform(held_out.X)
        for name in dict.fromkeys((args.scoring, "accuracy")):
            score = get_scorer(name)(search.best_estimator_, X, held_out.y)
            what = f"on {plural(X.shape[0], 'row')} that scaling and search never saw"
            fields.append(("hold-out score", f"{score:.4f} {name} {what}: the unbiased estimate"))
    return fields


# Writing ------------------------------------------------------------------------------------


def _write(
    search: OLLAWVClassifierCV,
    preparation: Preparation,
    data: Dataset,
    refit: bool,
    args: argparse.Namespace,
) -> None:
    from svmosaic.cli.data_kinds import Columns
    from svmosaic.cli.inputs import target_columns
    from svmosaic.cli.preparation import plan_preparation
    from svmosaic.persistence import save

    best = search.best_estimator_
    if args.output is not None and refit:
        from sklearn.base import clone

        preparation = plan_preparation(args.scale, args.impute, data.X, data.feature_names)
        X = preparation.fit_transform(data.X)
        with show_progress("training", verbose=args.verbose):
            best = clone(best).fit(X, data.y, data.sample_weight)
    with uninterrupted():
        if args.results is not None:
            _write_results(search, args.results)
            print(format_fields([("results", args.results)]))
        if args.output is not None:
            columns = Columns(args.format, args.target, max_bytes=args.max_bytes)
            targets = target_columns(args.data, columns, data, "rows")
            save(preparation.assemble(best, data.feature_names, targets), args.output)
            print(format_fields([("model", f"{args.output}, trained on all rows")]))


def _write_results(search: OLLAWVClassifierCV, path: str) -> None:
    from svmosaic.utils.atomic import atomic_write

    results = search.cv_results_
    with atomic_write(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(results)
        writer.writerows(zip(*(column.tolist() for column in results.values()), strict=True))
