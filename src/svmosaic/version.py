"""The version of the package, for modules that must not import the package itself."""

from __future__ import annotations

__version__ = "0.1.0"
