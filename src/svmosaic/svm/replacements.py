"""The classes that take the place of scikit-learn's, and hand back what they cannot do.

Where a parameter has a value that only scikit-learn takes, `fit` makes the instance one of
scikit-learn's own class, which then does the work: nothing of it is imitated, and its type says so.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import sklearn.svm
from sklearn.utils import check_random_state

from svmosaic.svm.libsvm_interface import FITTED_PRIVATELY
from svmosaic.svm.nu_svc import NuSVC as OurNuSVC
from svmosaic.svm.nu_svr import NuSVR as OurNuSVR
from svmosaic.svm.one_class_svm import OneClassSVM as OurOneClassSVM
from svmosaic.svm.svc import SVC as OurSVC
from svmosaic.svm.svr import SVR as OurSVR
from svmosaic.utils.sklearn_compat import InvalidParameterError

__all__ = [
    "REPLACEMENTS",
    "SVC",
    "SVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Replacement",
    "bare_original",
    "reduce_original",
]

_log = logging.getLogger("svmosaic")

_LARGEST_SEED = np.iinfo("i").max


class _InPlaceOf(type):
    """The class of replacements: models of the class that was replaced are instances too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        # Asked of the classes and not of scikit-learn's class, which asks this one in turn.
        original = vars(cls).get("_original")
        return original is not None and original in type(instance).__mro__


class Replacement(metaclass=_InPlaceOf):
    """Mixin of the classes in the place of scikit-learn's, before the estimator that learns."""

    _original: ClassVar[type]
    # Model files hold it under the name of the class that it adds nothing to.
    _stored_as: ClassVar[type]

    if TYPE_CHECKING:

        def _validate_params(self) -> None:
            """Raise InvalidParameterError for a value that is not supported."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters."""
            return {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        original = vars(cls).get("_original")
        if original is not None:
            # For code that imported scikit-learn's class before it was replaced.
            original.register(cls)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model to training data, or let scikit-learn do it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Class labels or target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : object
            The fitted model.
        """
        reason = self._refusal()
        if reason is None:
            learner: Any = super()
            learner.fit(X, y, sample_weight)
            self._draw_as_original()
        else:
            self._become_original(reason, X, y, sample_weight)
        return self

    def _refusal(self) -> str | None:
        """Return why scikit-learn has to do the work; None if it has not."""
        if "_original" not in vars(type(self)):
            # A class of the user's would lose what it adds.
            return None
        try:
            self._validate_params()
        except InvalidParameterError as error:
            return str(error)
        return None

    def _draw_as_original(self) -> None:
        """Take one number from the random generator, as every fit of scikit-learn's does.

        What a program draws after the fit from the same generator, NumPy's global one by default,
        is then the same with and without us.
        """
        # Those of regression and of one class draw from the global one, without a parameter.
        check_random_state(getattr(self, "random_state", None)).randint(_LARGEST_SEED)

    def _become_original(self, reason: str, *training: Any) -> None:
        # Searches leave notes of their own on the models that they fit.
        notes = {
            name: value
            for name, value in vars(self).items()
            if name.startswith("_") and name not in FITTED_PRIVATELY
        }
        # What is wrong for scikit-learn as well, it says itself.
        model = self._original(**self.get_params(deep=False))
        vars(model).update(notes)
        model.fit(*training)
        _log.warning(
            "svmosaic does not support a parameter, so scikit-learn's own %s fits this model. %s",
            self._original.__name__,
            reason,
        )
        self.__dict__ = vars(model)
        self.__class__ = self._original

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle; a fitted model of scikit-learn's becomes one again."""
        if "_dual_coef_" in state:
            self.__class__ = self._original
            self.__setstate__(state)
            return
        base: Any = super()
        base.__setstate__(state)


class SVC(Replacement, OurSVC):
    """`svmosaic.svm.SVC` in the place of scikit-learn's ``SVC``."""

    _original = sklearn.svm.SVC
    _stored_as = OurSVC


class SVR(Replacement, OurSVR):
    """`svmosaic.svm.SVR` in the place of scikit-learn's ``SVR``."""

    _original = sklearn.svm.SVR
    _stored_as = OurSVR


class NuSVC(Replacement, OurNuSVC):
    """`svmosaic.svm.NuSVC` in the place of scikit-learn's ``NuSVC``."""

    _original = sklearn.svm.NuSVC
    _stored_as = OurNuSVC


class NuSVR(Replacement, OurNuSVR):
    """`svmosaic.svm.NuSVR` in the place of scikit-learn's ``NuSVR``."""

    _original = sklearn.svm.NuSVR
    _stored_as = OurNuSVR


class OneClassSVM(Replacement, OurOneClassSVM):
    """`svmosaic.svm.OneClassSVM` in the place of scikit-learn's ``OneClassSVM``."""

    _original = sklearn.svm.OneClassSVM
    _stored_as = OurOneClassSVM


# By the name in `sklearn.svm`.
REPLACEMENTS: dict[str, type[Replacement]] = {
    kind.__name__: kind for kind in (SVC, SVR, NuSVC, NuSVR, OneClassSVM)
}


def reduce_original(model: Any) -> tuple[Any, ...]:
    """Return how to pickle a model of scikit-learn's class while its name is not its own."""
    return bare_original, (type(model).__name__,), model.__getstate__()


def bare_original(name: str) -> Any:
    """Return an object of scikit-learn's class without any state."""
    return object.__new__(REPLACEMENTS[name]._original)
