"""Leave what scikit-learn's own classes define out of our API pages."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

__all__ = ["setup"]

_FOREIGN = ("sklearn.", "builtins", "collections", "typing")


def skip_foreign(
    app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any
) -> bool | None:
    """Return True for members that another library defines; None leaves the decision to Sphinx."""
    function = getattr(value, "fget", value)
    home = getattr(function, "__module__", None) or ""
    if home.startswith(_FOREIGN) or name.endswith("_request"):
        return True
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the rule."""
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True}
