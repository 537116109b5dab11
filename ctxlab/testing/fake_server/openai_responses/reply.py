"""Replies of OpenAI's Responses API, whole and as events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.testing.fake_server.sending import Sending, event

Event = dict[str, Any]


def output(sending: Sending) -> list[dict[str, Any]]:
    """The items of the reply: reasoning, message, calls."""
    reply = sending.reply
    items: list[dict[str, Any]] = []
    if reply.thinking:
        summary = [] if reply.redacted else [{"type": "summary_text", "text": reply.thinking}]
        reasoning: dict[str, Any] = {"id": sending.id("rs_"), "type": "reasoning", "summary": summary}
        if "reasoning.encrypted_content" in (sending.body.get("include") or ()):
            reasoning["encrypted_content"] = sending.signature
        items.append(reasoning)
    if reply.text or not reply.calls:
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        items.append(
            {"id": sending.id("msg_"), "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        )
    for index, call in enumerate(sending.calls("call_")):
        head = {"id": sending.id("fc_", index), "type": "function_call", "status": "completed"}
        items.append({**head, "call_id": call.id, "name": call.name, "arguments": call.text})
    return items


def _usage(sending: Sending) -> dict[str, Any]:
    tokens = sending.tokens
    return {
        "input_tokens": tokens.prompt,
        "input_tokens_details": {"cached_tokens": tokens.read, "cache_write_tokens": 0},
        "output_tokens": sending.output_tokens,
        "output_tokens_details": {"reasoning_tokens": sending.thinking_tokens},
        "total_tokens": tokens.prompt + sending.output_tokens,
    }


def _response(sending: Sending, status: str) -> dict[str, Any]:
    body = sending.body
    return {
        "id": sending.id("resp_"),
        "object": "response",
        "created_at": sending.created,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": body.get("metadata") or {},
        "model": sending.model,
        "output": [],
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "previous_response_id": body.get("previous_response_id"),
        "reasoning": body.get("reasoning") or {"effort": None, "summary": None},
        "store": body.get("store", True),
        "temperature": body.get("temperature", 1.0),
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": body.get("tools") or [],
        "top_p": body.get("top_p", 1.0),
        "truncation": "disabled",
        "usage": None,
    }


def whole(sending: Sending) -> dict[str, Any]:
    reason = {"length": "max_output_tokens", "filter": "content_filter"}.get(sending.reply.finish)
    response = _response(sending, "incomplete" if reason else "completed")
    response |= {"output": output(sending), "usage": _usage(sending)}
    return response | ({"incomplete_details": {"reason": reason}} if reason else {})


def events(sending: Sending) -> Iterator[bytes]:
    """response.created and in_progress, then each item with its parts and deltas, then response.completed."""
    for number, one in enumerate(_all_events(sending)):
        yield event({**one, "sequence_number": number}, name=one["type"])


def _all_events(sending: Sending) -> Iterator[Event]:
    yield {"type": "response.created", "response": _response(sending, "in_progress")}
    yield {"type": "response.in_progress", "response": _response(sending, "in_progress")}
    for index, item in enumerate(output(sending)):
        place = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "reasoning":
            inner, empty = _reasoning(item, place, sending), {**item, "summary": []}
        elif item["type"] == "message":
            inner, empty = _message(item, place, sending), {**item, "status": "in_progress", "content": []}
        else:
            inner, empty = _call(item, place, sending), {**item, "status": "in_progress", "arguments": ""}
        yield {"type": "response.output_item.added", "output_index": index, "item": empty}
        yield from inner
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    last = whole(sending)
    yield {"type": f"response.{last['status']}", "response": last}


def _reasoning(item: dict[str, Any], place: Event, sending: Sending) -> Iterator[Event]:
    for number, part in enumerate(item["summary"]):
        where = {**place, "summary_index": number}
        yield {"type": "response.reasoning_summary_part.added", **where, "part": {**part, "text": ""}}
        for piece in sending.pieces(part["text"]):
            yield {"type": "response.reasoning_summary_text.delta", **where, "delta": piece}
        yield {"type": "response.reasoning_summary_text.done", **where, "text": part["text"]}
        yield {"type": "response.reasoning_summary_part.done", **where, "part": part}


def _message(item: dict[str, Any], place: Event, sending: Sending) -> Iterator[Event]:
    for number, part in enumerate(item["content"]):
        where = {**place, "content_index": number}
        yield {"type": "response.content_part.added", **where, "part": {**part, "text": ""}}
        for piece in sending.pieces(part["text"]):
            yield {"type": "response.output_text.delta", **where, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **where, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **where, "part": part}


def _call(item: dict[str, Any], place: Event, sending: Sending) -> Iterator[Event]:
    for piece in sending.pieces(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    yield {
        "type": "response.function_call_arguments.done",
        **place,
        "arguments": item["arguments"],
        "name": item["name"],
    }
