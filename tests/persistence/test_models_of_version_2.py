"""A model file of version 2, which says nothing of ids, bags and dates, still loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svmosaic.exceptions import ModelFileError
from svmosaic.persistence import load, save

FILE = Path(__file__).parent / "models_of_version_2" / "table.safetensors"


def test_a_file_of_version_2_is_read():
    model = load(FILE)

    assert list(model.target_names_in_) == ["class"]
    assert not hasattr(model, "column_roles_in_")
    assert list(model.feature_names_in_) == ["size", "colour=blue", "colour=red"]
    # As the command line of the time answered.
    X = np.array([[1.0, 0.0, 1.0], [2.01, 1.0, 0.0]])
    model[0].__dict__.pop("feature_names_in_")
    assert model.predict(X).tolist() == ["yes", "no"]


def test_roles_of_columns_are_kept(tmp_path):
    model = load(FILE)
    model.column_roles_in_ = {"id": ["key"], "drop": ["a", "b"], "dmy": ["day"]}
    model.column_roles_in_ |= {"decimal": [","], "thousands": ["'"]}

    save(model, tmp_path / "m")

    assert load(tmp_path / "m").column_roles_in_ == model.column_roles_in_


@pytest.mark.parametrize(
    "roles",
    [
        {"id": []},
        {"id": [1]},
        {"id": ["a", "a"]},
        {"owner": ["a"]},
        {"decimal": [",", "."]},
        {"thousands": [""]},
    ],
)
def test_roles_that_are_not_valid_are_refused(tmp_path, roles):
    model = load(FILE)
    model.column_roles_in_ = roles

    with pytest.raises(
        (ValueError, ModelFileError), match=r"not valid|not a list|not one character"
    ):
        save(model, tmp_path / "m")
