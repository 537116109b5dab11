"""A difference of two contexts as text: one line for each message that is not the same."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ctxlab.cli.output.run_text import short_key, words_of
from ctxlab.cli.output.terminal import Screen, harmless, quoted
from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Diff, DiffRow

SIGNS = {"other reason": "=", "changed": "~", "joined": "&", "moved": ">", "only in a": "-", "only in b": "+"}
STYLES = {
    "other reason": "dim",
    "changed": "added",
    "joined": "dim",
    "moved": "dim",
    "only in a": "gone",
    "only in b": "came",
}
MOST_ROWS = 40


def differences(screen: Screen, diff: Diff, *, most: int = MOST_ROWS) -> None:
    """Messages that are gone, added, changed and moved, by key, with the cause or the part of the text that differs."""
    rows = diff.changes
    if not rows:
        screen.line(("the same messages", "dim"))
        return
    for row in rows[:most]:
        _row(screen, row)
    if len(rows) > most:
        screen.line((f"  … {counted(len(rows) - most, 'more message')}", "dim"))
    same = len(diff.rows) - len(rows)
    if same:
        screen.line((f"  {counted(same, 'message')} the same", "dim"))


def _row(screen: Screen, row: DiffRow) -> None:
    sign = (f"{SIGNS[row.kind]} ", STYLES[row.kind])
    name = f"{short_key(row.key)}  "
    screen.line(sign, (name, STYLES[row.kind]), *_words(screen, row, screen.width - len(name) - 2), hang=4)


def _words(screen: Screen, row: DiffRow, room: int) -> Sequence[str | tuple[str, str] | Text]:
    draft = row.b or row.a
    assert draft is not None
    detail_text = harmless(row.detail)
    if row.kind == "other reason":
        return [(detail_text, "dim")]
    if row.kind == "changed":
        return [*_change(row, room), (f"  {detail_text}" if detail_text else "", "dim")]
    cause = "" if row.cause is None else harmless(row.cause.reason if not row.cause.processor else str(row.cause))
    if cause and row.kind == "only in b":
        cause = f"before: {cause}"
    if row.kind == "joined" and row.cause is not None and row.whole_b is not None:
        detail_text = ""  # the cause says in which message it is now
    why = "; ".join(part for part in (detail_text, cause) if part)
    words = words_of(draft, max(16, min(44, room - len(why) - 2)))
    return [words, (f"  {why}", "dim")] if why else [words]


def _change(row: DiffRow, room: int) -> Sequence[str | tuple[str, str]]:
    change = row.text_change
    if change is None:
        return [("other fields than its text changed", "dim")]
    start, old, new = change
    each = max(14, min(36, (room - 24) // 2))
    return [(f"at character {start:,}: ", "dim"), (quoted(old, each), "gone"), " → ", (quoted(new, each), "came")]
