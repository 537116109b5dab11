"""The body of a recorded request as a payload, as it was sent: nothing is made, mended or marked anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.context import Draft
from ctxlab.errors import CtxlabError
from ctxlab.providers import JsonPath, Payload, Place, RequestParameters, provider_named
from ctxlab.providers.models import model_info
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.wires import WIRES


def recorded_payload(request: RecordedRequest) -> Payload:
    """The payload whose body is what was sent; raises CtxlabError where the log has only parts of it."""
    body = request.payload
    if body is None:
        raise CtxlabError(f"the log has only parts of the body of request {request.number:,}")
    provider = provider_named(WIRES[request.wire].provider)
    trace = request.trace
    places = tuple(_places(body, request, {draft.key: draft for draft in trace.result.drafts}))
    return Payload(provider, model_info(request.model, provider), body, places, (), (), RequestParameters(), trace)


def _places(body: Any, request: RecordedRequest, drafts: dict[str, Draft]) -> Iterator[Place]:
    """The place of each message that was sent; where a value is exactly its words, with who wrote them."""
    messages = body.get(WIRES[request.wire].messages)
    if not isinstance(messages, list):
        return
    at = len(request.head.leading)
    for sent in request.sent:
        for node in sent.nodes:
            draft = drafts.get(f"node:{node}")
            if draft is None:
                continue
            for number in range(at, at + len(sent.items)):
                yield from _places_of(("messages", number), messages[number], draft, WIRES[request.wire].messages)
        at += len(sent.items)


def _places_of(path: JsonPath, message: Any, draft: Draft, key: str) -> Iterator[Place]:
    words = str(draft.text)
    for inside, value in _texts(message):
        if value == words:
            yield Place((key, *path[1:], *inside), draft.key, draft.text, draft.origin)
            return


def _texts(value: Any, depth: int = 0) -> Iterator[tuple[JsonPath, str]]:
    """Strings of a message with their paths, those of its outer levels."""
    if isinstance(value, str):
        yield (), value
    elif depth < 4 and isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, each in items:
            for path, text in _texts(each, depth + 1):
                yield (name, *path), text
