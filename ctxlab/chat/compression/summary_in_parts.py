"""Summaries of more than a summariser takes at once: part by part, each one's summary taken into the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias, cast

from ctxlab.chat.compression.settings import CompressionSettings
from ctxlab.chat.compression.source_message import SourceMessage
from ctxlab.chat.compression.summariser import Answer, Summariser, SummaryTask, summarised
from ctxlab.lazy_dataclass import dataclass

Piece: TypeAlias = Sequence[Sequence[SourceMessage]]
"""Messages between two legal cuts, in groups that are never taken apart, such as a call with its result."""


class KnowsItsLimit(Protocol):
    """A summariser that knows how many tokens one request may have."""

    def input_tokens(self, settings: CompressionSettings) -> int | None: ...


def input_limit(summariser: Summariser, settings: CompressionSettings) -> int | None:
    """The most tokens of one request for a summary: that of the settings, else the summariser's own; None: no limit."""
    if not callable(summariser):
        return None
    if settings.summary_input_tokens is not None:
        return settings.summary_input_tokens
    if not hasattr(summariser, "input_tokens"):
        return None
    return cast("KnowsItsLimit", summariser).input_tokens(settings)


def summarised_in_parts(
    task: SummaryTask, pieces: Sequence[Piece], summariser: Summariser, count: Callable[[str], int]
) -> Answer:
    """The summary of a task, in as many parts as the summariser's limit asks for.

    `pieces` are the task's messages. A part ends between two of them, and inside one only where that is too long by
    itself. A part that fails is the error of the whole.
    """
    limit = input_limit(summariser, task.settings)
    if limit is None or count(task.prompt) <= limit:
        return summarised(task, summariser, count)
    parts = _Parts(task, list(pieces), limit, count)
    answer = Answer()
    while parts.waiting:
        part = parts.next()
        if part is None:
            return Answer(error=parts.why_none_fits())
        answer = summarised(part, summariser, count)
        if answer.error is not None:
            return Answer(error=f"part {parts.taken} of the summary: {answer.error}")
        parts.earlier = (answer.text,)
    return replace(answer, parts=parts.taken)


@dataclass(slots=True)
class _Parts:
    """The pieces that wait for a part, and what the parts before came to."""

    task: SummaryTask
    waiting: list[Piece]
    limit: int
    count: Callable[[str], int]
    taken: int = 0
    earlier: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.earlier = self.task.earlier

    def next(self) -> SummaryTask | None:
        """The task of as many of the next pieces as fit; None where not even the first group of messages does."""
        most = self._most_that_fit()
        if most == 0 and len(self.waiting[0]) > 1:
            self.waiting[:1] = [[group] for group in self.waiting[0]]
            most = self._most_that_fit()
        if most == 0:
            return None
        part = self._part(most)
        del self.waiting[:most]
        self.taken += 1
        return part

    def why_none_fits(self) -> str:
        first = self._part(1)
        tokens = self.count(first.prompt)
        ids = " and ".join(repr(message.id) for message in first.messages[:2])
        return (
            f"the request for a summary has {tokens:,} tokens with {ids} alone, and {self.limit:,} fit: leave that "
            "out of the range, or raise summary_input_tokens where the model takes more"
        )

    def _most_that_fit(self) -> int:
        """The number of pieces whose request is within the limit, by halving."""
        low, high = 0, len(self.waiting)
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(self._part(middle).prompt) <= self.limit:
                low = middle
            else:
                high = middle - 1
        return low

    def _part(self, pieces: int) -> SummaryTask:
        """The task of the next pieces, with the items that stand in them or before them."""
        later = {message.id for message in _messages(self.waiting[pieces:])}
        items = tuple(item for item in self.task.must_keep if any(place[0] not in later for place in item.places))
        return replace(self.task, messages=_messages(self.waiting[:pieces]), earlier=self.earlier, must_keep=items)


def _messages(pieces: Sequence[Piece]) -> tuple[SourceMessage, ...]:
    return tuple(message for piece in pieces for group in piece for message in group)
