"""Tell skops that our estimators hold plain arrays and may be loaded."""

from __future__ import annotations

from svmosaic.persistence.schema import SCHEMAS
from svmosaic.utils.optional import import_optional

__all__ = ["trust_in_skops"]


def trust_in_skops() -> None:
    """Add the estimators of svmosaic to the types that skops trusts in this process.

    skops trusts the classes of scikit-learn and asks for every other one. The state of our
    estimators is plain arrays and scalars, so after this call
    ``skops.io.get_untrusted_types`` returns an empty list for them.

    Examples
    --------
    >>> import skops.io
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.persistence import trust_in_skops
    >>> trust_in_skops()
    >>> data = skops.io.dumps(OLLAWVClassifier().fit(*load_iris(return_X_y=True)))
    >>> skops.io.get_untrusted_types(data=data)
    []
    """
    # skops has no public way to register a class; its nodes read this list.
    trusted: list[str] = import_optional(
        "skops.io._trusted_types", "store models with skops"
    ).SKLEARN_ESTIMATOR_TYPE_NAMES
    for schema in SCHEMAS.values():
        name = f"{schema.kind.__module__}.{schema.kind.__qualname__}"
        if name not in trusted:
            trusted.append(name)
