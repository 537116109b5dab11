"""The content router: whether a model gets an artifact as picture, as file, as its text or as a description."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import BinaryIO, NamedTuple, cast

from ctxlab.assets.capabilities import NEEDED, Capabilities
from ctxlab.assets.content_router.artifact import Artifact, BrokenContent, decoded
from ctxlab.assets.content_router.results_of_routes import (
    binary_type,
    described_result,
    failed_result,
    sent_result,
    text_result,
    too_large_result,
)
from ctxlab.assets.content_router.route_result import ContentRouteResult, Routing
from ctxlab.assets.descriptions import OCTETS, Language, clean_mime_type
from ctxlab.assets.file_types import facts_of
from ctxlab.assets.text_encoding import decode_text
from ctxlab.context import FileFacts

AnyCapabilities = Capabilities | Callable[[], Capabilities] | None
"""Capabilities, or a function that looks them up; one that fails, and None, mean that the model reads text alone."""

TEXT_ONLY = Capabilities(known=False)
MOST_BYTES = 100_000_000
"""Of a file whose vendor names no limit."""
LEAST_BASE64 = 24
"""Characters of a text that is looked at as base64 where nothing says whether it is text: words aren't as long."""
MOST_TEXT_BYTES = 10_000_000
"""Of a text that a store holds as a file."""


class Decision(NamedTuple):
    """The routing of a binary file and why; `most_bytes` where only its size keeps it from being sent."""

    routing: Routing
    reason: str
    most_bytes: int | None = None


def route_content(
    artifact: Artifact, capabilities: AnyCapabilities, *, language: Language = "zh"
) -> ContentRouteResult:
    """The artifact in the form that a model of these capabilities reads.

    It never raises, and a description never holds content.

    >>> route_content(Artifact("a1", "hello", is_binary=False), None).content
    'hello'
    """
    content = artifact.content
    if isinstance(content, str) and not (artifact.is_binary or _hides_a_file(artifact, content)):
        return text_result(artifact, content)
    try:
        data = artifact.data
    except BrokenContent as error:
        return failed_result(artifact, str(error), language)
    return route_stream(artifact, BytesIO(data), capabilities, language=language)


def route_stream(
    artifact: Artifact, stream: BinaryIO, capabilities: AnyCapabilities, *, language: Language = "zh"
) -> ContentRouteResult:
    """Like `route_content`, of an artifact whose bytes are in a stream; only a file that is sent is read whole."""
    try:
        facts = facts_of(stream, name=artifact.filename, mime_type=artifact.mime_type)
    except Exception as error:  # whatever a detector trips over in a hostile file: it is binary, and described
        reason = f"its type could not be detected ({type(error).__name__})"
        return described_result(artifact, FileFacts("other", OCTETS), reason, language)
    facts = replace(facts, mime_type=clean_mime_type(facts.mime_type))
    try:
        return _routed(artifact, facts, stream, looked_up(capabilities), language)
    except OSError as error:
        return failed_result(artifact, f"its bytes could not be read ({type(error).__name__})", language)


def _routed(
    artifact: Artifact, facts: FileFacts, stream: BinaryIO, capabilities: Capabilities, language: Language
) -> ContentRouteResult:
    size = facts.size_bytes or 0
    if artifact.is_binary is False or (artifact.is_binary is None and facts.kind == "text"):
        if size > MOST_TEXT_BYTES:
            return too_large_result(artifact, facts, MOST_TEXT_BYTES, language)
        return text_result(artifact, decode_text(stream.read(MOST_TEXT_BYTES + 1))[0])
    if facts.problem:
        return failed_result(artifact, facts.problem, language)  # encrypted, broken, empty: vendors refuse the request
    decision = decide(facts, capabilities)
    if decision.most_bytes is not None:
        return too_large_result(artifact, facts, decision.most_bytes, language)
    if decision.routing == "text":
        return described_result(artifact, facts, decision.reason, language)
    data = stream.read()
    if not data:
        return failed_result(artifact, "it is empty", language)
    return sent_result(artifact, facts, b64encode(data).decode("ascii"), decision.routing, decision.reason)


def decide(facts: FileFacts, capabilities: Capabilities) -> Decision:
    """The routing of a binary file of these facts; equal facts and capabilities always get the same."""
    kind = binary_type(facts)
    needed = NEEDED[kind]
    if not capabilities.reads(kind):
        no_input = f"the model has no {needed} input" if capabilities.known else f"no {needed} input is known"
        return Decision("text", no_input)
    if not capabilities.takes(kind, facts.mime_type):
        return Decision("text", f"the model has {needed} input, but not for {facts.mime_type}")
    most = capabilities.max_bytes(kind) or MOST_BYTES
    if facts.size_bytes is not None and facts.size_bytes > most:
        return Decision("text", f"it has {facts.size_bytes:,} bytes, more than {most:,}", most)
    return Decision("image_url" if kind == "image" else "file", f"the model has {needed} input")


def looked_up(capabilities: AnyCapabilities) -> Capabilities:
    """The capabilities; those of a model that reads text alone where a look-up fails."""
    if isinstance(capabilities, Capabilities):
        return capabilities
    if capabilities is None:
        return TEXT_ONLY
    try:
        found = cast("object", capabilities())
    except Exception:  # a registry of the caller's, which may fail in any way
        return TEXT_ONLY
    return found if isinstance(found, Capabilities) else TEXT_ONLY


def _hides_a_file(artifact: Artifact, content: str) -> bool:
    """Whether a text of which nothing says that it is one is the base64 of a picture, sound, film or document."""
    if artifact.is_binary is False or len(content) < LEAST_BASE64 or " " in content.strip():
        return False
    try:
        facts = facts_of(decoded(content), name=artifact.filename, mime_type=artifact.mime_type)
    except Exception:  # neither base64 nor a file that a detector can look at
        return False
    return facts.kind not in ("text", "other")
