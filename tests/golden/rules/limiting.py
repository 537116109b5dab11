"""What is cut when not all fits: a second limiter, slow and plain, from the decisions alone.

What a message costs is asked of the tokenizer, which other files put to the test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import regex

from ctxlab.context import Draft, Text
from ctxlab.documents import ToolCall
from tests.golden.cases import Case
from tests.golden.forms import HISTORY, Data, drafts_of, form_of_draft, forms_by_key, text_of
from tests.golden.materials import MARKER, tokenizer_of, utf16_length
from tests.golden.reference import TOO_SMALL
from tests.golden.rules.rule import Rule

Unit = tuple[int, ...]


def _management(case: Case) -> Data:
    parameters = (case.input.get("agentConfig") or {}).get("parameters") or {}
    return parameters.get("contextManagement") or {}


def _ours(case: Case) -> Any:
    budget = _management(case)["maxContextTokens"]
    tokens = tokenizer_of(case.input).count_draft
    before = drafts_of(case.input["messages"])
    drafts, units = _sound(before)
    stay = {i for i, draft in drafts.items() if draft.pinned} | _protected(drafts, units)
    left = budget - sum(tokens(drafts[i]) for i in stay)
    if left < 0:
        return TOO_SMALL
    shortened: set[int] = set()
    for unit in units:
        if stay.issuperset(unit):
            continue
        cost = sum(tokens(drafts[i]) for i in unit)
        heads = {i: _head(drafts[i], _management(case).get("retainedCharacters") or 0) for i in unit}
        if cost <= left:
            stay.update(unit)
            left -= cost
            continue
        changed = {i for i in unit if heads[i] is not drafts[i]}
        if changed and sum(map(tokens, heads.values())) <= left:
            drafts |= heads
            shortened |= changed
            stay.update(unit)
        break
    return _result(case, before, {i: drafts[i] for i in sorted(stay)}, shortened)


def _sound(drafts: Sequence[Draft]) -> tuple[dict[int, Draft], list[Unit]]:
    """The messages that may be sent by position, and units of those that may be cut, newest first.

    A result goes with the nearest call of its id before it that has none; results without a call, and calls without a
    result, are taken out.
    """
    waiting: dict[str, list[tuple[int, ToolCall]]] = defaultdict(list)
    results: dict[int, list[int]] = defaultdict(list)
    sound: dict[int, Draft] = {}
    for i, draft in enumerate(drafts):
        if not draft.pinned and draft.role == "tool":
            if not waiting[draft.result_of or ""]:
                continue
            results[waiting[draft.result_of or ""].pop()[0]].append(i)
        for call in draft.calls:
            waiting[call.id].append((i, call))
        sound[i] = draft
    for i, call in [pair for pairs in waiting.values() for pair in pairs]:
        sound[i] = replace(sound[i], calls=tuple(known for known in sound[i].calls if known is not call))
    mute = [i for i, draft in sound.items() if drafts[i].calls and not (draft.calls or draft.text or draft.assets)]
    for i in mute:
        del sound[i]
    free = [i for i, draft in sound.items() if not draft.pinned and draft.role != "tool"]
    return sound, [(i, *results[i]) for i in reversed(free)]


def _protected(drafts: dict[int, Draft], units: list[Unit]) -> set[int]:
    newest = max(units, key=max, default=())
    user = next((unit for unit in units if drafts[unit[0]].role == "user"), ())
    return {*newest, *user}


def _head(draft: Draft, characters: int) -> Draft:
    """The first characters and the marker, if that is shorter; a character is never cut in two."""
    text, head = str(draft.text), ""
    for character in regex.findall(r"\X", text):
        if len(head) + len(character) > characters:
            break
        head += character
    if characters <= 0 or len(head) + len(MARKER) >= len(text):
        return draft
    meta = {name: value for name, value in draft.meta.items() if name != "reasoningArtifacts"}
    return replace(draft, body=(Text.of(head + MARKER, draft.origin), *draft.assets), reasoning=None, meta=meta)


def _result(case: Case, before: Sequence[Draft], kept: dict[int, Draft], shortened: set[int]) -> Any:
    if not before:
        return {"messages": []}
    tokens, inputs = tokenizer_of(case.input).count_draft, forms_by_key(case.input["messages"])
    messages = [
        {
            **form_of_draft(draft, inputs),
            "tokens": tokens(draft),
            "characters": utf16_length(str(draft.text)),
            "shortened": i in shortened,
        }
        for i, draft in kept.items()
    ]
    total = sum(message["tokens"] for message in messages)
    counts = {
        "history": sum(not draft.pinned for draft in before),
        "kept": sum(not draft.pinned for draft in kept.values()),
        "cut": len(before) - len(kept) + len(shortened),
        "preset_tokens": sum(tokens(draft) for draft in kept.values() if draft.pinned),
        "total_tokens": total,
        "saved_tokens": sum(map(tokens, before)) - total,
        "characters": sum(utf16_length(text_of(message)) for message in case.input["messages"]),
    }
    return {"messages": messages, "counts": counts}


# --- the rules


def _is_on(case: Case) -> bool:
    return bool(_management(case).get("enabled") and _management(case).get("maxContextTokens"))


def _history(case: Case) -> list[Data]:
    return [message for message in case.input["messages"] if message.get("sourceType") == HISTORY]


def _protected_is_at_stake(case: Case) -> bool:
    """The reference lost or shortened what ours protects, or there is what it doesn't know about."""
    history = _history(case)
    counted = (case.expected.get("shared") or {}).get("tokenLimiterStats")
    newest = [message.get("sourceId") for message in history[-1:]]
    newest += [message.get("sourceId") for message in history if message["role"] == "user"][-1:]
    whole = {message.get("sourceId") for message in case.expected["messages"] if not message.get("isTruncated")}
    return _is_on(case) and (not counted or not whole.issuperset(newest) or any(map(_is_more_than_words, history)))


def _may_be_shortened_otherwise(case: Case) -> bool:
    """Heads are counted in UTF-16 units by the reference, and those of messages in parts aren't taken at all."""
    if not _is_on(case) or (_management(case).get("retainedCharacters") or 0) <= 0:
        return False
    return any(not isinstance(m["content"], str) or len(text_of(m)) != utf16_length(text_of(m)) for m in _history(case))


def _is_more_than_words(message: Data) -> bool:
    metadata = message.get("metadata") or {}
    told = metadata.get("isCompressionNode") or metadata.get("toolCallsRequested") or message.get("reasoningContent")
    return bool(told) or message["role"] == "tool"


FILES = ("token_limiter",)
RULES = (
    Rule(
        "D23, D33",
        "The newest user message, the newest unit and summaries stay, calls and results go together, reasoning counts; "
        "if that is too much the limiter says so. A head is never longer than the whole and ends between characters.",
        FILES,
        lambda case: _protected_is_at_stake(case) or _may_be_shortened_otherwise(case),
        _ours,
    ),
)
