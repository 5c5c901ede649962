"""What the package needs at run time, and that nothing it needs is copyleft."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]

COPYLEFT = re.compile(
    r"\b(A?GPL|LGPL|MPL|EPL|EUPL|CDDL|OSL|CECILL|SSPL)|CC-BY-SA"
    r"|General Public License|Mozilla Public|Eclipse Public|copyleft",
    flags=re.IGNORECASE,
)

# Package -> why it may be. Only tools of development: nothing here is imported by svmosaic.
EXCEPTIONS = {
    "hypothesis": "MPL-2.0, copyleft per file; a test tool, neither imported nor shipped",
}


def _name(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement).group(0).lower()


def _direct_dependencies() -> set[str]:
    extras = PROJECT["optional-dependencies"].values()
    names = {_name(r) for group in (PROJECT["dependencies"], *extras) for r in group}
    return names - {PROJECT["name"]}


def _installed() -> dict[str, Distribution]:
    """Return the direct dependencies that are here; extras need not be."""
    found = {}
    for name in sorted(_direct_dependencies()):
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
    return found


def _declared_licence(package: Distribution) -> str:
    """Return what the metadata declares, or the title of the licence file if it is silent.

    A long `License` field is a licence text that also quotes the licences of bundled run-time
    libraries (SciPy's quotes GCC's, with its exception); then the classifiers speak.
    """
    metadata = package.metadata
    classifiers = [
        c.removeprefix("License :: ").removeprefix("OSI Approved").removeprefix(" :: ")
        for c in metadata.get_all("Classifier") or []
        if c.startswith("License ::")
    ]
    field = (metadata.get("License") or "").strip()
    short_field = field if "\n" not in field else ""
    declared = [metadata.get("License-Expression") or "", *classifiers, short_field]
    if any(declared):
        return "; ".join(filter(None, declared))
    files = [f for f in package.files or [] if re.match(r"LICEN[CS]E|COPYING", f.name)]
    texts = [f.read_text(encoding="utf-8").strip() for f in files if ".dist-info" in str(f)]
    return "; ".join(text.splitlines()[0] for text in texts if text)


def test_run_time_dependencies_are_these_five():
    names = sorted(_name(requirement) for requirement in PROJECT["dependencies"])

    assert names == ["joblib", "numpy", "safetensors", "scikit-learn", "scipy"]


def test_our_own_licence_is_permissive():
    assert PROJECT["license"] == "BSD-3-Clause"


@pytest.mark.parametrize("name", sorted(_installed().keys() - EXCEPTIONS.keys()))
def test_no_direct_dependency_is_copyleft(name):
    licence = _declared_licence(_installed()[name])

    assert licence, f"{name} declares no licence"
    assert COPYLEFT.search(licence) is None, f"{name}: {licence}"


def test_exceptions_are_needed_and_for_development_only():
    development = {_name(r) for r in PROJECT["optional-dependencies"]["dev"]}

    assert set(EXCEPTIONS) <= development
    for name in EXCEPTIONS.keys() & _installed().keys():
        assert COPYLEFT.search(_declared_licence(_installed()[name])), name


@pytest.mark.parametrize(
    "licence",
    ["GPL-3.0-only", "LGPLv2+", "GNU Affero General Public License v3", "AGPL", "MPL-2.0"],
)
def test_copyleft_is_recognised(licence):
    assert COPYLEFT.search(licence)


@pytest.mark.parametrize("licence", ["BSD-3-Clause", "MIT", "Apache-2.0", "PSF-2.0", "Simple"])
def test_permissive_licences_are_not_taken_for_copyleft(licence):
    assert COPYLEFT.search(licence) is None
