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
