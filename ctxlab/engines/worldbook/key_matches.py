"""Matches of keys in messages, persona and other sources, and lore that fired."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from ctxlab.engines.worldbook.joined_text import JoinedTexts, Place
from ctxlab.engines.worldbook.key_search import Found, KeyHit, KeySearch
from ctxlab.engines.worldbook.keys import PatternKey
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import Chat, ScanInput
from ctxlab.lazy_dataclass import dataclass

NOT_ALL, NOT_ANY, AND_ALL = 1, 2, 3
PATTERN_LOOK_BACK = 100
"""Messages beyond the deepest scan in which patterns are looked for all the same, to say what is missing."""


@dataclass(frozen=True, slots=True)
class MatchedKey:
    """The first matched key of an entry, all of them, and the place: a message's key, `persona`, or lore.

    With `in_name` it begins in the name of the message's speaker, and characters count from the beginning of that.
    `through` are further texts that a match runs into; then `end` is the end of the first.
    """

    key: str
    keys: tuple[str, ...]
    where: str
    start: int
    end: int
    in_name: bool = False
    through: tuple[str, ...] = ()

    @property
    def place_words(self) -> str:
        """The place in words, such as `node:u3` or `the name of node:u3`."""
        where = f"the name of {self.where}" if self.in_name else self.where
        return f"{where} through to {self.through[-1]}" if self.through else where


@dataclass(slots=True)
class KeyMatches:
    """Key hits in every scanned text; each text is searched once.

    `chat` has the newest hit of each key, its text the number of messages after it; `lore` the first hit in what
    fired, its text the pass in which that came. `remembers` keeps the hits in contents for further scans. With `joined`
    patterns match in the one text of everything that an entry scans; those in `chat` only say where to look.
    """

    search: KeySearch
    chat: Found = field(default_factory=Found)
    about: dict[str, Found] = field(default_factory=dict[str, Found])
    prompts: tuple[str, ...] = ()
    lore: Found = field(default_factory=Found)
    where_in_lore: dict[int, str] = field(default_factory=dict[int, str])
    problems: dict[int, str] = field(default_factory=dict[int, str])
    remembers: bool = False
    joined: JoinedTexts | None = None
    lore_passes: int = 0
    """The number of passes whose lore was looked through."""

    @classmethod
    def over(cls, scan_input: ScanInput, lores: Sequence[PreparedEntry], search: KeySearch) -> KeyMatches:
        """Hits in all messages, and in further sources that some entry scans."""
        result = cls(search)
        newest_first = [spoken.scanned for spoken in reversed(scan_input.chat.messages)]
        search.words_in(newest_first, result.chat)
        if search.has_patterns:
            search.patterns_in(newest_first[: patterns_look_back(lores)], result.chat, result.problems)
        result.search_about(scan_input.chat)
        result.join(scan_input)
        return result

    def search_about(self, chat: Chat) -> None:
        """Search the texts beside the messages."""
        for source, text in (*chat.about.items(), *chat.prompts.items()):
            if text:
                self.about[source] = self._looked_through(text, Found(), 0)
        self.prompts = tuple([key for key in chat.prompts if key in self.about])

    def join(self, scan_input: ScanInput) -> None:
        """Have patterns match in the joined text, where that is how texts are scanned."""
        if scan_input.rules.scan_text == "joined":
            self.joined = JoinedTexts(scan_input.chat, self.search, self.problems)

    def afresh(self) -> KeyMatches:
        """The hits as they were before any entry fired."""
        new = KeyMatches(
            self.search, self.chat, self.about, self.prompts, problems=self.problems, remembers=self.remembers
        )
        new.joined = None if self.joined is None else self.joined.afresh()
        return new

    def add_pass(self, made_in: int, contents: Sequence[tuple[PreparedEntry, str]]) -> Found:
        """Search what a pass brought, entries with their words; gives the keys that no earlier text had."""
        new: Found = {}
        self.lore_passes += 1
        for lore, text in contents:
            new.update(self.add_lore(lore, made_in, text))
        if self.joined is not None:
            self.joined.add_pass([(lore.key, text) for lore, text in contents])
        return new

    def add_lore(self, lore: PreparedEntry, made_in: int, text: str) -> Found:
        """Search the text of an entry that fired; gives the keys that no earlier text had."""
        remembers = self.remembers and text == lore.content  # what macros stand for may change
        new = self._remembered(lore, made_in) if remembers else self._looked_through(text, self.lore, made_in)
        self.where_in_lore.update(dict.fromkeys(new, lore.key))
        return new

    def _remembered(self, lore: PreparedEntry, made_in: int) -> Found:
        """Keys found in the content of an entry, which another scan may have searched before."""
        hits, problems = self.search.remembered_hits_in(lore.content)
        found, out = self.lore, self.problems
        for n, why in problems.items():
            if n not in found:
                out.setdefault(n, why)
        new = {n: KeyHit(made_in, at.start, at.end) for n, at in hits.items() if n not in found and n not in out}
        found.update(new)
        return new

    def _looked_through(self, text: str, found: Found, number: int) -> Found:
        new = self.search.words_in([text], found, offset=number)
        if self.search.has_patterns:
            new |= self.search.patterns_in([text], found, self.problems, offset=number)
        return new

    def is_anywhere(self, numbers: Iterable[int]) -> bool:
        """Whether a key may be found in any text, within the scan depth or not."""
        chat, lore, about = self.chat, self.lore, self.about.values()
        for n in numbers:
            if n in chat or n in lore or self._matches_in_joined(n):
                return True
            for found in about:
                if n in found:
                    return True
        return False

    def sees(self, n: int, lore: PreparedEntry, *, before: int, depth: int | None = None) -> bool:
        """Whether a key is found in the texts that the entry scans; `before` is a pass: texts of earlier ones count.

        Pass 1 looks at no lore.
        """
        depth = lore.depth if depth is None else depth
        if self.joined is not None and (depth <= 0 or self._matches_in_joined(n)):
            return self._place_in_joined(n, lore, before=before, depth=depth) is not None
        hit = self.chat.get(n)
        if hit is not None and hit.text < depth:
            return True
        for source in (*lore.sources, *self.prompts):
            if n in self.about.get(source, ()):
                return True
        hit = self.lore.get(n)
        return hit is not None and hit.text < before and (not lore.excluded or self.joined is not None)

    def _matches_in_joined(self, n: int) -> bool:
        """Whether a key is a pattern that matches in the joined text."""
        return self.joined is not None and n >= 0 and isinstance(self.search.keys[n], PatternKey)

    def _place_in_joined(self, n: int, lore: PreparedEntry, *, before: int, depth: int) -> Place | None:
        assert self.joined is not None
        passes = min(before - 1, self.joined.passes)
        return self.joined.hit(n, depth, lore.sources, passes) if self._matches_in_joined(n) else None

    def matches(self, lore: PreparedEntry, *, before: int, depth: int | None = None) -> bool:
        """Whether one of its primary keys is found."""
        return any(self.sees(n, lore, before=before, depth=depth) for n in lore.own)

    def agrees(self, lore: PreparedEntry, *, before: int, depth: int | None = None) -> bool:
        """Whether its secondary keys let it fire."""
        if not lore.entry.selective or not lore.secondary:
            return True
        seen = (self.sees(n, lore, before=before, depth=depth) for n in lore.second)
        match lore.entry.selective_logic:
            case 1:
                return not all(seen)
            case 2:
                return not any(seen)
            case 3:
                return all(seen)
            case _:
                return any(seen)

    def score(self, lore: PreparedEntry, *, before: int, depth: int | None = None, always_second: bool = False) -> int:
        """The number of matched keys; secondary keys count only where they are required, or always."""
        own = sum(self.sees(n, lore, before=before, depth=depth) for n in lore.own)
        if not lore.secondary or (not always_second and not (own and lore.entry.selective)):
            return own
        more = sum(self.sees(n, lore, before=before, depth=depth) for n in lore.second)
        logic = lore.entry.selective_logic
        if logic in (NOT_ALL, NOT_ANY) or (logic == AND_ALL and more < len(lore.secondary)):
            return own
        return own + more

    def matched(
        self, lore: PreparedEntry, scan_input: ScanInput, *, before: int, depth: int | None = None
    ) -> MatchedKey | None:
        """The matched keys, and the place of the first of them."""
        depth = lore.depth if depth is None else depth
        seen = [n for n in lore.own if self.sees(n, lore, before=before, depth=depth)]
        if not seen:
            return None
        n = seen[0]
        keys = tuple([self.search.keys[n].text for n in seen])
        if self._matches_in_joined(n):
            place = self._place_in_joined(n, lore, before=before, depth=depth)
            assert place is not None
            return MatchedKey(keys[0], keys, *place)
        hit = self.chat.get(n)
        if hit is not None and hit.text < depth:
            spoken = scan_input.chat.messages[-1 - hit.text]
            in_name = hit.start < len(spoken.head)
            off = 0 if in_name else len(spoken.head)
            return MatchedKey(keys[0], keys, spoken.key, hit.start - off, hit.end - off, in_name)
        for source in (*lore.sources, *self.prompts):
            if n in self.about.get(source, ()):
                hit = self.about[source][n]
                return MatchedKey(keys[0], keys, source, hit.start, hit.end)
        hit = self.lore[n]
        return MatchedKey(keys[0], keys, self.where_in_lore[n], hit.start, hit.end)

    def left_out(self) -> Mapping[str, str]:
        """Patterns that can't be used, and why."""
        return {self.search.keys[n].text: why for n, why in sorted(self.problems.items())}


def patterns_look_back(lores: Iterable[PreparedEntry]) -> int:
    """Newest messages in which patterns are looked for."""
    return max((lore.depth for lore in lores if _has_pattern(lore)), default=0) + PATTERN_LOOK_BACK


def _has_pattern(lore: PreparedEntry) -> bool:
    return any(isinstance(key, PatternKey) for key in (*lore.primary, *lore.secondary))
