"""Recordings of requests, such as VCR's cassettes: `{"interactions": [{"request": …, "response": …}]}`.

Each request to a vendor becomes a session, in the order of the file. What the vendor answered is named as a loss.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from ctxlab.formats.format import Format, always
from ctxlab.formats.openai import format as openai
from ctxlab.formats.requests.anthropic import ANTHROPIC
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.gemini import GEMINI
from ctxlab.formats.requests.responses import RESPONSES
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.lazy_pattern import lazy_pattern

BODIES: Final = ("parsed_body", "content", "body")
BOOKKEEPING: Final = frozenset({*BODIES, "response", "headers", "uri", "url", "recorded_at", "recorded_with"})
"""Fields that no model reads, and bodies, of which their own readers tell."""
FORMS: Final = (
    (lazy_pattern(r"/chat/completions$"), openai.OPENAI),
    (lazy_pattern(r"/responses$"), RESPONSES),
    (lazy_pattern(r"/messages$"), ANTHROPIC),
    (lazy_pattern(r"/models/[^/]+:(?:streamG|g)enerateContent$"), GEMINI),
)
"""Forms of bodies by the end of the address."""


def sniff(data: Any) -> bool:
    return mostly(fields_of(data).get("interactions"), _is_interaction)


def _is_interaction(value: Any) -> bool:
    request = fields_of(fields_of(value).get("request"))
    return isinstance(request.get("uri", request.get("url")), str)


def read(source: Source) -> Import:
    found = [*_requests(source)]
    losses = (loss for each in found for loss in each.losses)
    read = Import(
        tuple(session for each in found for session in each.sessions),
        tuple(agent for each in found for agent in each.agents),
        losses=(*source.losses, *losses),
    )
    return with_unsent_texts(read, source, BOOKKEEPING, tells_of_kept=True)


def _requests(source: Source) -> Iterator[Import]:
    for number, interaction in enumerate(items_of(fields_of(source.data).get("interactions"))):
        place = f"interactions[{number}]"
        request = fields_of(fields_of(interaction).get("request"))
        address = request.get("uri", request.get("url"))
        path = unquote(urlsplit(address).path) if isinstance(address, str) and _is_address(address) else ""
        form = next((form for end, form in FORMS if end.search(path)), None)
        body = _body(request)
        if form is None or form.read is None or form.sniff is None or not form.sniff(body):
            yield Import(losses=(Loss(place, "no request to a vendor in a form that is read; it is left out"),))
            continue
        model = {"model": path.rpartition("/")[2].partition(":")[0]} if form is GEMINI else {}
        name = f"{source.stem}-{number + 1}"
        found = form.read(Source({**model, **body}, name, keep_prompts=source.keep_prompts))
        losses = [loss.inside(place) for loss in found.losses]
        if fields_of(interaction).get("response") is not None:
            losses.append(Loss(f"{place}.response", "what the vendor answered; it is left out", "response"))
        yield replace(found, losses=tuple(losses))


def _is_address(address: str) -> bool:
    try:
        return bool(urlsplit(address).scheme)
    except ValueError:
        return False


def _body(request: Data) -> Data:
    stored = next((request[key] for key in BODIES if request.get(key) is not None), None)
    if isinstance(stored, dict) and isinstance(fields_of(stored).get("string"), str):
        stored = fields_of(stored)["string"]
    if isinstance(stored, str):
        try:
            stored = json.loads(stored)
        except (ValueError, RecursionError):
            return {}
    return fields_of(stored)


RECORDINGS = Format("http-recordings", "recording of requests", sniff=sniff, read=read, only_conversations=always)
