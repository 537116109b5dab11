"""Token boundaries of a text, as UTF-16 offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise

from ctxlab.engines.tokens.encodings import encoding
from ctxlab.engines.tokens.model_encodings import ENCODINGS
from ctxlab.engines.tokens.split import pieces, unbroken
from ctxlab.lazy_dataclass import dataclass

_LATER_BYTES = bytes(range(0x80, 0xC0))  # of a character; the others begin one
_ALL_BUT_FOURS = bytes(range(0xF0))  # what is left begins a character of four bytes: two units of UTF-16


@dataclass(frozen=True, slots=True, repr=False)
class TokenBoundaries:
    """The tokens of a text in order: their ids in the vocabulary, and their ends.

    `ends` are in UTF-16 units: those of the characters that are begun by then, since a token can end inside one.
    `inside` has the places of the tokens that do.
    """

    ids: tuple[int, ...]
    ends: tuple[int, ...]
    inside: tuple[int, ...]

    def __repr__(self) -> str:
        return f"Bounds({len(self)} tokens)"

    def __len__(self) -> int:
        return len(self.ids)


def token_ends(text: str, encoding: str) -> list[int]:
    """The UTF-16 offset where each token ends; for one that ends inside a character, where that character does.

    They never decrease, may repeat, and the last is the text's length. Text that spells a special token is text.

    >>> token_ends("灯塔 🫠!", "o200k_base")
    [1, 2, 5, 5, 5, 6]
    """
    return list(token_boundaries(text, encoding).ends)


def token_boundaries(text: str, encoding: str) -> TokenBoundaries:
    """Every token of a text, in linear time. Half a surrogate pair counts as U+FFFD, as it does to tiktoken.

    Raises CtxlabError for an encoding without ranks.
    """
    return boundaries_of_bytes(*_encoded(_with_whole_characters(text), encoding))


def boundaries_of_bytes(ids: Sequence[int], tokens: Sequence[bytes]) -> TokenBoundaries:
    """The tokens of the text whose bytes they are, in order."""
    ends = accumulate(map(_units, tokens))
    inside = (i for i, after in enumerate(tokens[1:]) if 0x80 <= after[0] < 0xC0)
    return TokenBoundaries(tuple(ids), tuple(ends), tuple(inside))


def boundaries_of_offsets(text: str, ids: Sequence[int], offsets: Sequence[tuple[int, int]]) -> TokenBoundaries:
    """The tokens of a text, of which each says its first character and that behind its last.

    Tokens that share a character end inside it, all but the last of them; as many tokens of the same characters as
    these have bytes are a byte each. Characters that are no token's, such as
    blanks that a vocabulary leaves out, belong to the token after, at the end to the last.
    """
    offsets = list(_byte_by_byte(text, offsets))
    reached = list(accumulate((end for _, end in offsets), max))
    if reached:
        reached[-1] = len(text)
    inside = (
        place
        for place, ((_, end), (start, _)) in enumerate(pairwise(offsets))
        if start < end and not text[end - 1].isascii()
    )
    return TokenBoundaries(tuple(ids), tuple(_in_units(text, reached)), tuple(inside))


def _byte_by_byte(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The offsets; of a character without a piece, whose bytes are all said to stand at all of it, each at its own."""
    for (start, end), tokens in groupby(offsets):
        number = sum(1 for _ in tokens)
        sizes = [len(character.encode()) for character in text[start:end]] if number > 1 < end - start else []
        if sum(sizes) == number:
            yield from ((start + at, start + at + 1) for at, size in enumerate(sizes) for _ in range(size))
        else:
            yield from ((start, end) for _ in range(number))


def _in_units(text: str, places: Sequence[int]) -> Iterable[int]:
    """Places of characters as offsets in UTF-16."""
    if text.isascii() or max(text, default="") < "\U00010000":
        return places
    units = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    return (units[place] for place in places)


def _encoded(text: str, name: str) -> tuple[list[int], Sequence[bytes]]:
    found = encoding(ENCODINGS.get(name, name))
    ids = [id for piece in pieces(text) for part in unbroken(piece) for id in found.encode_ordinary(part)]
    return ids, found.decode_tokens_bytes(ids)


def _with_whole_characters(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _units(token: bytes) -> int:
    if token.isascii():
        return len(token)
    return len(token.translate(None, _LATER_BYTES)) + len(token.translate(None, _ALL_BUT_FOURS))
