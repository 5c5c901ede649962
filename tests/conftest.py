"""What all tests share: hypothesis settings, Ctrl-C, and the folder with real data."""

from __future__ import annotations

import os
import signal

# Tests run side by side, one per core; with threads of its own in each of them, linear algebra on
# small matrices only waits. NumPy reads this when it is imported, here and in child processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# Deterministic: the same examples in every run. No deadline: computers are noisy.
settings.register_profile(
    "svmosaic",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "svmosaic"))

# A shell starts background jobs with Ctrl-C ignored, and the tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def load_real():
    """Return a loader of real data sets; it skips the test when the folder is absent."""
    from svmosaic.datasets import load
    from svmosaic.datasets.loading import data_folder
    from svmosaic.exceptions import DataNotFoundError

    def load_or_skip(name, **options):
        if data_folder() is None:
            pytest.skip("needs the data folder: set SVMOSAIC_DATA")
        try:
            return load(name, **options)
        except DataNotFoundError as error:
            pytest.skip(str(error))

    return load_or_skip
