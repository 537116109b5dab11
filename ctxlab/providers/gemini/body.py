"""The body of Gemini's generateContent: the system instruction, contents of parts, tools and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.assets.content_router.vendor_tool_results import RULES, vendor_of
from ctxlab.context import Draft
from ctxlab.documents import Note
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms
from ctxlab.providers.gemini.parameters import put_parameters
from ctxlab.providers.gemini.parts import CALL_IDS, TOOL_NAMES, VENDOR, PartWriter
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.problem import Fix
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.providers.turns import Block, Turn, grouped, leading_systems, lose_empty, lose_speakers, note_nameless

TO_THE_FRONT = Fix("put all system messages in front", settings={"merge-system.hoist": "all"})
DEMANDS_SIGNATURES = lazy_pattern(r"gemini-(?:[3-9]|\d\d)")
"""Models that refuse a call of the turn that is going on without its thought signature."""
NO_SIGNATURE = "skip_thought_signature_validator"
"""A word that Google documents for calls that another model made."""
OPENING = "…"
"""The user's words before a history that begins with a call, which has to follow the user, or is the model's alone."""


def write_body(
    prompt: Prompt, parameters: RequestParameters, model: ModelInfo, provider: Provider, out: BodyWriter
) -> None:
    """Put messages, tools and parameters into the body."""
    forms = CallForms(prompt, out, CALL_IDS, TOOL_NAMES)
    writer = PartWriter(out, forms, RULES[vendor_of("google", model.family)].inside)
    lose_speakers(prompt.drafts, VENDOR, out)
    head = leading_systems(prompt.drafts)
    turns = _turns(prompt.drafts[head:], writer, out)
    while head and not turns:  # a request has contents: the last system message is one
        head -= 1
        turns = _turns(prompt.drafts[head : head + 1], writer, out)
    _put_instruction(prompt.drafts[:head], writer, out)
    if turns and turns[0].role == "model":
        if any("functionCall" in block.value for block in turns[0].blocks):
            turns.insert(0, _opening(turns[0].blocks[0].draft, "begins with a call", out))
        elif len(turns) == 1:
            turns.insert(0, _opening(turns[0].blocks[0].draft, "has no words of the user", out))
    if DEMANDS_SIGNATURES.search(model.name):
        _sign_calls(turns, out)
    note_nameless(writer.nameless, VENDOR, out)
    out.body["contents"] = [_content(turn, i, out) for i, turn in enumerate(turns)]
    put_parameters(prompt, parameters, model, forms, out)


def _put_instruction(drafts: Sequence[Draft], writer: PartWriter, out: BodyWriter) -> None:
    blocks: list[Block] = []
    for draft in drafts:
        found = writer.parts(draft, "system")
        if not found:
            lose_empty(draft, VENDOR, out)
        blocks += found
    for i, block in enumerate(blocks):
        block.put_places(("systemInstruction", "parts", i), out)
    if blocks:
        out.body["systemInstruction"] = {"parts": [block.value for block in blocks]}


def _turns(drafts: Sequence[Draft], writer: PartWriter, out: BodyWriter) -> list[Turn]:
    sent: list[tuple[str, list[Block]]] = []
    systems: list[Draft] = []
    for draft in drafts:
        role = "model" if draft.role == "assistant" else "user"
        parts = writer.parts(draft, role)
        if not parts:
            lose_empty(draft, VENDOR, out)
            continue
        sent.append((role, parts))
        if draft.role == "system":
            systems.append(draft)
    for draft in systems:
        if len(sent) == 1:
            reason = f"{VENDOR} wants contents besides the system instruction; it is sent as the user's"
            out.lose("role", "the last system message", reason, key=draft.key)
            continue
        reason = f"{VENDOR} takes system messages at the head alone; it is sent as the user's"
        fix = None if draft.replays_reasoning else TO_THE_FRONT  # those are never moved
        out.lose("role", "a system message inside the history", reason, key=draft.key, fix=fix)
    return grouped(sent)


def _opening(draft: Draft, history: str, out: BodyWriter) -> Turn:
    text = f"{VENDOR} refuses a history that {history}; a user's message {OPENING!r} is sent before it"
    out.notes.append(Note("warning", text, details={"key": draft.key}))
    return Turn("user", [Block({"text": OPENING}, draft)])


def _sign_calls(turns: Sequence[Turn], out: BodyWriter) -> None:
    """Mark calls without a signature, where a model demands one: the first of each step since the user's last words."""
    start = 0
    for i, turn in enumerate(turns):
        if turn.role == "user" and not any("functionResponse" in block.value for block in turn.blocks):
            start = i
    for turn in turns[start:]:
        first = next((block for block in turn.blocks if "functionCall" in block.value), None)
        if first is None or "thoughtSignature" in first.value or "thought_signature" in first.value:
            continue
        first.value["thoughtSignature"] = NO_SIGNATURE
        name = first.value["functionCall"]["name"]
        reason = f"the model demands one, and this call has none; {NO_SIGNATURE!r} is sent, which it takes"
        out.lose("signature", f"the thought signature of {name!r}", reason, key=first.draft.key)


def _content(turn: Turn, i: int, out: BodyWriter) -> dict[str, Any]:
    blocks = turn.in_order()
    for number, block in enumerate(blocks):
        block.put_places(("contents", i, "parts", number), out)
    return {"role": turn.role, "parts": [block.value for block in blocks]}
