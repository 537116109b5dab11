"""What a strategy says of the rooms in which a unit stays, held against its own cut in every room."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.context import Draft, Origin, Text
from ctxlab.engines.ranking import Ranking
from ctxlab.engines.truncation import (
    Block,
    ByPriority,
    HeadAndTail,
    MiddleOut,
    RecentAndRelevant,
    Relevant,
    Sliding,
    Strategy,
    SummaryAndRelevant,
    Unit,
    Verdict,
    WholeExchanges,
    Window,
    least_room,
)
from ctxlab.engines.truncation.least_room import room_for_share

SHARES = [0.0, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0]


@dataclass
class Conversation:
    """Messages that cost so many tokens, oldest first; what is protected costs something and can't go."""

    costs: list[int]
    protected: set[int]
    priorities: list[int]
    users: set[int]
    heads: int | None
    scores: list[int]

    def window(self, left: int) -> Window:
        drafts = [self._draft(i) for i in range(len(self.costs))]
        short = {i: self._draft(i, min(cost, self.heads or 0)) for i, cost in enumerate(self.costs)}
        units = [Unit((i,)) for i in range(len(drafts) - 1, -1, -1)]

        def shortened(unit: Unit) -> dict[int, Draft] | None:
            (i,) = unit.at
            return None if self.heads is None else {i: drafts[i] if self.costs[i] <= self.heads else short[i]}

        return Window(
            units=lambda: iter(units),
            left=left,
            capacity=left + sum(self.costs[i] for i in self.protected),
            cost=lambda unit: self.costs[unit.at[0]],
            shortened=shortened,
            cost_of=lambda draft: len(draft.text),
            is_protected=lambda unit: unit.at[0] in self.protected,
            draft=drafts.__getitem__,
            ranking=lambda _: Ranking(self.scores, lambda i: f"has a score of {self.scores[i]}"),
        )

    def _draft(self, i: int, cost: int | None = None) -> Draft:
        text = Text.of("x" * (self.costs[i] if cost is None else cost), Origin("node", str(i)))
        role: Any = "user" if i in self.users else "assistant"
        return Draft(str(i), role, (text,), Origin("node", str(i)), priority=self.priorities[i])


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    costs = draw(st.lists(st.integers(0, 12) | st.just(5), min_size=2, max_size=16))
    places = st.integers(0, len(costs) - 1)
    return Conversation(
        costs,
        draw(st.sets(places, max_size=2)),
        draw(st.lists(st.sampled_from([0, 0, 2]), min_size=len(costs), max_size=len(costs))),
        draw(st.sets(places)),
        draw(st.none() | st.integers(1, 8)),
        draw(st.lists(st.integers(0, 9), min_size=len(costs), max_size=len(costs))),
    )


strategies: st.SearchStrategy[Strategy] = st.one_of(
    st.sampled_from([Sliding(), Sliding("each"), WholeExchanges(), ByPriority(), MiddleOut(), Relevant()]),
    st.builds(HeadAndTail, st.sampled_from(SHARES)),
    st.builds(Block, st.sampled_from(SHARES)),
    st.builds(RecentAndRelevant, st.sampled_from(SHARES)),
    st.builds(SummaryAndRelevant, st.sampled_from(SHARES)),
)


@settings(deadline=None)
@given(conversations(), strategies, st.integers(0, 60))
def test_a6_the_least_room_keeps_a_unit_and_no_room_between_does(
    talk: Conversation, strategy: Strategy, left: int
) -> None:
    most = max(left, sum(talk.costs)) + 2
    verdicts: dict[int, Verdict] = {room: strategy.cut(talk.window(room)) for room in range(left, most + 1)}
    window = talk.window(left)

    for unit in window.free_units():
        (i,) = unit.at
        if i in verdicts[left].keep:
            continue
        found = least_room(strategy.kept(window, unit).ranges, i)
        alone = strategy.kept(replace(window, asked=frozenset({unit})), unit)
        assert least_room(alone.ranges, i) == found
        kept = [room for room in range(left + 1, most + 1) if i in verdicts[room].keep]
        whole = [room for room in kept if len(verdicts[room].shortened.get(i, window.draft(i)).text) == talk.costs[i]]
        lost = [room for room in range(found.tokens, most + 1) if i not in verdicts[room].keep]
        again = [room for room in kept if lost and room > lost[0]]
        assert (found.tokens, found.whole_tokens) == (kept[0], whole[0])
        assert found.lost_again_at == (lost[0] if lost else None)
        assert found.kept_again_at == (again[0] if again else None)
        assert found.for_good == next(room for room in kept if set(range(room, most + 1)) <= {*kept})
        assert found.gaps == sum(room + 1 in lost for room in kept)


@given(st.integers(0, 10**6), st.sampled_from(SHARES) | st.floats(0, 1))
def test_the_least_room_of_a_share_is_just_enough(tokens: int, share: float) -> None:
    room = room_for_share(tokens, share)

    assert room == 10**15 or int(room * share) >= tokens
    assert room == 0 or int((room - 1) * share) < tokens
