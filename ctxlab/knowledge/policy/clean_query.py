"""Queries made clean: without placeholders, tags and marks; their words, and the tags of a base that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ctxlab.engines.ranking.stop_words import CHINESE_STOP_WORDS, STOP_WORDS
from ctxlab.engines.ranking.words import HAN, HAN_AT_ONCE, KANA
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

PLACEHOLDERS = lazy_pattern(r"【(?:kb|knowledge|recall)(?:::[^【】]*)?】")
HTML_TAG = lazy_pattern(r"</?[A-Za-z][^<>]{0,1000}>")
LINK = lazy_pattern(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
MARKS = lazy_pattern(r"[*`~|#>!]+|(?<!\w)_+|_+(?!\w)")
WORD = lazy_pattern(rf"([{HAN}]+)|([{KANA}]+)|((?:(?![{HAN}{KANA}])[^\W_])(?:(?![{HAN}{KANA}])\w|[.'’](?=[^\W_]))*)")
LONGEST_TAG = 3
"""Words of a tag that are looked for side by side."""


@dataclass(frozen=True, slots=True)
class CleanQuery:
    """A query made clean: `plain` is without placeholders and marks, `words` are those that count, in lower case.

    `text` are these words in a line, or `plain` where none is left; `tags` are named in it, as the base writes them.
    """

    text: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    plain: str


def without_marks(text: str) -> str:
    """The text without placeholders, HTML tags and marks of Markdown, in a line."""
    text = HTML_TAG.sub(" ", PLACEHOLDERS.sub(" ", text))
    return " ".join(MARKS.sub(" ", LINK.sub(r"\1", text)).split())


def clean_query(text: str, tags: Iterable[str] = (), *, drop_stop_words: bool = True) -> CleanQuery:
    """The words of a query that count, and the tags that it names.

    A single Chinese character counts only where it is a tag.
    """
    plain = without_marks(text)
    spelt = {tag.casefold(): tag for tag in reversed(tuple(tags))}
    every = list(_words(plain))
    kept = tuple([word for word in every if not drop_stop_words or word in spelt or not _is_empty(word)])
    named = tuple(dict.fromkeys([spelt[run] for run in _runs(every) if run in spelt]))
    return CleanQuery(" ".join(kept) or plain, kept, named, plain)


def _words(text: str) -> Iterator[str]:
    import rjieba

    for match in WORD.finditer(text):
        if match[1]:
            for start in range(0, len(match[1]), HAN_AT_ONCE):
                yield from rjieba.cut(match[1][start : start + HAN_AT_ONCE], False)
        else:
            yield match[0].lower()


def _is_empty(word: str) -> bool:
    if len(word) == 1 and not word.isascii():
        return True
    return word in STOP_WORDS or word in CHINESE_STOP_WORDS


def _runs(words: Sequence[str]) -> Iterator[str]:
    """Words, and two or three of them side by side, joined and with blanks between."""
    for start in range(len(words)):
        for length in range(1, LONGEST_TAG + 1):
            run = words[start : start + length]
            yield "".join(run).casefold()
            if length > 1:
                yield " ".join(run).casefold()
