"""Sphinx's settings: pages that ask nobody for anything, over http and from disk."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "ctxlab"
author = "the authors of ctxlab"
release = metadata.version("ctxlab")
language = "en"
html_search_language = "both"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "sphinx_copybutton",
    "_ext.search_in_both",
    "_ext.reference",
    "_ext.command",
    "_ext.light_and_dark",
    "_ext.live",
    "_ext.llms_full",
    "_ext.gallery",
    "_ext.widget_tables",
    "_ext.named_controls",
]
templates_path = ["_templates"]
exclude_patterns = ["_ext", "_templates", "prompts_under_test", "README.md"]
nitpicky = False
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
"""Nothing of the state of widgets is loaded from elsewhere."""

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_display_short_literal_types = True
python_maximum_signature_line_length = 88

html_static_path = ["_static"]
html_theme = "sphinx_book_theme"
html_title = "ctxlab"
html_theme_options = {
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "navbar_persistent": [],
    "use_download_button": False,
    "use_fullscreen_button": False,
}
html_context = {"default_mode": "auto"}
html_show_search_summary = False
html_copy_source = False
html_show_sourcelink = False
