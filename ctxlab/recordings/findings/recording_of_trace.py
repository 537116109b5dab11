"""A run as a recording of one request, whose messages have the keys of the run's as ids."""

from __future__ import annotations

from typing import Any

from ctxlab.context import AssetRef, Draft
from ctxlab.display.short_texts import short
from ctxlab.pipeline import Trace
from ctxlab.providers.models import name_of
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.recording import Recording


def recording_of_trace(trace: Trace) -> Recording:
    """The messages that a run sends, in the form of Chat, behind its tools; pictures are there by name alone."""
    build_input = trace.start.input
    builder = RecordingBuilder(short(str(build_input.session.id or "session"), 80))
    leaf = START
    for draft in trace.result.drafts:
        leaf = builder.add(leaf, (_message(draft),), "openai-chat", place=draft.key, name=draft.key)
    agent = build_input.agent
    tools = [*agent.sent_tools] if agent is not None and agent.sent_tools else []
    head = builder.head_of("openai-chat", {"tools": tools} if tools else None)
    builder.request(leaf, head, model=name_of(build_input.model) or "", whole=True)
    return builder.recording()


def _message(draft: Draft) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": draft.role, "content": str(draft.text)}
    if draft.calls:
        fields["tool_calls"] = [call.as_data() for call in draft.calls]
    if draft.role == "tool":
        fields["tool_call_id"] = draft.result_of or ""
    if draft.reasoning:
        fields["reasoning_content"] = draft.reasoning
    if draft.speaker:
        fields["name"] = draft.speaker
    files = [part for part in draft.body if isinstance(part, AssetRef)]
    if files:
        pictures = [
            {"type": "image_url", "image_url": {"url": f"file:{file.name}"}} for file in files if file.kind == "image"
        ]
        fields["content"] = [{"type": "text", "text": str(draft.text)}, *pictures]
    return fields
