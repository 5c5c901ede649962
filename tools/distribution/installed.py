"""Install a wheel where there is no compiler, and try it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from outcomes import FAILED, NOT_DONE, PASSED, CommandError, Log
from pythons import Environment, Python

__all__ = ["try_wheel"]

_HERE = Path(__file__).parent
_MOST_SECONDS = 0.25
# What the tests of the estimators import besides the package.
_TEST_TOOLS = ("pytest", "hypothesis", "pandas")
# On a Python that shares its wheel with another: one exact and one approximate classifier, one
# regressor.
_FEW = "test_scikit_learn_checks and (SMOClassifier or OLLAWVClassifier or SMORegressor)"
_ALL = "test_scikit_learn_checks"


def try_wheel(
    log: Log, root: Path, folder: Path, python: Python, wheel: Path, *, checks: str
) -> None:
    """Install the wheel into an empty environment and use it; nothing there can compile."""
    name = f"Python {python.version}"
    environment = Environment(folder / f"try-{python.version}")
    shutil.rmtree(environment.folder, ignore_errors=True)
    variables = _without_compilers(environment)
    try:
        Environment.make(log, python, environment.folder)
        pip = [environment.python, "-m", "pip", "install", "--disable-pip-version-check"]
        words = [*pip, "--only-binary", ":all:", f"{wheel}"]
        log.run(f"try-install-{python.version}", words, environment=variables)
    except CommandError as error:
        # A dependency without a wheel for this Python is no fault of ours.
        ours = "No matching distribution found for" not in str(error)
        reason = str(error).splitlines()[-1].removeprefix("ERROR: ")
        log.add(f"{name}: installs without a compiler", FAILED if ours else NOT_DONE, reason)
        return
    log.check(
        f"{name}: trains a table, saves, loads, predicts; no compiler",
        f"smoke-{python.version}",
        [environment.python, "-I", "-W", "error", _HERE / "smoke.py"],
        folder=environment.folder,
        environment=variables,
        quote=True,
    )
    _time_import(log, name, environment, variables)
    if checks != "none":
        _check_estimators(log, root, environment, python, _ALL if checks == "all" else _FEW)


def _without_compilers(environment: Environment) -> dict[str, str]:
    """Return variables with no program but the environment's, and a compiler that fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    false = shutil.which("false") or "/bin/false"
    return {**kept, "PATH": str(environment.bin.resolve()), "CC": false, "CXX": false}


def _time_import(log: Log, name: str, environment: Environment, variables: dict[str, str]) -> None:
    what = f"{name}: import in at most {_MOST_SECONDS} s beyond NumPy's"
    words = [environment.python, "-I", _HERE / "importing.py"]
    try:
        seconds = float(log.run("import", words, environment=variables).splitlines()[-1])
    except (CommandError, ValueError) as error:
        log.add(what, FAILED, str(error))
        return
    log.add(what, PASSED if seconds <= _MOST_SECONDS else FAILED, f"{seconds:.3f} s")


def _check_estimators(
    log: Log, root: Path, environment: Environment, python: Python, selection: str
) -> None:
    """Run scikit-learn's checks from a copy of the tests that has no sources beside it."""
    what = f"Python {python.version}: scikit-learn's checks"
    copy = environment.folder / "tests-only"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root / "tests", copy / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", copy)
    try:
        environment.install(log, "--only-binary", ":all:", *_TEST_TOOLS)
    except CommandError as error:
        log.add(what, NOT_DONE, str(error).splitlines()[-1])
        return
    words = [environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", selection]
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    log.check(
        what,
        f"checks-{python.version}",
        [*words, "tests/contracts/test_estimators.py"],
        folder=copy,
        environment=variables,
        quote=True,
    )
