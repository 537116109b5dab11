"""The messages that carry the answers of tools to a vendor, each in the vendor's form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ctxlab.assets.content_router.results_of_routes import as_described
from ctxlab.assets.content_router.route_result import ContentRouteResult
from ctxlab.assets.content_router.tool_answers import MediaPart, ToolAnswer, ToolResponse, tool_response
from ctxlab.assets.content_router.vendor_tool_results import RULES, Vendor
from ctxlab.assets.descriptions import Language
from ctxlab.assets.text_encoding import decode_text
from ctxlab.context.asset_as_content_part import SOUNDS
from ctxlab.display.short_texts import short
from ctxlab.documents import ToolCall
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import RESPONSES

JsonDict = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Answer:
    """A call, its answer, and whether its file goes inside it or in a message after it."""

    call: ToolCall
    response: ToolResponse
    inside: MediaPart | None
    after: MediaPart | None


def tool_messages(answers: Sequence[ToolAnswer], vendor: Vendor, *, language: Language = "zh") -> list[JsonDict]:
    """The messages that follow an assistant's message with these calls, all of its answers at once.

    Results come first and together, as vendors want them; files that a vendor takes in no result follow in one message
    of the user, and one that the vendor's form has no place for is described. Raises WrongArgument for another vendor.
    """
    if vendor not in RULES:
        raise WrongArgument(f"{short(str(vendor))!r} is no vendor's form; there are: {', '.join(RULES)}")
    found = [_sorted_out(answer, vendor, language) for answer in answers]
    return _FORMS[vendor](found) if found else []


def _sorted_out(answer: ToolAnswer, vendor: Vendor, language: Language) -> _Answer:
    response = tool_response(answer.result, language=language)
    media = response.media
    if media is not None and not RULES[vendor].sends(media.kind, media.mime_type):
        assert isinstance(answer.result, ContentRouteResult)
        response, media = tool_response(as_described(answer.result, language), language=language), None
    inside = media is not None and RULES[vendor].takes(media.mime_type)
    return _Answer(answer.call, response, media if inside else None, None if inside else media)


# --- OpenAI's chat form, and the many that take it


def _openai_chat(answers: Sequence[_Answer]) -> list[JsonDict]:
    messages: list[JsonDict] = [
        {"role": "tool", "tool_call_id": answer.call.id, "content": answer.response.content} for answer in answers
    ]
    return messages + _after(answers, _openai_chat_part, lambda parts: {"role": "user", "content": parts})


def _openai_chat_part(media: MediaPart) -> JsonDict:
    if media.kind == "image":
        return {"type": "image_url", "image_url": {"url": media.url}}
    if media.kind == "audio":
        form = next((form for form, mime in SOUNDS.items() if mime == media.mime_type), "")
        form = form or media.mime_type.removeprefix("audio/")
        return {"type": "input_audio", "input_audio": {"data": media.base64, "format": form}}
    return {"type": "file", "file": {"filename": media.filename, "file_data": media.url}}


# --- OpenAI's Responses


def _openai_responses(answers: Sequence[_Answer]) -> list[JsonDict]:
    items: list[JsonDict] = [
        {"type": "function_call_output", "call_id": answer.call.id, "output": _responses_output(answer)}
        for answer in answers
    ]
    return items + _after(
        answers,
        _responses_part,
        lambda parts: {"type": "message", "role": "user", "content": parts},
        text="input_text",
    )


def _responses_output(answer: _Answer) -> str | list[JsonDict]:
    if answer.inside is None:
        return answer.response.content
    text = {"type": "input_text", "text": answer.response.content}
    return [text, _responses_part(answer.inside)]


def _responses_part(media: MediaPart) -> JsonDict:
    if media.kind == "image":
        return {"type": "input_image", "image_url": media.url}
    return {"type": "input_file", "filename": media.filename, "file_data": media.url}


# --- Anthropic


def _anthropic(answers: Sequence[_Answer]) -> list[JsonDict]:
    """One message of the user: results first, then what none of them can hold."""
    results = [_anthropic_result(answer) for answer in answers]
    rest = _after(answers, _anthropic_block, lambda parts: {"content": parts})
    return [{"role": "user", "content": [*results, *(part for message in rest for part in message["content"])]}]


def _anthropic_result(answer: _Answer) -> JsonDict:
    content: list[JsonDict] = [{"type": "text", "text": answer.response.content}]
    if answer.inside is not None:
        content.append(_anthropic_block(answer.inside))
    error = {"is_error": True} if answer.response.is_error else {}
    return {"type": "tool_result", "tool_use_id": answer.call.id, "content": content, **error}


def _anthropic_block(media: MediaPart) -> JsonDict:
    source = {"type": "base64", "media_type": media.mime_type, "data": media.base64}
    if media.kind == "image":
        return {"type": "image", "source": source}
    if media.mime_type.startswith("text/"):
        source = {"type": "text", "media_type": "text/plain", "data": decode_text(media.data)[0]}
    return {"type": "document", "source": source, "title": media.filename}


# --- Gemini


def _gemini(answers: Sequence[_Answer]) -> list[JsonDict]:
    results = [{"functionResponse": _function_response(answer)} for answer in answers]
    contents: list[JsonDict] = [{"role": "user", "parts": results}]
    return contents + _after(answers, _gemini_part, lambda parts: {"role": "user", "parts": parts}, text="")


def _function_response(answer: _Answer) -> JsonDict:
    key = "error" if answer.response.is_error else "output"
    call_id = {"id": answer.call.id} if answer.call.id else {}
    parts = {"parts": [_gemini_part(answer.inside)]} if answer.inside is not None else {}
    return {**call_id, "name": answer.call.name, "response": {key: answer.response.content}, **parts}


def _gemini_part(media: MediaPart) -> JsonDict:
    return {"inlineData": {"mimeType": media.mime_type, "data": media.base64}}


# --- what they share


def _after(
    answers: Sequence[_Answer],
    part: Callable[[MediaPart], JsonDict],
    message: Callable[[list[JsonDict]], JsonDict],
    *,
    text: str = "text",
) -> list[JsonDict]:
    """One message of the user with the files that no result holds, each after its lead; none where there are none."""
    parts: list[JsonDict] = []
    for answer in answers:
        if answer.after is not None:
            lead = answer.response.lead
            parts += [{"type": text, "text": lead} if text else {"text": lead}, part(answer.after)]
    return [message(parts)] if parts else []


_FORMS: Mapping[Vendor, Callable[[Sequence[_Answer]], list[JsonDict]]] = {
    "openai-chat": _openai_chat,
    RESPONSES.name: _openai_responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "gemini-2": _gemini,
    "compatible": _openai_chat,
}
