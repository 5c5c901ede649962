"""The directive ``estimator-table``: what every estimator can do, from its tags and signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from docutils import nodes
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import svmosaic
import svmosaic.dask
import svmosaic.multi_instance
import svmosaic.svm

__all__ = ["ADVICE", "estimators", "setup"]

# One line of advice for each estimator; a test compares the names with the package.
ADVICE = {
    "OLLAWVClassifier": "The default choice: the exact SVM, or a small model with `refine=None`",
    "OLLAWVClassifierCV": "Chooses gamma, margin and C for you",
    "SVMEnsembleClassifier": "Tuned SVMs of two kernels, averaged: the most accurate",
    "SMOClassifier": "The exact SVM with warm starts",
    "NuSMOClassifier": "Set a share of errors instead of C",
    "CalibratedClassifier": "Probabilities for any classifier",
    "NLSGDClassifier": "A quick baseline on a large table",
    "OLLAL2Classifier": "One pass over the data, with a budget of vectors",
    "MNSVMClassifier": "Squared slack, by the minimal norm",
    "NNISDAClassifier": "Squared slack, one coordinate at a time",
    "UniformSVC": "The hard-margin SVM on separable data",
    "OGEClassifier": "Planes between neighbours, no kernel",
    "SVMCBPClassifier": "Research: stays near boundary points",
    "SVMCBPClassifierCV": "The same, with its parameters chosen",
    "OnlineSVMCBPClassifier": "The same, on-line",
    "OnlineSVMClassifier": "Research: the on-line baseline of the above",
    "KernelPrimalSVC": "Research: an SVM without an intercept",
    "SMORegressor": "Exact support vector regression",
    "NuSMORegressor": "Finds the width of the tube",
    "OneClassSMO": "Novelties and outliers without labels",
    "MultiTargetSVR": "One SVR per target: the baseline",
    "SVRCC": "Several targets: start here",
    "SVRRC": "Random chains: slower, less dependent on one order",
    "SVRWC": "Weighted chains of two kernels, tuned by itself",
    "SVRTC": "Chained SVRs and trees, weighted for each target: the safe choice",
    "MIRSVMClassifier": "Bags, when you need the deciding instance",
    "MIRMixSVMClassifier": "Bags, when accuracy matters most",
    "SummarySVMClassifier": "Bags as vectors of statistics: a quick baseline",
    "NodeCountSVMClassifier": "Bags as counts of instances at nodes of random trees",
    "StreamOLLAWV": "Streams with drift: start here",
    "StreamOLLAL2": "Streams, one model that is kept or rebuilt",
    "SVC": "scikit-learn's interface, for existing code",
    "SVR": "scikit-learn's interface, for existing code",
    "NuSVC": "scikit-learn's interface, for existing code",
    "NuSVR": "scikit-learn's interface, for existing code",
    "OneClassSVM": "scikit-learn's interface, for existing code",
}
# They fit an exact model in the end, and leave its certificate to it.
_EXACT_INSIDE = {"OLLAWVClassifierCV"}
_SOURCES = (svmosaic, svmosaic.multi_instance, svmosaic.svm)
_HEAD = (
    *("Estimator", "Task", "Classes", "Sparse", "Weights", "`partial_fit`", "GPU", "Dask"),
    *("Exact", "Advice"),
)


def estimators() -> Iterator[tuple[str, type[BaseEstimator]]]:
    """Yield the full name and the class of every estimator that a user may want to choose."""
    seen = set()
    for module in _SOURCES:
        for name in module.__all__:
            value = getattr(module, name)
            concrete = isinstance(value, type) and issubclass(value, BaseEstimator)
            if concrete and name in ADVICE and name not in seen:
                seen.add(name)
                yield f"{module.__name__}.{name}", value


def _task(tags: Any) -> str:
    if not tags.input_tags.two_d_array:
        return "bags"
    if tags.estimator_type == "outlier_detector":
        return "novelty"
    if tags.target_tags.multi_output:
        return "several targets"
    return "classification" if tags.estimator_type == "classifier" else "regression"


def _facts(name: str, cls: type[BaseEstimator]) -> list[str]:
    """Return the cells between the name and the advice."""
    estimator = cls()
    tags = get_tags(estimator)
    classes = "–" if tags.classifier_tags is None else "2"
    if tags.classifier_tags is not None and tags.classifier_tags.multi_class:
        classes = "any"
    checks: list[Callable[[], bool]] = [
        lambda: tags.input_tags.sparse,
        lambda: "sample_weight" in inspect.signature(cls.fit).parameters,
        lambda: hasattr(cls, "partial_fit"),
        lambda: "device" in estimator.get_params(),
        lambda: f"Dask{name}" in svmosaic.dask.__all__,
        lambda: "dual_gap_" in (cls.__doc__ or "") or name in _EXACT_INSIDE,
    ]
    task = "stream" if name.startswith("Stream") else _task(tags)
    return [task, classes, *("✓" if check() else "–" for check in checks)]


def rows() -> Iterator[list[str]]:
    """Yield the table's rows as Markdown cells, in the order of the advice."""
    order = list(ADVICE)
    for full, cls in sorted(estimators(), key=lambda pair: order.index(pair[1].__name__)):
        link = f"{{py:class}}`{cls.__name__} <{full}>`"
        yield [link, *_facts(cls.__name__, cls), ADVICE[cls.__name__]]


class EstimatorTable(SphinxDirective):
    """Insert the table."""

    def run(self) -> list[nodes.Node]:
        """Return the table, with a class by which scripts find it."""
        lines = [_HEAD, ["---"] * len(_HEAD), *rows()]
        text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        box = nodes.container(classes=["estimator-table"])
        box += self.parse_text_to_nodes(text)
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("estimator-table", EstimatorTable)
    return {"parallel_read_safe": True}
