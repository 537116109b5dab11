"""A request with everything that can be said of one: a vendor of our own, whose rules no real one changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import ctxlab
from ctxlab import Payload, Trace
from ctxlab.context import Text
from ctxlab.prompt.merged_parts import pieces
from ctxlab.providers import Fix, ModelInfo, Problem, Prompt, Provider, RequestParameters
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.cache_marks import CacheMark, CacheMarks, PrefixBreak

REPLY = 2048
THINKING = 4096
ROOM = {"token-limiter.budget_tokens": 2100}
PICTURE = "iVBORw0KGgoAAAANSUhEUgAA" * 2000


def write_body(
    prompt: Prompt, parameters: RequestParameters, model: ModelInfo, provider: Provider, out: BodyWriter
) -> None:
    """System messages in front, each part of the others a block of its own, two cache marks."""
    budget = parameters.thinking.budget_tokens if parameters.thinking is not None else None
    out.body |= {"model": model.name, "max_tokens": parameters.max_output_tokens or REPLY, "temperature": 1}
    out.body["thinking"] = {"type": "enabled", "budget_tokens": budget or THINKING}
    out.body["tools"] = [_tool("read_log"), _tool("ring_bell")]
    system, turns = out.body.setdefault("system", []), out.body.setdefault("messages", [])
    for draft in prompt.drafts:
        if draft.role == "system" and not turns:
            out.place(("system", len(system), "text"), draft, draft.text)
            system.append({"type": "text", "text": str(draft.text), "cache_control": {"type": "ephemeral"}})
            continue
        role = "assistant" if draft.role == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        for piece in pieces(draft):
            blocks = turns[-1]["content"]
            out.place(("messages", len(turns) - 1, "content", len(blocks), "text"), draft, Text(piece.text.spans))
            blocks.append({"type": "text", "text": str(piece.text)})
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    turns[-1]["content"].append({"type": "image", "source": source})
    out.lose("parameter", "seed 7", "this vendor has none")
    for draft in prompt.drafts[:5]:
        out.lose("name", "the name “Ada”", "no field for it", key=draft.key, fix=Fix("Budget 2,100", settings=ROOM))


def check_body(
    body: Mapping[str, Any], model: ModelInfo, provider: Provider, *, stream: bool = False
) -> Iterator[Problem]:
    """The budget of thoughts is below the limit of the reply; the last turn is the user's."""
    budget, reply = body["thinking"]["budget_tokens"], body["max_tokens"]
    if budget >= reply:
        reason = f"budget_tokens {budget:,} is not below max_tokens {reply:,}"
        fixes = (Fix("Reply 6,144", {"maxTokens": 6144}), Fix("Budget 2,100", settings=ROOM))
        path = ("thinking", "budget_tokens")
        yield Problem(path, "thinking-below-reply", reason, "raise the one or lower the other", fixes=fixes)
    for number, turn in enumerate(body["messages"]):
        if len(turn["content"]) > 4:
            reason = f"{len(turn['content'])} blocks in one turn"
            yield Problem(("messages", number), "many-blocks", reason, "join some of them", level="warning")


def _tool(name: str) -> dict[str, Any]:
    page = {"type": "integer", "description": "Number of the page, from 1.", "minimum": 1, "maximum": 400}
    lines = {"type": "array", "items": {"type": "string"}, "description": "Words that the line has.", "minItems": 1}
    schema = {"type": "object", "properties": {"page": page, "lines": lines}, "required": ["page"]}
    return {"name": name, "description": "What the old logbook says on a page.", "input_schema": schema}


SCRIPTED = Provider(
    "scripted",
    "Scripted",
    "anthropic",
    write_body,
    check_body,
    "http://127.0.0.1:9",
    "/v1/messages",
    auth=lambda key: {"x-api-key": key},
    default_model="signal-1",
)


def scripted_request(trace: Trace, **parameters: Any) -> Payload:
    """A run as the request of the scripted vendor, with a mark that counts and one that doesn't."""
    made = ctxlab.payload(trace, SCRIPTED, model="signal-1", parameters=parameters)
    last = len(made.body["messages"]) - 2
    marks = CacheMarks(
        (
            CacheMark(("system", 0), "preset:0", 743, False, "the least is 1,024"),
            CacheMark(("messages", last), "node:a12", 1517, True, "the last message that stayed the same"),
        ),
        breaks=(PrefixBreak("lore:harbour_lore/14", "worldbook-processor", "fired for the first time"),),
    )
    return replace(made, marks=marks)
