"""Model files written by version 0.1 load and predict the same to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svmosaic import _core, load

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
