"""Where keys stand: one automaton over all plain keys, one batch for all patterns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.engines.worldbook.keys import AnyKey, Key, PatternKey, searchable

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

KEPT_AUTOMATONS = 16
MARK = "\x01"
"""What SillyTavern puts before every message; patterns may ask for it."""


class Hit(NamedTuple):
    """Where a key stands: number of the text in the order of looking, and characters."""

    text: int
    start: int
    end: int


Found = dict[int, Hit]
"""Number of a key to its first hit."""


class KeySearch:
    """Looks for all keys of all entries at once. A key's number is its place in `keys`."""

    def __init__(self, keys: tuple[AnyKey, ...]) -> None:
        self.keys = keys
        self.number = {key: i for i, key in enumerate(keys)}
        patterns = [i for i, key in enumerate(keys) if isinstance(key, PatternKey)]
        self.patterns = tuple([i for i in patterns if not _pattern(keys[i]).marked])
        self.marked = tuple([i for i in patterns if _pattern(keys[i]).marked])
        self.has_patterns = bool(patterns)
        words: dict[str, list[int]] = {}
        for i, key in enumerate(keys):
            if isinstance(key, Key):
                words.setdefault(searchable(key.text), []).append(i)
        self._of_word = tuple([tuple(numbers) for numbers in words.values()])
        self._automaton = _automaton(tuple(words)) if words else None
        self._plain = [isinstance(key, Key) and key.is_plain for key in keys]

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
        """The same for patterns; those that can't be used are added to `problems`."""
        new: Found = {}
        self._patterns_in(texts, self.patterns, 0, offset, (found, new, problems))
        if self.marked:
            self._patterns_in([MARK + text for text in texts], self.marked, 1, offset, (found, new, problems))
        found.update(new)
        return new

    def _words_in(self, text: str, n: int, found: Found, new: Found) -> None:
        if self._automaton is None or not text:
            return
        of_word, plain = self._of_word, self._plain
        for word, start, end in self._automaton.find_matches_as_indexes(searchable(text), overlapping=True):
            for i in of_word[word]:
                if i not in new and i not in found and (plain[i] or self._stands(i, text, start, end)):
                    new[i] = Hit(n, start, end)

    def _stands(self, i: int, text: str, start: int, end: int) -> bool:
        key = self.keys[i]
        return isinstance(key, Key) and key.stands_at(text, start, end)

    def _patterns_in(
        self,
        texts: Sequence[str],
        numbers: Sequence[int],
        before: int,
        offset: int,
        books: tuple[Found, Found, dict[int, str]],
    ) -> None:
        """`before` characters of each text are not the text's own."""
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
                new[i] = Hit(offset + n, max(0, start - before), max(0, end - before))


def _pattern(key: AnyKey) -> PatternKey:
    assert isinstance(key, PatternKey)
    return key


@lru_cache(maxsize=KEPT_AUTOMATONS)
def _automaton(words: tuple[str, ...]) -> AhoCorasick:
    import ahocorasick_rs

    return ahocorasick_rs.AhoCorasick(list(words), matchkind=ahocorasick_rs.MatchKind.Standard, store_patterns=False)
