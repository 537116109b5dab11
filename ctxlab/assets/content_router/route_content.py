"""The content router: whether a model gets an artifact as picture, as file, as its text or as a description."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, cast

from ctxlab.assets.capabilities import NEEDED, Capabilities
from ctxlab.assets.content_router.artifact import Artifact, BrokenContent
from ctxlab.assets.content_router.route_result import (
    BinaryType,
    ContentRouteResult,
    RoutedFile,
    RouteMetadata,
    Routing,
)
from ctxlab.assets.descriptions import (
    OCTETS,
    Language,
    describe_failed,
    describe_too_large,
    describe_unreadable,
    one_line,
)
from ctxlab.assets.file_types import facts_of
from ctxlab.assets.text_encoding import decode_text
from ctxlab.context import FileFacts

AnyCapabilities = Capabilities | Callable[[], Capabilities] | None
"""Capabilities, or a function that looks them up; one that fails, and None, mean that the model reads text alone."""

TEXT_ONLY = Capabilities(known=False, source="capabilities unknown")


def route_content(artifact: Artifact, capabilities: AnyCapabilities, *, language: Language = "zh") -> ContentRouteResult:
    """How a model of these capabilities gets the artifact. It never raises, and a description never holds content."""
    if artifact.is_binary is False and isinstance(artifact.content, str):
        return text_result(artifact, artifact.content)
    if artifact.is_binary is None and isinstance(artifact.content, str):
        return text_result(artifact, artifact.content)
    try:
        data = artifact.data
    except BrokenContent as error:
        return failed_result(artifact, str(error), language=language)
    try:
        facts = facts_of(data, name=artifact.filename, mime_type=artifact.mime_type)
    except Exception as error:  # a file is hostile: whatever a detector trips over, it is binary and described
        facts = FileFacts("other", OCTETS, size_bytes=len(data))
        reason = f"its type could not be detected: {type(error).__name__}"
        return described_result(artifact, facts, reason, language=language)
    if artifact.is_binary is False or (artifact.is_binary is None and facts.kind == "text"):
        return text_result(artifact, decode_text(data)[0])
    decision = decide(facts, looked_up(capabilities))
    if decision.routing == "text":
        return undelivered_result(artifact, facts, decision, language=language)
    return sent_result(artifact, facts, data, decision)


class Decision(NamedTuple):
    """The routing of a binary file and why; `most_bytes` where only its size keeps it from being sent."""

    routing: Routing
    reason: str
    most_bytes: int | None = None


def decide(facts: FileFacts, capabilities: Capabilities) -> Decision:
    """The routing of a binary file of these facts; equal facts and capabilities always get the same."""
    kind = binary_type(facts)
    needed = NEEDED[kind]
    if not capabilities.reads(kind):
        known = "the model does not read" if capabilities.known else "nothing is known of the model, so it gets no"
        return Decision("text", f"{known} {needed} input")
    if not capabilities.takes(kind, facts.mime_type):
        return Decision("text", f"the model reads {needed} input, but not {facts.mime_type}")
    most = capabilities.max_bytes(kind)
    if most is not None and facts.size_bytes is not None and facts.size_bytes > most:
        return Decision("text", f"it has {facts.size_bytes:,} bytes, the limit is {most:,}", most)
    return Decision("image_url" if kind == "image" else "file", f"the model reads {needed} input")


def binary_type(facts: FileFacts) -> BinaryType:
    """The kind of a binary file; one that is kept as binary though it is text is a document."""
    return "document" if facts.kind == "text" else facts.kind


def looked_up(capabilities: AnyCapabilities) -> Capabilities:
    if isinstance(capabilities, Capabilities):
        return capabilities
    if capabilities is None:
        return TEXT_ONLY
    try:
        found = cast("object", capabilities())
    except Exception:  # a registry of the caller's: where it fails the model is taken to read text alone
        return TEXT_ONLY
    return found if isinstance(found, Capabilities) else TEXT_ONLY


# --- results


def text_result(artifact: Artifact, text: str) -> ContentRouteResult:
    """The text as it is."""
    metadata = replace(_metadata(artifact), mime_type="", size=None)
    return ContentRouteResult("text", "text", metadata, content=text, reason="it is text")


def sent_result(artifact: Artifact, facts: FileFacts, data: bytes, decision: Decision) -> ContentRouteResult:
    """The bytes as a picture or as a file, as was decided."""
    base64 = b64encode(data).decode("ascii")
    metadata = _metadata(artifact, facts)
    if decision.routing == "image_url":
        url = f"data:{facts.mime_type};base64,{base64}"
        return ContentRouteResult("image", "image_url", metadata, image_url=url, reason=decision.reason)
    file = RoutedFile(metadata.filename or metadata.id, facts.mime_type, base64)
    return ContentRouteResult("binary", "file", metadata, file=file, reason=decision.reason)


def undelivered_result(
    artifact: Artifact, facts: FileFacts, decision: Decision, *, language: Language
) -> ContentRouteResult:
    """The description of a file that was decided not to be sent."""
    if decision.most_bytes is None or facts.size_bytes is None:
        return described_result(artifact, facts, decision.reason, language=language)
    text = describe_too_large(
        name=artifact.filename,
        id=artifact.id,
        mime_type=facts.mime_type,
        size_bytes=facts.size_bytes,
        most_bytes=decision.most_bytes,
        language=language,
    )
    return _described(artifact, facts, text, decision.reason)


def described_result(artifact: Artifact, facts: FileFacts, reason: str, *, language: Language) -> ContentRouteResult:
    """The three fixed lines for a file that the model doesn't read."""
    text = describe_unreadable(
        name=artifact.filename, id=artifact.id, mime_type=facts.mime_type, language=language
    )
    return _described(artifact, facts, text, reason)


def failed_result(artifact: Artifact, reason: str, *, language: Language) -> ContentRouteResult:
    """The three fixed lines for a file whose content can't be read."""
    text = describe_failed(name=artifact.filename, id=artifact.id, language=language)
    return ContentRouteResult("binary", "text", _metadata(artifact), content=text, reason=reason)


def _described(artifact: Artifact, facts: FileFacts, text: str, reason: str) -> ContentRouteResult:
    content_type = "image" if facts.kind == "image" else "binary"
    return ContentRouteResult(content_type, "text", _metadata(artifact, facts), content=text, reason=reason)


def _metadata(artifact: Artifact, facts: FileFacts | None = None) -> RouteMetadata:
    """The artifact's metadata, with the type and the size that its bytes show."""
    return RouteMetadata(
        id=one_line(artifact.id),
        type=one_line(artifact.type),
        filename=one_line(artifact.filename),
        mime_type=facts.mime_type if facts else one_line(artifact.mime_type),
        size=facts.size_bytes if facts and facts.size_bytes is not None else artifact.size,
        created_at=one_line(artifact.created_at),
        binary_type=binary_type(facts) if facts else None,
    )
