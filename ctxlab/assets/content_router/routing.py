"""The content router: whether a model gets an artifact as picture, as file, as its text or as a description."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import BinaryIO, NamedTuple, cast

from ctxlab.assets.capabilities import NEEDED, Capabilities
from ctxlab.assets.claimed_type import claimed_facts
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
from ctxlab.assets.references import bytes_of_base64
from ctxlab.assets.text_encoding import decode_text
from ctxlab.assets.type_table import is_known
from ctxlab.context import FileFacts
from ctxlab.documents.session.inline_bytes import is_data_url

AnyCapabilities = Capabilities | Callable[[], Capabilities] | None
"""Capabilities, or a function that looks them up; one that fails, and None, mean that the model reads text alone."""

TEXT_ONLY = Capabilities(known=False)
MOST_BYTES = 100_000_000
"""Of a file whose vendor names no limit."""
LEAST_BASE64 = 24
"""Characters of a text that is looked at as base64 where nothing says whether it is text: words aren't as long."""
HEAD_OF_BASE64 = 512
"""Characters in which a text is base64 throughout, where nothing but its beginning says so."""
WRITTEN_AS_TEXT = frozenset({"application/rtf", "text/rtf", "message/rfc822", "image/svg+xml"})
"""Types of files other than text that are written in plain characters."""
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
    if isinstance(content, str) and artifact.is_binary is None and _is_called_binary(artifact):
        artifact = replace(artifact, is_binary=True)
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


def _is_called_binary(artifact: Artifact) -> bool:
    """Whether MIME type or name say that a text is no text: it is then the base64 of a file, or broken."""
    claimed = claimed_facts(name=artifact.filename, mime_type=clean_mime_type(artifact.mime_type))
    if claimed.kind == "text" or claimed.mime_type in {*WRITTEN_AS_TEXT, "", OCTETS}:
        return False
    return claimed.kind in ("image", "audio", "video") or is_known(claimed.mime_type)


def _hides_a_file(artifact: Artifact, content: str) -> bool:
    """Whether a text of which nothing says that it is one begins as the base64 of a file does."""
    if artifact.is_binary is False or len(content) < LEAST_BASE64:
        return False
    head = content.lstrip()[:HEAD_OF_BASE64]
    try:
        if is_data_url(head):
            return bool(decoded(content))
        lines = {len(line) for line in head.split()[:-1]}
        if len(lines) > 1 or min(lines, default=LEAST_BASE64) < LEAST_BASE64:  # words, not lines of one length
            return False
        letters = "".join(head.split())
        facts = facts_of(bytes_of_base64(letters[: len(letters) // 4 * 4]))
        if clean_mime_type(artifact.mime_type) == OCTETS and artifact.mime_type:
            return bool(decoded(content))
    except Exception:  # neither base64 nor a file that a detector can look at
        return False
    return facts.kind not in ("text", "other") or facts.mime_type == "application/zip"
