"""Settings of the documentation site; `make docs` builds it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Figures are drawn without a screen.
os.environ.setdefault("MPLBACKEND", "agg")

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

from pygments.lexers.special import TextLexer  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

import svmosaic  # noqa: E402
from gallery_order import FOLDERS  # noqa: E402

project = "svmosaic"
author = "The svmosaic developers"
copyright = f"2026, {author}"
version = release = svmosaic.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    # Ours, in docs/_ext.
    "accessible_html",
    "api_members",
    "api_table",
    "docstring_text",
    "estimator_map",
    "estimator_table",
    "llms_text",
    "related_examples",
    "repository_pages",
    "short_names",
    "source_links",
    "start_figures",
]

exclude_patterns = ["_build", "_ext", "_templates", "api/generated/*.md"]
templates_path = ["_templates"]
nitpicky = True
default_role = "literal"
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}
# Types of other libraries; with intersphinx they are found.
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|numpy|scipy|matplotlib|pandas|torch|dask|distributed|river)\..*"),
]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
# A price in a sentence is not mathematics.
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
myst_heading_anchors = 4

autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Links to other projects need the network; they are off unless asked for.
if os.environ.get("SVMOSAIC_INTERSPHINX"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
        "matplotlib": ("https://matplotlib.org/stable", None),
    }

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "subsection_order": FOLDERS,
    "within_subsection_order": "ExampleTitleSortKey",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("svmosaic",),
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 60,
    # Its page would load scripts from elsewhere.
    "write_computation_times": False,
    "abort_on_example_error": True,
    "thumbnail_size": (400, 280),
}

html_theme = "pydata_sphinx_theme"
html_title = "svmosaic"
html_static_path = ["_static"]
html_css_files = ["svmosaic.css"]
html_js_files = ["table_filters.js", "section_names.js"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "getting_started": [], "which_estimator": [], "search": []}
html_theme_options = {
    "logo": {"text": "svmosaic", "alt_text": "svmosaic, start page"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "secondary_sidebar_items": {
        "**": ["page-toc", "sg_download_links"],
        **{page: [] for page in ("index", "which_estimator", "auto_examples/index", "api/index")},
    },
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

copybutton_exclude = ".linenos, .gp, .go"
linkcheck_anchors = False
linkcheck_timeout = 20


def setup(app: Sphinx) -> None:
    """Show CSV as plain text: Pygments has no lexer for it."""
    app.add_lexer("csv", TextLexer)
