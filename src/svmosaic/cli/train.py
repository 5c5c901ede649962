"""``svmosaic train``: train a model on a file and save it."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from svmosaic.cli import options
from svmosaic.cli.console import (
    check_output,
    file_size,
    format_fields,
    note,
    plural,
    show_progress,
    uninterrupted,
)
from svmosaic.cli.methods import METHODS, make_machine, named_parameter

if TYPE_CHECKING:
    from svmosaic.datasets import Dataset

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

DESCRIPTION = "Train a support vector machine and save it together with its scaling."
EPILOG = """\
examples:
  svmosaic train heart.csv -o heart.model
  svmosaic train letter.svm -o letter.model --gamma 16 --C 10 --test letter.t.svm
  svmosaic train sklearn-digits -o digits.model --refine selected --max-time 60
  svmosaic train prices.csv -o prices.model --method smo-regression --set epsilon=0.01
"""

# The score on the training data is measured on at most so many rows.
_SCORE_ROWS = 2000
# The kernels that LIBSVM's text format knows.
_LIBSVM_KERNELS = ("linear", "poly", "rbf", "sigmoid")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    options.add_data_options(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="model file")
    parser.add_argument(
        "--target",
        type=options.column,
        metavar="COL",
        help="column of the labels, by name or by number from 0 (default: the last)",
    )
    parser.add_argument("--test", metavar="FILE", help="also measure the accuracy on this file")
    parser.add_argument("--libsvm", metavar="OUT", help="also write the model as LIBSVM text")
    options.add_scale_option(parser)
    parser.add_argument("--float32", action="store_true", help="compute in single precision")
    group = parser.add_argument_group("the machine")
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
    options.add_machine_options(group)
    group.add_argument(
        "--max-time",
        type=options.positive_float,
        default=argparse.SUPPRESS,
        metavar="S",
        help="stop after S seconds with what was reached",
    )
    group.add_argument(
        "--set",
        type=named_parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another parameter of the method, for example --set epsilon=0.01",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show more")


def run(args: argparse.Namespace) -> None:
    """Train, show a summary, save."""
    check_output(args.output)
    check_output(args.libsvm)
    _check_libsvm(args)

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from sklearn.base import is_regressor

    from svmosaic.cli import inputs

    machine = make_machine(args.method, options.machine_parameters(args), args.set)
    regression = is_regressor(machine)
    data = inputs.read_training(
        args.data, format=args.format, target=args.target, float32=args.float32
    )
    data = inputs.dense_where_needed(data, machine)
    if args.libsvm is not None and data.y is not None and data.y.dtype.kind not in "iu":
        raise ValueError(
            f"LIBSVM text knows whole numbers as labels only, and {data.name} has others. Leave "
            "--libsvm out."
        )
    scaler, scaling = inputs.make_scaler(args.scale, data.X)
    begin = time.perf_counter()
    X = data.X if scaler is None else scaler.fit_transform(data.X)
    with show_progress("training", verbose=args.verbose):
        machine.fit(X, data.y, data.sample_weight)
    seconds = time.perf_counter() - begin
    model = inputs.assemble(scaler, machine, data.feature_names)

    print(format_fields(_data_fields(data, scaling, regression=regression)))
    print(format_fields(_machine_fields(machine, data, seconds)))
    score = "R2" if regression else "accuracy"
    print(format_fields([(f"training {score}", _training_score(machine, X, data.y))]))
    if args.verbose:
        print(format_fields(_verbose_fields(machine)))
    if args.test is not None:
        print(format_fields([(f"test {score}", _test_score(model, args))]))
    _write(model, args)


def _check_libsvm(args: argparse.Namespace) -> None:
    """Refuse what LIBSVM text cannot hold before the training, not after it."""
    if args.libsvm is None:
        return
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
            "LIBSVM text holds one-vs-one machines only. Leave --libsvm or --multi-class ovr out."
        )


# What is shown ------------------------------------------------------------------------------


def _data_fields(data: Dataset, scaling: str, *, regression: bool) -> list[tuple[str, object]]:
    from scipy.sparse import issparse

    from svmosaic.cli.inputs import describe_classes, describe_values

    features = str(data.n_features)
    if issparse(data.X):
        features += f", sparse ({data.X.nnz / (data.n_samples * data.n_features):.1%} non-zero)"
    return [
        ("rows", data.n_samples),
        ("features", features),
        ("target", describe_values(data.y))
        if regression
        else ("classes", describe_classes(data.y)),
        ("scaling", scaling),
    ]


def _machine_fields(machine: Any, data: Dataset, seconds: float) -> list[tuple[str, object]]:
    if not hasattr(machine, "n_support_"):
        return [
            ("seconds", f"{seconds:.2f}"),
            ("planes", int(machine.n_planes_.sum())),
            ("machines", machine.n_planes_.size),
        ]
    n_support = int(machine.n_support_.sum())
    n_machines = machine.intercept_.size
    return [
        ("seconds", f"{seconds:.2f}"),
        ("support vectors", f"{n_support} ({n_support / data.n_samples:.1%} of the rows)"),
        ("machines", f"{n_machines}; {stop_reasons(machine)}"),
    ]


def stop_reasons(machine: Any) -> str:
    """Return why the selections stopped and how many did for each reason."""
    import numpy as np

    reasons, counts = np.unique(machine.stop_reason_, return_counts=True)
    if reasons.size == 1:
        return str(reasons[0])
    return ", ".join(f"{count} {reason}" for reason, count in zip(reasons, counts, strict=True))


def _verbose_fields(machine: Any) -> list[tuple[str, object]]:
    if not hasattr(machine, "n_support_"):
        return [("planes", ", ".join(map(str, machine.n_planes_.tolist())))]
    steps = machine.n_iter_
    return [
        ("gamma", f"{machine._gamma:.6g}"),
        ("steps", f"{int(steps.sum())} in all, {int(steps.max())} at most in one machine"),
        ("vectors", ", ".join(map(str, machine.n_support_.tolist()))),
    ]


def _training_score(machine: Any, X: Any, y: Any) -> str:
    """Return the score on some rows: all of them would cost more than the training."""
    import numpy as np

    from svmosaic.cli.predict import score_of

    rows, note_on_rows = np.arange(X.shape[0]), ""
    if rows.size > _SCORE_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _SCORE_ROWS, replace=False))
        note_on_rows = f" (on {_SCORE_ROWS} rows drawn at random)"
    return f"{score_of(machine, X[rows], y[rows]):.4f}{note_on_rows}"


def _test_score(model: Any, args: argparse.Namespace) -> str:
    from svmosaic.cli.inputs import read_for_model
    from svmosaic.cli.predict import score_of

    target = -1 if args.target is None else args.target
    test = read_for_model(args.test, model, format=args.format, target=target)
    if test.y is None:
        raise ValueError(f"{args.test} has no labels to compare with. Name them by --target.")
    return f"{score_of(model, test.X, test.y):.4f} ({plural(test.n_samples, 'row')})"


# Writing ------------------------------------------------------------------------------------


def _write(model: Any, args: argparse.Namespace) -> None:
    from svmosaic.cli.inputs import step
    from svmosaic.persistence import export_libsvm, save

    with uninterrupted():
        save(model, args.output)
        print(format_fields([("model", f"{args.output} ({file_size(args.output)})")]))
        if args.libsvm is not None:
            export_libsvm(step(model, "model"), args.libsvm)
            print(format_fields([("LIBSVM text", args.libsvm)]))
            if args.scale != "none":
                note("the LIBSVM text has no place for scaling: scale data before using it")
