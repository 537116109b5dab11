"""The final messages of a run: OpenAI's form with sources and tokens."""

from __future__ import annotations

from typing import Any

from ctxlab.context import Draft, Text, content_part


class SentMessages(list[dict[str, Any]]):
    """Messages as they are sent, a plain list; a notebook shows it as a table."""

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import messages_html

        return messages_html(self)


def as_message(draft: Draft, tokens: int) -> dict[str, Any]:
    """A draft as it is sent: OpenAI's form plus `source` and `tokens`."""
    message: dict[str, Any] = {"role": draft.role, "content": _content(draft)}
    if draft.speaker:
        message["name"] = draft.speaker
    if draft.calls:
        message["tool_calls"] = [call.as_data() for call in draft.calls]
    if draft.role == "tool":
        message["tool_call_id"] = draft.result_of or ""
    if draft.reasoning:
        message["reasoning_content"] = draft.reasoning
    message["source"] = [part.origin.as_data() for part in draft.parts]
    message["tokens"] = tokens
    return message


def _content(draft: Draft) -> str | list[dict[str, Any]]:
    """Text, or with files the parts in order; an empty text is no part."""
    if not draft.assets:
        return str(draft.text)
    return [
        {"type": "text", "text": str(part)} if isinstance(part, Text) else content_part(part)
        for part in draft.body
        if not isinstance(part, Text) or part
    ]
