"""Trajectories of agents (ATIF) as requests: one for each step of the agent with metrics."""

from __future__ import annotations

import json
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import RecordedUsage, count_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source
from ctxlab.recordings.builder import START, RecordingBuilder

ROLES: Final = {"user": "user", "agent": "assistant", "system": "system"}
TOTALS: Final = {"total_prompt_tokens": "prompt_tokens", "total_completion_tokens": "completion_tokens"}
"""Totals of a trajectory, with the name of the same count in a step."""


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
    copied = elsewhere = 0
    in_steps = dict.fromkeys(TOTALS, 0)
    for number, item in enumerate(items_of(data.get("steps"))):
        step, place = fields_of(item), f"steps[{number}]"
        copied += step.get("is_copied_context") is True
        results = map(fields_of, items_of(fields_of(step.get("observation")).get("results")))
        elsewhere += sum(len(items_of(result.get("subagent_trajectory_ref"))) for result in results)
        role = ROLES.get(str(step.get("source")))
        if role is None:
            builder.losses.append(Loss(place, "a step of nobody that is known; it is left out", "source"))
            continue
        message = _message(step, role)
        metrics = fields_of(step.get("metrics"))
        for name, of_a_step in TOTALS.items():
            in_steps[name] += count_of(metrics, of_a_step) or 0
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
    if copied:
        builder.losses.append(
            Loss("", f"{counted(copied, 'step')} copied from the trajectory before; no requests of this one")
        )
    if elsewhere:
        builder.losses.append(
            Loss("", f"{counted(elsewhere, 'trajectory', 'trajectories')} of sub-agents left out; in other files")
        )
    builder.losses += _more_in_all(fields_of(data.get("final_metrics")), in_steps)
    if data.get("continued_trajectory_ref"):
        builder.losses.append(Loss("continued_trajectory_ref", "it goes on in another file, which is not read"))
    builder.losses.append(Loss("", "the steps say what was done, not how it was sent, so that requests are not whole"))


def _more_in_all(totals: Data, in_steps: dict[str, int]) -> list[Loss]:
    """Counts of the trajectory beyond its steps: of the files before it, and of its sub-agents."""
    more = {name: (count_of(totals, name) or 0) - count for name, count in in_steps.items()}
    return [
        Loss(f"final_metrics.{name}", f"{count:,} tokens more than the steps have: of requests in other files")
        for name, count in more.items()
        if count > 0
    ]


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
