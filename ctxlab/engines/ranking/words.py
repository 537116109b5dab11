"""The words of a text as rankers compare them: stems of English words, segmented Chinese, numbers; and their counts."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from threading import Lock
from typing import Any, Protocol, cast

from ctxlab.engines.ranking.stop_words import CHINESE_STOP_WORDS, STOP_WORDS
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

MAX_TEXTS = 50_000
MAX_CHARACTERS = 16_000_000
MAX_WORDS = 200_000
LONGEST = 64
"""Characters of a word that are looked at; the rest of a longer one is left out."""
HAN_AT_ONCE = 2_000
"""Characters of an unbroken Chinese run that are segmented at once."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3040-\u30ff\u31f0-\u31ff"
MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
RUNS = lazy_pattern(
    rf"([{HAN}]+)|([{KANA}]+)|(\d[\d,.]*\d)|((?:(?![{HAN}{KANA}])[^\W_{MARKS}])(?:(?![{HAN}{KANA}])[\w{MARKS}’'])*)"
)
ASCII_RUNS = lazy_pattern(r"\d[\d,.]*\d|[^\W_][\w'’]*", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Counts of the words of a text, and their number altogether.

    `hashes` are those of the words, 8 bytes each, and `times` the counts once more, 4 bytes each, in the same order.
    """

    counts: dict[str, int]
    length: int
    hashes: bytes
    times: bytes


class TermCache:
    """Words of texts, kept for the texts that were asked for lately.

    Two generations: when the young one is full it becomes the old one, and what is asked for again moves up. Threads
    may share it: at worst a text is taken apart twice.
    """

    __slots__ = ("_characters", "_old", "_young", "max_texts", "take_apart")

    def __init__(self, take_apart: Callable[[str], Terms], *, max_texts: int = MAX_TEXTS) -> None:
        self.take_apart, self.max_texts = take_apart, max_texts
        self._young: dict[str, Terms] = {}
        self._old: dict[str, Terms] = {}
        self._characters = 0

    def __repr__(self) -> str:
        return f"TermCache({len(self._young) + len(self._old)} texts)"

    def __call__(self, text: str) -> Terms:
        found = self._young.get(text)
        return self._miss(text) if found is None else found

    def clear(self) -> None:
        """Forget everything."""
        self._young, self._old, self._characters = {}, {}, 0

    def _miss(self, text: str) -> Terms:
        found = self._old.get(text) or self.take_apart(text)
        size = len(text)
        if size <= MAX_CHARACTERS:
            if self._characters + size > MAX_CHARACTERS or len(self._young) >= self.max_texts:
                self._old, self._young, self._characters = self._young, {}, 0
            self._young[text] = found
            self._characters += size
        return found


def words(text: str) -> list[str]:
    """The words of a text, as rankers compare them; stop words are left out.

    Case, accents, full width and English endings make no difference.

    >>> words("The adoption agencies adopted 1,000 cats"), words("我们去年在看书")
    (['adopt', 'agenc', 'adopt', '1000', 'cat'], ['去年', '看书', '年', '书'])
    """
    return [term for _, term in words_as_written(text)]


def words_as_written(text: str) -> Iterator[tuple[str, str]]:
    """Each word of a text as it is written there, with its form for comparing; stop words are left out."""
    if text.isascii():
        for match in ASCII_RUNS.finditer(text):
            written = match[0]
            term = _term(written[:LONGEST])
            if term:
                yield written, term
        return
    for match in RUNS.finditer(text):
        han, kana, _, _ = match.groups()
        if han:
            for word in _chinese_words(han):
                yield word, word
        elif kana:
            pairs = [kana[i : i + 2] for i in range(len(kana) - 1)] or [kana]
            yield from zip(pairs, pairs, strict=True)
        else:
            term = _term(match[0][:LONGEST])
            if term:
                yield match[0], term


def term_counts(text: str) -> Terms:
    """Counts of the words of a text; remembered for the texts that were asked for lately."""
    return _cache()(text)


def term_frequencies(texts: Iterable[str]) -> list[Terms]:
    """The counts of words of each text; those that were asked for lately are not taken apart again."""
    return list(map(_cache(), texts))


@cache
def _cache() -> TermCache:
    return TermCache(_take_apart)


def _take_apart(text: str) -> Terms:
    counts = Counter(words(text))
    return Terms(
        dict(counts), counts.total(), array("q", map(hash, counts)).tobytes(), array("i", counts.values()).tobytes()
    )


@lru_cache(maxsize=MAX_WORDS)
def _term(written: str) -> str:
    """The form of a word for comparing; empty for a stop word."""
    word = written if written.isascii() else _without_accents(unicodedata.normalize("NFKC", written))
    word = word.casefold().replace("’", "'").strip("'")
    if word in STOP_WORDS:
        return ""
    if word[:1].isdigit():
        return word.replace(",", "")
    return _english_stem(word) if word.isascii() else word


def _without_accents(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word)
    return unicodedata.normalize("NFC", "".join([c for c in apart if not "\u0300" <= c <= "\u036f"]))


def _english_stem(word: str) -> str:
    with _STEMMING:  # the stemmer walks along the word in fields of its own
        return _english_stemmer().stemWord(word)


_STEMMING = Lock()


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802  # the library's name


@cache
def _english_stemmer() -> _Stemmer:
    import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

    made: Any = snowballstemmer.stemmer("english")  # pyright: ignore[reportUnknownMemberType]
    return cast("_Stemmer", made)


def _chinese_words(run: str) -> Iterator[str]:
    """Words of an unbroken Chinese run, the shorter ones inside longer ones too, and their characters; no stop words.

    Names are parted differently in different sentences; their characters are the same in all.
    """
    import rjieba

    for start in range(0, len(run), HAN_AT_ONCE):
        part = unicodedata.normalize("NFKC", run[start : start + HAN_AT_ONCE])
        for word in rjieba.cut_for_search(part):
            if len(word) > 1 and word not in CHINESE_STOP_WORDS:
                yield word
        yield from (character for character in part if character not in CHINESE_STOP_WORDS)
