"""Two requests as the page shows them: how far they are the same, the first difference with both sides, all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.prompt import PromptPart
from ctxlab.recordings.parts import ContextParts
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.secrets import masked_in_place
from ctxlab_widgets.recording_view.pair import MOST_ROWS, Pair, Row, pair_of, rows_of

AROUND = (60, 240)
"""Characters that are shown before and behind the first one that differs."""
EXCERPT = 400
"""Characters of a part in the whole difference; all of them come when it is opened."""
LONGEST = 40_000
"""Characters of a part that is opened."""
NAMES: Final = {
    "parameters": "parameter",
    "tools": "tool",
    "system": "system text",
    "summaries": "summary",
    "reminders": "reminder",
    "files": "file read",
    "results": "result",
    "attachments": "attachment",
    "history": "message",
    "calls": "call",
    "reasoning": "reasoning",
}
"""A part of each source, in a word."""

WHOLE: Final = {"tool": "the tool list", "system text": "the system text"}


def pair_json(parts: ContextParts, base: RecordedRequest | None, request: RecordedRequest) -> dict[str, Any]:
    """The first difference of a request from another one; of the first request of all, that there is none before."""
    if base is None:
        return {"title": f"Request {request.number:,}", "same": "no request is before it", "rows": [], "told": ""}
    found = pair_of(parts, base, request)
    rows = [_equal(found)] if found.same or found.at else []
    for sign, number, part in (("-", base.number, found.before), ("+", request.number, found.after)):
        if part is not None:
            text = ["", "", _short(part.text)] if found.only_added else _around(part.text, found.at)
            rows.append({"sign": sign, "number": number, "what": part_name(part), "text": text})
    title = f"{request.number:,} against {base.number:,}"
    if not ((base.whole and request.whole) or parts.tokens(request) or parts.tokens(base)):
        return {"title": title, "same": "the log has no words of them", "rows": [], "told": ""}
    told = _told(parts, found, base, request)
    if not (base.whole and request.whole) and found.before is None:
        told += " That is as far as the log goes, which has only parts of what was sent."
    return {"title": title, "same": _same(found), "rows": rows, "told": told}


def difference_json(parts: ContextParts, base: RecordedRequest, request: RecordedRequest) -> dict[str, Any]:
    """Every part that only one of two requests has, and what both have between them as one row."""
    rows = rows_of(parts, base, request)
    return {"rows": [_row(row) for row in rows[:MOST_ROWS]], "more": max(0, len(rows) - MOST_ROWS)}


def row_text(parts: ContextParts, base: RecordedRequest, request: RecordedRequest, number: int) -> str | None:
    """The text of a row of the whole difference; None where there is no such row."""
    rows = rows_of(parts, base, request)
    if not 0 <= number < min(len(rows), MOST_ROWS):
        return None
    text = "\n\n".join(f"{part_name(part)}\n{masked_in_place(part.text)}" for part in rows[number].parts)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n\u2026 {len(text) - LONGEST:,} characters more"


def part_name(part: PromptPart) -> str:
    """A part in words: `tool Grep`, `file read src/a.py`, `reminder system-reminder`."""
    name = part.file if part.source == "files" and part.file else part.name
    said = f" {plain(name, 60)}" if name else f" of the {part.role}" if part.source == "history" else ""
    return NAMES[part.source] + said


def _equal(found: Pair) -> dict[str, Any]:
    last = found.same[-1] if found.same else found.before
    assert last is not None
    what = f"{counted(len(found.same), 'part')} alike, the last: {part_name(last)}" if found.same else "alike"
    end = masked_in_place(last.text)[-AROUND[0] * 2 :] if found.same and not found.at else ""
    return {"sign": "=", "number": 0, "what": what, "text": ["", "", end.strip()]}


def _around(text: str, at: int) -> list[str]:
    """Text before the first character that differs, that one, and text behind it."""
    text = masked_in_place(text)
    begin = max(0, at - AROUND[0])
    before = ("\u2026" if begin else "") + text[begin:at]
    end = at + 1 + AROUND[1]
    return [before, text[at : at + 1], text[at + 1 : end] + ("\u2026" if end < len(text) else "")]


def _short(text: str) -> str:
    text = masked_in_place(text)
    return text[:EXCERPT] + ("\u2026" if len(text) > EXCERPT else "")


def _same(found: Pair) -> str:
    same = f"same for {counted(found.tokens, 'token')}, {counted(found.characters, 'character')}"
    if found.before is None:
        return f"{same}, all of it" if found.after is not None else "the same from beginning to end"
    if found.after is None:
        return f"{same}; then it ends"
    name = NAMES[found.after.source]
    if found.at or found.before.source == found.after.source == "parameters":
        return f"{same}; then {WHOLE.get(name) or _an(name)} differs"
    if found.before.source == found.after.source:
        return f"{same}; then another {name} follows"
    return f"{same}; then {_an(name)} stands where {_an(NAMES[found.before.source])} stood"


def _an(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _told(parts: ContextParts, found: Pair, base: RecordedRequest, request: RecordedRequest) -> str:
    """The first character that differs, and the tokens behind it."""
    all_tokens = parts.tokens(request)
    behind = max(0, all_tokens - found.tokens)
    if found.before is None:
        if found.after is None:
            return "Nothing was added, and nothing is different."
        return f"{counted(behind, 'token')} came behind it, counted here."
    tail = f"{behind:,} of {counted(all_tokens, 'token')} stand behind the first difference, counted here."
    if found.after is None:
        return f"Request {request.number:,} ends where request {base.number:,} goes on."
    a, b = (masked_in_place(part.text)[found.at : found.at + 1] for part in (found.before, found.after))
    if not found.at or (a == b and a != "*"):
        return tail
    place = f"Character {found.characters + 1:,}"
    if not a or not b:
        return f"{place}: the {NAMES[found.after.source]} {'goes on' if b else 'ends earlier'}. {tail}"
    return f"{place}: {_quoted(a)} became {_quoted(b)}. {tail}"


def _quoted(sign: str) -> str:
    return f"\u201c{sign}\u201d" if sign.isprintable() and not sign.isspace() else f"U+{ord(sign):04X}"


def _row(row: Row) -> dict[str, Any]:
    tokens = sum(part.tokens for part in row.parts)
    if row.kind == "=":
        return {"sign": "=", "what": f"{counted(len(row.parts), 'part')} alike", "tokens": tokens, **_cut(row.parts)}
    return {"sign": row.kind, "what": part_name(row.parts[0]), "tokens": tokens, **_cut(row.parts)}


def _cut(parts: Sequence[PromptPart]) -> dict[str, Any]:
    if len(parts) > 1:
        names = [*(part_name(part) for part in parts[:3]), *(["\u2026"] if len(parts) > 3 else [])]
        return {"text": ", ".join(names), "cut": 1}
    text = masked_in_place(parts[0].text)
    return {"text": text[:EXCERPT], "cut": max(0, len(text) - EXCERPT)}
