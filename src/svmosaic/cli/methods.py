"""The methods that ``svmosaic train`` knows, and the parameters each of them takes."""

from __future__ import annotations

import argparse
import ast
from typing import Any

__all__ = [
    "CLUSTER_METHODS",
    "METHODS",
    "fit_weighted",
    "make_cluster_estimator",
    "make_estimator",
    "named_parameter",
    "positive_side",
    "resolve_positive",
]

# The name on the command line and the public class.
METHODS = {
    "ollawv": "OLLAWVClassifier",
    "smo": "SMOClassifier",
    "smo-regression": "SMORegressor",
    "nu-smo": "NuSMOClassifier",
    "nu-smo-regression": "NuSMORegressor",
    "mnsvm": "MNSVMClassifier",
    "nnisda": "NNISDAClassifier",
    "uniform": "UniformSVC",
    "nlsgd": "NLSGDClassifier",
    "olla-l2": "OLLAL2Classifier",
    "kernel-primal": "KernelPrimalSVC",
    "oge": "OGEClassifier",
    "svm-cbp": "SVMCBPClassifier",
    "online-svm": "OnlineSVMClassifier",
    "online-svm-cbp": "OnlineSVMCBPClassifier",
    "svm-ensemble": "SVMEnsembleClassifier",
    # Several targets.
    "multi-target-svr": "MultiTargetSVR",
    "svrrc": "SVRRC",
    "svrcc": "SVRCC",
    "svrwc": "SVRWC",
    "svrtc": "SVRTC",
    # Bags of instances.
    "mirsvm": "MIRSVMClassifier",
    "mir-mix-svm": "MIRMixSVMClassifier",
}

# Methods that train on a Dask cluster too, and their class in svmosaic.dask.
CLUSTER_METHODS = {
    "ollawv": "DaskOLLAWVClassifier",
    "smo": "DaskSMOClassifier",
    "smo-regression": "DaskSMORegressor",
}


def named_parameter(text: str) -> tuple[str, Any]:
    """Return name and value of a parameter such as ``epochs=5``."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


def make_estimator(method: str, given: dict[str, Any], settings: list[tuple[str, Any]]) -> Any:
    """Return the unfitted estimator of a method.

    Parameters
    ----------
    method : str
        A name of `METHODS`.
    given : dict
        Parameters from options that the user gave.
    settings : list of (str, object)
        Parameters given by name.
    """
    import svmosaic

    estimator = getattr(svmosaic, METHODS[method])()
    if estimator.get_params().get("random_state", 0) is None:
        # Two runs of a command give the same model.
        estimator.set_params(random_state=0)
    return _set(estimator, f"The method {method}", given, settings)


def resolve_positive(estimator: Any, y: Any) -> None:
    """Let `positive` of a classifier of bags name a class; the labels are needed for that.

    Parameters
    ----------
    estimator : estimator
        Its parameter `positive`, if it has one, may be a label.
    y : ndarray of shape (n_bags,)
        The labels.
    """
    given = estimator.get_params().get("positive")
    if given is not None:
        estimator.set_params(positive=positive_side(y, given))


def positive_side(y: Any, label: Any) -> str:
    """Return which of two sorted classes a label is, "first" or "second".

    Parameters
    ----------
    y : ndarray of shape (n_bags,)
        The labels.
    label : object
        One of two classes, or what is to be returned.
    """
    import numpy as np

    classes = [str(one) for one in np.unique(y).tolist()]
    if str(label) in classes and len(classes) == 2:
        return "first" if classes.index(str(label)) == 0 else "second"
    if label in ("first", "second"):
        return str(label)
    raise ValueError(
        f"positive={label} names no class of two. Use one of: {', '.join(classes[:8])}, first, "
        "second."
    )


def make_cluster_estimator(
    method: str, given: dict[str, Any], settings: list[tuple[str, Any]]
) -> Any:
    """Return the unfitted estimator of a method for a Dask cluster; see `make_estimator`."""
    if method not in CLUSTER_METHODS:
        raise ValueError(
            f"The method {method} does not train on a cluster. Use one of "
            f"{', '.join(CLUSTER_METHODS)}, or leave --scheduler out."
        )
    given = dict(given)
    if given.pop("refine", "full") != "full":
        raise ValueError(
            "On a cluster the method ollawv trains with --refine full only. Leave --refine or "
            "--scheduler out."
        )
    if given.pop("n_jobs", -1) != -1:
        raise ValueError(
            "On a cluster the workers decide how many threads they use. Leave --n-jobs out."
        )

    import svmosaic.dask

    estimator = getattr(svmosaic.dask, CLUSTER_METHODS[method])()
    return _set(estimator, f"The method {method} on a cluster", given, settings)


def _set(estimator: Any, who: str, given: dict[str, Any], settings: list[tuple[str, Any]]) -> Any:
    known = estimator.get_params()
    for name in given:
        if name not in known:
            option = "--seed" if name == "random_state" else f"--{name.replace('_', '-')}"
            raise ValueError(f"{who} has no {option}. Leave it out.")
    for name, _ in settings:
        if name not in known:
            raise ValueError(f"{who} has no parameter {name!r}. It has: {', '.join(known)}.")
    return estimator.set_params(**{**given, **dict(settings)})


def fit_weighted(estimator: Any, X: Any, y: Any, weights: Any, who: str) -> Any:
    """Fit a method to rows that may have weights; `who` names the data if it takes none."""
    from sklearn.utils.validation import has_fit_parameter

    if weights is None:
        return estimator.fit(X, y)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"{who} has weights of its rows, which {type(estimator).__name__} does not take. "
            "Remove them."
        )
    return estimator.fit(X, y, weights)
