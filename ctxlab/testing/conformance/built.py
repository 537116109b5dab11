"""Answers of the topics messages, drops and budgets: what is sent, what isn't, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.context import Draft
from ctxlab.documents import ModelProfile
from ctxlab.engines.truncation.shorten_messages import SHORTENED
from ctxlab.pipeline import BudgetTooSmall, NothingToSend, Trace
from ctxlab.testing.conformance.conversation import BOOK, agent_of, book_of, model_of, session_of
from ctxlab.testing.conformance.counter import DeclaredCounter

Json = Mapping[str, Any]
STEPS: Mapping[str, str] = {
    "merge-system": "merge-system",
    "hoist-system": "merge-system",
    "merge-neighbours": "merge-consecutive",
    "system-as-user": "convert-system",
    "alternate": "ensure-alternating",
}
"""Steps that a case asks for, and ours; none runs that isn't asked for."""
SETTINGS: Mapping[str, str] = {
    "strategy": "token-limiter.strategy",
    "retain": "token-limiter.retain",
    "keepCharacters": "token-limiter.retained_characters",
    "marker": "token-limiter.marker",
    "headShare": "token-limiter.head_share",
    "blockShare": "token-limiter.block_share",
}
CAUSES: Mapping[tuple[str, str], str] = {
    ("session-loader", "disabled"): "disabled",
    ("session-loader", "blank"): "blank",
    ("session-loader", "summarised"): "summarised",
    ("session-loader", "model-match"): "other-model",
    ("request-gate", "empty-reply"): "empty-reply",
    ("injection-assembler", "no-depth"): "no-place",
    ("injection-assembler", "disabled"): "disabled",
}
PAIRS = {"orphan-result": "orphan-result", "unanswered-call": "unanswered-call"}


def built(given: Json) -> dict[str, Any]:
    """The prompt: its messages, what each was made of, what was left out and why, and its tokens."""
    try:
        trace = trace_of(given)
    except BudgetTooSmall as error:
        return {"error": "budget-too-small", "least": error.least_budget}
    except NothingToSend:
        return {"error": "nothing-to-send"}
    named = _names(given)
    dropped: dict[str, str] = {}
    for group in trace.result.dropped:
        for draft in group.drafts:
            dropped.setdefault(named(draft.key), _cause(group.cause.processor, group.cause.rule))
    return {
        "messages": [message_of(draft) for draft in trace.result.drafts],
        "sent": [[named(part.key) for part in draft.parts] for draft in trace.result.drafts],
        "dropped": dropped,
        "shortened": [named(draft.key) for draft in trace.result.drafts if _is_shortened(draft)],
        "tokens": trace.tokens,
    }


def trace_of(given: Json) -> Trace:
    """The run that a case asks for."""
    from ctxlab.api import build

    steps = set(given.get("steps", ()))
    settings: dict[str, Any] = {f"{step}.enabled": False for step in set(STEPS.values())}
    settings |= {f"{STEPS[step]}.enabled": True for step in steps if step in STEPS}
    if "hoist-system" in steps:
        settings["merge-system.hoist"] = "all"
    if "separator" in given:
        for step in ("merge-system", "merge-consecutive"):
            settings[f"{step}.separator"] = given["separator"]
    for setting in ("drop_empty", "repair_pairs", "system_first"):
        settings[f"request-gate.{setting}"] = "gate" in steps
    for name, value in given.get("placeholders", {}).items():
        settings[f"ensure-alternating.{name}_placeholder"] = value
    for name, value in given.items():
        if name in SETTINGS:
            settings[SETTINGS[name]] = value
    entries = given.get("entries", ())
    model = model_of(given)
    if "window" in given:
        model = ModelProfile(id="model", context_window=given["window"])
        settings["token-limiter.reserve_tokens"] = given.get("reserve", 0)
    return build(
        session_of(given),
        agent_of(given, entries),
        books=[book_of(entries)] if entries else (),
        model=model,
        tokenizer=DeclaredCounter.of(given.get("counter")),
        budget_tokens=given.get("budget"),
        settings=settings,
    )


def message_of(draft: Draft) -> dict[str, Any]:
    """A message as an answer has it: role and content, and a name, calls and the call that it answers where it has."""
    message: dict[str, Any] = {"role": draft.role, "content": str(draft.text)}
    if draft.speaker:
        message["name"] = draft.speaker
    if draft.calls:
        message["calls"] = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in draft.calls]
    if draft.result_of is not None:
        message["answers"] = draft.result_of
    return message


def _cause(processor: str, rule: str) -> str:
    if rule in PAIRS:
        return PAIRS[rule]
    return "no-room" if processor == "token-limiter" else CAUSES.get((processor, rule), f"{processor}/{rule}")


def _is_shortened(draft: Draft) -> bool:
    edits = [span.cause for span in draft.text.spans if span.cause is not None]
    return any(cause.rule == SHORTENED for cause in edits)


def _names(given: Json) -> Any:
    """The id that a case gives to a message, by the key of a draft."""
    presets = [each["id"] for each in given.get("presets", ())]

    def name(key: str) -> str:
        kind, _, rest = key.partition(":")
        if kind == "preset" or (kind not in ("node", "lore", "made") and rest):
            return presets[int(rest.partition("@")[0])]
        return "placeholder" if kind == "made" else rest.removeprefix(f"{BOOK}/")

    return name
