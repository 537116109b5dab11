"""The type and the measures of a file, from its bytes, its MIME type and its name.

The MIME type is asked first, then the name, then the bytes, as an upload form does; but where the bytes contradict,
they win, and the facts say so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO, get_args

from ctxlab.assets.byte_window import ByteWindow
from ctxlab.assets.containers import (
    OLE_START,
    ZIP_START,
    Contents,
    is_container_of,
    may_be_ole,
    ole_contents,
    zip_contents,
)
from ctxlab.assets.measures import Pages, pages_of, pixels_of, seconds_of
from ctxlab.assets.signatures import PLAIN_TEXT_TYPES, mime_of_signature
from ctxlab.assets.text_encoding import guess_encoding
from ctxlab.assets.text_types import mime_of_text
from ctxlab.assets.type_table import (
    BINARY,
    FAMILIES,
    OLE,
    TEXT,
    ZIP,
    canonical_mime,
    is_known,
    kind_of_mime,
    mime_of_name,
    noun_of,
)
from ctxlab.context import FileFacts, FileKind
from ctxlab.lazy_dataclass import dataclass

MIME_CONFIDENCE = 0.95
NAME_CONFIDENCE = 0.85
BYTES_CONFIDENCE = 0.9
NO_CONFIDENCE = 0.5
EMPTY = "the file is empty"
MARKUP = frozenset({"image/svg+xml", "application/rtf", "message/rfc822"})
"""Types that are written as text, and that a text shows by how it begins."""
LOOSE_TEXT = frozenset({"application/rtf", "application/postscript", "message/rfc822"})


@dataclass(frozen=True, slots=True)
class Shown:
    """The type that the bytes show, empty for none; the encoding of a text; slides and problem of a container."""

    mime_type: str = ""
    encoding: str | None = None
    slides: int | None = None
    problem: str = ""

    @property
    def is_text(self) -> bool:
        return self.encoding is not None


@dataclass(frozen=True, slots=True)
class Claim:
    """A type that a name or a MIME type promises."""

    mime_type: str
    evidence: str


def facts_of(data: bytes | BinaryIO, *, name: str = "", mime_type: str = "", kind: str = "") -> FileFacts:
    """The type of a file and its measures; only its beginning is read, and of some types a little more.

    That is the directory of a ZIP archive, the end of a picture, the header of a recording, and a PDF of up to 20 MB
    to count its pages. `kind` is what is known of a file that shows nothing itself. A stream is left at the place where
    it was; one that can't seek loses its first 64 kB.
    """
    return facts_of_window(ByteWindow(data), name=name, mime_type=mime_type, kind=kind)


def facts_of_window(window: ByteWindow, *, name: str = "", mime_type: str = "", kind: str = "") -> FileFacts:
    """Like `facts_of`, of a file whose beginning has been read."""
    try:
        shown = _shown(window) if window.head else Shown()
        facts = _decided(shown, _claims(name, mime_type), kind)
        if window.size == 0:
            return replace(facts, size_bytes=0, spoofed="", problem=EMPTY)
        return _measured(replace(facts, size_bytes=window.size), window, shown)
    finally:
        window.put_back()


def _shown(window: ByteWindow) -> Shown:
    """The type that the bytes show, whatever name and MIME type say."""
    head = window.head
    if head.startswith((ZIP_START, b"PK\x05\x06")):
        return _of_container(zip_contents(window))
    if head.startswith(OLE_START):
        return _of_container(ole_contents(window))
    encoding = guess_encoding(head, complete=window.is_whole)
    found = mime_of_signature(head)
    if found and (encoding is None or found in PLAIN_TEXT_TYPES or not _is_ascii_text(head)):
        return Shown(found)
    if encoding is None:
        return Shown()
    return Shown(mime_of_text(head.decode(encoding, errors="ignore")), encoding)


def _is_ascii_text(head: bytes) -> bool:
    """Whether it is plain ASCII, in which two letters are no signature: a text may begin with `BM`."""
    return head.isascii()


def _of_container(contents: Contents) -> Shown:
    return Shown(contents.mime_type, None, contents.slides, contents.problem)


def _claims(name: str, mime_type: str) -> list[Claim]:
    """The promises of the MIME type and the name, in this order; a type that says nothing is left out."""
    declared = canonical_mime(mime_type)
    named = mime_of_name(name)
    claims = [Claim(declared, "mime")] if declared and declared != BINARY else []
    return [*claims, Claim(named, "name")] if named and named != BINARY else claims


def _decided(shown: Shown, claims: list[Claim], kind: str) -> FileFacts:
    """The type, by the first claim that the bytes don't contradict, else by the bytes."""
    false = [claim for claim in claims if not _agrees(claim.mime_type, shown)]
    true = [claim for claim in claims if claim not in false]
    spoofed = _spoofed(false, shown)
    if not true:
        return _by_bytes(shown, claims, spoofed, kind)
    claim = true[0]
    confidence = MIME_CONFIDENCE if claim.evidence == "mime" else NAME_CONFIDENCE
    decided = _refined(claim.mime_type, shown)
    if claim.evidence == "name" and shown.mime_type == decided:
        return _facts(decided, BYTES_CONFIDENCE, "bytes", shown, spoofed)
    unproven = "" if shown.mime_type or not _has_signature(decided) else _unproven(claim)
    return _facts(decided, confidence, claim.evidence, shown, spoofed or unproven)


def _by_bytes(shown: Shown, claims: list[Claim], spoofed: str, kind: str) -> FileFacts:
    if shown.mime_type:
        return _facts(shown.mime_type, BYTES_CONFIDENCE, "bytes", shown, spoofed)
    facts = _facts(
        BINARY, BYTES_CONFIDENCE if claims else NO_CONFIDENCE, "bytes" if claims else "nothing", shown, spoofed
    )
    if not claims and kind in get_args(FileKind):
        return replace(facts, kind=_as_kind(kind))
    return facts


def _as_kind(kind: str) -> FileKind:
    return next(each for each in get_args(FileKind) if each == kind)


def _facts(mime_type: str, confidence: float, evidence: str, shown: Shown, spoofed: str) -> FileFacts:
    return FileFacts(
        kind_of_mime(mime_type),
        mime_type,
        confidence,
        "bytes"
        if evidence == "bytes"
        else "mime"
        if evidence == "mime"
        else "name"
        if evidence == "name"
        else "nothing",
        encoding=shown.encoding,
        pages=shown.slides,
        spoofed=spoofed,
        problem=shown.problem,
    )


def _agrees(claimed: str, shown: Shown) -> bool:
    """Whether the bytes allow this type; bytes that show nothing allow every type but text."""
    found = shown.mime_type
    if not found:
        return kind_of_mime(claimed) != "text"
    if found == claimed or not is_known(claimed):
        return found == claimed or _may_be_unknown(claimed, shown)
    if any(found in family and claimed in family for family in FAMILIES):
        return True
    if shown.is_text:
        return _text_agrees(claimed, found)
    return is_container_of(claimed, found) or (found == OLE and may_be_ole(claimed))


def _may_be_unknown(claimed: str, shown: Shown) -> bool:
    """A type that the table doesn't have: text may be any text, a ZIP archive any type that is built on it."""
    kind = kind_of_mime(claimed)
    if shown.is_text:
        return kind in ("text", "other") and shown.mime_type not in MARKUP
    return shown.mime_type == ZIP and kind == "other"


def _text_agrees(claimed: str, found: str) -> bool:
    """A text is any text that it is called; what isn't one of them must begin as the claimed type does."""
    if kind_of_mime(claimed) == "text":
        return True
    return claimed == "message/rfc822" and found == TEXT


def _refined(claimed: str, shown: Shown) -> str:
    """The claimed type, or the one inside that the bytes show more exactly."""
    if is_container_of(claimed, shown.mime_type):
        return shown.mime_type
    if shown.is_text and claimed in (TEXT, "application/xml") and shown.mime_type in MARKUP:
        return shown.mime_type
    return claimed


def _has_signature(mime_type: str) -> bool:
    return is_known(mime_type) and mime_type not in LOOSE_TEXT and kind_of_mime(mime_type) != "other"


def _source(claim: Claim) -> str:
    return "its MIME type" if claim.evidence == "mime" else "its name"


def _unproven(claim: Claim) -> str:
    return f"{_source(claim)} says it is {noun_of(claim.mime_type)}, but its bytes don't begin as those of one do"


def _spoofed(false: list[Claim], shown: Shown) -> str:
    """The sentence that says which claims the bytes contradict; empty where they contradict none."""
    if not false:
        return ""
    really = noun_of(shown.mime_type) if shown.mime_type else "binary"
    same = len({claim.mime_type for claim in false}) == 1
    if len(false) == 2 and same:
        return f"its MIME type and its name say it is {noun_of(false[0].mime_type)}, but its bytes are {really}"
    return f"{_source(false[0])} says it is {noun_of(false[0].mime_type)}, but its bytes are {really}"


# --- measures


def _measured(facts: FileFacts, window: ByteWindow, shown: Shown) -> FileFacts:
    """The facts with pixels, seconds or pages."""
    if facts.kind == "image" and (shown.mime_type or window.can_seek):
        pixels = pixels_of(window, facts.mime_type) if shown.mime_type else None
        if pixels is None:
            return facts
        return replace(facts, width=pixels.width, height=pixels.height, problem=facts.problem or pixels.problem)
    if facts.kind in ("audio", "video") and shown.mime_type:
        return replace(facts, seconds=seconds_of(window, facts.mime_type))
    if facts.mime_type == "application/pdf" and shown.mime_type:
        pages = pages_of(window) if window.can_seek or window.is_whole else Pages(None)
        return replace(facts, pages=pages.number, problem=facts.problem or pages.problem)
    return facts
