"""The effect of a change of settings: which messages came back, went or changed, and what that is in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ctxlab.pipeline import DiffRow, Pipeline, Trace, diff
from ctxlab.pipeline.explain.trace_json import plain

DiffKind = Literal["back in", "new", "out", "changed", "moved", "joined", "same", "still out", "seams"]

SHOWN = 6
"""Messages of a kind that are named; the others are one row with their number."""
DIFF_KINDS: dict[str, DiffKind] = {"changed": "changed", "moved": "moved", "joined": "joined", "only in a": "out"}


def settings_effect(before: Trace, after: Trace, *, ran: Sequence[str]) -> dict[str, Any]:
    """A run against the one before: settings old and new, the steps that ran again, messages and tokens.

    `tokens` of a row is what it adds to the messages' tokens, of those that are still out what they would need; a row
    without a key is for several. `seams` is what joining and rewriting saved or cost besides.
    """
    tokens, earlier = _messages_tokens(after), _messages_tokens(before)
    return {
        "settings": changed_settings(before.pipeline, after.pipeline),
        "reran": list(ran),
        "seconds": sum(step.seconds for step in after.steps if step.id in ran),
        "rows": _rows(before, after, tokens - earlier),
        "tokens": tokens,
        "difference": tokens - earlier,
    }


def changed_settings(before: Pipeline, after: Pipeline) -> list[dict[str, Any]]:
    """Settings that differ, with both values; `enabled` is one of them."""
    found: list[dict[str, Any]] = []
    known = {stage.id: stage for stage in before.stages}
    for stage in after.stages:
        old = known.get(stage.id)
        if old is None:
            continue
        if old.enabled != stage.enabled:
            found.append(_setting(stage.id, "enabled", "", old.enabled, stage.enabled))
        for name, info in type(stage.processor.settings).model_fields.items():
            was, now = getattr(old.processor.settings, name, None), getattr(stage.processor.settings, name)
            if was != now:
                found.append(_setting(stage.id, name, info.title or name.replace("_", " "), was, now))
    return found


def _setting(step: str, name: str, title: str, old: Any, new: Any) -> dict[str, Any]:
    return {"step": step, "name": name, "title": title, "old": plain(old), "new": plain(new)}


def _rows(before: Trace, after: Trace, difference: int) -> list[dict[str, Any]]:
    counter = after.services.tokenizer
    was_out, is_out = _dropped(before), _dropped(after)
    kinds: dict[DiffKind, list[tuple[str, int]]] = {}
    for row in diff(before, after):
        added = counter.count_draft(row.b) if row.b else 0
        tokens = added - (counter.count_draft(row.a) if row.a else 0)
        kinds.setdefault(_kind_of(row, was_out), []).append((row.key, tokens))
        difference -= tokens
    still_out = [(key, tokens) for key, tokens in is_out.items() if key in was_out]
    out: list[dict[str, Any]] = []
    for what in ("back in", "new", "out", "changed", "moved", "joined"):
        out += _named_rows(what, kinds.get(what, []))
    out += _sum_row("same", kinds.get("same", []))
    out += _sum_row("still out", still_out)
    return out + ([_row("seams", "", 0, difference)] if difference else [])


def _kind_of(row: DiffRow, was_out: dict[str, int]) -> DiffKind:
    if row.kind == "only in b":
        return "back in" if row.key in was_out else "new"
    return DIFF_KINDS.get(row.kind, "same")


def _named_rows(what: DiffKind, found: list[tuple[str, int]]) -> list[dict[str, Any]]:
    shown = len(found) if len(found) <= SHOWN + 1 else SHOWN
    return [_row(what, key, 1, tokens) for key, tokens in found[:shown]] + _sum_row(what, found[shown:])


def _sum_row(what: DiffKind, found: list[tuple[str, int]]) -> list[dict[str, Any]]:
    return [_row(what, "", len(found), sum(tokens for _, tokens in found))] if found else []


def _row(what: DiffKind, key: str, messages: int, tokens: int) -> dict[str, Any]:
    return {"what": what, "key": key, "messages": messages, "tokens": tokens}


def _dropped(trace: Trace) -> dict[str, int]:
    count = trace.services.tokenizer.count_draft
    return {draft.key: count(draft) for group in trace.result.dropped for draft in group.drafts}


def _messages_tokens(trace: Trace) -> int:
    return trace.tokens - trace.request_tokens
