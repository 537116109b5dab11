"""Key search: one Aho-Corasick automaton over all plain keys, one batch for all patterns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.engines.worldbook.keys import AnyKey, Key, PatternKey, searchable
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

KEPT_AUTOMATONS = 16
WINDOW = 100_000
"""Characters whose hits are listed at once."""
MOST_NESTED = 3
"""So many other keys may end where one ends; keys with more are looked for one by one, since each place of a text
would have a hit for each of them."""
_WORD_BEGINS = lazy_pattern(r"(?<![A-Za-z0-9_])[A-Za-z0-9_]|[^A-Za-z0-9_]")
"""Start of a whole word."""
MARK = "\x01"
"""SillyTavern's mark before every message; patterns may match it."""


class KeyHit(NamedTuple):
    """A hit: number of the text in search order, and characters."""

    text: int
    start: int
    end: int


Found = dict[int, KeyHit]
"""Number of a key to its first hit."""


class KeySearch:
    """Searches for all keys of all entries at once. A key's number is its index in `keys`.

    Case is folded, or with `lower` compared in small letters, as JavaScript does.
    """

    def __init__(self, keys: tuple[AnyKey, ...], *, lower: bool = False) -> None:
        self.keys, self._lower = keys, lower
        self.number = {key: i for i, key in enumerate(keys)}
        patterns = [i for i, key in enumerate(keys) if isinstance(key, PatternKey)]
        self.patterns = tuple([i for i in patterns if not _pattern(keys[i]).marked])
        self.marked = tuple([i for i in patterns if _pattern(keys[i]).marked])
        self.has_patterns = bool(patterns)
        words: dict[str, list[int]] = {}
        for i, key in enumerate(keys):
            if isinstance(key, Key):
                words.setdefault(searchable(key.text, lower=lower), []).append(i)
        nested = nested_words(list(words))
        common = tuple([word for word in words if word not in nested])
        self._anywhere = tuple([tuple([i for i in words[word] if _plain(keys[i])]) for word in common])
        self._stricter = {
            place: _StrictKeys(keys, [i for i in words[word] if not _plain(keys[i])])
            for place, word in enumerate(common)
            if len(self._anywhere[place]) < len(words[word])
        }
        self._automaton = _automaton(common) if common else None
        self._longest = max(map(len, common), default=0)
        self._nested = tuple([(word, i) for word in words if word in nested for i in words[word]])
        self._remembered: dict[str, tuple[Found, dict[int, str]]] = {}

    def words_in(self, texts: Sequence[str], found: Found, *, offset: int = 0) -> Found:
        """Hits of words that `found` doesn't have yet, which are added to it and returned.

        Texts come in the order in which hits count.
        """
        new: Found = {}
        for n, text in enumerate(texts, start=offset):
            self._words_in(text, n, found, new)
        found.update(new)
        return new

    def patterns_in(self, texts: Sequence[str], found: Found, problems: dict[int, str], *, offset: int = 0) -> Found:
        """Hits of patterns that `found` lacks, added to it and returned; unusable patterns go to `problems`."""
        new: Found = {}
        self._patterns_in(texts, self.patterns, 0, offset, (found, new, problems))
        if self.marked:
            self._patterns_in([MARK + text for text in texts], self.marked, 1, offset, (found, new, problems))
        found.update(new)
        return new

    def hits_in(self, text: str) -> tuple[Found, dict[int, str]]:
        """The first hits of all keys in one text, and why patterns are left out there."""
        found, problems = Found(), dict[int, str]()
        self._words_in(text, 0, {}, found)
        if self.has_patterns:
            self.patterns_in([text], found, problems)
        return found, problems

    def remembered_hits_in(self, text: str) -> tuple[Found, dict[int, str]]:
        """Hits as `hits_in` gives them, remembered: for contents of entries, which every scan goes through again."""
        known = self._remembered.get(text)
        if known is None:
            known = self._remembered[text] = self.hits_in(text)
        return known

    def _words_in(self, text: str, n: int, found: Found, new: Found) -> None:
        if not text or not (self._anywhere or self._nested):
            return
        folded = searchable(text, lower=self._lower)
        anywhere, stricter = self._anywhere, self._stricter
        for first, hits in self._windows(folded):
            for word, start, end in hits:
                numbers = anywhere[word]
                if numbers and (number := numbers[0]) not in new and number not in found:
                    new[number] = hit = KeyHit(n, first + start, first + end)
                    if len(numbers) > 1:
                        new.update(dict.fromkeys(numbers, hit))
                if stricter and word in stricter:
                    hit = KeyHit(n, first + start, first + end)
                    new.update(dict.fromkeys(stricter[word].bounded_at(text, hit, new, found), hit))
        beginnings = _Beginnings(text)
        for folded_key, i in self._nested:
            key = self.keys[i]
            if i not in new and i not in found and isinstance(key, Key):
                start = first_place(key, folded_key, text, folded, beginnings)
                if start >= 0:
                    new[i] = KeyHit(n, start, start + len(folded_key))

    def _windows(self, folded: str) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
        """Hits of words as (word, start, end), a window of the text at a time, and where that begins."""
        if self._automaton is None:
            return
        size = max(WINDOW, self._longest)
        if len(folded) <= size:
            yield 0, self._automaton.find_matches_as_indexes(folded, overlapping=True)
            return
        for first in range(0, len(folded), size):
            window = folded[first : first + size + self._longest - 1]
            hits = self._automaton.find_matches_as_indexes(window, overlapping=True)
            yield first, [hit for hit in hits if hit[1] < size]

    def _patterns_in(
        self,
        texts: Sequence[str],
        numbers: Sequence[int],
        before: int,
        offset: int,
        books: tuple[Found, Found, dict[int, str]],
    ) -> None:
        """Search a batch of patterns; the first `before` characters of each text are not the text's own."""
        found, new, problems = books
        wanted = [i for i in numbers if i not in found and i not in problems]
        if not wanted or not texts:
            return
        from ctxlab.engines.regexes import Pattern, RegexEngineUnavailable, first_matches

        keys = [_pattern(self.keys[i]) for i in wanted]
        try:
            matches = first_matches([Pattern(key.body, key.flags) for key in keys], texts)
        except RegexEngineUnavailable as missing:
            problems.update(dict.fromkeys(wanted, str(missing)))
            return
        problems.update({wanted[place]: problem for place, problem in matches.problems.items()})
        for i, spans in zip(wanted, matches.spans, strict=True):
            hit = next(((n, span) for n, span in enumerate(spans) if span is not None), None)
            if hit is not None:
                n, (start, end) = hit
                new[i] = KeyHit(offset + n, max(0, start - before), max(0, end - before))


def nested_words(words: Sequence[str]) -> set[str]:
    """Words that end in more than MOST_NESTED other words, like the longer ones of `a`, `aa`, `aaa` ...

    At every place of a text at most MOST_NESTED + 1 of the others end.
    """
    nested: set[str] = set()
    chain: list[str] = []  # reversed words, each the beginning of the next
    for word in sorted(word[::-1] for word in words):
        while chain and not word.startswith(chain[-1]):
            chain.pop()
        if len(chain) > MOST_NESTED:
            nested.add(word[::-1])
        else:
            chain.append(word)
    return nested


class _Beginnings:
    """Places in a text where whole words may begin; found at first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: list[int] | None = None

    def after(self, place: int) -> int:
        """The first one behind a place, or the text's end."""
        if self._places is None:
            self._places = [match.start() for match in _WORD_BEGINS.finditer(self._text)]
        at = bisect_right(self._places, place)
        return self._places[at] if at < len(self._places) else len(self._text)


def first_place(key: Key, word: str, text: str, folded: str, beginnings: _Beginnings) -> int:
    """The first place of a key, -1 for none; `word` is the key as it is in the folded text."""
    wanted, where = (key.text, text) if key.case_sensitive else (word, folded)
    start = where.find(wanted)
    while start >= 0 and not key.is_bounded_at(text, start, start + len(wanted)):
        start = where.find(wanted, beginnings.after(start) if key.whole_words else start + 1)
    return start


class _StrictKeys:
    """Keys that are equal when case is ignored, but match only as whole words or in their exact case."""

    def __init__(self, keys: Sequence[AnyKey], numbers: Sequence[int]) -> None:
        # All that are alike stand in the same places, so that one of them is asked.
        self._alike: dict[str | None, list[tuple[Key, list[int]]]] = {}
        groups: dict[tuple[str | None, bool], tuple[Key, list[int]]] = {}
        for i in numbers:
            key = keys[i]
            assert isinstance(key, Key)
            written = key.text if key.case_sensitive else None
            groups.setdefault((written, key.whole_words), (key, []))[1].append(i)
        for (written, _), group in groups.items():
            self._alike.setdefault(written, []).append(group)

    def bounded_at(self, text: str, hit: KeyHit, new: Found, found: Found) -> list[int]:
        """The numbers of the new keys that match here, given that the folded word does."""
        groups = (*self._alike.get(None, ()), *self._alike.get(text[hit.start : hit.end], ()))
        numbers: list[int] = []
        for key, alike in groups:
            if alike[0] not in new and alike[0] not in found and key.is_bounded_at(text, hit.start, hit.end):
                numbers += alike
        return numbers


def _plain(key: AnyKey) -> bool:
    return isinstance(key, Key) and key.is_plain


def _pattern(key: AnyKey) -> PatternKey:
    assert isinstance(key, PatternKey)
    return key


@lru_cache(maxsize=KEPT_AUTOMATONS)
def _automaton(words: tuple[str, ...]) -> AhoCorasick:
    import ahocorasick_rs

    return ahocorasick_rs.AhoCorasick(list(words), matchkind=ahocorasick_rs.MatchKind.Standard, store_patterns=False)
