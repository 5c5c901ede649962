"""``svmosaic tune``: choose gamma, margin and C by cross-validation."""

from __future__ import annotations

import argparse
import csv
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from svmosaic.cli import options
from svmosaic.cli.console import (
    format_fields,
    format_table,
    note,
    show_progress,
    uninterrupted,
)
from svmosaic.cli.files import Files
from svmosaic.cli.methods import (
    METHODS,
    fit_weighted,
    make_estimator,
    named_parameter,
    positive_side,
    resolve_positive,
)
from svmosaic.utils.optional import import_optional
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
    from svmosaic.cli.data_kinds import Columns
    from svmosaic.cli.preparation import Preparation
    from svmosaic.datasets import Dataset
    from svmosaic.datasets.dataset import Kind

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Choose parameters by cross-validation: gamma, margin and C of ollawv, or those of another method.

A fifth of the rows is put aside first. Scaling and search see only the rest, so the score on the
fifth is an unbiased estimate. The saved model is then trained on all rows with the chosen
parameters."""
EPILOG = """\
examples:
  svmosaic tune heart.csv -o heart.model
  svmosaic tune heart.csv --gammas 0.01,0.1,1 --Cs 1,10,100 --results grid.csv
  svmosaic tune sklearn-wine --refine none --scoring balanced_accuracy --no-holdout
  svmosaic tune prices.csv --method smo-regression --grid epsilon=0.01,0.1 --scoring r2
  svmosaic tune molecules.csv --method mirsvm --bag molecule --grid positive=first,second
"""

_HOLDOUT_SHARE = 0.2
_CANDIDATES_SHOWN = 5
_FEWEST_TO_SPLIT = 5
_FAST_SCORES = ("accuracy", "balanced_accuracy", "f1_macro")
_RACING: dict[str | None, bool | Literal["auto"]] = {
    None: "auto",
    "auto": "auto",
    "yes": True,
    "no": False,
}
# Options with values to try, and the parameters that they are for.
_LISTS = (("gammas", "gamma"), ("margins", "margin"), ("Cs", "C"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    options.add_data_options(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", help="save the chosen model here")
    parser.add_argument("--results", metavar="CSV", help="write the scores of all candidates")
    options.add_target_options(parser)
    options.add_bag_option(parser)
    options.add_column_options(parser)
    options.add_impute_option(parser)
    options.add_scale_option(parser)
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--method", choices=tuple(METHODS), default="ollawv", help="(default: %(default)s)"
    )
    search.add_argument(
        "--grid",
        type=_named_values,
        action="append",
        default=[],
        metavar="NAME=LIST",
        help="values of another parameter of the method to try, for example epsilon=0.01,0.1",
    )
    search.add_argument(
        "--set",
        type=named_parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the method that is not searched",
    )
    search.add_argument(
        "--gammas",
        type=options.number_list,
        metavar="LIST",
        help="kernel widths to try, for example 0.1,1,10 (default: eight around 'scale', four for "
        "other methods than ollawv)",
    )
    search.add_argument(
        "--margins",
        type=options.number_list,
        metavar="LIST",
        help="margins of ollawv to try (default: 0.1,0.2,0.5,1); they cost nothing",
    )
    search.add_argument(
        "--Cs",
        type=options.number_list,
        metavar="LIST",
        help="penalties to try (default: 0.1,1,10,100,1000; for other methods 1,10,100)",
    )
    search.add_argument(
        "--cv",
        type=options.folds,
        default=5,
        metavar="K",
        help="number of folds (default: %(default)s)",
    )
    search.add_argument(
        "--racing",
        choices=("auto", "yes", "no"),
        help="whether the candidates of ollawv race on growing parts of the rows (default: auto, "
        "from 1000 rows on)",
    )
    search.add_argument(
        "--scoring",
        metavar="NAME",
        help="what to maximise: any score of scikit-learn or of svmosaic.metrics (default: "
        "accuracy, r2 for numbers; accuracy, balanced_accuracy and f1_macro of ollawv are fast)",
    )
    search.add_argument(
        "--no-holdout",
        dest="holdout",
        action="store_false",
        help="search on all rows and give no unbiased estimate",
    )
    group = parser.add_argument_group("the model")
    options.add_estimator_options(group)
    options.add_seed_option(group)
    parser.add_argument("-v", "--verbose", action="store_true", help="show more")


def _named_values(text: str) -> tuple[str, list[Any]]:
    """Return name and values of a parameter such as ``lam=0.1,1``."""
    name, equals, values = text.partition("=")
    parts = [part.strip() for part in values.split(",")]
    if not equals or not name.isidentifier() or not all(parts):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE,VALUE,... got {text!r}")
    return name, [named_parameter(f"{name}={part}")[1] for part in parts]


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    return Files((args.data,), (args.output, args.results))


def run(args: argparse.Namespace) -> None:
    """Search, estimate, refit, save."""
    if args.output is not None:
        import_optional("safetensors", "save models")

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from sklearn.base import is_classifier

    from svmosaic.cli.data_kinds import data_kind, select_columns, with_index
    from svmosaic.cli.data_tables import dense_where_needed
    from svmosaic.cli.describe import role_fields
    from svmosaic.cli.grid_search import check_scoring, find_scorer
    from svmosaic.cli.target_words import check_labels
    from svmosaic.cli.training_data import column_roles, read_training, warn_about_ids

    estimator = make_estimator(args.method, options.estimator_parameters(args), args.set)
    task = data_kind(estimator)
    columns = select_columns(args, task, f"the method {args.method}")
    _refuse_contradictions(args)
    args.scoring, scorer = find_scorer(args.scoring, estimator)
    _refuse_race(args)
    gaps = args.impute != "none"
    columns = with_index(args.data, columns, task)
    data = read_training(args.data, columns, task=task, gaps=gaps)
    warn_about_ids(args.data, columns, data)
    data = dense_where_needed(data, estimator)
    if task == "bags":
        resolve_positive(estimator, data.y)
    check_labels(data, regression=not is_classifier(estimator))
    if is_classifier(estimator) and data.y is not None:
        check_scoring(args.scoring, data.y, data.name)
    searched, held_out = _all_rows(data), None
    if args.holdout:
        searched, held_out = _split(data, stratified=is_classifier(estimator))
    begin = time.perf_counter()
    if _is_fast(args):
        search, preparation = _search(searched, data.feature_names, args)
    else:
        search, preparation = _search_grid(searched, data, estimator, scorer, args)
    seconds = time.perf_counter() - begin

    roles = column_roles(args.data, columns, data, task)
    n_candidates = search.cv_results_["mean_test_score"].size
    fields = [
        ("bags" if task == "bags" else "rows", _rows_text(searched, held_out)),
        ("features", data.n_features),
        _target_field(data, is_classifier(estimator)),
        *role_fields(roles),
        *preparation.fields(),
        ("candidates", f"{n_candidates}, {args.cv} folds each"),
        ("seconds", f"{seconds:.2f}"),
    ]
    print(format_fields(fields))
    if search.best_params_:
        print(f"\n{_best_candidates(search)}\n")
    try:
        print(format_fields(_scores(search, preparation, held_out, args)))
    finally:
        # The search may have taken hours: what it found is written whatever the scores do.
        _write(search, preparation, data, held_out is not None, args, columns, task)


def _refuse_contradictions(args: argparse.Namespace) -> None:
    """Refuse a parameter that is both searched and set."""
    searched = {name: f"--grid {name}" for name, _ in args.grid}
    for option, name in _LISTS:
        if getattr(args, option) is not None:
            searched |= {name: f"--{option}", option: f"--{option}"}
    for name, value in args.set:
        if name in searched:
            raise ValueError(
                f"{searched[name]} searches {name}, and --set {name}={value} sets it. Leave one "
                "out."
            )


def _refuse_race(args: argparse.Namespace) -> None:
    """Refuse a race where every candidate is fitted by itself."""
    if args.racing == "yes" and not _is_fast(args):
        raise ValueError(
            "--racing yes needs the method ollawv without --grid and --set, and one of the scores "
            f"{', '.join(_FAST_SCORES)}. Leave it out."
        )


def _is_fast(args: argparse.Namespace) -> bool:
    """Return whether the search that shares its work among candidates does what is asked for."""
    is_ollawv = args.method == "ollawv" and not args.grid and not args.set
    return is_ollawv and args.scoring in _FAST_SCORES


def _target_field(data: Dataset, classes: bool) -> tuple[str, object]:
    from svmosaic.cli.describe import listed
    from svmosaic.cli.target_words import describe_classes, describe_values

    if data.y is not None and data.y.ndim == 2:
        return "targets", f"{data.y.shape[1]}: {listed(list(data.target_names or ()))}"
    if classes:
        return "classes", describe_classes(data.y)
    return "target", describe_values(data.y)


# The search ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """Some rows of the data."""

    X: Any
    y: Any
    sample_weight: Any


def _all_rows(data: Dataset) -> _Part:
    return _Part(data.X, data.y, data.sample_weight)


def _split(data: Dataset, *, stratified: bool) -> tuple[_Part, _Part]:
    """Put a fifth of the rows aside, with the same shares of the classes."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    y = np.asarray(data.y)
    if not stratified:
        if data.n_samples < _FEWEST_TO_SPLIT:
            raise ValueError(
                f"{data.name} has {data.n_samples} rows, too few to put some aside. Use "
                "--no-holdout."
            )
        chosen = train_test_split(
            np.arange(data.n_samples), test_size=_HOLDOUT_SHARE, random_state=0
        )
        return _part(data, chosen[0]), _part(data, chosen[1])
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
    return _part(data, searched), _part(data, aside)


def _part(data: Dataset, rows: Any) -> _Part:
    import numpy as np

    rows.sort()
    weight = None if data.sample_weight is None else data.sample_weight[rows]
    return _Part(data.X[rows], np.asarray(data.y)[rows], weight)


def _search_grid(
    part: _Part, data: Dataset, estimator: Any, scorer: Any, args: argparse.Namespace
) -> tuple[Any, Preparation]:
    """Search by a fit for each candidate and fold."""
    from svmosaic.cli.grid_search import GridSearch, check_grid, default_grid
    from svmosaic.cli.preparation import plan_preparation

    def new_preparation(X: Any) -> Preparation:
        return plan_preparation(args.scale, args.impute, X, data.feature_names)

    grid = default_grid(estimator, new_preparation(part.X).fit_transform(part.X), part.y)
    if args.method == "ollawv" and getattr(args, "refine", "full") == "none":
        grid.pop("C", None)
    known = estimator.get_params()
    for option, name in _LISTS:
        values = getattr(args, option)
        if values is None:
            continue
        if option in known:
            # A method that tunes itself tries them.
            estimator.set_params(**{option: tuple(values)})
        elif isinstance(known.get(name), tuple):
            estimator.set_params(**{name: tuple(values)})
        elif name in known:
            grid[name] = list(values)
        else:
            raise ValueError(f"The method {args.method} has no --{option}. Leave it out.")
    for name in dict(args.set):
        grid.pop(name, None)
    for name in options.estimator_parameters(args):
        grid.pop(name, None)
    grid |= dict(args.grid)
    check_grid(estimator, grid, f"The method {args.method}")
    if "positive" in grid:
        grid["positive"] = [positive_side(part.y, one) for one in grid["positive"]]
    search = GridSearch(estimator, grid, args.cv, scorer)
    with show_progress("searching", verbose=args.verbose):
        preparation = search.fit(part.X, part.y, part.sample_weight, new_preparation, data.name)
    return search, preparation


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
        racing=_RACING[args.racing],
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


def _best_candidates(search: Any) -> str:
    import numpy as np

    results = search.cv_results_
    sizes = results.get("mean_n_support", np.zeros(results["mean_test_score"].size))
    # Candidates of a race that left early were scored on fewer rows.
    rounds = results.get("iter", np.zeros(sizes.size))
    order = np.lexsort((sizes, -results["mean_test_score"].round(12), -rounds))
    usual = ("gamma", "margin", "C")
    columns = [name for name in usual if name in search.best_params_]
    columns += [name for name in search.best_params_ if name not in usual]
    rows = [
        [
            *(_shown(results[f"param_{name}"][i]) for name in columns),
            f"{results['mean_test_score'][i]:.4f}",
            f"{results['std_test_score'][i]:.4f}",
            *([f"{sizes[i]:.0f}"] if "mean_n_support" in results else []),
        ]
        for i in order[:_CANDIDATES_SHOWN]
    ]
    header = [*columns, "score", "deviation"]
    if "mean_n_support" in results:
        header.append("support vectors")
    return format_table(header, rows, "r" * len(header))


def _shown(value: Any, digits: int = 4) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float | int) else str(value)


def _scores(
    search: Any, preparation: Preparation, held_out: _Part | None, args: Any
) -> list[tuple[str, object]]:
    chosen = ", ".join(f"{name}={_shown(value, 6)}" for name, value in search.best_params_.items())
    why = "of the best candidate: it was chosen by this score"
    if preparation.steps and _is_fast(args):
        why += " and the scaler saw all folds"
    fields: list[tuple[str, object]] = [
        ("chosen", chosen or "what the method chose itself"),
        ("search score", f"{search.best_score_:.4f} {args.scoring} {why}, so it is optimistic"),
    ]
    if held_out is not None:
        from sklearn.base import is_regressor

        from svmosaic.metrics import get_scorer

        X = preparation.transform(held_out.X)
        usual = "r2" if is_regressor(search.best_estimator_) else "accuracy"
        unit = "bag" if hasattr(held_out.X, "offsets") else "row"
        for name in dict.fromkeys((args.scoring, usual)):
            score = get_scorer(name)(search.best_estimator_, X, held_out.y)
            what = f"on {plural(X.shape[0], unit)} that scaling and search never saw"
            fields.append(("hold-out score", f"{score:.4f} {name} {what}: the unbiased estimate"))
    return fields


# Writing ------------------------------------------------------------------------------------


def _write(
    search: Any,
    preparation: Preparation,
    data: Dataset,
    refit: bool,
    args: argparse.Namespace,
    columns: Columns,
    task: Kind,
) -> None:
    from svmosaic.cli.preparation import plan_preparation
    from svmosaic.cli.training_data import column_roles, target_columns
    from svmosaic.persistence import save

    best = search.best_estimator_
    if args.output is not None and refit:
        from sklearn.base import clone

        preparation = plan_preparation(args.scale, args.impute, data.X, data.feature_names)
        X = preparation.fit_transform(data.X)
        with show_progress("training", verbose=args.verbose):
            weights = data.sample_weight if task == "rows" else None
            best = fit_weighted(clone(best), X, data.y, weights, data.name)
    with uninterrupted():
        if args.results is not None:
            _write_results(search, args.results)
            print(format_fields([("results", args.results)]))
        if args.output is not None:
            targets = target_columns(args.data, columns, data, task)
            roles = column_roles(args.data, columns, data, task)
            save(preparation.assemble(best, data.feature_names, targets, roles), args.output)
            what = "bags" if task == "bags" else "rows"
            print(format_fields([("model", f"{args.output}, trained on all {what}")]))


def _write_results(search: Any, path: str) -> None:
    from svmosaic.utils.atomic import atomic_write

    results = search.cv_results_
    with atomic_write(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(results)
        writer.writerows(zip(*(column.tolist() for column in results.values()), strict=True))
