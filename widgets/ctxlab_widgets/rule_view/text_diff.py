"""The difference that a rule made to a text, as stretches to be marked; never more than differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import category

from ctxlab.engines.regexes.rule_steps import RegexHit

Piece = tuple[str, str]
"""`=` for what stays, `-` for what went, `+` for what came, `~` for how many characters aren't shown."""

MOST = 300
"""Places that are marked in one text."""
FAR = 1_000
"""Characters of an unchanged stretch that are shown at each of its ends."""


def diff_pieces(text: str, hits: Sequence[RegexHit]) -> list[Piece]:
    """The text before a rule, with every change in it."""
    out: list[Piece] = []
    at = 0
    for hit in hits[:MOST]:
        out += _kept(text[at : hit.start])
        out += [(sign, words) for sign, words in smallest_diff(hit.found, hit.new) if words]
        at = hit.end
    if len(hits) > MOST:
        after = hits[MOST].start
        return _joined([*out, *_kept(text[at:after]), ("~", f"{len(hits) - MOST:,} more places")])
    return _joined([*out, *_kept(text[at:])])


def diff_through(text: str, changes: Sequence[Sequence[RegexHit]], *, longest: int) -> list[Piece]:
    """The text before several rules, with all that came and went through them; cut after so many characters.

    `changes` are the hits of each rule in the text that the rules before it left.
    """
    pieces: list[Piece] = [("=", text)] if text else []
    for hits in changes:
        walk = _Walk(pieces)
        at = 0
        for hit in hits:
            walk.keep(hit.start - at)
            for sign, words in smallest_diff(hit.found, hit.new):
                walk.add(sign, words)
            at = hit.end
        pieces = walk.rest()
    out: list[Piece] = []
    left = longest
    for sign, words in pieces:
        if len(words) > left:
            more = sum(len(piece[1]) for piece in pieces) - longest
            return [*out, *([(sign, words[:left])] if left else []), ("~", f"{more:,} characters more")]
        out.append((sign, words))
        left -= len(words)
    return out


class _Walk:
    """Goes once through the pieces of a diff and makes those of the next: what went before is passed by."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces, self._next, self._at = pieces, 0, 0
        self._out: list[Piece] = []

    def keep(self, characters: int) -> None:
        """Leave the next characters as they are."""
        for sign, words in self._take(characters):
            self._put(sign, words)

    def add(self, sign: str, words: str) -> None:
        """Leave, take out or put in these words here. What was put in before and goes again leaves no trace."""
        if sign == "+":
            self._put("+", words)
        elif sign == "=":
            self.keep(len(words))
        else:
            for was, gone in self._take(len(words)):
                if was != "+":
                    self._put("-", gone)

    def rest(self) -> list[Piece]:
        """All pieces, with what is left to go through as it is."""
        for sign, words in self._take(None):
            self._put(sign, words)
        return self._out

    def _take(self, characters: int | None) -> Iterator[Piece]:
        while self._next < len(self._pieces) and (characters is None or characters > 0):
            sign, words = self._pieces[self._next]
            end = len(words) if characters is None or sign == "-" else min(len(words), self._at + characters)
            yield sign, words[self._at : end]
            if characters is not None and sign != "-":
                characters -= end - self._at
            self._next, self._at = (self._next + 1, 0) if end == len(words) else (self._next, end)

    def _put(self, sign: str, words: str) -> None:
        if not words:
            return
        if self._out and self._out[-1][0] == sign:
            self._out[-1] = sign, self._out[-1][1] + words
        else:
            self._out.append((sign, words))


def smallest_diff(before: str, after: str) -> list[Piece]:
    """One text made another with the least that has to be marked: what is put around it, or one stretch."""
    if before and (at := _inside(before, after)) >= 0:
        return [("+", after[:at]), ("=", before), ("+", after[at + len(before) :])]
    if after and (at := _inside(after, before)) >= 0:
        return [("-", before[:at]), ("=", after), ("-", before[at + len(after) :])]
    head, tail = shared_ends(before, after)
    kept_to, end = len(before) - tail, len(after) - tail
    return [("=", before[:head]), ("-", before[head:kept_to]), ("+", after[head:end]), ("=", before[kept_to:])]


def _inside(part: str, whole: str) -> int:
    """The position of a text in another, never between a character and its combining marks; -1 where it isn't in it."""
    at = whole.find(part)
    after = at + len(part)
    is_cut = _hangs(whole[at : at + 1]) or _hangs(whole[after : after + 1]) or whole[after - 1 : after] == JOINER
    return -1 if at < 0 or is_cut or whole[at - 1 : at] == JOINER else at


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours of one sign as one."""
    out: list[Piece] = []
    for sign, words in pieces:
        if out and sign == out[-1][0] == "=":
            out[-1] = sign, out[-1][1] + words
        else:
            out.append((sign, words))
    return out


def shared_ends(before: str, after: str) -> tuple[int, int]:
    """The lengths of the common prefix and suffix, neither ending between a character and its combining marks."""
    most = min(len(before), len(after))
    head = next((i for i in range(most) if before[i] != after[i]), most)
    while head and (_hangs(before[head : head + 1]) or _hangs(after[head : head + 1]) or before[head - 1] == JOINER):
        head -= 1
    rest = most - head
    tail = next((i for i in range(rest) if before[-1 - i] != after[-1 - i]), rest)
    while tail and (_hangs(before[-tail]) or _joins(before, -tail) or _joins(after, -tail)):
        tail -= 1
    return head, tail


JOINER = "\u200d"


def _hangs(char: str) -> bool:
    """Whether it belongs to the character before it: an accent, a joiner, a shade of skin."""
    return char != "" and (category(char).startswith("M") or char == JOINER or "\U0001f3fb" <= char <= "\U0001f3ff")


def _joins(text: str, at: int) -> bool:
    return len(text) > -at and text[at - 1] == JOINER


def _kept(text: str) -> Iterator[Piece]:
    if len(text) <= 3 * FAR:
        if text:
            yield "=", text
        return
    yield "=", text[:FAR]
    yield "~", f"{len(text) - 2 * FAR:,} characters"
    yield "=", text[-FAR:]
