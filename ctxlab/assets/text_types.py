"""The type of a text by its first lines: a script, SVG, HTML, XML, JSON, an e-mail, a table."""

from __future__ import annotations

import re

from ctxlab.assets.type_table import TEXT
from ctxlab.lazy_pattern import lazy_pattern

LOOKED_AT = 4_096
SCRIPT = lazy_pattern(r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(\S+)")
INTERPRETERS = (
    ("python", "text/x-python"),
    ("node", "text/javascript"),
    ("deno", "text/typescript"),
    ("sh", "text/x-shellscript"),
    ("bash", "text/x-shellscript"),
    ("zsh", "text/x-shellscript"),
    ("dash", "text/x-shellscript"),
    ("fish", "text/x-shellscript"),
)
PROLOGUE = lazy_pattern(r"\s*(?:<\?xml[^>]{0,500}\?>|<!--.{0,2000}?-->|\s+)*", re.DOTALL)
DOCTYPE = lazy_pattern(r"<!DOCTYPE\s+(\w+)", re.IGNORECASE)
TAG = lazy_pattern(r"<([A-Za-z][\w:.-]{0,60})(?=[\s/>])")
HTML_TAGS = frozenset(
    (
        "html",
        "head",
        "body",
        "title",
        "meta",
        "script",
        "style",
        "div",
        "p",
        "table",
        "span",
        "h1",
        "h2",
        "a",
        "br",
        "center",
        "font",
    )
)
MAIL_FIELD = lazy_pattern(r"(?m)^([A-Za-z][A-Za-z0-9-]{1,60}):[ \t]?\S?")
MAIL_FIELDS = frozenset(
    (
        "from",
        "to",
        "cc",
        "subject",
        "date",
        "message-id",
        "mime-version",
        "received",
        "return-path",
        "delivered-to",
        "content-type",
    )
)
LEAST_MAIL_FIELDS = 3
LEAST_ROWS = 3


def mime_of_text(text: str) -> str:
    """The MIME type of a text by how it begins; `text/plain` where nothing shows."""
    start = text[:LOOKED_AT].lstrip("\ufeff")
    if script := SCRIPT.match(start):
        return _interpreter(script[1])
    if marked_up := _markup(start):
        return marked_up
    if _is_json(start, is_whole=len(text) <= LOOKED_AT):
        return "application/json"
    if _is_mail(start):
        return "message/rfc822"
    return _table(start, is_whole=len(text) <= LOOKED_AT) or TEXT


def _interpreter(program: str) -> str:
    name = program.rpartition("/")[2]
    return next((mime for begins, mime in INTERPRETERS if name.rstrip("0123456789.") == begins), "text/x-script")


def _markup(start: str) -> str:
    """SVG, HTML or XML; empty for a text that only has a tag somewhere."""
    prologue = PROLOGUE.match(start)
    rest = start[prologue.end() :] if prologue else start
    if doctype := DOCTYPE.match(rest):
        root = doctype[1].lower()
        return "image/svg+xml" if root == "svg" else "text/html" if root == "html" else "application/xml"
    if tag := TAG.match(rest):
        name = tag[1].lower().rpartition(":")[2]
        if name == "svg":
            return "image/svg+xml"
        if name in HTML_TAGS:
            return "text/html"
    return "application/xml" if start.lstrip().startswith("<?xml") else ""


def _is_json(start: str, *, is_whole: bool) -> bool:
    """Whether it is JSON; of a long text whether it begins so."""
    first = start.lstrip()[:1]
    if first not in ("{", "["):
        return False
    if is_whole:
        import orjson

        try:
            orjson.loads(start)
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            return False
        return True
    return re.match(r'\s*(?:\{\s*"[^"\n]{0,200}"\s*:|\[\s*(?:[\[{"]|-?\d+\s*,))', start) is not None


def _is_mail(start: str) -> bool:
    """Whether it begins with the fields of an e-mail."""
    head = re.split(r"\r?\n\r?\n", start, maxsplit=1)[0]
    first = head.partition("\n")[0]
    fields = {field.lower() for field in MAIL_FIELD.findall(head)} & MAIL_FIELDS
    return MAIL_FIELD.match(first) is not None and len(fields) >= LEAST_MAIL_FIELDS and "from" in fields


def _table(start: str, *, is_whole: bool) -> str:
    """A table with commas or tabs: at least three lines with as many of them each."""
    lines = start.splitlines()
    lines = [line for line in (lines if is_whole else lines[:-1])[:20] if line.strip()]
    if len(lines) < LEAST_ROWS:
        return ""
    for sign, mime_type in (("\t", "text/tab-separated-values"), (",", "text/csv")):
        counts = {line.count(sign) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return "" if sign == "," and any(", " in line for line in lines) else mime_type
    return ""
