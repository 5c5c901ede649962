"""The types that skops may load for an estimator of svmosaic."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.counters import PhaseSeconds, SolveCounters
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.fit_report import FitReport
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients
from svmosaic.persistence.storable import find_declaration, storable_classes
from svmosaic.utils.declaration import Estimators, MayLack

__all__ = ["trusted_types"]

# What fitted models hold besides NumPy arrays and plain values.
_PARTS = (
    KernelExpansion,
    KernelSpec,
    Coefficients,
    FitReport,
    SolveCounters,
    PhaseSeconds,
    sp.csr_array,
    sp.csr_matrix,
    # A SimpleImputer keeps the type of its data.
    np.dtype,
)


def trusted_types() -> list[str]:
    """Return the types to pass as `trusted` when skops loads an estimator of svmosaic.

    skops trusts the classes of scikit-learn and asks for every other one. These are the estimators
    of svmosaic and the records that they consist of; all of them hold arrays and plain values.
    Stream learners have more parts than that: store them with `save`.

    Returns
    -------
    names : list of str
        Full names of types.

    Examples
    --------
    >>> import skops.io
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.persistence import trusted_types
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OLLAWVClassifier().fit(X, y)
    >>> loaded = skops.io.loads(skops.io.dumps(model), trusted=trusted_types())
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    kinds = dict.fromkeys((*storable_classes().values(), *_members(), *_PARTS))
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in kinds]


def _members() -> list[type]:
    """Return the classes of estimators within others, as far as these name them."""
    found: list[type] = []
    for kind in storable_classes().values():
        declared = find_declaration(kind)
        for field in declared.fields.values() if declared is not None else ():
            inner = field.kind if isinstance(field, MayLack) else field
            if isinstance(inner, Estimators) and isinstance(inner.kinds, tuple):
                found += inner.kinds
    return found
