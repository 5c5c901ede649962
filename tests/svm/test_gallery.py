"""Programs in the manner of scikit-learn's gallery give the same results when patched."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import svmosaic
from svmosaic.svm.replacements import Replacement

SCRIPTS = sorted((Path(__file__).parent / "gallery").glob("*.py"))
# Both solvers stop within tol=1e-3 of the optimal conditions; scores count samples.
TOLERANCE = {"rtol": 2e-2, "atol": 2e-2}


def run_patched(script, monkeypatch):
    """Return the results of a script and how many models of ours it fitted."""
    fits = []
    fit = Replacement.fit
    monkeypatch.setattr(
        Replacement, "fit", lambda self, *a, **k: fits.append(1) or fit(self, *a, **k)
    )
    assert svmosaic.patch_sklearn()
    try:
        return runpy.run_path(str(script))["RESULTS"], len(fits)
    finally:
        svmosaic.unpatch_sklearn()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_program_has_the_same_results_when_patched(script, monkeypatch):
    plain = runpy.run_path(str(script))["RESULTS"]

    patched, n_fits = run_patched(script, monkeypatch)

    assert n_fits > 0
    assert patched.keys() == plain.keys()
    for name, value in plain.items():
        np.testing.assert_allclose(patched[name], value, **TOLERANCE, err_msg=name)


def test_the_scripts_are_found():
    assert len(SCRIPTS) >= 6
