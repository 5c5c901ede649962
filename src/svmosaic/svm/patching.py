"""Put svmosaic's estimators in the place of scikit-learn's, for code that stays as it is."""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Iterable
from typing import Any

import sklearn.svm

from svmosaic.svm.replacements import REPLACEMENTS, reduce_original

__all__ = ["patch_sklearn", "unpatch_sklearn"]

# scikit-learn defines the classes in the second and publishes them in the first.
_MODULES = ("sklearn.svm", "sklearn.svm._classes")


def patch_sklearn(names: Iterable[str] | None = None) -> list[str]:
    """Replace scikit-learn's estimators in `sklearn.svm` by svmosaic's.

    Call it before ``from sklearn.svm import SVC``: names that were imported earlier do not change.
    Where a parameter has a value that svmosaic does not support, scikit-learn's own class fits the
    model, and the log says so.

    Parameters
    ----------
    names : iterable of str, default=None
        The classes to replace, as ``["SVC"]``. None means all: SVC, SVR, NuSVC,
        NuSVR and OneClassSVM.

    Returns
    -------
    replaced : list of str
        Full names of the classes that were replaced by this call; empty if all were before.

    See Also
    --------
    unpatch_sklearn : Puts scikit-learn's classes back.

    Examples
    --------
    >>> import svmosaic
    >>> svmosaic.patch_sklearn(["SVC"])
    ['sklearn.svm.SVC', 'sklearn.svm._classes.SVC']
    >>> from sklearn.svm import SVC
    >>> isinstance(SVC(), svmosaic.svm.SVC)
    True
    >>> svmosaic.unpatch_sklearn()
    ['sklearn.svm.SVC', 'sklearn.svm._classes.SVC']
    """
    replaced = []
    for name in _known(names):
        original = REPLACEMENTS[name]._original
        replaced += _exchange(name, original, REPLACEMENTS[name])
        # pickle looks a class up under its name, where there is another one now.
        copyreg.pickle(original, reduce_original)
    return replaced


def unpatch_sklearn(names: Iterable[str] | None = None) -> list[str]:
    """Put scikit-learn's classes back that `patch_sklearn` replaced.

    Models that were fitted meanwhile keep their class and keep working.

    Parameters
    ----------
    names : iterable of str, default=None
        The classes to put back. None means all.

    Returns
    -------
    restored : list of str
        Full names of the classes that were put back.

    Examples
    --------
    >>> import svmosaic
    >>> svmosaic.unpatch_sklearn()
    []
    """
    restored = []
    for name in _known(names):
        original = REPLACEMENTS[name]._original
        restored += _exchange(name, REPLACEMENTS[name], original)
        copyreg.dispatch_table.pop(original, None)
    return restored


def _known(names: Iterable[str] | None) -> list[str]:
    chosen = list(REPLACEMENTS) if names is None else [names] if isinstance(names, str) else names
    for name in (chosen := list(chosen)):
        if name not in REPLACEMENTS:
            raise ValueError(
                f"svmosaic replaces {', '.join(REPLACEMENTS)} of sklearn.svm. Got {name!r} "
                "instead; leave it out."
            )
    return chosen


def _exchange(name: str, old: type, new: type) -> list[str]:
    """Replace a class in the modules that have it, and return its full names."""
    exchanged = []
    for module_name in _MODULES:
        module: Any = sys.modules.get(module_name, sklearn.svm)
        if getattr(module, name, None) is old:
            setattr(module, name, new)
            exchanged.append(f"{module_name}.{name}")
    return exchanged
