"""Model files written by version 0.1 load and predict the same to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forged_files import open_up
from svmosaic import _core, load
from svmosaic.persistence.model_file import decode, encode

FOLDER = Path(__file__).with_name("models_0_1")
# Inputs and what version 0.1 answered, by the name of the file.
EXPECTED = np.load(FOLDER / "expected.npz", allow_pickle=False)
# Levels of SIMD and compilers fuse other multiplications and additions, and so differ in the last
# bits.
HERE = (_core.simd_level(), _core.compiler())
SAME_BITS = (str(EXPECTED["simd_level"]), str(EXPECTED["compiler"])) == HERE
compare = np.testing.assert_array_equal if SAME_BITS else np.testing.assert_allclose


def queries(name):
    if f"{name}/queries" in EXPECTED:
        return EXPECTED[f"{name}/queries"]
    return np.split(EXPECTED["bags"], EXPECTED["offsets"][1:-1])


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.safetensors")), ids=lambda path: path.stem)
def test_a_file_of_0_1_predicts_the_same(path):
    model = load(path)
    found = model.predict(queries(path.stem))

    expected = EXPECTED[f"{path.stem}/predict"]
    if expected.dtype.kind == "f":
        compare(found, expected)
    else:
        np.testing.assert_array_equal(found, expected)
    if f"{path.stem}/decision" in EXPECTED:
        compare(model.decision_function(queries(path.stem)), EXPECTED[f"{path.stem}/decision"])


@pytest.mark.parametrize("name", ["ollawv-selected", "ollawv-sparse", "ollawv-precomputed"])
def test_an_option_of_0_1_is_known_to_the_model_but_not_to_fit(name):
    model = load(FOLDER / f"{name}.safetensors")
    X = queries(name)

    again = decode(encode(model))

    assert model.get_params()["refine"] == again.refine == "selected"
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert all(path.rows.size for path in model.path_)
    with pytest.raises(ValueError, match="need a model that was fitted with refine=None"):
        model.at_margin(model.margin)
    with pytest.raises(ValueError, match="need a model that was fitted with refine=None"):
        model.at_budget(3)
    with pytest.raises(ValueError, match=r"must be a str among {'full'} or None"):
        model.fit(X, model.predict(X))


def names(part):
    """Return the names in a header, of estimators within estimators too."""
    if isinstance(part, dict):
        return {key: names(value) for key, value in part.items()}
    return [names(value) for value in part] if isinstance(part, list) else None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.safetensors")), ids=lambda path: path.stem)
def test_a_model_of_0_1_is_written_with_the_names_of_0_1(path):
    headers, tensors = zip(*map(open_up, (path.read_bytes(), encode(load(path)))), strict=True)

    values = [[names(step["values"]) for step in header["steps"]] for header in headers]
    assert values[0] == values[1]
    assert tensors[0].keys() == tensors[1].keys()
