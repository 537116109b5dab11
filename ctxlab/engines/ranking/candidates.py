"""The messages of a conversation as rankers get them, with their words found once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, overload

from ctxlab.display.short_texts import counted
from ctxlab.engines.ranking.ranker import Candidate
from ctxlab.engines.ranking.word_index import WordIndex, word_index_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REMEMBERED = 8
"""Conversations that are remembered with their words."""

Texts = tuple[str, ...]


class Candidates(Sequence[Candidate]):
    """Messages that may be kept, in the order of the conversation: values of `Candidate`, and columns of their fields.

    The same messages are the same object, for the last conversations; so what rankers work out of them is kept there.
    """

    def __init__(
        self, texts: Texts, roles: Texts, speakers: Texts, talks: tuple[int, ...], timestamps: tuple[str | None, ...]
    ) -> None:
        self.texts, self.roles, self.speakers = texts, roles, speakers
        self.talks, self.timestamps = talks, timestamps

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> Candidates:
        """The candidates as they are, or those of a list."""
        return candidates if isinstance(candidates, cls) else _of_list(tuple(candidates))

    def __repr__(self) -> str:
        return f"Candidates({counted(len(self), 'message')})"

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, at: int) -> Candidate: ...
    @overload
    def __getitem__(self, at: slice) -> list[Candidate]: ...
    def __getitem__(self, at: int | slice) -> Candidate | list[Candidate]:
        return self._each[at]

    @cached_property
    def _each(self) -> list[Candidate]:
        columns = (self.texts, self.roles, self.speakers, self.talks, self.timestamps)
        return [Candidate(*row) for row in zip(*columns, strict=True)]

    @cached_property
    def word_index(self) -> WordIndex:
        """Which of the messages have which words."""
        return word_index_of(self.texts)

    @cached_property
    def named_speakers(self) -> frozenset[str]:
        """Names of speakers, those that are only a role left out."""
        pairs = set(zip(self.speakers, self.roles, strict=True))
        return frozenset([speaker for speaker, role in pairs if speaker and speaker != role])

    @cached_property
    def talk_numbers(self) -> NDArray[np.int64]:
        import numpy as np

        return np.array(self.talks, np.int64)

    @cached_property
    def characters(self) -> NDArray[np.float64]:
        """Characters of each message."""
        import numpy as np

        return np.array([len(text) for text in self.texts], np.float64)

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Words of each message."""
        import numpy as np

        return np.array([each.length for each in self.word_index.terms], np.float64)


@lru_cache(maxsize=REMEMBERED)
def candidates_of(
    texts: Texts, roles: Texts, speakers: Texts, talks: tuple[int, ...], timestamps: tuple[str | None, ...]
) -> Candidates:
    """The candidates of these columns, the same object for the same messages."""
    return Candidates(texts, roles, speakers, talks, timestamps)


@lru_cache(maxsize=REMEMBERED)
def _of_list(each: tuple[Candidate, ...]) -> Candidates:
    return candidates_of(
        tuple([one.text for one in each]),
        tuple([one.role for one in each]),
        tuple([one.speaker for one in each]),
        tuple([one.talk for one in each]),
        tuple([one.timestamp for one in each]),
    )
