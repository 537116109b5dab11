"""Paths, addresses and identifiers in a text: words that are worth nothing unless they are copied exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.engines.compression.facts.fact import Fact, FactKind
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.lazy_pattern import lazy_pattern

_EXTENSIONS = """
    py pyi ipynb js jsx ts tsx mjs cjs json jsonl yaml yml toml ini cfg conf env md mdx rst txt log csv tsv xml html htm
    css scss less sql sh bash zsh ps1 bat rs go java kt swift c h cc cpp hpp cs rb php pl lua r jl dart vue svelte lock
    pdf doc docx xls xlsx ppt pptx png jpg jpeg gif svg webp ico mp3 mp4 wav flac mov avi zip tar gz tgz whl exe dll so
    db sqlite parquet proto graphql tf gradle properties plist ttf woff woff2
"""
EXTENSIONS = "|".join(sorted(_EXTENSIONS.split(), key=lambda each: (-len(each), each)))
"""Endings by which a word with a full stop in it is a file's name."""

_URL = lazy_pattern(
    r"\b(?:https?|ftp|file|wss?|ssh|git|s3|asset|agent-asset)://[^\s<>\"'`\\，。；、！？（）【】「」《》\u4e00-\u9fff]{2,2000}"
)
_EMAIL = lazy_pattern(r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}\b")
_SEGMENT = r"[A-Za-z0-9_.@+~()\[\]$-]{1,120}"
_ABSOLUTE = lazy_pattern(rf"(?<![\w/.:<\\])(?:~|\.{{1,2}}|[A-Za-z]:)?(?:[\\/]{_SEGMENT}){{1,40}}/?")
_RELATIVE = lazy_pattern(rf"(?<![\w/.@\\-])@?[A-Za-z0-9_.][A-Za-z0-9_.@+-]{{0,120}}(?:[\\/]{_SEGMENT}){{1,40}}/?")
_FILE = lazy_pattern(
    rf"(?<![\w/.@\\-])[A-Za-z0-9_][A-Za-z0-9_+-]{{0,80}}(?:\.[A-Za-z0-9_+-]{{1,40}}){{0,4}}\.(?:{EXTENSIONS})(?![A-Za-z0-9_])"
)
_ENDS_IN_FILE = lazy_pattern(rf"\.(?:{EXTENSIONS})$", re.IGNORECASE)
_PLACE_IN_FILE = lazy_pattern(r":\d{1,7}(?:[-:]\d{1,7})?(?![\w])")
_DEVICES = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty")
_TRAILING = ".,;:!?)]}'\"*"

_IDENTIFIERS = (
    lazy_pattern(
        r"(?<![A-Za-z0-9_.-])\d{1,3}(?:-\d{1,3}){2,5}(?![A-Za-z0-9_-])"
    ),  # a pattern of numbers, such as 4-7-8
    lazy_pattern(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"),  # a UUID
    lazy_pattern(r"(?<![\w.])v\d{1,4}(?:\.\d{1,5}){1,3}(?:[-.][a-z]{1,6}\.?\d{0,4})?\b"),  # a version
    lazy_pattern(r"(?<![\w.])\d{1,4}\.\d{1,4}\.\d{1,6}(?:[-.][a-z0-9]{1,10})*(?![\w.]*\w)"),
    lazy_pattern(r"\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b"),  # a ticket
    lazy_pattern(r"(?<![\w&#])#[A-Za-z]{0,3}\d{1,10}(?:-\d{1,10}){0,5}\b"),
    lazy_pattern(r"(?<![\w.@])@[A-Za-z_][\w-]{2,38}\b", re.ASCII),
    lazy_pattern(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"),  # a hash
    lazy_pattern(r"(?<![\w.+-])\+?\d{1,4}(?:[ -]\(?\d{2,4}\)?){2,4}(?![\w.-])"),  # a telephone number
    lazy_pattern(r"(?<![\w.])\d{7,}(?![\w.,])"),
)
VERSION = lazy_pattern(
    r"(?:"
    r"\b(?:versions?|releases?|rev(?:ision)?|ver\.?|build|python|node|java|ruby|php|api)\s+(?:is\s+|to\s+|=\s*)?"
    r"|版本?\s?(?:号)?(?:为|是|到|[:：])?\s?|(?<=[\w\]])\s?(?:[<>=~^!]=|[<>^~])\s?"
    r"|\b(?!(?:Between|From|Over|Under|About|Around|Only|Nearly|Roughly|Some|The|And|But|Than|At|In|Of|By|To|Is|Was|Up|It"
    r"|Costs?|Pay|Paid|Plus|Minus|Add|Cut|Like|Exactly|Almost)\b)[A-Z][A-Za-z+#]{1,30}\s"
    r"|\b(?:[Uu]s(?:e|es|ing)|[Pp]in(?:s|ned)?|[Ii]nstall(?:s|ed)?|[Uu]pgraded?|[Dd]owngraded?|[Rr]equires?|[Nn]eeds?)\s"
    r"(?!(?:about|around|only|nearly|roughly|some|over|under|at|up|to|exactly|almost|just|the|a)\b)[a-z][\w-]{1,30}\s"
    r")(?P<version>\d{1,4}\.\d{1,4})(?![\w%°$€£¥]|\.\d|,\d|\s?(?:%|percent|million|billion|thousand|hundred|千|万|亿|元))"
    r"|(?<![\w.,$€£¥-])(?P<limit>\d{1,4}\.\d{1,4})"
    r"(?:(?=\s(?:or|and)\s(?:later|newer|older|earlier|higher|above|up)\b)|(?=\+(?![\w ]*\d))|(?=\s?(?:版|及以上版本)))"
)
"""A version of two parts, where the words beside it say that it is one: as a number 3.10 would be 3.1."""
_CODE_NAMES = (
    lazy_pattern(r"\b[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,4}\(\)", re.ASCII),  # a call
    lazy_pattern(r"(?<![\w$.-])_{0,2}[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}_{0,2}\b", re.ASCII),
    lazy_pattern(r"\b[a-z]{1,30}[a-z0-9]{0,10}(?:[A-Z][a-z0-9]{1,30}){1,6}\b"),  # camelCase
    lazy_pattern(r"\b(?:[A-Z][a-z0-9]{1,30}){2,6}\b"),
    lazy_pattern(
        r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z]{1,12}(?:-[A-Za-z0-9.]{1,12}){1,4}(?![\w-])", re.ASCII
    ),
)
_CODE_SPAN = lazy_pattern(r"(?<!`)`([^`\n]{2,160})`(?!`)")


def paths(text: str, taken: Taken) -> Iterator[Fact]:
    """Paths of files and addresses that stand in the free places of a text."""
    for match in _URL.finditer(text):
        yield from _fact("path", text, match.start(), match.end(), taken)
    for match in _EMAIL.finditer(text):
        yield from _fact("identifier", text, match.start(), match.end(), taken)
    for pattern in (_ABSOLUTE, _RELATIVE, _FILE):
        for match in pattern.finditer(text):
            if _is_path(match[0].rstrip(_TRAILING)):
                yield from _fact("path", text, match.start(), match.end(), taken)


def identifiers(text: str, taken: Taken, *, names_of_code: bool = True) -> Iterator[Fact]:
    """Numbers of orders, hashes, versions, and names of code, in the free places of a text."""
    if names_of_code:
        for match in _CODE_SPAN.finditer(text):
            if taken.take(*match.span(1)):
                yield Fact("identifier", *match.span(1), match[1], match[1])
    for match in VERSION.finditer(text):
        yield from _fact("identifier", text, *match.span("version" if match["version"] else "limit"), taken)
    for pattern in (*_IDENTIFIERS, *(_CODE_NAMES if names_of_code else ())):
        for match in pattern.finditer(text):
            if _is_identifier(match[0]):
                yield from _fact("identifier", text, match.start(), match.end(), taken)


def _fact(kind: FactKind, text: str, start: int, end: int, taken: Taken) -> Iterator[Fact]:
    while end > start and text[end - 1] in _TRAILING and not text[start:end].endswith("()"):
        end -= 1
    if end - start < 2:
        return
    place = _PLACE_IN_FILE.match(text, end) if kind == "path" else None
    if taken.take(start, end):
        yield Fact(kind, start, end, text[start:end], text[start:end])
        if place is not None:
            taken.take(*place.span())


def _is_path(found: str) -> bool:
    """Whether words with strokes are a path: not `and/or`, 1/2, a date, a closing tag or /dev/null."""
    if found in _DEVICES:
        return False
    if _ENDS_IN_FILE.search(found):
        return True
    parts = [part for part in re.split(r"[\\/]", found) if part]
    if not parts or not any(c.isalpha() for c in found):
        return False
    if found[0] in "/~\\" or found[:2] in ("./", "..") or found[1:2] == ":":
        return len(parts) >= 2 or found[:2] in ("./", "~/")
    return len(parts) >= 3 and not found[0].isdigit()


def _is_identifier(found: str) -> bool:
    return sum(c.isalnum() for c in found) >= 2
