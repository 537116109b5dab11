"""A sheet as text: its name, then its rows, cells with a tab between them."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlab.assets.readers.limits import not_read
from ctxlab.assets.readers.passages import BETWEEN, PassageCollector

LONGEST_NAME = 100


def add_sheet(
    name: str, rows: Iterable[list[str]], collector: PassageCollector, *, height: int | None = None, first_row: int = 1
) -> None:
    """A passage `sheet Plan` of the rows that have words, until the limit.

    `height` is the number of all rows where it is known, `first_row` the number that the first has in the file.
    """
    name = " ".join(name.split())[:LONGEST_NAME]
    place = f"sheet {name}"
    head = f"# {name}"
    lines: list[str] = []
    room = collector.left - len(head) - (len(BETWEEN) if collector.passages else 0)
    for number, cells in enumerate(rows, 1):
        line = "\t".join(cells).rstrip("\t")
        if not line.strip():
            continue
        lines.append(line)
        room -= len(line) + 1
        if room < 0:
            collector.add("\n".join([head, *lines]), place)
            if height is not None and number < height:
                last = first_row + height - 1
                collector.problems.append(f"of sheet {name}, {not_read('row', first_row + number, last)}")
            return
    if lines:
        collector.add("\n".join([head, *_without_empty_columns(lines)]), place)


def _without_empty_columns(lines: list[str]) -> list[str]:
    """The lines without the columns that are empty in all of them before the first that isn't."""
    empty = min(len(line) - len(line.lstrip("\t")) for line in lines)
    return [line[empty:] for line in lines]
