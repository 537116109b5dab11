"""Tables and texts of generated pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def page(title: str, *blocks: str) -> str:
    """A page of blocks."""
    return "\n\n".join([f"# {title}", *blocks]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; lines and bars in cells don't end them."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def cell(value: object) -> str:
    """A value as it stands in a cell."""
    text = "" if value is None else str(value)
    return " ".join(text.replace("|", "\\|").split())


def code(value: object) -> str:
    """A value as code; nothing where there is none."""
    text = "" if value is None else str(value)
    return f"`{' '.join(text.split())}`" if text.strip() else ""


def plain(text: str | None) -> str:
    """Words as they are, with what stands in backticks as code."""
    pieces = _CODE.split(" ".join((text or "").split()))
    return "".join(piece if at % 2 else _SIGNS.sub(r"\\\g<0>", piece) for at, piece in enumerate(pieces))


_CODE = re.compile("(`[^`]+`)")
_SIGNS = re.compile(r"[\\`*_\[\]<>^~$#]")
