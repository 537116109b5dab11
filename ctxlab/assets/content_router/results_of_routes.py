"""The results of routes: a text, a file that is sent, and the descriptions of one that isn't."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.assets.content_router.artifact import Artifact
from ctxlab.assets.content_router.route_result import (
    BinaryType,
    ContentRouteResult,
    RoutedFile,
    RouteMetadata,
    Routing,
)
from ctxlab.assets.descriptions import (
    Language,
    clean_mime_type,
    describe_failed,
    describe_too_large,
    describe_unreadable,
    one_line,
)
from ctxlab.context import FileFacts


def text_result(artifact: Artifact, text: str) -> ContentRouteResult:
    """The text, unchanged."""
    metadata = RouteMetadata(
        one_line(artifact.id),
        type=one_line(artifact.type),
        filename=one_line(artifact.filename),
        created_at=one_line(artifact.created_at),
    )
    return ContentRouteResult("text", "text", metadata, content=text, reason="it is text")


def sent_result(artifact: Artifact, facts: FileFacts, base64: str, routing: Routing, reason: str) -> ContentRouteResult:
    """The bytes as a picture or as a file."""
    metadata = _metadata(artifact, facts)
    if routing == "image_url":
        url = f"data:{facts.mime_type};base64,{base64}"
        return ContentRouteResult("image", routing, metadata, image_url=url, reason=reason)
    file = RoutedFile(metadata.filename or metadata.id, facts.mime_type, base64)
    return ContentRouteResult("binary", routing, metadata, file=file, reason=reason)


def described_result(artifact: Artifact, facts: FileFacts, reason: str, language: Language) -> ContentRouteResult:
    """The description of a file that the model doesn't read."""
    text = describe_unreadable(name=artifact.filename, id=artifact.id, mime_type=facts.mime_type, language=language)
    return _described(artifact, facts, text, reason)


def as_described(result: ContentRouteResult, language: Language) -> ContentRouteResult:
    """The description of a file that was routed as one, for a vendor whose form has no place for it."""
    told = result.metadata
    text = describe_unreadable(name=told.filename, id=told.id, mime_type=told.mime_type, language=language)
    reason = f"the vendor's form has no place for {told.mime_type}"
    return replace(result, routing="text", content=text, image_url=None, file=None, reason=reason)


def too_large_result(artifact: Artifact, facts: FileFacts, most_bytes: int, language: Language) -> ContentRouteResult:
    """The description of a file that is larger than what can be sent."""
    size = facts.size_bytes or 0
    text = describe_too_large(
        name=artifact.filename,
        id=artifact.id,
        mime_type=facts.mime_type,
        size_bytes=size,
        most_bytes=most_bytes,
        language=language,
    )
    return _described(artifact, facts, text, f"it has {size:,} bytes, more than {most_bytes:,}")


def failed_result(artifact: Artifact, reason: str, language: Language) -> ContentRouteResult:
    """The description of a file whose content can't be read."""
    text = describe_failed(name=artifact.filename, id=artifact.id, language=language)
    return ContentRouteResult("binary", "text", _metadata(artifact), content=text, reason=reason)


def binary_type(facts: FileFacts) -> BinaryType:
    """The kind of a binary file; one that is kept as binary though it is text is a document."""
    return "document" if facts.kind == "text" else facts.kind


def _described(artifact: Artifact, facts: FileFacts, text: str, reason: str) -> ContentRouteResult:
    content_type = "image" if facts.kind == "image" else "binary"
    return ContentRouteResult(content_type, "text", _metadata(artifact, facts), content=text, reason=reason)


def _metadata(artifact: Artifact, facts: FileFacts | None = None) -> RouteMetadata:
    """The artifact's metadata, with the type and the size that its bytes show."""
    size = facts.size_bytes if facts else None
    stored_type = clean_mime_type(artifact.mime_type) if artifact.mime_type else ""
    return RouteMetadata(
        id=one_line(artifact.id),
        type=one_line(artifact.type),
        filename=one_line(artifact.filename),
        mime_type=facts.mime_type if facts else stored_type,
        size=artifact.size if size is None else size,
        created_at=one_line(artifact.created_at),
        binary_type=binary_type(facts) if facts else None,
    )
