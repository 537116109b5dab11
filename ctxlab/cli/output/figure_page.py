"""A figure as a page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import CtxlabError


def refuse_page(path: Path, example: str) -> None:
    """Raise, before the work is done, where the page can't be written."""
    if path.is_dir() or path.name in ("", "-"):
        raise CtxlabError(f"{path} is no name of a file to write; give one, such as {example}")
    if path.suffix.lower() not in (".html", ".htm"):
        raise CtxlabError(f"a figure is HTML, and {path.name} is not; give a name such as {path.stem}.html")
    if not path.parent.is_dir():
        raise CtxlabError(f"there is no folder {str(path.parent)!r} to write {path.name} to")


def write_page(figure: Any, path: Path) -> None:
    """The figure with all that it needs to be looked at without a network."""
    replace_file(path, figure.to_html(include_plotlyjs=True).encode())
