"""Cline's sessions as requests: one for each answer with metrics; a compressed session is what the next one sends."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import RecordedUsage, count_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.recordings.builder import START, RecordingBuilder

PROGRAM: Final = "Cline"
OF_THE_PROGRAM: Final = ("id", "ts", "modelInfo", "metrics", "metadata")
"""Fields of a message that are not sent."""


def sniff(data: Any) -> bool:
    fields = fields_of(data)
    return "system_prompt" in fields and mostly(fields.get("messages"), lambda item: "role" in fields_of(item))


def read(source: Source, builder: RecordingBuilder) -> None:
    """The requests of one session."""
    builder.program = PROGRAM
    data = fields_of(source.data)
    prompt = data.get("system_prompt")
    head = builder.head_of("anthropic", {"system": prompt} if isinstance(prompt, str) and prompt else {})
    messages = [fields_of(message) for message in items_of(data.get("messages"))]
    leaf, compaction = START, None
    for number, message in enumerate(messages):
        metadata = fields_of(message.get("metadata"))
        compaction = metadata if str(metadata.get("kind", "")).startswith("compaction") else compaction
        sent = {key: value for key, value in message.items() if key not in OF_THE_PROGRAM}
        time = time_of(message.get("ts"))
        metrics = fields_of(message.get("metrics"))
        if message.get("role") == "assistant" and metrics:
            builder.request(
                leaf,
                head,
                time=time,
                model=str(fields_of(message.get("modelInfo")).get("id") or ""),
                usage=_usage(metrics),
                reply={"type": "message", "role": "assistant", "content": _blocks(message.get("content"))},
                compaction=compaction,
            )
            compaction = None
        own = message.get("id")
        name = own if isinstance(own, str) else ""
        leaf = builder.add(leaf, (sent,), "anthropic", place=f"messages[{number}]", name=name, time=time)
    if not any(fields_of(message.get("metrics")) for message in messages):
        builder.losses.append(Loss("", "no answer has metrics; it is read as what the next request sends"))
        builder.request(leaf, head, time=time_of(data.get("updated_at")), compaction=compaction)
    builder.losses.append(Loss("", "the log has no tools, so that requests are not whole"))


def _usage(metrics: Data) -> RecordedUsage:
    """The metrics of an answer. Some of its providers count the cache as part of the input, others apart from it."""
    names = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens")
    given, cached, written, output = (count_of(metrics, name) for name in names)
    of_cache = (cached or 0) + (written or 0)
    whole = given if given is None or given >= of_cache else given + of_cache
    return RecordedUsage(whole, cached, written, output)


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else items_of(content)


def time_of(value: Any) -> str | None:
    """A time as ISO 8601: of milliseconds since 1970, or as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e14:
        return None
    return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
