"""Safe cuts of a text: places where the counts of its parts add up, for o200k and cl100k.

Both encodings split a text by a pattern first and encode each match on its own. A place is a safe cut when no match can
reach over it and neither side's matches depend on the other side:

- after a letter or digit, before a blank, newline, comma, full stop, ...: matches with letters or digits end there
  (only an apostrophe could go on), and no lookahead of what stands before looks past a letter;
- after a newline, before anything but a blank or a slash: matches with newlines end there (o200k's may take slashes).

Letters are listed, not `str.isalnum`: they must be letters in every version of Unicode that Python and tiktoken may
have. Marks are not among them (cl100k takes a combining accent for punctuation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ctxlab.lazy_pattern import lazy_pattern

Count = Callable[[str], int]

LETTERS_AND_DIGITS = (
    "0-9A-Za-z"
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"  # Latin
    "\u0391-\u03a1\u03a3-\u03c9\u0400-\u0481"  # Greek, Cyrillic
    "\u05d0-\u05ea\u0620-\u064a\u0904-\u0939\u0e01-\u0e30"  # Hebrew, Arabic, Devanagari, Thai
    "\u3041-\u3096\u30a1-\u30fa\u3400-\u4db5\u4e00-\u9fa5\uac00-\ud7a3"  # kana, Chinese, hangul
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # full width
)
ENDS = " \t\r\n,.;:!?()，。；：！？、"
CUT = lazy_pattern(f"[{LETTERS_AND_DIGITS}](?=[{ENDS}])|[\r\n](?=[^\\s/])")
_LAST_CUT = lazy_pattern(f"(?s:.*)(?:{CUT.pattern})")

# What Rust's \s takes besides \r and \n. Python's \s also has \x1c-\x1f, which are no blanks to tiktoken.
_BLANKS = lazy_pattern("[\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")

SHORT = 4_000  # characters; up to here a text is encoded in one go, with no look at its characters
PIECE = 2_000  # characters; how far apart the cuts of a longer text are, at least
LONG_RUN = 100_000  # blanks; tiktoken's regex engine panics at a million of them before a word
NEAR = 100  # characters; how far from the end of a span a cut is looked for at first


def pieces(text: str) -> Iterator[str]:
    """The text in parts whose counts add up, cut from the front: growing at the end changes only the last part."""
    start = 0
    while len(text) - start > SHORT and (cut := CUT.search(text, start + PIECE)):
        yield text[start : cut.end()]
        start = cut.end()
    yield text[start:]


def unbroken(text: str) -> Iterator[str]:
    """The parts of a text that has no safe cut, such that no run of blanks is too long for the engine.

    A run before a word is one match but for its last blank, so it can be encoded alone; a run before a newline or at
    the end is left to the engine, which takes those without a stack.
    """
    start = 0
    for run in _BLANKS.finditer(text) if len(text) >= LONG_RUN else ():
        begin, end = run.span()
        if end - begin >= LONG_RUN and end < len(text) and text[end] not in "\r\n":
            yield text[start:begin]
            yield text[begin : end - 1]
            start = end - 1
    yield text[start:]


def count_unbroken(text: str, encode: Count) -> int:
    """The count of a text that has no safe cut, however long its runs of blanks are."""
    return sum(map(encode, unbroken(text)))


def count_joined(texts: Sequence[str], count: Count, seam: Count, *, at_least: int = 400) -> int:
    """The count of `"".join(texts)`, with `count` asked only for the texts themselves and `seam` for what is between.

    A text's own count holds from its first to its last safe cut; only what lies outside is encoded with its neighbours.
    Texts under `at_least` characters, or without a safe cut, belong to what is between.
    """
    texts = [text for text in texts if text]
    total = 0
    between: list[str] = []
    for i, text in enumerate(texts):
        head = tail = None
        if len(text) >= at_least:
            head = 0 if i == 0 or CUT.match(texts[i - 1][-1] + text[0]) else _first_cut(text)
            last = i == len(texts) - 1 or CUT.match(text[-1] + texts[i + 1][0])
            tail = len(text) if last else _last_cut(text)
        if head is None or tail is None or tail < head:
            between.append(text)
            continue
        total += count(text) - seam(text[:head]) - seam(text[tail:])
        total += seam("".join([*between, text[:head]]))
        between = [text[tail:]]
    return total + seam("".join(between))


def _first_cut(text: str) -> int | None:
    cut = CUT.search(text)
    return cut and cut.end()


def _last_cut(text: str) -> int | None:
    cut = _LAST_CUT.match(text, len(text) - NEAR) or _LAST_CUT.match(text)
    return cut and cut.end()
