"""A study's table in columns of plain text, for `print`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.display.one_line import cells_wide, plain
from ctxlab.studies.study_table.table_text import table_cells, table_head

if TYPE_CHECKING:
    from ctxlab.studies.study_table.study_table import StudyTable

WIDTH = 120
NAMES = (40, 28, 20, 12, 8)
"""Cells of a variant's name, its settings or a label: the most that fit."""
GAP = "  "


def table_columns(table: StudyTable, width: int = WIDTH) -> str:
    """The table at most so wide, and its summary. A column that is the same in each row is said once, below."""
    head = [_short_name(name, table) for name in table_head(table)]
    rows = [table_cells(table, row) for row in table.rows]
    alike = [
        i for i, name in enumerate(head) if len(rows) > 1 and name != "variant" and len({row[i] for row in rows}) == 1
    ]
    shown = [i for i in range(len(head)) if i not in alike]
    texts = [i for i in shown if i < _first_number(table) or i == len(head) - 1]
    cells = [[plain(each[i], NAMES[0]) for i in range(len(head))] for each in [head, *rows]]
    hidden: list[int] = []
    for i in reversed([i for i in shown if head[i].startswith("mean ") or head[i] in ("cases", "conversations")]):
        if _width(cells, shown) > width:
            shown.remove(i)
            hidden.append(i)
    for name in NAMES:
        if _width(cells, shown) > width:
            cells = [[plain(cell, name) if i in texts else cell for i, cell in enumerate(row)] for row in cells]
    wide = {i: max(cells_wide(row[i]) for row in cells) for i in shown}
    body = [GAP.join([_padded(row[i], wide[i], right=i not in texts) for i in shown]).rstrip() for row in cells]
    same = [f"{head[i]} {rows[0][i]}" for i in alike if rows[0][i]]
    below = [f"In each row: {', '.join(same)}."] if same else []
    below += [f"Without {', '.join(head[i] for i in sorted(hidden))}, which frame() has."] if hidden else []
    first = f"{plain(table.score)}{', %' if table.is_share else ''}; difference to {plain(table.baseline)}"
    return "\n".join([first + (", points" if table.is_share else ""), *body, *below, table.summary])


def _first_number(table: StudyTable) -> int:
    """The place of the first column that isn't words."""
    head = table_head(table)
    return (
        head.index("budget")
        if "budget" in head
        else next(i for i, name in enumerate(head) if name.endswith("interval")) - 1
    )


def _short_name(name: str, table: StudyTable) -> str:
    """A column's name without what the line above the table says."""
    if name.startswith(f"difference to {table.baseline}"):
        return "difference"
    short = {"p after Holm": "p (Holm)", f"its {table.level:.0%} interval": f"{table.level:.0%} interval"}
    return short.get(name, table.score if name == f"{table.score}, %" else name)


def _width(cells: Sequence[Sequence[str]], shown: Sequence[int]) -> int:
    return sum(max(cells_wide(row[i]) for row in cells) for i in shown) + len(GAP) * (len(shown) - 1)


def _padded(text: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - cells_wide(text))
    return blanks + text if right else text + blanks
