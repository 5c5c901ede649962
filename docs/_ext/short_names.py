"""Find what a docstring names without its module, such as ``SMOClassifier``."""

from __future__ import annotations

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

__all__ = ["setup"]


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.reference | None:
    """Return a link to the public name that ends like this, None if there is none."""
    if node.get("refdomain") != "py":
        return None
    objects = env.domains["py"].objects
    target = node["reftarget"]
    matches = [name for name in objects if name.endswith(f".{target}")]
    # The name with the fewest dots is the one that users import.
    matches = sorted(matches, key=lambda name: name.count("."))[:1]
    if not matches:
        return None
    entry = objects[matches[0]]
    page = node["refdoc"]
    return make_refnode(app.builder, page, entry.docname, entry.node_id, content, matches[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True}
