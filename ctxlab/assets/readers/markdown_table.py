"""Rows as lines of text."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown whose head is the first row; rows without words, and columns without, are left out.

    >>> print(markdown_table([["port", "depth"], ["Bergen", "11 m"]]))
    | port | depth |
    | --- | --- |
    | Bergen | 11 m |
    """
    lines = [[_cell(cell) for cell in row] for row in rows if any(cell.strip() for cell in row)]
    used = [
        column
        for column in range(max(map(len, lines), default=0))
        if any(column < len(line) and line[column] for line in lines)
    ]
    if not lines:
        return ""
    drawn = ["| " + " | ".join(line[column] if column < len(line) else "" for column in used) + " |" for line in lines]
    return "\n".join([drawn[0], "|" + " --- |" * len(used), *drawn[1:]])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
