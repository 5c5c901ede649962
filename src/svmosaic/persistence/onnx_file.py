"""Write fitted models as ONNX files (Open Neural Network Exchange)."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.calibrated import CalibratedClassifier
from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.oge import OGEClassifier
from svmosaic.classification.one_class_smo import OneClassSMO
from svmosaic.classification.stream.stream_classifier import StreamClassifier
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.persistence.onnx_graphs.chains import chain_targets, weighted_targets
from svmosaic.persistence.onnx_graphs.expansions import expansion_values
from svmosaic.persistence.onnx_graphs.graph import INPUT, Graph, NotExportableError
from svmosaic.persistence.onnx_graphs.planes import plane_votes
from svmosaic.persistence.onnx_graphs.probabilities import class_probabilities
from svmosaic.persistence.onnx_graphs.steps import add_step
from svmosaic.persistence.onnx_graphs.streams import stream_decision
from svmosaic.persistence.onnx_graphs.votes import (
    Classified,
    classify,
    largest,
    pair_votes,
    whole_votes,
)
from svmosaic.regression.chained_svr import ChainedSVR
from svmosaic.regression.nu_smo_regressor import NuSMORegressor
from svmosaic.regression.smo_regressor import SMORegressor
from svmosaic.regression.svrwc import SVRWC
from svmosaic.svm.libsvm_classifier import LibsvmClassifier
from svmosaic.utils.atomic import atomic_write
from svmosaic.version import __version__

__all__ = ["export_onnx"]

# For each result of a graph its value, its type and its columns; 0 columns is a vector.
Outputs = dict[str, tuple[str, Any, int]]


def export_onnx(model: Any, path: str | os.PathLike[str], *, dtype: Any = "float64") -> None:
    """Write a fitted model as an ONNX file, to predict without Python or svmosaic.

    The graph consists of plain operators (set 17), which ONNX Runtime reads since version 1.12. It
    has one input, ``X`` of shape (n, n_features). A classifier has the outputs ``label`` and
    ``decision``, what `predict` and `decision_function` return; a `CalibratedClassifier` has
    ``label`` and ``probability``; a regressor has ``prediction``.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted classifier or regressor of svmosaic with a named kernel, of one target or more; a
        stream learner, whose present model is written; an `OGEClassifier`; a search, whose best
        model is written; or a scikit-learn pipeline that ends in one of these and otherwise holds
        `SimpleImputer`, `ConstantHolder`, `StandardScaler`, `MinMaxScaler` or `MaxAbsScaler`.
    path : path-like
        The file to write, by custom with the extension ``.onnx``. The support vectors are dense in
        it; it holds 2 GB at most.
    dtype : {"float64", "float32"}, default="float64"
        The type of the input, of the arithmetic and of the decision values. With float64, values
        agree with those of svmosaic to about 1e-10 of their size (1e-6 where a model has float32
        vectors). float32 is smaller and faster, and agrees to about 1e-6 of the sum of the absolute
        coefficients; samples nearer to the boundary than that may get another label.

    See Also
    --------
    save : Write a model file of svmosaic, which holds all of a model.
    export_libsvm : Write LIBSVM's text format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier, export_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OLLAWVClassifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "iris.onnx")
    ...     export_onnx(model, path)
    ...     path.stat().st_size > 0
    True
    """
    content = encode_onnx(model, dtype)
    with atomic_write(path, "wb") as stream:
        stream.write(content)


def encode_onnx(model: Any, dtype: Any = "float64") -> bytes:
    """Return the content of the ONNX file."""
    graph = Graph(_check_dtype(dtype))
    steps, final = _unfold(model)
    check_is_fitted(model)
    X = INPUT
    for step in steps:
        X = add_step(graph, X, step)
    outputs = _outputs(graph, X, final)
    # The first step that is not "passthrough" knows the features.
    n_features = next(
        one.n_features_in_ for one in (*steps, final) if hasattr(one, "n_features_in_")
    )
    content: bytes = graph.model(n_features, outputs, _about(model, final)).SerializeToString()
    return content


def _check_dtype(dtype: Any) -> np.dtype[Any]:
    for known in map(np.dtype, ("float32", "float64")):
        with contextlib.suppress(TypeError):
            if dtype is not None and np.dtype(dtype) == known:
                return known
    raise ValueError(
        "The 'dtype' parameter of export_onnx must be 'float32' or 'float64'. Got "
        f"{dtype!r} instead."
    )


def _unfold(model: Any) -> tuple[list[Any], Any]:
    """Return the transformers before a model and the model, seen through pipelines and searches."""
    if isinstance(model, Pipeline):
        before: list[Any] = []
        for _, step in model.steps[:-1]:
            more, last = _unfold(step) if isinstance(step, Pipeline) else ([], step)
            before += [*more, last]
        inner, final = _unfold(model.steps[-1][1])
        return [*before, *inner], final
    if hasattr(model, "best_estimator_"):
        return _unfold(model.best_estimator_)
    return [], model


def _about(model: Any, final: Any) -> dict[str, str]:
    """Return what the file says of the model."""
    about = {"svmosaic": __version__, "model": type(final).__name__}
    for key, attribute in (("features", "feature_names_in_"), ("targets", "target_names_in_")):
        if (names := getattr(model, attribute, None)) is not None:
            about[key] = json.dumps([str(name) for name in names])
    return about


def _outputs(graph: Graph, X: str, model: Any) -> Outputs:
    """Return the results of a model; refuse one that no graph can hold."""
    for kind, make in _MODELS:
        if isinstance(model, kind):
            return make(graph, X, model)
    raise _unknown(model)


def _unknown(model: Any) -> NotExportableError:
    if isinstance(model, BagClassifier):
        return NotExportableError(
            f"An ONNX graph predicts rows of a table, and {type(model).__name__} predicts bags of "
            "them. Use svmosaic.save."
        )
    return NotExportableError(
        "export_onnx expected a fitted classifier or regressor of svmosaic, or a Pipeline that "
        f"ends in one. Got {type(model).__name__}."
    )


# Classifiers --------------------------------------------------------------------------------


def _classes(graph: Graph, model: Any, found: Classified) -> Outputs:
    decision, n_columns, numbers = found
    label = graph.add("Gather", graph.labels(model.classes_), numbers)
    return {
        "label": (label, _label_type(model.classes_), 0),
        "decision": (decision, graph.dtype, n_columns),
    }


def _label_type(classes: Any) -> Any:
    return {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}.get(
        classes.dtype.kind, np.str_
    )


def _from_outputs(
    values: Callable[[Graph, str, Any], str],
) -> Callable[[Graph, str, Any], Outputs]:
    """Return what makes a classifier of the outputs of its binary problems."""

    def make(graph: Graph, X: str, model: Any) -> Outputs:
        all_pairs = model.decision_function_shape == "ovo"
        outputs = values(graph, X, model)
        n_classes = model.classes_.size
        found = classify(graph, outputs, n_classes, model.multi_class, all_pairs=all_pairs)
        return _classes(graph, model, found)

    return make


def _kernel_outputs(graph: Graph, X: str, model: Any) -> str:
    return expansion_values(graph, X, model.expansion_)


def _as_scikit_learn_decides(graph: Graph, X: str, model: LibsvmClassifier) -> Outputs:
    """Return decisions whose ties of votes go to the first class, unless `break_ties` is set."""
    if hasattr(model, "_calibrated"):
        raise NotExportableError(
            f"export_onnx cannot write the probabilities of {type(model).__name__}. Leave "
            "probability out, or use CalibratedClassifier."
        )
    if model.classes_.size == 2:
        return _from_outputs(_kernel_outputs)(graph, X, model)
    n_classes = model.classes_.size
    outputs = _kernel_outputs(graph, X, model)
    # An output of 0 counts for the first class of its pair here, and for the second in `predict`.
    is_zero = graph.add("Equal", outputs, graph.numbers(0.0))
    tiny = graph.numbers(np.finfo(graph.dtype).tiny)
    for_the_first = pair_votes(graph, graph.add("Where", is_zero, tiny, outputs), n_classes)
    votes = for_the_first if model.break_ties else whole_votes(graph, outputs, n_classes)
    if model.decision_function_shape == "ovo":
        found = outputs, n_classes * (n_classes - 1) // 2, largest(graph, votes)
    else:
        found = for_the_first, n_classes, largest(graph, votes)
    return _classes(graph, model, found)


def _detector(graph: Graph, X: str, model: Any) -> Outputs:
    decision = graph.squeezed(expansion_values(graph, X, model.expansion_))
    inside = graph.cast(graph.add("GreaterOrEqual", decision, graph.numbers(0.0)), np.int64)
    label = graph.add("Gather", graph.integers([-1, 1]), inside)
    return {"label": (label, np.int64, 0), "decision": (decision, graph.dtype, 0)}


def _stream(graph: Graph, X: str, model: Any) -> Outputs:
    return _classes(graph, model, stream_decision(graph, X, model))


def _calibrated(graph: Graph, X: str, model: CalibratedClassifier) -> Outputs:
    steps, final = _unfold(model.estimator_)
    for step in steps:
        X = add_step(graph, X, step)
    if isinstance(final, KernelClassifier):
        values = expansion_values(graph, X, final.expansion_)
    elif isinstance(final, OGEClassifier):
        values = plane_votes(graph, X, final)
    elif isinstance(final, StreamClassifier):
        values, n_columns, _ = stream_decision(graph, X, final)
        if n_columns == 0:
            values = graph.add("Unsqueeze", values, graph.integers([1]))
    else:
        raise _unknown(final)
    p = class_probabilities(graph, values, model)
    label = graph.add("Gather", graph.labels(model.classes_), largest(graph, p))
    return {
        "label": (label, _label_type(model.classes_), 0),
        "probability": (p, graph.dtype, model.classes_.size),
    }


# Regressors ---------------------------------------------------------------------------------


def _regressor(graph: Graph, X: str, model: Any) -> Outputs:
    value = graph.squeezed(expansion_values(graph, X, model.expansion_))
    return {"prediction": (value, graph.dtype, 0)}


def _chains(graph: Graph, X: str, model: Any) -> Outputs:
    return _targets(graph, model, chain_targets(graph, X, model))


def _weighted_chains(graph: Graph, X: str, model: Any) -> Outputs:
    return _targets(graph, model, weighted_targets(graph, X, model))


def _targets(graph: Graph, model: Any, values: str) -> Outputs:
    if model._y_ndim == 1:
        return {"prediction": (graph.squeezed(values), graph.dtype, 0)}
    return {"prediction": (values, graph.dtype, model.n_targets_)}


_MODELS: tuple[tuple[type, Callable[[Graph, str, Any], Outputs]], ...] = (
    (LibsvmClassifier, _as_scikit_learn_decides),
    (KernelClassifier, _from_outputs(_kernel_outputs)),
    (OneClassSMO, _detector),
    (OGEClassifier, _from_outputs(plane_votes)),
    (StreamClassifier, _stream),
    (CalibratedClassifier, _calibrated),
    (SMORegressor, _regressor),
    (NuSMORegressor, _regressor),
    (ChainedSVR, _chains),
    (SVRWC, _weighted_chains),
)
