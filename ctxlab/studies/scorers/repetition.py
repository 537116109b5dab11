"""The share of the prompt that is said twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue

WORD = lazy_pattern(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W\u3400-\u9fff\uf900-\ufaff]+")
"""A word of letters and digits, or one Chinese character."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The share of the runs of `n` words in the prompt that were there before, in this or an earlier message.

    Words are compared without regard to case, and a Chinese character is a word; no run goes over the end of a message.
    There is no score where no message has `n` words.
    """

    n: int = 6
    name: str = "repetition"
    version: str = "1"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise WrongArgument(f"n is {self.n}; a run has 1 word or more")

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (ScoreColumn("repetition", f"share of runs of {self.n} words said before", "share", "lower"),)

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        runs = [each for draft in run.trace.result.drafts for each in self._runs(str(draft.text))]
        return {"repetition": 1 - len(set(runs)) / len(runs) if runs else None}

    def _runs(self, text: str) -> Iterator[tuple[str, ...]]:
        words = WORD.findall(text.casefold())
        return zip(*(words[at:] for at in range(self.n)), strict=False)


REPETITION = Repetition()
