"""A figure as a page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import CtxlabError

LEAST_HEIGHT, IMAGE_WIDTH = 440, 960
"""Pixels of a figure that says no height, and of a saved image."""


def refuse_page(path: Path, example: str) -> None:
    """Raise, before the work is done, where the page can't be written."""
    if path.is_dir() or path.name in ("", "-"):
        raise CtxlabError(f"{path} is no name of a file to write; give one, such as {example}")
    if path.suffix.lower() not in (".html", ".htm"):
        raise CtxlabError(f"a figure is HTML, and {path.name} is not; give a name such as {path.stem}.html")
    if not path.parent.is_dir():
        raise CtxlabError(f"there is no folder {str(path.parent)!r} to write {path.name} to")


def write_page(figure: Any, path: Path) -> None:
    """The figure with all that it needs to be looked at without a network, as high as the window.

    Its camera saves it as SVG, named as the page is.
    """
    height = figure.layout.height or LEAST_HEIGHT
    image = {"format": "svg", "filename": path.stem, "width": IMAGE_WIDTH, "height": height}
    page = figure.update_layout(height=None).to_html(
        include_plotlyjs=True,
        default_height=f"max({height}px, 96vh)",
        config={"displayModeBar": True, "displaylogo": False, "toImageButtonOptions": image},
    )
    replace_file(path, page.encode())
