"""``svmosaic info``: show what is in a model file."""

from __future__ import annotations

import argparse
from typing import Any

from svmosaic.cli.console import file_size, format_fields
from svmosaic.utils.wording import plural

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

DESCRIPTION = "Show what is in a model file, of svmosaic or of LIBSVM."
EPILOG = """\
example:
  svmosaic info heart.model
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file, also LIBSVM text")


def run(args: argparse.Namespace) -> None:
    """Load the model, which checks it, and describe it."""
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.cli.describe import role_fields
    from svmosaic.cli.model_parts import final_estimator, list_transformers
    from svmosaic.cli.predict import load_model

    model = load_model(args.model)
    final = final_estimator(model)
    # Probabilities are added to a classifier, which is what there is to describe.
    estimator = getattr(final, "estimator_", final)
    before = [type(one).__name__ for one in list_transformers(model)]
    fields: list[tuple[str, object]] = [
        ("file", f"{args.model} ({file_size(args.model)})"),
        ("model", type(estimator).__name__),
        ("scaling", ", ".join(before) if before else "none"),
        ("features", _features(model)),
        *_target_fields(model),
        *role_fields(getattr(model, "column_roles_in_", {})),
        *_class_fields(estimator),
        *_probability_fields(final),
        *_expansion_fields(estimator),
        *_parameter_fields(estimator),
    ]
    print(format_fields(fields))


def _expansion_fields(estimator: Any) -> list[tuple[str, object]]:
    """Return what the decisions are made of: a kernel expansion, planes, chains or bags."""
    from svmosaic.cli.data_kinds import data_kind
    from svmosaic.cli.describe import bag_fields, chain_fields, ensemble_fields, positive_fields

    task = data_kind(estimator)
    if task == "targets":
        return [("targets", estimator.n_targets_), *chain_fields(estimator)]
    if task == "bags":
        return [*positive_fields(estimator), *bag_fields(estimator)]
    if hasattr(estimator, "members_"):
        return ensemble_fields(estimator)
    if not hasattr(estimator, "support_vectors_"):
        return [
            ("planes", estimator.weights_.size),
            ("binary problems", estimator.threshold_.size),
        ]
    return [
        ("kernel", _kernel(estimator)),
        ("support vectors", _support(estimator)),
        ("precision", str(estimator.support_vectors_.dtype)),
        *_training_fields(estimator),
    ]


def _class_fields(estimator: Any) -> list[tuple[str, object]]:
    from svmosaic.cli.describe import listed

    if not hasattr(estimator, "classes_"):
        return []
    return [("classes", f"{estimator.classes_.size}: {listed(estimator.classes_.tolist())}")]


def _probability_fields(estimator: Any) -> list[tuple[str, object]]:
    """Return how probabilities are computed, if they are."""
    if not hasattr(estimator, "temperature_"):
        return []
    more = f", temperature {estimator.temperature_:.4g}" if estimator.classes_.size > 2 else ""
    return [("probabilities", f"{estimator.method}{more}")]


def _target_fields(model: Any) -> list[tuple[str, object]]:
    from svmosaic.cli.describe import listed

    names = list(getattr(model, "target_names_in_", ()))
    return [("predicts", listed(names))] if names else []


def _features(model: Any) -> str:
    from svmosaic.cli.describe import listed

    names = getattr(model, "feature_names_in_", None)
    count = str(model.n_features_in_)
    return count if names is None else f"{count}: {listed(list(names))}"


def _kernel(estimator: Any) -> str:
    from svmosaic.engine.kernels import KERNELS

    numbers = KERNELS[estimator.kernel].parameters if isinstance(estimator.kernel, str) else ()
    fitted = getattr(estimator, "expansion_", None)
    gamma = estimator.gamma if fitted is None else fitted.kernel.gamma
    values = {
        "gamma": f"{gamma:.6g}",
        "degree": str(estimator.degree),
        "coef0": f"{estimator.coef0:g}",
    }
    shown = ", ".join(f"{name}={values[name]}" for name in numbers)
    return f"{estimator.kernel} ({shown})" if shown else str(estimator.kernel)


def _support(estimator: Any) -> str:
    from svmosaic.cli.describe import listed

    per_class = estimator.n_support_.tolist()
    shares = f" (per class {listed(per_class)})" if len(per_class) > 1 else ""
    return f"{sum(per_class)}{shares}"


def _training_fields(estimator: Any) -> list[tuple[str, object]]:
    """Return how the training went, for models that remember it."""
    from svmosaic.cli.describe import part_name, stop_reasons

    fields: list[tuple[str, object]] = [(part_name(estimator), estimator.intercept_.size)]
    if getattr(estimator, "stop_reason_", None) is not None and estimator.stop_reason_.size:
        fields[0] = (fields[0][0], f"{estimator.intercept_.size}; {stop_reasons(estimator)}")
    try:
        path = [m for m in estimator.path_ if m.rows.size]
    except AttributeError:
        path = []
    if path:
        steps = sum(m.rows.size for m in path)
        worst = min(float(m.violations[-1]) for m in path)
        fields.append(("path", f"{plural(steps, 'step')}; last worst y f(x) / C {worst:.4g}"))
    return fields


def _parameter_fields(estimator: Any) -> list[tuple[str, object]]:
    """Return the parameters that differ from the defaults."""
    changed = []
    defaults = type(estimator)().get_params()
    for name, value in estimator.get_params().items():
        if name in defaults and value != defaults[name] and name != "kernel":
            shown = f"{value:.6g}" if isinstance(value, float) else repr(value)
            changed.append(f"{name}={shown}")
    return [("parameters", ", ".join(changed) if changed else "defaults")]
