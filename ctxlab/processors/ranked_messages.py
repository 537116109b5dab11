"""The messages of a cut as rankers see them: the question, the candidates, and the scores by position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import cached_property, lru_cache
from math import isnan
from operator import is_

from ctxlab.context import Context, Draft
from ctxlab.documents.moments import moment_of
from ctxlab.engines.ranking import Ranker, Ranking
from ctxlab.engines.ranking.candidates import REMEMBERED, Candidates, candidates_of
from ctxlab.engines.ranking.kept_rankings import ranking_of
from ctxlab.engines.truncation import Unit
from ctxlab.errors import WrongArgument
from ctxlab.knowledge.ranker_registry import ranker_named
from ctxlab.lazy_dataclass import dataclass

PAUSE = timedelta(hours=4)
"""A pause as long as this begins a new talk."""


class RankedMessages:
    """The question of a context, and the messages of its units ranked by it; each ranker is asked once."""

    def __init__(self, ctx: Context, units: Callable[[], Iterable[Unit]], rankers: Sequence[Ranker]) -> None:
        self.ctx, self.units, self.rankers = ctx, units, rankers
        self._rankings: dict[str, Ranking] = {}

    @cached_property
    def question(self) -> int | None:
        """Position of the newest message of the user that may be cut; None where there is none."""
        drafts = self.ctx.drafts
        found = (i for i in range(len(drafts) - 1, -1, -1) if _is_asked(drafts[i]))
        return next(found, None)

    @property
    def query(self) -> str:
        return "" if self.question is None else str(self.ctx.drafts[self.question].text)

    @cached_property
    def ranked(self) -> list[int]:
        """Positions of the messages that are ranked: those of the units, without the question's own."""
        return sorted([i for unit in self.units() for i in unit.at if i != self.question])

    @cached_property
    def candidates(self) -> Candidates:
        drafts, nodes = self.ctx.drafts, self.ctx.input.session.nodes
        texts: list[str] = []
        roles: list[str] = []
        speakers: list[str] = []
        times: list[str | None] = []
        for i in self.ranked:  # in one pass: that each message is touched once is half of the time
            draft = drafts[i]
            node = nodes.get(draft.origin.ref) if draft.origin.kind == "node" else None
            texts.append(str(draft.text))
            roles.append(draft.role)
            speakers.append(draft.speaker or (node and node.name) or draft.role)
            times.append(None if node is None else node.timestamp)
        timestamps = tuple(times)
        return candidates_of(tuple(texts), tuple(roles), tuple(speakers), _talks(timestamps), timestamps)

    def ranking(self, name: str) -> Ranking:
        """The scores of all messages by a ranker, by position; raises WrongSetting for one that isn't there."""
        if name not in self._rankings:
            self._rankings[name] = self._ranking(ranker_named(name, self.rankers))
            _last[:] = [self]
        return self._rankings[name]

    def _ranking(self, ranker: Ranker) -> Ranking:
        found = ranking_of(ranker, self.query, self.candidates)
        if len(found.scores) != len(self.ranked):
            words = f"{len(found.scores):,} scores for {len(self.ranked):,} messages"
            raise WrongArgument(f"ranker {ranker.name!r} gave {words}")
        given = [float(score) for score in found.scores]
        if any(map(isnan, given)):
            raise WrongArgument(f"ranker {ranker.name!r} gave a score that is no number")
        scores = [0.0] * len(self.ctx.drafts)
        for i, score in zip(self.ranked, given, strict=True):
            scores[i] = score
        by_position = _ByPosition(found, self.ranked)
        return Ranking(scores, by_position.reason, by_position.words)


_last: list[RankedMessages] = []
"""The newest ranking: a study cuts the same messages at many budgets in turn."""


def ranked_messages(ctx: Context, units: Callable[[], Iterable[Unit]], rankers: Sequence[Ranker]) -> RankedMessages:
    """The messages of a context, ranked when that is asked for; the last that were ranked are not ranked again."""
    for last in _last:
        same_rankers = len(last.rankers) == len(rankers) and all(map(is_, last.rankers, rankers))
        if last.ctx.drafts is ctx.drafts and last.ctx.input.session is ctx.input.session and same_rankers:
            return last
    return RankedMessages(ctx, units, rankers)


@dataclass(frozen=True, eq=False)
class _ByPosition:
    """Findings of a ranking on messages, by their positions among all drafts."""

    found: Ranking
    ranked: Sequence[int]

    def reason(self, i: int) -> str:
        at = self.places.get(i)
        return "isn't ranked" if at is None else self.found.reason(at)

    def words(self, i: int) -> Sequence[str]:
        at = self.places.get(i)
        return () if at is None else self.found.words(at)

    @cached_property
    def places(self) -> dict[int, int]:
        return {at: i for i, at in enumerate(self.ranked)}


def _is_asked(draft: Draft) -> bool:
    return draft.role == "user" and not draft.pinned and not draft.is_result


def talks(timestamps: Sequence[str | None]) -> tuple[int, ...]:
    """A number for each message that rises where the conversation paused for hours, by the times that are known.

    >>> talks(["2024-05-01T10:00", None, "2024-05-01T11:00", "2024-05-02T09:00"])
    (0, 0, 0, 1)
    """
    if not any(timestamps):
        return (0,) * len(timestamps)
    found: list[int] = []
    talk, last = 0, None
    for timestamp in timestamps:
        time = _moment(timestamp) if timestamp else None
        if time is not None:
            if last is not None and time - last >= PAUSE:
                talk += 1
            last = time
        found.append(talk)
    return tuple(found)


@lru_cache(maxsize=REMEMBERED)
def _talks(timestamps: tuple[str | None, ...]) -> tuple[int, ...]:
    return talks(timestamps)


_moment = lru_cache(maxsize=50_000)(moment_of)
