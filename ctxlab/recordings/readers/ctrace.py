"""ctxdiff's `.ctrace` as requests: each call with its blocks, in the order in which they were sent."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.formats.requests.reply_usage import RecordedUsage, usage_in
from ctxlab.formats.results import Loss
from ctxlab.providers.sending.server_events import value_of
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.wires import RESPONSES

PROGRAM: Final = "ctxdiff"
TABLES: Final = frozenset({"run", "call", "block", "call_block"})
CALLS: Final = "SELECT * FROM call ORDER BY run_id, seq"
BLOCKS: Final = (
    "SELECT block.role, block.kind, block.text FROM call_block JOIN block ON block.content_hash = call_block.block_id"
    " WHERE call_block.call_id = ? ORDER BY call_block.position"
)


def read(database: sqlite3.Connection, builder: RecordingBuilder) -> None:
    """The calls of every run in a trace."""
    builder.program = PROGRAM
    runs = {str(row["id"]): dict(row) for row in database.execute("SELECT * FROM run")}
    for row in database.execute(CALLS):
        call = dict(row)
        blocks = [dict(block) for block in database.execute(BLOCKS, (call["id"],))]
        _add(builder, call, blocks, runs.get(str(call.get("run_id")), {}))
    builder.losses.append(Loss("", "a trace has the texts of blocks, not the bodies, so that requests are not whole"))


def _add(builder: RecordingBuilder, call: Data, blocks: list[Data], run: Data) -> None:
    place = f"call {call.get('seq')}"
    messages = [*_messages(blocks, place, builder.losses)]
    tools = [value_of(str(block["text"])) for block in blocks if block["kind"] == "tool_schema"]
    parameters = fields_of(_parsed(call.get("params")))
    leads = next((n for n, message in enumerate(messages) if message["role"] != "system"), len(messages))
    head = builder.head_with(
        "openai-chat", tuple(messages[:leads]), {**parameters, **({"tools": tools} if tools else {})}
    )
    leaf = START
    for number, message in enumerate(messages[leads:]):
        leaf = builder.add(leaf, (message,), "openai-chat", place=f"{place}, block {number + 1}")
    latency, error = call.get("latency_ms"), call.get("error")
    builder.request(
        leaf,
        head,
        id=str(call.get("id") or ""),
        agent=str(call.get("agent") or ""),
        model=str(parameters.get("model") or ""),
        vendor=str(call.get("provider") or run.get("provider") or ""),
        usage=_usage(fields_of(_parsed(call.get("usage")))),
        duration=latency / 1000 if isinstance(latency, int | float) else None,
        error=error if isinstance(error, str) else "",
    )


ROLES: Final = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool", "model": "assistant"}


def _messages(blocks: list[Data], place: str, losses: list[Loss]) -> Iterator[Data]:
    for block in blocks:
        if block["kind"] == "tool_schema":
            continue
        role = ROLES.get(str(block["role"]))
        if role is None:
            losses.append(Loss(place, f"role {block['role']!r:.40} is not known; it is a user message now", "role"))
        if block["kind"] not in ("message", "tool_result", "tool_call", "text"):
            losses.append(
                Loss(place, f"a block of kind {block['kind']!r:.40}, of which only the text is there", "kind")
            )
        yield {"role": role or "user", "content": str(block["text"])}


def _parsed(text: Any) -> Any:
    return value_of(text) if isinstance(text, str | bytes) else text


def _usage(usage: Data) -> RecordedUsage:
    """The usage in the words of whichever vendor answered."""
    if "promptTokenCount" in usage:
        return usage_in(usage, "gemini")
    if "input_tokens" in usage:
        wire = RESPONSES.name if "input_tokens_details" in usage else "anthropic"
        return usage_in(usage, wire)
    return usage_in(usage, "openai-chat")
