"""``svmosaic predict``: write the predictions of a saved model."""

from __future__ import annotations

import argparse
import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from svmosaic.cli import options
from svmosaic.cli.console import note, uninterrupted
from svmosaic.cli.files import Files
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.datasets import Dataset

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
Predict with a saved model: one label or value per line, in the order of the rows (of bags, in the
order in which they come first); several targets have tabs between them. When the data have labels,
the accuracy (for values, R2) is shown on the error stream."""
EPILOG = """\
examples:
  svmosaic predict heart.model new.csv
  svmosaic predict heart.model test.csv -o labels.txt --target class
  svmosaic predict heart.model features.csv --target none --decision
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
        "--decision",
        action="store_true",
        help="write the decision values after each label, with tabs between them",
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

    from svmosaic.cli.data_kinds import data_kind, select_columns
    from svmosaic.cli.inputs import final_estimator, libsvm_width, read_for_model
    from svmosaic.utils.atomic import atomic_write

    model = load_model(args.model)
    if is_libsvm_model(args.model):
        # The text does not tell the number of features, only the last one in use.
        width = libsvm_width(source, args.format, args.max_bytes)
        model = load_model(args.model, max(width, model.n_features_in_))
    task = data_kind(final_estimator(model))
    columns = select_columns(args, task, f"the model {args.model}")
    data = read_for_model(source, model, columns)
    regression = is_regressor(model)
    labels = predict_labels(model, data.X)
    if task == "targets":
        lines = ["\t".join(map(str, row)) for row in labels.reshape(len(labels), -1).tolist()]
    else:
        lines = [str(label) for label in labels.tolist()]
    if args.decision and regression:
        raise ValueError(f"{args.model} predicts values, not classes. Leave --decision out.")
    if args.decision:
        lines = list(_with_decisions(lines, model, data.X))
    text = "".join(f"{line}\n" for line in lines)
    if args.output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        with uninterrupted(), atomic_write(args.output) as stream:
            stream.write(text)
    if data.y is not None and regression:
        mean = "mean " if task == "targets" else ""
        note(f"{mean}R2 {model_score(model, data.X, data.y):.4f}")
    elif data.y is not None:
        _show_accuracy(labels, data, step_classes(model), "bag" if task == "bags" else "row")


def _run_on_cluster(args: argparse.Namespace) -> None:
    from svmosaic.cli.cluster_predict import predict_on_cluster

    if args.output is None:
        raise ValueError("--scheduler writes one file per data file. Name a folder by -o.")
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
    from svmosaic.cli.inputs import final_estimator

    return getattr(final_estimator(model), "classes_", [-1, 1])


@contextlib.contextmanager
def _matched_columns() -> Iterator[None]:
    """Keep scikit-learn from asking for column names that were compared here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


def _with_decisions(lines: list[str], model: Any, X: Any) -> Iterator[str]:
    with _matched_columns():
        values = model.decision_function(X)
    table = values.reshape(len(lines), -1).tolist()
    for label, row in zip(lines, table, strict=True):
        yield "\t".join([label, *(f"{value:.17g}" for value in row)])


def _show_accuracy(labels: Any, data: Dataset, classes: Any, what: str) -> None:
    import numpy as np

    if not np.isin(data.classes, classes).any():
        note("the labels in the data are not classes of the model; no accuracy is shown")
        return
    right = int((labels == data.y).sum())
    note(f"accuracy {right / data.n_samples:.4f} ({right} of {plural(data.n_samples, what)} right)")
