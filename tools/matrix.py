"""Run tests with the oldest and the newest versions of dependencies, each in its environment.

    python tools/matrix.py [--wheels dist] [--tests core|checks|all] [--list] [NAME ...]

Environments are kept in build/matrix and used again. Packages are installed as wheels: a pairing
of versions that has none for this computer is reported as not done. The package itself is a
wheel too, from the folder ``--wheels`` if one there fits, else it is built once for each Python.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_WORK = _ROOT / "build" / "matrix"
sys.path.insert(0, str(Path(__file__).parent / "distribution"))

from outcomes import FAILED, NOT_DONE, PASSED, CommandError, Log  # noqa: E402
from pythons import Environment, Python, find_pythons  # noqa: E402


@dataclass(frozen=True)
class Row:
    """Versions that are tested together; a Python of the list that is here, the first one."""

    name: str
    pythons: tuple[str, ...]
    requirements: tuple[str, ...]


# Each release of scikit-learn with versions of its time, but for the oldest and the
# newest of all: with SciPy 1.18, LogisticRegression of scikit-learn 1.6 uses what is deprecated.
# NumPy 2.0 and SciPy 1.13 have no wheels for Python 3.13.
ROWS = (
    Row(
        "oldest",
        ("3.11",),
        (
            "scikit-learn==1.6.*",
            "numpy==2.0.*",
            "scipy==1.13.*",
            "joblib==1.4.*",
            "safetensors==0.4.*",
            "pytest==8.*",
        ),
    ),
    Row(
        "scikit-learn-1.6",
        ("3.12", "3.13"),
        ("scikit-learn==1.6.*", "numpy==2.2.*", "scipy==1.15.*", "pytest>=9"),
    ),
    Row(
        "scikit-learn-1.7",
        ("3.11", "3.12"),
        ("scikit-learn==1.7.*", "numpy==2.3.*", "scipy==1.17.*", "pytest>=9"),
    ),
    Row(
        "scikit-learn-1.8",
        ("3.12", "3.13"),
        ("scikit-learn==1.8.*", "numpy==2.4.*", "scipy==1.18.*", "pytest>=9"),
    ),
    Row("newest", ("3.14", "3.13"), ("scikit-learn>=1.9", "numpy", "scipy", "joblib", "pytest>=9")),
)

# Tests of every layer that run without the data folder and without optional packages.
CORE = (
    "tests/classification/test_smo_classifier.py",
    "tests/classification/test_ollawv.py",
    "tests/classification/test_ollawv_cv.py",
    "tests/classification/test_nu_smo_classifier.py",
    "tests/classification/test_calibrated.py",
    "tests/contracts/test_engines.py",
    "tests/metrics/test_scorers.py",
    "tests/model_selection/test_protocols.py",
    "tests/multi_instance/test_mirsvm.py",
    "tests/persistence/test_model_file.py",
    "tests/preprocessing",
    "tests/regression/test_chained_svr.py",
    "tests/regression/test_smo_regressor.py",
    "tests/stats/test_omnibus.py",
    "tests/streams/test_prequential.py",
    "tests/svm/test_svc_and_svr.py",
    "tests/svm/test_patching.py",
)
_CHECKS = "tests/contracts/test_estimators.py"
_TEST_TOOLS = ("hypothesis", "pandas", "clarabel")
_MARKS = "not slow and not gpu and not dask and not papers"


def _newest_source() -> float:
    """Return when a file that is in wheels was last changed."""
    files = [*(_ROOT / "src").rglob("*.py"), *(_ROOT / "cpp").rglob("*.[ch]pp")]
    return max(path.stat().st_mtime for path in [*files, _ROOT / "CMakeLists.txt"])


def _wheel(log: Log, python: Python, folder: Path) -> Path:
    """Return a wheel of the sources as they are, for a Python."""
    newest = _newest_source()
    own = _WORK / "wheels" / python.wheel
    for place in (folder, own):
        for wheel in place.glob(f"svmosaic-*-{python.wheel}-*.whl"):
            if wheel.stat().st_mtime > newest:
                return wheel
    print(f"building the package with Python {python.version}", flush=True)
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = [*project["build-system"]["requires"], "cmake", "ninja"]
    builder = Environment.make(log, python, _WORK / f"build-{python.version}", *requirements)
    shutil.rmtree(own, ignore_errors=True)
    path = f"{builder.bin.resolve()}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path}
    if shutil.which("ccache"):
        variables["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    # In the folder of builds that CMake keeps for this Python: what did not change is there.
    words = [builder.python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    log.run(f"wheel-{python.version}", [*words, "--wheel-dir", own, _ROOT], environment=variables)
    (wheel,) = own.glob("*.whl")
    return wheel


def _versions(environment: Environment) -> str:
    """Return what is installed, as NumPy 2.0.2, SciPy 1.13.1, ..."""
    code = (
        "from importlib.metadata import version as v; import sys\n"
        "names = ('numpy', 'scipy', 'scikit-learn', 'joblib', 'safetensors', 'pytest')\n"
        "print('Python', sys.version.split()[0], *(f'{n} {v(n)}' for n in names), sep=', ')"
    )
    done = subprocess.run(
        [environment.python, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip().replace("Python, ", "Python ", 1)


def _run_row(log: Log, row: Row, pythons: list[Python], wheels: Path, tests: list[str]) -> None:
    here = {python.version: python for python in pythons}
    usable = [here[version] for version in row.pythons if version in here]
    if not usable:
        log.add(row.name, NOT_DONE, f"needs Python {' or '.join(row.pythons)}")
        return
    python = usable[0]
    print(f"{row.name}: Python {python.version}", flush=True)
    wheel = _wheel(log, python, wheels)
    try:
        binary = ("--only-binary", ":all:")
        environment = Environment.make(
            log, python, _WORK / row.name, *binary, *row.requirements, *_TEST_TOOLS
        )
        # What a wheel claims is checked by pip: with these versions it must be content.
        environment.install(log, "--force-reinstall", "--no-deps", wheel)
        environment.install(log, *binary, *row.requirements, "svmosaic")
    except CommandError as error:
        log.add(row.name, NOT_DONE, str(error).splitlines()[-1].removeprefix("ERROR: "))
        return
    versions = _versions(environment)
    words = [environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", _MARKS]
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    began = time.perf_counter()
    try:
        output = log.run(f"tests-{row.name}", [*words, *tests], folder=_ROOT, environment=variables)
    except CommandError as error:
        log.add(row.name, FAILED, versions)
        print(error)
        return
    seconds = time.perf_counter() - began
    summary = output.strip().splitlines()[-1].split(" in ")[0]
    log.add(row.name, PASSED, f"{summary} in {seconds:.0f} s ({versions})")


def main() -> int:
    """Run the rows that are asked for, or all of them; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="NAME", help=", ".join(r.name for r in ROWS))
    parser.add_argument("--wheels", type=Path, default=_ROOT / "dist", help="wheels to use")
    parser.add_argument(
        "--tests", choices=("core", "checks", "all"), default="all", help="scikit-learn's checks?"
    )
    parser.add_argument("--list", action="store_true", help="show the rows and stop")
    parser.add_argument(
        "--python", action="append", default=[], help="a Python besides those found"
    )
    options = parser.parse_args()
    unknown = set(options.rows) - {row.name for row in ROWS}
    if unknown:
        names = ", ".join(row.name for row in ROWS)
        parser.error(f"there is no row {sorted(unknown)[0]!r}. Choose from {names}.")
    rows = [row for row in ROWS if not options.rows or row.name in options.rows]
    if options.list:
        for row in rows:
            print(f"{row.name:18} Python {row.pythons[0]:5} {' '.join(row.requirements)}")
        return 0
    tests = {"core": [*CORE], "checks": [_CHECKS], "all": [*CORE, _CHECKS]}[options.tests]
    log = Log(_WORK / "log")
    pythons = [python for python in find_pythons(options.python) if not python.free_threaded]
    for row in rows:
        _run_row(log, row, pythons, options.wheels, tests)
    print(f"\n{log.table()}")
    return int(log.failed)


if __name__ == "__main__":
    sys.exit(main())
