"""SillyTavern's scanned text: messages, other sources and fired lore in one text, in which patterns match.

The newest message stands first; each text is trimmed and has a mark before it. The contents of one pass are one text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from ctxlab.engines.worldbook.key_search import MARK, KeySearch
from ctxlab.engines.worldbook.keys import PatternKey
from ctxlab.engines.worldbook.scan_input import Chat, ScannedMessage
from ctxlab.lazy_dataclass import dataclass

JOINER = f"\n{MARK}"
NOTHING = "mark"
"""The place of a match when there is no text but the mark."""


class Place(NamedTuple):
    """A match in the joined text: the text in which it begins, its characters there, and the texts that it runs into.

    With `in_name` it begins in the speaker's name before a message, and characters count from the name on.
    """

    where: str
    start: int
    end: int
    in_name: bool
    through: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """One text, trimmed: `first` is its beginning in what it was cut from, `head` the length of the name before it."""

    where: str
    text: str
    first: int = 0
    head: int = 0

    @classmethod
    def of(cls, where: str, text: str, head: str = "") -> _Piece:
        whole = head + text
        return cls(where, whole.strip(), len(whole) - len(whole.lstrip()), len(head))


@dataclass(slots=True)
class _Joined:
    """The text of some pieces, where each begins, and the first match of each pattern in it."""

    text: str
    pieces: tuple[_Piece, ...]
    starts: tuple[int, ...]
    hits: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def place(self, start: int, end: int) -> Place:
        """The text in which a match begins; a mark belongs to the text behind it."""
        if not self.pieces:
            return Place(NOTHING, 0, 0, in_name=False, through=())
        at = max(0, bisect_right(self.starts, start) - 1)
        if self.text.startswith(MARK, start) and at + 1 < len(self.starts) and self.starts[at + 1] == start + 1:
            at += 1
        last = max(at, bisect_right(self.starts, end - 1) - 1) if end > start else at
        piece, begin = self.pieces[at], self.starts[at]
        first = min(max(0, start - begin), len(piece.text)) + piece.first
        behind = min(max(0, end - begin), len(piece.text)) + piece.first
        in_name = first < piece.head
        off = 0 if in_name else piece.head
        through = tuple(dict.fromkeys(other.where for other in self.pieces[at + 1 : last + 1]))
        return Place(piece.where, first - off, max(first, behind) - off, in_name, through)


class JoinedTexts:
    """The joined text for each scan depth, choice of sources and pass, searched for all patterns at first use."""

    def __init__(self, chat: Chat, search: KeySearch, problems: dict[int, str]) -> None:
        self.search, self.problems = search, problems
        self._messages: Sequence[ScannedMessage] = chat.messages
        self._about = {source: _Piece.of(source, text) for source, text in chat.about.items() if text}
        self._prompts = [_Piece.of(key, text) for key, text in chat.prompts.items() if text]
        self._lore: list[tuple[_Piece, ...]] = []
        self._texts: dict[tuple[int, tuple[str, ...], int], _Joined] = {}

    def afresh(self) -> JoinedTexts:
        """The texts as they were before any entry fired."""
        new = JoinedTexts(Chat(), self.search, self.problems)
        new._messages, new._about, new._prompts = self._messages, self._about, self._prompts
        new._texts = {key: text for key, text in self._texts.items() if not key[2]}
        return new

    @property
    def passes(self) -> int:
        """The number of passes whose lore is part of the text."""
        return len(self._lore)

    def add_pass(self, contents: Sequence[tuple[str, str]]) -> None:
        """Add what a pass brought: keys of entries with their words; a pass that brought nothing adds an empty text."""
        self._lore.append(tuple([_Piece(key, text) for key, text in contents]))

    def text(self, depth: int, sources: tuple[str, ...], passes: int) -> str:
        """The text of so many newest messages, with these sources and the lore of the first passes."""
        return self._joined(depth, sources, passes).text

    def hit(self, n: int, depth: int, sources: tuple[str, ...], passes: int) -> Place | None:
        """The first match of a pattern, by its number; None where it doesn't match, or the depth is 0."""
        if depth <= 0 or n < 0:
            return None
        joined = self._joined(depth, sources, passes)
        span = None if n in self.problems else joined.hits.get(n)
        return None if span is None else joined.place(*span)

    def _joined(self, depth: int, sources: tuple[str, ...], passes: int) -> _Joined:
        key = (min(depth, len(self._messages) + 1), tuple([s for s in sources if s in self._about]), passes)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._made(*key)
            self._search(found)
        return found

    def _made(self, depth: int, sources: tuple[str, ...], passes: int) -> _Joined:
        texts: list[str] = []
        pieces: list[_Piece] = []
        starts: list[int] = []
        at = 0
        for group in self._groups(depth, sources, passes):
            at += len(JOINER) if texts else len(MARK)
            texts.append("\n".join([piece.text for piece in group]))
            for piece in group:
                pieces.append(piece)
                starts.append(at)
                at += len(piece.text) + 1
            at = starts[-1] + len(group[-1].text) if group else at
        return _Joined(MARK + JOINER.join(texts), tuple(pieces), tuple(starts))

    def _groups(self, depth: int, sources: tuple[str, ...], passes: int) -> Iterator[Sequence[_Piece]]:
        count = len(self._messages)
        for i in range(count - 1, max(-1, count - 1 - depth), -1):
            message = self._messages[i]
            yield (_Piece.of(message.key, message.text, message.head),)
        yield from ((self._about[source],) for source in sources)
        yield from ((prompt,) for prompt in self._prompts)
        yield from self._lore[:passes]

    def _search(self, joined: _Joined) -> None:
        from ctxlab.engines.regexes import Pattern, RegexEngineUnavailable, first_matches

        numbers = [i for i in (*self.search.patterns, *self.search.marked) if i not in self.problems]
        if not numbers:
            return
        keys = [self.search.keys[i] for i in numbers]
        patterns = [Pattern(key.body, key.flags) for key in keys if isinstance(key, PatternKey)]
        try:
            found = first_matches(patterns, [joined.text])
        except RegexEngineUnavailable as missing:
            self.problems.update(dict.fromkeys(numbers, str(missing)))
            return
        self.problems.update({numbers[i]: why for i, why in found.problems.items()})
        for i, spans in zip(numbers, found.spans, strict=True):
            if spans[0] is not None:
                joined.hits[i] = spans[0]
