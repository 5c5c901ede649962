"""``svmosaic predict``: write the predictions of a saved model."""

from __future__ import annotations

import argparse
import contextlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmosaic.cli import options
from svmosaic.cli.console import note, uninterrupted
from svmosaic.cli.files import Files
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.cli.prediction_table import PredictionTable
    from svmosaic.datasets import Dataset
    from svmosaic.datasets.dataset import Kind

__all__ = [
    "DESCRIPTION",
    "EPILOG",
    "add_arguments",
    "files",
    "load_model",
    "model_score",
    "predict_labels",
    "run",
]

DESCRIPTION = """\
Predict with a saved model. The output is a table with a header: the id or the number of each row,
and what is predicted for it; of bags, a line for each, in the order in which they come first. When
the data have labels, the accuracy and figures for each class (for values, R2) are shown on the
error stream."""
EPILOG = """\
examples:
  svmosaic predict heart.model new.csv
  svmosaic predict heart.model test.csv -o labels.csv --target class --id patient
  svmosaic predict heart.model features.csv --target none --decision --output-format jsonl
  cat new.csv | svmosaic predict heart.model - | head
  svmosaic predict flats.model new.csv --targets price,rent
  svmosaic predict molecules.model new.csv --bag molecule --target none
  svmosaic predict clicks.model parts/ -o predictions --scheduler tcp://host:8786
"""

# The first word of every model file of LIBSVM.
_LIBSVM_START = b"svm_type"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file, also LIBSVM text")
    options.add_data_options(parser, several=True)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write to this file; with --scheduler, a new folder for one parquet file per data "
        "file",
    )
    parser.add_argument(
        "--output-format",
        choices=("csv", "jsonl", "parquet", "labels"),
        help="how to write: a table, or what is predicted alone, a line for each row (default: by "
        "the extension of OUT, .csv, .jsonl, .parquet or .txt, else csv)",
    )
    parser.add_argument(
        "--decision",
        action="store_true",
        help="also write the decision values, a column for each class; of two classes, one column",
    )
    parser.add_argument(
        "--proba",
        action="store_true",
        help="also write probabilities, a column for each class, if the model has them",
    )
    parser.add_argument(
        "--instances",
        action="store_true",
        help="write a line for each instance of a bag, with its score, if the model has scores "
        "of instances",
    )
    parser.add_argument(
        "--target",
        type=options.column_or_none,
        default=-1,
        metavar="COL",
        help="column of the labels, or none (default: the one that the model was trained on, if "
        "the file has it)",
    )
    parser.add_argument(
        "--targets",
        type=options.columns,
        metavar="COLS",
        help="columns of several targets to compare with (default: those that the model was "
        "trained on, if the file has them)",
    )
    options.add_bag_option(parser)
    options.add_id_options(parser)
    options.add_scheduler_option(
        parser,
        "predict on the Dask cluster of this scheduler, such as tcp://host:8786: its workers read "
        "the files block by block",
    )


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    # The folder of predictions must be new or empty, so that no input can be in it.
    outputs = () if args.scheduler is not None else (args.output,)
    return Files((args.model, *args.data), outputs)


def run(args: argparse.Namespace) -> None:
    """Predict, write, compare with the labels if there are any."""
    if args.scheduler is not None:
        _run_on_cluster(args)
        return
    source = options.one_source(args.data)

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from sklearn.base import is_regressor

    from svmosaic.cli.data_kinds import Columns, data_kind, select_columns
    from svmosaic.cli.data_source import libsvm_width
    from svmosaic.cli.missing_labels import labelled_part
    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.cli.prediction_data import read_for_model
    from svmosaic.cli.prediction_table import output_format, render

    model = load_model(args.model)
    if is_libsvm_model(args.model):
        # The text does not tell the number of features, only the last one in use.
        width = libsvm_width(source, Columns.of(args))
        model = load_model(args.model, max(width, model.n_features_in_))
    task = data_kind(final_estimator(model))
    columns = select_columns(args, task, f"the model {args.model}")
    _check_request(args, model, task)
    data = read_for_model(source, model, columns)
    labels = predict_labels(model, data.X)
    table = _make_table(args, model, data, labels, task)
    _write(render(table, output_format(args.output_format, args.output)), args.output)
    if data.y is None:
        return
    data, labels = labelled_part(data, labels)
    if is_regressor(model):
        mean = "mean " if task == "targets" else ""
        note(f"{mean}R2 {model_score(model, data.X, data.y):.4f}")
    else:
        _show_accuracy(labels, data, step_classes(model), "bag" if task == "bags" else "row")


def _check_request(args: argparse.Namespace, model: Any, task: Kind) -> None:
    """Refuse columns that the model cannot give, before the data are read."""
    from sklearn.base import is_regressor

    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.cli.prediction_table import output_format

    if output_format(args.output_format, args.output) == "labels":
        for option in ("decision", "proba", "instances"):
            if getattr(args, option):
                where = args.output or "the output"
                raise ValueError(
                    f"--{option} writes a table, and {where} would get the predictions alone. Name "
                    "a .csv file with -o, or pass --output-format csv."
                )
    if is_regressor(model):
        for option in ("decision", "proba"):
            if getattr(args, option):
                raise ValueError(
                    f"{args.model} predicts values, not classes. Leave --{option} out."
                )
    if args.proba and not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{args.model} has no probabilities. Use --decision, or train with --proba."
        )
    if args.decision and not hasattr(model, "decision_function"):
        raise ValueError(
            f"{args.model} has probabilities in place of decision values. Use --proba."
        )
    if args.instances and task != "bags":
        raise ValueError(f"--instances is for bags, and {args.model} takes rows. Leave it out.")
    if args.instances and not hasattr(final_estimator(model), "decision_instances"):
        raise ValueError(
            f"{args.model} has no scores of instances. Leave --instances out, or train with "
            "--method mirsvm."
        )


def _make_table(
    args: argparse.Namespace, model: Any, data: Dataset, labels: Any, task: Kind
) -> PredictionTable:
    import numpy as np

    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.cli.prediction_table import PredictionTable, class_columns

    name, ids = _ids(args, model, data, task)
    table = PredictionTable({name: np.asarray(ids).tolist()}, ("prediction",))
    if task == "targets":
        values = labels.reshape(len(labels), -1)
        given = list(getattr(model, "target_names_in_", ()))
        names = given or [f"target{j + 1}" for j in range(values.shape[1])]
        before = len(table.columns)
        for j, target in enumerate(names):
            table.add(str(target), values[:, j])
        table.answers = tuple(table.columns)[before:]
        return table
    while "prediction" in table.columns:
        table.columns = {f"{key}_": column for key, column in table.columns.items()}
    table.add("prediction", labels)
    with _matched_columns():
        if args.decision:
            values = model.decision_function(data.X)
            shape = getattr(final_estimator(model), "decision_function_shape", None)
            for column in class_columns(
                "decision", step_classes(model), values, pairs=shape == "ovo"
            ):
                table.add(*column)
        if args.proba:
            for column in class_columns("proba", step_classes(model), model.predict_proba(data.X)):
                table.add(*column)
    return _of_instances(table, model, data) if args.instances else table


def _ids(args: argparse.Namespace, model: Any, data: Dataset, task: Kind) -> tuple[str, Any]:
    """Return what identifies the rows or bags: their ids and what these are called."""
    from svmosaic.cli.data_kinds import Columns, column_names

    role = "bag" if task == "bags" else "id"
    known = getattr(model, "column_roles_in_", {}).get(role, [role])[0]
    if data.ids is None:
        return "bag" if task == "bags" else "row", range(1, data.n_samples + 1)
    if getattr(args, role) is None:
        return known, data.ids
    columns, source = Columns.of(args), args.data[0]
    names = column_names(source, columns)
    if names is not None:
        columns = columns.resolve(names, Path(source))
    return str(getattr(columns, role)), data.ids


def _of_instances(table: PredictionTable, model: Any, data: Dataset) -> PredictionTable:
    """Return a table with a row for each instance: all that is known of its bag, and its score."""
    import numpy as np

    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.cli.prediction_table import PredictionTable, class_columns

    sizes = np.diff(data.X.offsets)
    whole = {
        name: np.repeat(np.array(values, dtype=object), sizes).tolist()
        for name, values in table.columns.items()
    }
    longer = PredictionTable(whole, table.answers)
    longer.add("instance", np.concatenate([np.arange(1, size + 1) for size in sizes]))
    estimator = final_estimator(model)
    prepared = data.X if model is estimator else model[:-1].transform(data.X)
    scores = estimator.decision_instances(prepared)
    for name, values in class_columns("score", estimator.classes_, scores):
        longer.add(name, values)
    return longer


def _write(content: bytes, path: str | None) -> None:
    from svmosaic.utils.atomic import atomic_write

    if path is not None:
        with uninterrupted(), atomic_write(path, "wb") as stream:
            stream.write(content)
        return
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise ValueError(
            "Parquet files cannot be shown on the screen. Name a file with -o."
        ) from None
    sys.stdout.write(text)
    sys.stdout.flush()


def _run_on_cluster(args: argparse.Namespace) -> None:
    from svmosaic.cli.cluster_predict import predict_on_cluster

    for option in ("proba", "instances", "output_format"):
        if getattr(args, option):
            name = option.replace("_", "-")
            raise ValueError(
                f"--{name} is not for --scheduler, which writes parquet. Leave it out."
            )
    if args.output is None:
        raise ValueError("--scheduler writes one file per data file. Name a folder with -o.")
    if is_libsvm_model(args.model):
        raise ValueError(
            f"{args.model} is LIBSVM text, which does not say how many features it has. Leave "
            "--scheduler out."
        )
    predict_on_cluster(args, load_model(args.model))


def load_model(path: str, n_features: int | None = None) -> Any:
    """Return the model in a model file of ours, or of LIBSVM with `n_features` if given."""
    from svmosaic.persistence import import_libsvm, load

    return import_libsvm(path, n_features=n_features) if is_libsvm_model(path) else load(path)


def is_libsvm_model(path: str) -> bool:
    """Whether the file starts as a model file of LIBSVM does."""
    with open(path, "rb") as stream:
        return stream.read(len(_LIBSVM_START)) == _LIBSVM_START


def predict_labels(model: Any, X: Any) -> Any:
    """Return the labels; the columns of `X` have been matched already."""
    with _matched_columns():
        return model.predict(X)


def model_score(model: Any, X: Any, y: Any) -> float:
    """Return accuracy, or R2 of a regressor; the columns of `X` have been matched already."""
    with _matched_columns():
        return float(model.score(X, y))


def step_classes(model: Any) -> Any:
    """Return the labels that a model can predict; those of a detector are -1 and 1."""
    from svmosaic.cli.model_parts import final_estimator

    return getattr(final_estimator(model), "classes_", [-1, 1])


@contextlib.contextmanager
def _matched_columns() -> Iterator[None]:
    """Keep scikit-learn from asking for column names that were compared here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


def _show_accuracy(labels: Any, data: Dataset, classes: Any, what: str) -> None:
    import numpy as np

    from svmosaic.cli.class_report import report_classes

    if not np.isin(data.classes, classes).any():
        note("the labels in the data are not classes of the model; no accuracy is shown")
        return
    right = int((labels == data.y).sum())
    note(f"accuracy {right / data.n_samples:.4f} ({right} of {plural(data.n_samples, what)} right)")
    if report := report_classes(data.y, labels):
        print(report, file=sys.stderr)
