"""The base of all estimators: scikit-learn's, with links to our documentation and callbacks."""

from __future__ import annotations

import functools
import os
from importlib import metadata
from typing import Any
from weakref import WeakKeyDictionary

from sklearn.base import BaseEstimator

from svmosaic.utils.callbacks import CallbackSupportMixin

__all__ = ["DOCUMENTATION", "DocumentationLink", "Estimator", "documentation_page"]

# The variable that says where the documentation is, if the package does not.
DOCUMENTATION = "SVMOSAIC_DOCS"

# The page of the documentation on an estimator, by the begin of its module; the longest one counts.
_PAGES = {
    "svmosaic.classification": "solvers",
    "svmosaic.classification.calibrated": "probabilities",
    "svmosaic.classification.kernel_primal": "boundary_points",
    "svmosaic.classification.mnsvm": "minimal_norm",
    "svmosaic.classification.nlsgd": "online_classifiers",
    "svmosaic.classification.nnisda": "minimal_norm",
    "svmosaic.classification.nu_smo": "nu",
    "svmosaic.classification.oge": "boundary_points",
    "svmosaic.classification.olla_l2": "online_classifiers",
    "svmosaic.classification.ollawv": "ollawv",
    "svmosaic.classification.one_class": "nu",
    "svmosaic.classification.online_svm": "boundary_points",
    "svmosaic.classification.smo_classifier": "smo",
    "svmosaic.classification.stream": "streams",
    "svmosaic.classification.svm_cbp": "boundary_points",
    "svmosaic.classification.svm_ensemble": "ensemble",
    "svmosaic.classification.uniform": "uniform",
    "svmosaic.dask": "dask",
    "svmosaic.model_selection": "model_selection",
    "svmosaic.multi_instance": "multi_instance",
    "svmosaic.multi_instance.peers": "multi_instance_peers",
    "svmosaic.preprocessing": "model_selection",
    "svmosaic.regression": "multi_target",
    "svmosaic.regression.nu_smo": "nu",
    "svmosaic.regression.smo_regressor": "smo",
    "svmosaic.reproduce": "reproduce",
    "svmosaic.svm": "coming_from_svc",
}


def documentation_page(module: str) -> str | None:
    """Return the name of the page in ``docs`` on the estimators of a module, None if there is none.

    Examples
    --------
    >>> from svmosaic.utils.estimator import documentation_page
    >>> documentation_page("svmosaic.classification.ollawv_cv")
    'ollawv'
    """
    begins = [begin for begin in _PAGES if module.startswith(begin)]
    return _PAGES[max(begins, key=len)] if begins else None


class DocumentationLink:
    """Mixin of estimators whose HTML in a notebook links to our documentation.

    scikit-learn asks `_get_doc_link`, and shows no link where the answer is empty.
    """

    _doc_link_module = "svmosaic"

    def _get_doc_link(self) -> str:
        # A subclass of a user is not in our documentation.
        page = documentation_page(type(self).__module__)
        address = os.environ.get(DOCUMENTATION) or _published_address()
        if page is None or not address:
            return ""
        if "{page}" in address:
            return address.replace("{page}", page)
        return f"{address.rstrip('/')}/{page}.md"


@functools.cache
def _published_address() -> str:
    """Return the address of the documentation that the installed package names, if any."""
    try:
        urls = metadata.metadata("svmosaic").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        # Run from its sources.
        return ""
    found = dict(url.split(", ", 1) for url in urls if ", " in url)
    return str(found.get("Documentation", ""))


# The names of parameters by constructor. scikit-learn looks a signature up for each `get_params`,
# `set_params`, `clone` and `fit`, which takes longer than a fit to few samples.
_parameter_names: WeakKeyDictionary[Any, list[str]] = WeakKeyDictionary()


class Estimator(DocumentationLink, CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators of this package."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        constructor = cls.__init__
        if constructor is object.__init__:
            return []
        if constructor not in _parameter_names:
            _parameter_names[constructor] = super()._get_param_names()
        return [*_parameter_names[constructor]]
