"""Trajectories of agents (ATIF) as requests: one for each step of the agent with metrics."""

from __future__ import annotations

import json
from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.usage import RecordedUsage, count_of

ROLES: Final = {"user": "user", "agent": "assistant", "system": "system"}


def sniff(data: Any) -> bool:
    fields = fields_of(data)
    return str(fields.get("schema_version", "")).startswith("ATIF") and isinstance(fields.get("steps"), list)


def read(source: Source, builder: RecordingBuilder) -> None:
    """The steps of one trajectory."""
    data = fields_of(source.data)
    agent = fields_of(data.get("agent"))
    builder.program = str(agent.get("name") or "ATIF")
    head = builder.head_of("openai-chat")
    leaf = START
    for number, item in enumerate(items_of(data.get("steps"))):
        step, place = fields_of(item), f"steps[{number}]"
        role = ROLES.get(str(step.get("source")))
        if role is None:
            builder.losses.append(Loss(place, "a step of nobody that is known; it is left out", "source"))
            continue
        message = _message(step, role)
        metrics = fields_of(step.get("metrics"))
        if role == "assistant" and metrics:
            builder.request(
                leaf,
                head,
                time=_text(step.get("timestamp")) or None,
                model=_text(step.get("model_name")) or _text(agent.get("model_name")),
                usage=_usage(metrics),
                reply={"choices": [{"index": 0, "message": message}]},
            )
        for sent in (message, *_results(step)):
            leaf = builder.add(leaf, (sent,), "openai-chat", place=place, time=step.get("timestamp"))
    if data.get("continued_trajectory_ref"):
        builder.losses.append(Loss("continued_trajectory_ref", "it goes on in another file, which is not read"))
    builder.losses.append(Loss("", "the steps say what was done, not how it was sent, so that requests are not whole"))


def _usage(metrics: Data) -> RecordedUsage:
    names = ("prompt_tokens", "cached_tokens", "completion_tokens")
    given, cached, output = (count_of(metrics, name) for name in names)
    return RecordedUsage(given, cached, None, output)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _message(step: Data, role: str) -> Data:
    message: Data = {"role": role, "content": step.get("message") or ""}
    calls = [_call(fields_of(call)) for call in items_of(step.get("tool_calls"))]
    thoughts = _text(step.get("reasoning_content"))
    return {
        **message,
        **({"tool_calls": calls} if calls else {}),
        **({"reasoning_content": thoughts} if thoughts else {}),
    }


def _call(call: Data) -> Data:
    given = call.get("arguments", {})
    words = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    function = {"name": _text(call.get("function_name")), "arguments": words}
    return {"id": _text(call.get("tool_call_id")), "type": "function", "function": function}


def _results(step: Data) -> list[Data]:
    """Messages that the agent saw after a step; where no call was named they are the user's."""
    found: list[Data] = []
    for item in items_of(fields_of(step.get("observation")).get("results")):
        result = fields_of(item)
        content = result.get("content")
        if content is None:
            continue
        call = _text(result.get("source_call_id"))
        whose: Data = {"role": "tool", "tool_call_id": call} if call else {"role": "user"}
        found.append({**whose, "content": content})
    return found
