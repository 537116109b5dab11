"""Text files: source code, tables as CSV, notes, logs, whatever is letters in some encoding."""

from __future__ import annotations

from ctxlab.assets.readers.limits import ReadLimits, shown_size
from ctxlab.assets.readers.passages import cut_after
from ctxlab.assets.text_encoding import decode_text
from ctxlab.context import FileFacts, Transcript

LONGEST_CHARACTER = 4
"""Bytes, in every encoding that is read."""
BLANKS_FROM = 4096
"""Bytes before the end of a cut file in which a place between two characters is looked for."""


def read_plain_text(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """The text in one passage without a place; the line ends of Windows become those of everywhere else."""
    size = max(facts.size_bytes or 0, len(data))
    wanted = min(limits.max_bytes, limits.max_characters * LONGEST_CHARACTER + BLANKS_FROM)
    text, problems = _decoded(data, wanted) if len(data) > wanted else _whole(data)
    if len(text) > limits.max_characters:
        text = text[: limits.max_characters]
        problems = (*problems, cut_after(limits.max_characters))
    elif size > limits.max_bytes:
        problems = (*problems, f"what is after the first {shown_size(limits.max_bytes)} is not read")
    return Transcript.of(text, engine="text", problems=problems) if text else Transcript((), "text", problems)


def _whole(data: bytes) -> tuple[str, tuple[str, ...]]:
    text, _, problems = decode_text(data)
    return text.replace("\r\n", "\n"), tuple(problems)


def _decoded(data: bytes, size: int) -> tuple[str, tuple[str, ...]]:
    """The text of the first bytes, which may end within a character: the longest beginning without a problem."""
    begin = _until_blank(data, size)
    first = _whole(begin)
    for fewer in range(1, LONGEST_CHARACTER):
        if not first[1]:
            break
        other = _whole(begin[:-fewer])
        if not other[1]:
            return other
    return first


def _until_blank(data: bytes, size: int) -> bytes:
    """The first bytes up to a blank or line end: in no encoding of text without zero bytes are these part of a letter.

    Where there is none near, or with zero bytes, as in UTF-16, a whole number of four bytes.
    """
    even = size - size % LONGEST_CHARACTER
    tail = data[max(0, size - BLANKS_FROM) : size]
    if b"\0" in tail:
        return data[:even]
    last = max(tail.rfind(b"\n"), tail.rfind(b" "))
    return data[: size - len(tail) + last + 1] if last >= 0 else data[:even]
