"""EML: who wrote what to whom and when, the text, and the names of the attached files.

Headers are taken as they are written and cut before they are decoded: the parser of structured headers takes minutes,
and gigabytes, for one of two megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from itertools import islice
from typing import cast

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.text_encoding import decode_text
from ctxlab.context import FileFacts, Transcript
from ctxlab.engines.html import html_as_markdown
from ctxlab.errors import ReadError

HEADERS = ("From", "To", "Cc", "Date", "Subject")
LONGEST_HEADER = 1000
"""Characters; a list of hundreds of receivers is cut."""
LONGEST_NAME = 100
MOST_PARTS = 1000
MOST_BORDERS = 10_000
"""Lines that may be the border of a part: the parser's time grows with each."""
MOST_NAMED = 10


def read_mail(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Headers with the text in one passage; files of the mail are named, not read."""
    if data.count(b"\n--") > MOST_BORDERS:
        raise ReadError("the mail has too many parts to be read")
    mail = BytesParser(policy=ShortHeaders()).parsebytes(data)
    if not mail.keys():
        raise ReadError("the mail is broken: it has no headers")
    collector = PassageCollector(limits)
    parts = list(islice(mail.walk(), MOST_PARTS))
    names = [name for part in parts if (name := _file_name(part))]
    pieces = [_headers(mail), _body(parts, collector.problems), "\n".join(f"Attached: {name}" for name in names)]
    collector.add("\n\n".join(piece for piece in pieces if piece))
    if names:
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        collector.problems.append(f"attached files are not read: {', '.join(names[:MOST_NAMED])}{more}")
    return collector.transcript("email")


class ShortHeaders(Compat32):
    """Cuts each header before anything looks for its parameters, whose time grows with the square of them."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        begin = value[: LONGEST_HEADER * 4]
        return name, value if begin == value else begin.rpartition(";")[0] or begin


def _headers(mail: Message) -> str:
    lines: list[str] = []
    raw = {name.lower(): str(value) for name, value in reversed(list(mail.raw_items()))}
    for name in HEADERS:
        value = _decoded(raw.get(name.lower(), ""))
        lines += [f"{name}: {value}"] if value else []
    return "\n".join(lines)


def _decoded(value: str) -> str:
    """A header in letters, in one line."""
    shown = value[: LONGEST_HEADER * 4].encode("utf-8", "surrogateescape")
    text = decode_text(shown)[0] if shown else ""
    with suppress(HeaderParseError, LookupError, UnicodeError, ValueError):  # such a header stays as it is written
        text = str(make_header(decode_header(text)))
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_HEADER else line[:LONGEST_HEADER] + "..."


def _body(parts: list[Message], problems: list[str]) -> str:
    """The first part in plain letters, else the first in HTML as Markdown."""
    for part in _texts(parts, "text/plain"):
        return _part_text(part)
    for part in _texts(parts, "text/html"):
        text = _part_text(part)
        markdown, problem = html_as_markdown(text)
        problems += [f"read as its source: {problem}"] if problem else []
        return text if problem else markdown
    return ""


def _texts(parts: list[Message], mime_type: str) -> Iterator[Message]:
    return (part for part in parts if part.get_content_type() == mime_type and not _file_name(part))


def _part_text(part: Message) -> str:
    """The text of a part in its own encoding, else in the one that its bytes look like."""
    payload = cast("bytes | None", part.get_payload(decode=True)) or b""
    try:
        text = payload.decode(part.get_content_charset() or "", "strict")
    except (LookupError, UnicodeDecodeError, ValueError):
        text = decode_text(payload)[0]
    return text.replace("\r\n", "\n").strip()


def _file_name(part: Message) -> str:
    """The name of an attached file; of one without a name its type; empty of what is no file."""
    name = part.get_filename()
    if name:
        return _decoded(name)[:LONGEST_NAME]
    return part.get_content_type() if part.get_content_disposition() == "attachment" else ""
