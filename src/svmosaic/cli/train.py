"""``svmosaic train``: train a model on a file and save it."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from svmosaic.cli import options
from svmosaic.cli.console import (
    file_size,
    format_fields,
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
    resolve_positive,
)
from svmosaic.utils.optional import import_optional
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.cli.data_kinds import Columns
    from svmosaic.datasets import Dataset
    from svmosaic.datasets.dataset import Kind

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = "Train a support vector machine and save it together with its scaling."
EPILOG = """\
examples:
  svmosaic train heart.csv -o heart.model
  svmosaic train letter.svm -o letter.model --gamma 16 --C 10 --test letter.t.svm
  svmosaic train sklearn-digits -o digits.model --refine none --max-time 60
  svmosaic train prices.csv -o prices.model --method smo-regression --set epsilon=0.01
  svmosaic train flats.csv -o flats.model --method svrcc --targets price,rent
  svmosaic train export.csv -o heart.model --id patient --drop note,ward --target healthy --cv 5
  svmosaic train molecules.csv -o molecules.model --method mir-mix-svm --bag molecule
  svmosaic train parts/ -o clicks.model --scheduler tcp://host:8786
"""

# The score on the training data is measured on at most this many rows.
_SCORE_ROWS = 2000
# The kernels that LIBSVM's text format knows.
_LIBSVM_KERNELS = ("linear", "poly", "rbf", "sigmoid")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    options.add_data_options(parser, several=True)
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="model file")
    options.add_target_options(parser)
    options.add_bag_option(parser)
    options.add_column_options(parser)
    parser.add_argument("--test", metavar="FILE", help="also measure the accuracy on this file")
    parser.add_argument(
        "--cv",
        type=options.folds,
        metavar="K",
        help="also measure the score by cross-validation with K folds, and its spread",
    )
    parser.add_argument(
        "--proba",
        action="store_true",
        help="calibrate the classifier on rows left out, so that it predicts probabilities",
    )
    parser.add_argument("--libsvm", metavar="OUT", help="also write the model as LIBSVM text")
    options.add_impute_option(parser)
    options.add_scale_option(parser)
    parser.add_argument("--float32", action="store_true", help="compute in single precision")
    group = parser.add_argument_group("the model")
    group.add_argument(
        "--method", choices=tuple(METHODS), default="ollawv", help="(default: %(default)s)"
    )
    group.add_argument(
        "--gamma",
        type=options.gamma,
        default=argparse.SUPPRESS,
        metavar="G",
        help="kernel width: a number, scale, auto, cbp or cbp-radius (default: scale)",
    )
    group.add_argument(
        "--margin",
        type=options.non_negative_float,
        default=argparse.SUPPRESS,
        metavar="M",
        help="the selection of ollawv stops when all samples reach it (default: 0.1)",
    )
    group.add_argument(
        "--C",
        type=options.positive_float,
        default=argparse.SUPPRESS,
        metavar="C",
        help="penalty of errors (default: 1)",
    )
    group.add_argument(
        "--refine-C",
        type=options.positive_float,
        default=argparse.SUPPRESS,
        metavar="C",
        help="penalty of the refinement, if it is not C",
    )
    options.add_estimator_options(group)
    options.add_seed_option(group)
    group.add_argument(
        "--max-time",
        type=options.positive_float,
        default=argparse.SUPPRESS,
        metavar="S",
        help="stop after S seconds and keep the model so far",
    )
    group.add_argument(
        "--set",
        type=named_parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another parameter of the method, for example --set epsilon=0.01",
    )
    options.add_scheduler_option(
        parser,
        "train on the Dask cluster of this scheduler, such as tcp://host:8786: its workers read "
        "the files, LIBSVM text, CSV, ARFF or parquet, one partition each",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show more")


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    data = args.data
    if args.scheduler is not None:
        # Imported here: the numerical libraries take a second.
        from svmosaic.dask.files import list_files

        data = list_files(data)
    return Files((*data, args.test), (args.output, args.libsvm))


def run(args: argparse.Namespace) -> None:
    """Train, show a summary, save."""
    _check_libsvm(args)
    import_optional("safetensors", "save models")
    if args.scheduler is not None:
        _run_on_cluster(args)
        return

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from sklearn.base import is_regressor

    from svmosaic.cli.data_kinds import columns_of_test, data_kind, select_columns, with_index
    from svmosaic.cli.data_tables import dense_where_needed
    from svmosaic.cli.describe import role_fields
    from svmosaic.cli.folds import check_folds, make_folds
    from svmosaic.cli.preparation import plan_preparation
    from svmosaic.cli.target_words import check_labels
    from svmosaic.cli.training_data import (
        column_roles,
        read_training,
        target_columns,
        warn_about_ids,
    )

    estimator = make_estimator(args.method, options.estimator_parameters(args), args.set)
    regression, task = is_regressor(estimator), data_kind(estimator)
    if args.proba:
        estimator = _with_probabilities(estimator, args.method, task)
    columns = select_columns(args, task, f"the method {args.method}")
    if task == "targets" and args.target != -1:
        raise ValueError(f"{args.method} has several targets. Name them with --targets.")
    gaps = args.impute != "none"
    source = options.one_source(args.data)
    columns = with_index(source, columns, task)
    data = read_training(source, columns, task=task, float32=args.float32, gaps=gaps)
    warn_about_ids(source, columns, data)
    data = dense_where_needed(data, estimator)
    if task == "bags":
        resolve_positive(estimator, data.y)
    if data.sample_weight is not None and task != "rows":
        raise ValueError(
            f"{data.name} has weights of its rows, which {args.method} does not take. Remove them."
        )
    if args.libsvm is not None and data.y is not None and data.y.dtype.kind not in "iu":
        raise ValueError(
            f"LIBSVM text holds integer labels only, and {data.name} has others. Leave "
            "--libsvm out."
        )
    check_labels(data, regression=regression)
    folds = None
    if args.cv is not None:
        folds = make_folds(data.y, args.cv, stratified=not regression, who=data.name)
        check_folds(folds, data, args.impute, regression=regression)
    preparation = plan_preparation(args.scale, args.impute, data.X, data.feature_names)
    targets = target_columns(source, columns, data, task)
    roles = column_roles(source, columns, data, task)
    begin = time.perf_counter()
    X = preparation.fit_transform(data.X)
    with show_progress("training", verbose=args.verbose):
        fit_weighted(estimator, X, data.y, data.sample_weight, data.name)
    seconds = time.perf_counter() - begin
    model = preparation.assemble(estimator, data.feature_names, targets, roles)
    # Saved before it is measured: whatever goes wrong from here on, the model is not lost.
    written = _write(model, args)
    try:
        shown = [*_data_fields(data, regression), *role_fields(roles), *preparation.fields()]
        print(format_fields(shown))
        seconds_field = ("seconds", f"{seconds:.2f}")
        trained = estimator.estimator_ if args.proba else estimator
        print(format_fields([seconds_field, *_result_fields(trained, data, task)]))
        score = {"targets": "mean R2"}.get(task, "R2" if regression else "accuracy")
        print(format_fields([(f"training {score}", _training_score(estimator, X, data.y))]))
        if folds is not None:
            measured = _cross_validated(args, estimator, data, folds)
            print(format_fields([(f"{args.cv}-fold {score}", measured)]))
        if args.verbose and task == "rows":
            print(format_fields(_verbose_fields(trained)))
        if args.test is not None:
            if task == "targets":
                # Whatever named the targets of the training rows names those of the test rows.
                columns = replace(columns, targets=list(data.target_names or ()))
            columns = columns_of_test(columns, source, args.test)
            print(format_fields([(f"test {score}", _test_score(model, args.test, columns))]))
    finally:
        print(format_fields(written))


def _with_probabilities(estimator: Any, method: str, task: Kind) -> Any:
    """Return the classifier in one that gives probabilities."""
    from sklearn.base import is_classifier

    from svmosaic.classification.calibrated import with_probabilities

    if task != "rows" or not is_classifier(estimator):
        what = "takes bags" if task == "bags" else "predicts values, not classes"
        raise ValueError(f"{method} {what}, so there are no probabilities. Leave --proba out.")
    return with_probabilities(estimator)


def _run_on_cluster(args: argparse.Namespace) -> None:
    from sklearn.base import is_regressor

    from svmosaic.cli.cluster_train import train_on_cluster
    from svmosaic.cli.data_kinds import Columns

    if args.proba:
        raise ValueError(
            "--proba needs all rows on one computer. Leave --proba or --scheduler out."
        )
    if args.cv is not None:
        raise ValueError("--cv needs all rows on one computer. Leave --cv or --scheduler out.")
    model = train_on_cluster(args, _SCORE_ROWS)
    written = _write(model, args)
    try:
        if args.test is not None:
            columns = Columns.of(args)
            score = "R2" if is_regressor(model) else "accuracy"
            print(format_fields([(f"test {score}", _test_score(model, args.test, columns))]))
    finally:
        print(format_fields(written))


def _check_libsvm(args: argparse.Namespace) -> None:
    """Refuse what LIBSVM text cannot hold before the training, not after it."""
    if args.libsvm is None:
        return
    if args.proba:
        raise ValueError(
            "LIBSVM text has no place for our probabilities. Leave --libsvm or --proba out."
        )
    if METHODS[args.method] != "OLLAWVClassifier":
        raise ValueError(
            f"LIBSVM text is written for the method ollawv only, not for {args.method}. Leave "
            "--libsvm out."
        )
    kernel = getattr(args, "kernel", "rbf")
    if kernel not in _LIBSVM_KERNELS:
        raise ValueError(
            f"LIBSVM text has no {kernel} kernel. Leave --libsvm out, or use one of "
            f"{', '.join(_LIBSVM_KERNELS)}."
        )
    if getattr(args, "multi_class", "ovo") == "ovr":
        raise ValueError(
            "LIBSVM text holds one-vs-one models only. Leave --libsvm or --multi-class ovr out."
        )


# What is shown ------------------------------------------------------------------------------


def _data_fields(data: Dataset, regression: bool) -> list[tuple[str, object]]:
    from scipy.sparse import issparse

    from svmosaic.cli.data_tables import as_table
    from svmosaic.cli.describe import listed
    from svmosaic.cli.target_words import describe_classes, describe_values

    table = as_table(data)
    features = str(data.n_features)
    if issparse(table):
        features += f", sparse ({table.nnz / (table.shape[0] * data.n_features):.1%} non-zero)"
    if table is data.X:
        size: list[tuple[str, object]] = [("rows", data.n_samples)]
    else:
        size = [("bags", data.n_samples), ("instances", table.shape[0])]
    assert data.y is not None
    if data.y.ndim == 2:
        names = listed(list(data.target_names or ()))
        return [*size, ("features", features), ("targets", f"{data.y.shape[1]}: {names}")]
    about = describe_values(data.y) if regression else describe_classes(data.y)
    return [*size, ("features", features), ("target" if regression else "classes", about)]


def _result_fields(estimator: Any, data: Dataset, task: Kind) -> list[tuple[str, object]]:
    from svmosaic.cli.describe import (
        bag_fields,
        chain_fields,
        ensemble_fields,
        part_name,
        positive_fields,
        stop_reasons,
    )

    if task == "targets":
        return chain_fields(estimator)
    if task == "bags":
        return [*positive_fields(estimator), *bag_fields(estimator)]
    if hasattr(estimator, "members_"):
        return ensemble_fields(estimator)
    if not hasattr(estimator, "n_support_"):
        return [
            ("planes", int(estimator.n_planes_.sum())),
            ("binary problems", estimator.n_planes_.size),
        ]
    n_support = int(estimator.n_support_.sum())
    return [
        ("support vectors", f"{n_support} ({n_support / data.n_samples:.1%} of the rows)"),
        (part_name(estimator), f"{estimator.intercept_.size}; {stop_reasons(estimator)}"),
    ]


def _verbose_fields(estimator: Any) -> list[tuple[str, object]]:
    if hasattr(estimator, "members_"):
        return [("steps", int(estimator.n_iter_.sum()))]
    if not hasattr(estimator, "n_support_"):
        return [("planes", ", ".join(map(str, estimator.n_planes_.tolist())))]
    steps = estimator.n_iter_
    shown: list[tuple[str, object]] = [
        ("gamma", f"{estimator.expansion_.kernel.gamma:.6g}"),
        ("steps", f"{int(steps.sum())} in all, {int(steps.max())} at most in one problem"),
        ("vectors", ", ".join(map(str, estimator.n_support_.tolist()))),
    ]
    report = getattr(estimator, "fit_report_", None)
    if report is not None:
        known = ("support vectors", "binary problems", "stop reason", "selection steps")
        named = {"samples": "distinct rows", "seconds": "seconds of fit"}
        shown += [
            (named.get(name, name), text) for name, text in report.fields() if name not in known
        ]
    return shown


def _training_score(estimator: Any, X: Any, y: Any) -> str:
    """Return the score on some rows: all of them would cost more than the training."""
    import numpy as np
    from sklearn.base import is_classifier

    from svmosaic.cli.predict import model_score, predict_labels

    rows, note_on_rows = np.arange(len(y)), ""
    if rows.size > _SCORE_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _SCORE_ROWS, replace=False))
        note_on_rows = f" (on {_SCORE_ROWS} rows drawn at random)"
    if not is_classifier(estimator):
        return f"{model_score(estimator, X[rows], y[rows]):.4f}{note_on_rows}"
    predicted = predict_labels(estimator, X[rows])
    _, counts = np.unique(y[rows], return_counts=True)
    n_right = int(np.sum(predicted == y[rows]))
    if n_right <= counts.max() < rows.size:
        other = ", or the other class with --set positive=LABEL" if _has_sides(estimator) else ""
        note(
            "warning: the training accuracy is no better than that of a constant. Try other "
            f"parameters, for example a larger --C{other}"
        )
    return f"{n_right / rows.size:.4f}{note_on_rows}"


def _has_sides(estimator: Any) -> bool:
    """Return whether it matters which of two classes is the positive one."""
    return hasattr(estimator, "positive") and estimator.classes_.size == 2


def _cross_validated(
    args: argparse.Namespace, estimator: Any, data: Dataset, folds: list[tuple[Any, Any]]
) -> str:
    """Return mean and spread of the score over folds; each has a scaling of its own."""
    import numpy as np
    from sklearn.base import clone

    from svmosaic.cli.predict import model_score
    from svmosaic.cli.preparation import plan_preparation

    scores, weight = [], data.sample_weight
    y = np.asarray(data.y)
    for train, test in folds:
        preparation = plan_preparation(args.scale, args.impute, data.X[train], data.feature_names)
        X, fresh = preparation.fit_transform(data.X[train]), clone(estimator)
        with show_progress("cross-validating", verbose=args.verbose):
            of_train = None if weight is None else weight[train]
            fit_weighted(fresh, X, y[train], of_train, data.name)
        scores.append(model_score(fresh, preparation.transform(data.X[test]), y[test]))
    return f"{np.mean(scores):.4f} (deviation {np.std(scores, ddof=1):.4f} over {args.cv} folds)"


def _test_score(model: Any, source: str, columns: Columns) -> str:
    from svmosaic.cli.data_kinds import data_kind
    from svmosaic.cli.missing_labels import labelled_part
    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.cli.predict import model_score
    from svmosaic.cli.prediction_data import read_for_model

    test = read_for_model(source, model, columns)
    task = data_kind(final_estimator(model))
    if test.y is None:
        option = "--targets" if task == "targets" else "--target"
        raise ValueError(f"{source} has no labels to compare with. Name them by {option}.")
    test, _ = labelled_part(test, test.y)
    what = "bag" if task == "bags" else "row"
    return f"{model_score(model, test.X, test.y):.4f} ({plural(test.n_samples, what)})"


# Writing ------------------------------------------------------------------------------------


def _write(model: Any, args: argparse.Namespace) -> list[tuple[str, object]]:
    """Save the model; return what was written, to be shown."""
    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.persistence import export_libsvm, save

    with uninterrupted():
        save(model, args.output)
        written: list[tuple[str, object]] = [
            ("model", f"{args.output} ({file_size(args.output)})"),
        ]
        if args.libsvm is not None:
            export_libsvm(final_estimator(model), args.libsvm)
            written.append(("LIBSVM text", args.libsvm))
            if args.scale != "none":
                note("the LIBSVM text has no place for scaling: scale data before using it")
    return written
