"""The base of all estimators."""

import pytest
from sklearn.base import clone

from svmosaic.utils.estimator import Estimator


class Wide(Estimator):
    def __init__(self, b=1, a=2):
        self.b = b
        self.a = a


class Wider(Wide):
    def __init__(self, c=3):
        super().__init__()
        self.c = c


def test_parameters_are_those_of_the_constructor():
    assert Wide().get_params() == {"a": 2, "b": 1}
    assert Wider().get_params() == {"c": 3}
    assert clone(Wide(b=5)).get_params() == {"a": 2, "b": 5}
    with pytest.raises(ValueError, match="Invalid parameter 'c'"):
        Wide().set_params(c=1)


def test_an_estimator_without_a_constructor_has_no_parameters():
    class Bare(Estimator):
        pass

    assert Bare().get_params() == {}


def test_the_names_that_are_kept_cannot_be_changed():
    Wide._get_param_names().append("z")

    assert Wide._get_param_names() == ["a", "b"]


def test_a_new_constructor_has_its_own_parameters(monkeypatch):
    assert Wide._get_param_names() == ["a", "b"]

    def construct(self, d=1):
        self.d = d

    monkeypatch.setattr(Wide, "__init__", construct)

    assert Wide().get_params() == {"d": 1}


def test_parameters_without_names_are_refused():
    class Loose(Estimator):
        def __init__(self, *values):
            self.values = values

    with pytest.raises(RuntimeError, match="no varargs"):
        Loose().get_params()
