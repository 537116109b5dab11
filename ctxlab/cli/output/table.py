"""Rows in columns that are as wide as what stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from ctxlab.cli.output.terminal import Screen, shortened

BETWEEN = "  "
NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title, its side, and the style of its cells."""

    title: str
    right: bool = False
    style: str = ""


def columns(screen: Screen, titles: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """The rows under their titles. Where the screen is too narrow, the widest columns on the left are cut."""
    widths = [max(cell_len(text) for text in texts) for texts in zip([t.title for t in titles], *rows, strict=True)]
    room = screen.width - len(BETWEEN) * (len(widths) - 1)
    while screen.wraps and sum(widths) > room:
        widest = max((i for i, title in enumerate(titles) if not title.right), key=lambda i: widths[i], default=None)
        if widest is None or widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    _row(screen, titles, widths, [title.title for title in titles], header=True)
    for row in rows:
        _row(screen, titles, widths, row, header=False)


def _row(
    screen: Screen, titles: Sequence[Column], widths: Sequence[int], cells: Sequence[str], *, header: bool
) -> None:
    line = Text(end="")
    for i, (title, width, cell) in enumerate(zip(titles, widths, cells, strict=True)):
        text = shortened(cell, width)
        pad = " " * (width - cell_len(text))
        if i:
            line.append(BETWEEN)
        line.append(pad + text if title.right else text + pad, "label" if header else title.style)
    line.rstrip()
    screen.line(line)
