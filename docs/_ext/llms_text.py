"""Write ``llms.txt``: the titles and addresses of all pages, one a line, for programs that read."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

__all__ = ["setup"]

_HEAD = """# svmosaic

> Support vector machines for Python, shaped like scikit-learn, with a C++ core: exact kernel SVMs,
> regression of several targets, bags of instances, data streams, and sound comparisons of methods.

Install: `pip install .` in a clone. Estimators follow scikit-learn's interface (`fit`, `predict`,
`score`); scale the features first; `n_jobs=-1` uses all cores.
"""
_SECTIONS = {
    "Start": ("index", "getting_started", "which_estimator"),
    "Guide": ("guide/", "coming_from"),
    "Examples": ("auto_examples/",),
    "API": ("api/",),
}


def _section(docname: str) -> str:
    matches = (title for title, begins in _SECTIONS.items() if docname.startswith(begins))
    return next(matches, "More pages")


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the file once the pages are there."""
    if exception is not None or app.builder.format != "html":
        return
    sections: dict[str, list[str]] = {title: [] for title in (*_SECTIONS, "More pages")}
    for docname in sorted(app.env.titles):
        if not docname.endswith(("sg_execution_times", "genindex")):
            line = f"- [{app.env.titles[docname].astext()}]({docname}.html)"
            sections[_section(docname)].append(line)
    parts = [f"## {title}\n\n" + "\n".join(lines) for title, lines in sections.items() if lines]
    text = "\n\n".join([_HEAD.rstrip(), *parts]) + "\n"
    (Path(app.outdir) / "llms.txt").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
