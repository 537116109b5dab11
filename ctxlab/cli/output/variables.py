"""Variables as text: one line for each, with the value before and after a step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ctxlab.cli.output.terminal import Column, Screen, columns, harmless, one_line
from ctxlab.engines.variables.variables_of_step import VariableValue

WHOSE = {"conversation": "this conversation", "everywhere": "everywhere", "session": "<svar> tags"}
WIDEST_VALUE = 40


def variables(screen: Screen, values: Sequence[VariableValue], *, step: str) -> None:
    """One line a variable, with the value before for those that the step changed."""
    changed = [value for value in values if value.changed]
    head = f"{len(values):,} {'variable' if len(values) == 1 else 'variables'}"
    words = f"{len(changed):,} changed by {harmless(step)}" if changed else f"none changed by {harmless(step)}"
    screen.line((head, "strong"), (f"; {words}", ""))
    titles = [
        Column(""),
        Column("name", style="strong"),
        Column("before", style="dim"),
        Column("after"),
        Column("kept for", style="dim"),
    ]
    rows = [
        (
            "~" if value.changed else " ",
            one_line(value.name, cells=WIDEST_VALUE),
            _shown(value.before) if value.changed else "",
            _shown(value.after),
            WHOSE.get(value.scope, value.scope),
        )
        for value in sorted(values, key=lambda value: not value.changed)
    ]
    columns(screen, titles, rows)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return one_line(text, cells=WIDEST_VALUE)
