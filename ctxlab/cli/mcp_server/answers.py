"""Answers as compact data: what is needed to understand a run, with long texts shortened and their lengths said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.cli.inputs.files import Inputs
from ctxlab.context import Draft
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.pipeline import Diff, Trace
from ctxlab.pipeline.explain.diff import DiffRow, shown_change
from ctxlab.pipeline.explain.ledger import cut_rows
from ctxlab.secrets import masked, masked_data

Data = dict[str, Any]
SHORT = 400
"""Characters of a text that are shown where the whole isn't asked for."""
LONGEST_ANSWER = 200_000
"""Characters of an answer."""
FEWEST = 20
"""Items of a list, and characters of a text, that an answer keeps however long it is."""
HALF_PAIR = lazy_pattern("[\ud800-\udfff]")


def json_text(answer: object) -> str:
    """An answer as JSON in one line; where it is longer than LONGEST_ANSWER it is shortened, and says so."""
    answer = masked_data(answer)
    text, items, characters = _dumped(answer), 2_000, LONGEST_ANSWER
    while len(text) > LONGEST_ANSWER and items > FEWEST:
        items, characters = items // 2, characters // 4
        smaller = _smaller(answer, items, max(FEWEST, characters))
        text = _dumped({"shortened": "the answer was too long; ask for less", "answer": smaller})
    return text if len(text) <= LONGEST_ANSWER else _dumped({"shortened": "the answer is too long; ask for less"})


def _dumped(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    # Half a surrogate pair has no UTF-8; JSON can write it as an escape.
    return HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _smaller(value: Any, items: int, characters: int) -> Any:
    if isinstance(value, str):
        return _short(value, characters)
    if isinstance(value, Mapping):
        return {name: _smaller(each, items, characters) for name, each in list(value.items())[:items]}
    if isinstance(value, list | tuple):
        more = [f"… {len(value) - items:,} more"] if len(value) > items else []
        return [*(_smaller(each, items, characters) for each in value[:items]), *more]
    return value


def built(inputs: Inputs, trace: Trace, *, whole: bool) -> Data:
    """Tokens, steps and what they did, messages as they would be sent, and what is cut with its cause."""
    steps = [{"step": step.id, "did": _did(trace, index)} for index, step in enumerate(trace.steps)]
    drafts = trace.result.drafts
    cut = [
        {"key": row.draft.key, "role": row.draft.role, "tokens": row.tokens, "step": row.step, "why": str(row.cause)}
        for row in cut_rows(trace)
    ]
    return {
        "tokens": trace.tokens,
        "messages": [_message(draft, whole=whole) for draft in drafts],
        "cut": cut,
        "steps": [step for step in steps if step["did"]],
        "notes": [note.text for note in (*trace.start.notes, *trace.result.notes)],
        **read_along(inputs),
    }


def read_along(inputs: Inputs) -> Data:
    """Files that were read though nobody named them, losses of reading, and that a conversation was begun."""
    said = {"also_read": list(inputs.unnamed), "lost_in_reading": list(inputs.losses), "begun": inputs.begun}
    return {name: value for name, value in said.items() if value}


def differences(found: Diff, before: Trace, after: Trace, *, whole: bool) -> Data:
    """The messages that differ, each with its cause and the stretch that changed."""
    return {
        "tokens": {"before": before.tokens, "after": after.tokens},
        "changes": [_row(row, whole=whole) for row in found.changes],
        "same": len(found.rows) - len(found.changes),
    }


def decisions(rows: Sequence[Mapping[str, Any]]) -> Data:
    """Decisions on lore: how many fired, and each with what it went by."""
    kept = [{name: value for name, value in row.items() if value not in (None, "", [], {})} for row in rows]
    return {"entries": len(kept), "decisions": kept}


def _did(trace: Trace, index: int) -> str:
    changes, step = trace.changes(index), trace.steps[index]
    if step.error:
        return f"failed: {step.error}"
    return changes.summary if changes or changes.decided else ""


def _message(draft: Draft, *, whole: bool) -> Data:
    text = str(draft.text)
    calls = [{"name": call.name, "arguments": _cut(str(call.arguments), whole=whole)} for call in draft.calls]
    return {
        "key": draft.key,
        "role": draft.role,
        "text": _cut(text, whole=whole),
        **({"calls": calls} if calls else {}),
        **({"parts": [part.key for part in draft.parts]} if draft.merged else {}),
    }


def _row(row: DiffRow, *, whole: bool) -> Data:
    answer: Data = {"key": row.key, "kind": row.kind}
    if row.cause is not None:
        answer["why"] = str(row.cause)
    if row.detail:
        answer["detail"] = row.detail
    if row.a is not None and row.b is not None:
        change = shown_change(str(row.a.text), str(row.b.text))
        if change is not None:
            at, was, now = change
            answer |= {"at": at, "was": _cut(was, whole=whole), "is": _cut(now, whole=whole)}
        return answer
    only = row.a or row.b
    return {**answer, "text": _cut(str(only.text), whole=whole)} if only is not None else answer


def _cut(text: str, *, whole: bool) -> str:
    return text if whole else _short(text, SHORT)


def _short(text: str, most: int) -> str:
    text = masked(text)
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
