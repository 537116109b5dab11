"""EML: who wrote what to whom and when, the text, and the names of the attached files."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage, Message, MIMEPart
from email.parser import BytesParser
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
MOST_PARTS = 1000


def read_mail(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Headers with the text in one passage; files of the mail are named, not read."""
    mail = BytesParser(policy=policy.default).parsebytes(data)
    if not mail.keys():
        raise ReadError("the mail is broken: it has no headers")
    collector = PassageCollector(limits)
    names = _attached(mail)
    pieces = [_headers(mail), _body(mail, collector.problems), "\n".join(f"Attached: {name}" for name in names)]
    collector.add("\n\n".join(piece for piece in pieces if piece))
    if names:
        collector.problems.append(f"attached files are not read: {', '.join(names[:10])}{_more(len(names) - 10)}")
    return collector.transcript("eml")


def _headers(mail: EmailMessage) -> str:
    lines: list[str] = []
    for name in HEADERS:
        value = " ".join(_header(mail, name).split())
        if value:
            cut = value[:LONGEST_HEADER] + ("..." if len(value) > LONGEST_HEADER else "")
            lines.append(f"{name}: {cut}")
    return "\n".join(lines)


def _header(mail: Message, name: str) -> str:
    """A header; empty where it is so broken that the parser raises."""
    try:
        return str(mail.get(name, ""))
    except Exception:  # a header is anybody's, and what its parser raises is not documented
        return ""


def _body(mail: EmailMessage, problems: list[str]) -> str:
    part = mail.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    text = _part_text(part)
    if part.get_content_subtype() != "html":
        return text
    markdown, problem = html_as_markdown(text)
    if problem:
        problems.append(f"read as its source: {problem}")
    return text if problem else markdown


def _part_text(part: MIMEPart) -> str:
    """The text of a part in its own encoding, else in the one that its bytes look like."""
    payload = cast("bytes | None", part.get_payload(decode=True)) or b""
    try:
        return payload.decode(part.get_content_charset() or "", "strict").replace("\r\n", "\n").strip()
    except (LookupError, UnicodeDecodeError, ValueError):
        return decode_text(payload)[0].replace("\r\n", "\n").strip()


def _attached(mail: EmailMessage) -> list[str]:
    """Names of the files; one without a name by its type."""
    names: list[str] = []
    for count, part in enumerate(mail.walk()):
        if count > MOST_PARTS:
            break
        if part.get_content_disposition() == "attachment" or part.get_filename():
            named = " ".join((part.get_filename() or part.get_content_type()).split())
            names.append(named[:LONGEST_HEADER])
    return names


def _more(count: int) -> str:
    return f" and {count:,} more" if count > 0 else ""
