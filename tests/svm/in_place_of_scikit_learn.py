"""A plug-in of pytest: replace scikit-learn's estimators before its tests import them.

The outcomes are written to the file that ``SVMOSAIC_OUTCOMES`` names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import svmosaic

svmosaic.patch_sklearn()

_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report):
    name = report.nodeid.rpartition("::")[2]
    if report.when == "call" or report.outcome != "passed":
        _outcomes[name] = report.outcome


def pytest_sessionfinish():
    Path(os.environ["SVMOSAIC_OUTCOMES"]).write_text(json.dumps(_outcomes), encoding="utf-8")
