"""What the package needs at run time, and that nothing it needs is copyleft."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
    "codespell": "GPL-2.0; a program that checks spelling, neither imported nor shipped",
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


# All that is installed with the package ----------------------------------------------------------

ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"),
    *("MIT", "MIT-CMU", "PSF-2.0", "Unlicense", "Zlib"),
}
# What packages say that give no SPDX expression.
SPDX = {
    "OSI Approved :: Apache Software License": "Apache-2.0",
    "OSI Approved :: BSD License": "BSD-3-Clause",
    "OSI Approved :: ISC License (ISCL)": "ISC",
    "OSI Approved :: MIT License": "MIT",
    "OSI Approved :: Python Software Foundation License": "PSF-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
}
# Package -> why it may be. Only behind extras: what everybody installs has no exception.
EXTRA_EXCEPTIONS = {
    "certifi": "MPL-2.0; a list of certificates that requests reads, for downloads with pooch",
}
# Optional packages that have their own run-time libraries from a vendor.
NOT_LOOKED_AT = {
    "moa": "needs Java",
    "gpu": "comes with the libraries of NVIDIA",
    "docs": "builds the site; nothing of it is imported or shipped",
}


def _identifiers(package: Distribution) -> set[str]:
    """Return the SPDX identifiers of a package; a text that is none of them stays as it is."""
    expression = package.metadata.get("License-Expression")
    if expression:
        return set(re.findall(r"[\w.+-]+", expression)) - {"AND", "OR", "WITH"}
    classifiers = [
        text.removeprefix("License :: ")
        for text in package.metadata.get_all("Classifier") or []
        if text.startswith("License ::")
    ]
    field = (package.metadata.get("License") or "").strip()
    named = classifiers or [field]
    return {SPDX.get(text, text) for text in named}


def _installed_with(requirements: list[str]) -> dict[str, Distribution]:
    """Return the packages that requirements bring, and those that these bring."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        wanted = waiting.pop()
        name = wanted.name.lower().replace("_", "-")
        if name in found or name == PROJECT["name"]:
            continue
        try:
            found[name] = distribution(wanted.name)
        except PackageNotFoundError:
            continue
        for text in found[name].requires or []:
            needed = Requirement(text)
            extras = wanted.extras or {""}
            if not needed.marker or any(needed.marker.evaluate({"extra": e}) for e in extras):
                waiting.append(needed)
    return found


def test_everything_that_is_always_installed_is_permissive():
    packages = _installed_with(PROJECT["dependencies"])

    assert {"numpy", "scipy", "scikit-learn", "joblib", "safetensors"} <= packages.keys()
    assert len(packages) > 5
    for name, package in packages.items():
        assert _identifiers(package) <= ALLOWED, (name, _identifiers(package))


@pytest.mark.parametrize(
    "extra",
    sorted(PROJECT["optional-dependencies"].keys() - {"bench", "dev"} - NOT_LOOKED_AT.keys()),
)
def test_everything_that_an_extra_installs_is_permissive(extra):
    packages = _installed_with(PROJECT["optional-dependencies"][extra])

    for name, package in packages.items():
        if name not in EXTRA_EXCEPTIONS:
            assert _identifiers(package) <= ALLOWED, (name, _identifiers(package))


def test_no_exception_is_installed_always():
    assert not EXTRA_EXCEPTIONS.keys() & _installed_with(PROJECT["dependencies"]).keys()


def test_the_licences_of_what_is_compiled_in_are_in_the_wheel():
    root = Path(__file__).parents[2]
    files = [path for pattern in PROJECT["license-files"] for path in root.glob(pattern)]

    assert {path.name for path in files} == {"LICENSE", "NOTICE", "nanobind.txt", "robin-map.txt"}
    for path in files:
        words = "CC BY 4.0" if path.name == "NOTICE" else "Copyright (c)"
        assert words in path.read_text(encoding="utf-8")
