"""The body of Anthropic's Messages: system blocks, turns of blocks, tools and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.context import Draft
from ctxlab.providers.anthropic.blocks import CALL_IDS, TOOL_NAMES, VENDOR, BlockWriter
from ctxlab.providers.anthropic.history_rules import THOUGHTS
from ctxlab.providers.anthropic.parameters import put_parameters
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.problem import Fix
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.providers.turns import Block, Turn, grouped, leading_systems, lose_empty, lose_speakers, note_nameless

TO_THE_FRONT = Fix("put all system messages in front", settings={"merge-system.hoist": "all"})


def write_body(
    prompt: Prompt, parameters: RequestParameters, model: ModelInfo, provider: Provider, out: BodyWriter
) -> None:
    """Put messages, tools and parameters into the body."""
    forms = CallForms(prompt, out, CALL_IDS, TOOL_NAMES)
    writer = BlockWriter(out, forms)
    out.body |= {"model": model.name, "max_tokens": 0}
    lose_speakers(prompt.drafts, VENDOR, out)
    head = leading_systems(prompt.drafts)
    turns = _turns(prompt.drafts[head:], writer, model, out)
    while head and not turns:  # a request has a message: the last system message is one
        head -= 1
        turns = _turns(prompt.drafts[head : head + 1], writer, model, out)
    _put_system(prompt.drafts[:head], writer, out)
    _mend_end(turns, out)
    note_nameless(writer.nameless, VENDOR, out)
    out.body["messages"] = [_message(turn, i, out) for i, turn in enumerate(turns)]
    put_parameters(prompt, parameters, model, provider, forms, out)


def _put_system(drafts: Sequence[Draft], writer: BlockWriter, out: BodyWriter) -> None:
    blocks: list[Block] = []
    for draft in drafts:
        found = writer.blocks(draft, "system")
        if not found:
            lose_empty(draft, VENDOR, out)
        blocks += found
    for i, block in enumerate(blocks):
        block.put_places(("system", i), out)
    if blocks:
        out.body["system"] = [block.value for block in blocks]


def _turns(drafts: Sequence[Draft], writer: BlockWriter, model: ModelInfo, out: BodyWriter) -> list[Turn]:
    sent: list[tuple[Draft, str, list[Block]]] = []
    for draft in drafts:
        role = "user" if draft.role == "tool" else draft.role
        blocks = writer.blocks(draft, "user" if role == "system" else role)
        if not blocks:
            lose_empty(draft, VENDOR, out)
            continue
        if role != "assistant":
            _drop_last_thoughts(sent, out)
        sent.append((draft, role, blocks))
    _drop_last_thoughts(sent, out)
    return grouped([(_role(i, sent, model, out), blocks) for i, (_, _, blocks) in enumerate(sent)])


def _drop_last_thoughts(sent: list[tuple[Draft, str, list[Block]]], out: BodyWriter) -> None:
    """Take away the thoughts with which a turn of the model ends, and the messages that had nothing else."""
    while sent and sent[-1][1] == "assistant" and sent[-1][2][-1].value["type"] in THOUGHTS:
        draft, _, blocks = sent[-1]
        reason = f"{VENDOR} refuses a message that ends with thoughts; they aren't sent"
        out.lose("signature", blocks.pop().value["type"], reason, key=draft.key)
        if not blocks:
            sent.pop()
            lose_empty(draft, VENDOR, out)


def _role(i: int, sent: Sequence[tuple[Draft, str, list[Block]]], model: ModelInfo, out: BodyWriter) -> str:
    """The role of a message: system messages that may not stand where they are become the user's."""
    draft, role, blocks = sent[i]
    if role != "system":
        return role
    words_alone = all(block.value["type"] == "text" for block in blocks)
    if model.system_inside is True and _may_stand(i, sent):
        return role
    if len(sent) == 1:
        reason = f"{VENDOR} wants a message besides the system prompt; it is sent as the user's"
        out.lose("role", "the last system message", reason, key=draft.key)
        return "user"
    if not words_alone:
        reason = f"{VENDOR} takes files from the user alone; it is sent as the user's"
    elif model.system_inside is True:
        reason = "a system message stands only after the user's words and before the model's; it is sent as the user's"
    else:
        reason = f"{VENDOR} takes system messages at the head alone for this model; it is sent as the user's"
    fix = TO_THE_FRONT if words_alone and not draft.replays_reasoning else None
    out.lose("role", "a system message inside the history", reason, key=draft.key, fix=fix)
    return "user"


def _may_stand(i: int, sent: Sequence[tuple[Draft, str, list[Block]]]) -> bool:
    """Whether the system messages around a place are words, after the user's and before the model's or the end."""
    first = last = i
    while first > 0 and sent[first - 1][1] == "system":
        first -= 1
    while last + 1 < len(sent) and sent[last + 1][1] == "system":
        last += 1
    run = sent[first : last + 1]
    words = all(block.value["type"] == "text" for _, _, blocks in run for block in blocks)
    follows = first > 0 and sent[first - 1][1] == "user"
    return words and follows and (last + 1 == len(sent) or sent[last + 1][1] == "assistant")


def _mend_end(turns: list[Turn], out: BodyWriter) -> None:
    """Cut the white space with which the beginning of a reply ends: it is refused."""
    last = turns[-1].blocks[-1] if turns and turns[-1].role == "assistant" else None
    if last is None or last.value["type"] != "text":
        return
    words: str = last.value["text"]
    kept = words.rstrip()
    text = last.places[0][1]
    if kept == words or not kept or text is None:
        return
    last.value["text"] = kept
    last.places = ((("text",), text.cut(0, len(kept))),)
    reason = f"{VENDOR} refuses it at the end of the beginning of a reply; it is cut off"
    out.lose("part", "white space at the end", reason, key=last.draft.key)


def _message(turn: Turn, i: int, out: BodyWriter) -> dict[str, Any]:
    blocks = turn.in_order()
    at = ("messages", i, "content")
    if len(blocks) == 1 and len(blocks[0].value) == 2 and blocks[0].value["type"] == "text":
        only = blocks[0]
        out.place(at, only.draft, only.places[0][1])
        return {"role": turn.role, "content": only.value["text"]}
    for number, block in enumerate(blocks):
        block.put_places((*at, number), out)
    return {"role": turn.role, "content": [block.value for block in blocks]}
