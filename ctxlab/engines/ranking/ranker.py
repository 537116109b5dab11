"""The contract of a ranker: the messages that it gets, and the scores and reasons that it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from ctxlab.context.portable_pickles import by_fields
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message of the history that may be kept, in the order of the conversation.

    `speaker` is the name of who wrote it, or its role where it has none. `talk` is a number that rises where the
    conversation paused for hours, by the messages' timestamps; all are 0 where there are none. `timestamp` is ISO 8601.
    """

    text: str
    role: str = "user"
    speaker: str = ""
    talk: int = 0
    timestamp: str | None = None


def no_words(i: int) -> Sequence[str]:
    """For a ranking that does not go by words."""
    return ()


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Scores of messages, one each, higher is better; `reason(i)` is a clause that is true of message `i`.

    `words(i)` are the words of the question that it has, where the ranking goes by words.

    A reason completes the sentence "it went because it ...": "has none of the words looked for", "shares 'castle' and
    'key' with the question". What isn't ranked has a score of 0.
    """

    scores: Sequence[float]
    reason: Callable[[int], str]
    words: Callable[[int], Sequence[str]] = no_words

    def order(self) -> list[int]:
        """Positions, best first; of equal scores the newer message is first."""
        return sorted(range(len(self.scores)), key=lambda i: (self.scores[i], i), reverse=True)


class Ranker(Protocol):
    """Scores messages by what they have to do with a question: the newest message of the user, and nothing else.

    It is deterministic: equal questions and messages get equal scores, in any process.
    """

    @property
    def name(self) -> str: ...

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking: ...


RankerFunction = Callable[[str, Sequence[Candidate]], Sequence[float]]
"""A ranker of one's own: a function of the question and the messages that gives a score for each, higher is better."""


@dataclass(frozen=True, slots=True, eq=False)
class FunctionRanker:
    """A ranker around a function; its reasons are the scores."""

    name: str
    function: RankerFunction

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "function")

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        scores = [float(score) for score in self.function(query, candidates)]
        if len(scores) != len(candidates):
            raise WrongArgument(f"ranker {self.name!r} gave {len(scores)} scores for {len(candidates)} messages")
        return Ranking(scores, lambda i: f"has a score of {scores[i]:.3g} by {self.name!r}")


def as_ranker(ranker: Ranker | RankerFunction) -> Ranker:
    """A ranker as it is, or one around a function, by the function's name.

    >>> def overlap(query, candidates):
    ...     return [len(set(query.split()) & set(each.text.split())) for each in candidates]
    >>> as_ranker(overlap).rank("the old key", [Candidate("a key"), Candidate("a door")]).order()
    [0, 1]
    """
    if not isinstance(ranker, type) and callable(getattr(ranker, "rank", None)) and hasattr(ranker, "name"):
        return ranker  # type: ignore[return-value]
    function = cast("Any", ranker)
    if isinstance(ranker, type) or not callable(ranker):
        kind = (
            f"the class {ranker.__name__}" if isinstance(ranker, type) else f"a value of type {type(ranker).__name__}"
        )
        raise WrongArgument(f"{kind} is no ranker; it takes rankers, and functions of a question and its messages")
    return FunctionRanker(getattr(function, "__name__", type(function).__name__), function)
