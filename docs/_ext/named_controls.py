"""Names for what the theme draws without one, so that a screen reader can say what a control does."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

PARAMETERS = re.compile(r"<dl>\n((?:<dd>.*?</dd>\n)+)</dl>", re.DOTALL)
"""Parameters of a long signature, a line each: a list of descriptions that describe nothing."""
AFTER_THEMES = 900


def name_controls(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """The signs that fold a part of the side get its name, parameters become a plain list."""
    if "body" in context:
        context["body"] = PARAMETERS.sub(_as_list, context["body"])
    draw = context.get("generate_toctree_html")
    if draw is None:
        return

    def drawn(*arguments: Any, **options: Any) -> Any:
        toctree = draw(*arguments, **options)
        for summary in getattr(toctree, "select", lambda _: [])("li > details > summary"):
            link = summary.parent.parent.find("a")
            if link is not None and not summary.get_text(strip=True):
                summary["aria-label"] = f"Pages of {link.get_text(strip=True)}"
        return toctree

    context["generate_toctree_html"] = drawn


def _as_list(found: re.Match[str]) -> str:
    items = found[1].replace("<dd>", '<dd role="listitem">')
    return f'<dl role="list">\n{items}</dl>'


def setup(app: Sphinx) -> dict[str, bool]:
    """Follow the theme, which makes the side anew for each page."""
    app.connect("html-page-context", name_controls, priority=AFTER_THEMES)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
