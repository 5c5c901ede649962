"""``svmosaic export``: write a saved model for other programs."""

from __future__ import annotations

import argparse
from typing import Any

from svmosaic.cli.console import file_size, format_fields
from svmosaic.cli.files import Files

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Write a saved model for other programs.

onnx    a graph that ONNX Runtime and many other programs run, with the scaling in it; its input is
        X (rows, features), its outputs are label and decision, or prediction
libsvm  a model of LIBSVM: classifiers with integer labels and regressors with one target, with the
        kernel linear, poly, rbf or sigmoid and no scaling (train with --scale none)"""
EPILOG = """\
examples:
  svmosaic export heart.model -o heart.onnx
  svmosaic export heart.model -o heart32.onnx --dtype float32
  svmosaic export unscaled.model -o heart.libsvm --to libsvm
"""

_FORMATS = ("onnx", "libsvm")
_TYPES = ("float64", "float32")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file, also LIBSVM text")
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="write the model to this file"
    )
    parser.add_argument(
        "--to", choices=_FORMATS, default="onnx", help="the format (default: %(default)s)"
    )
    parser.add_argument(
        "--dtype",
        choices=_TYPES,
        help="the numbers of an ONNX graph; float32 is smaller, faster and less accurate "
        "(default: float64)",
    )


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    return Files((args.model,), (args.output,))


def run(args: argparse.Namespace) -> None:
    """Load the model, which checks it, and write it."""
    if args.to == "libsvm" and args.dtype is not None:
        raise ValueError("LIBSVM files have text for numbers: --dtype goes with --to onnx only.")

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.cli.predict import load_model
    from svmosaic.persistence import export_libsvm, export_onnx

    model = load_model(args.model)
    if args.to == "onnx":
        export_onnx(model, args.output, dtype=args.dtype or _TYPES[0])
    else:
        export_libsvm(_without_scaling(model), args.output)
    fields: list[tuple[str, object]] = [
        ("model", type(final_estimator(model)).__name__),
        ("format", args.to if args.to == "libsvm" else f"onnx, {args.dtype or _TYPES[0]}"),
        ("file", f"{args.output} ({file_size(args.output)})"),
    ]
    print(format_fields(fields))


def _without_scaling(model: Any) -> Any:
    """Return the estimator of a model that does nothing to its features."""
    from svmosaic.cli.model_parts import final_estimator, list_transformers

    if steps := list_transformers(model):
        raise ValueError(
            "A LIBSVM file has no place for what the model does to its features first "
            f"({', '.join(type(step).__name__ for step in steps)}). Train with --scale none on "
            "data that are scaled already, or export with --to onnx."
        )
    return final_estimator(model)
