"""Whether what a cut by rank says of a message is true: ranks and the walk along them, worked out in another way."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ctxlab.engines.ranking import Candidate
from ctxlab.engines.ranking.bm25 import Bm25
from ctxlab.engines.ranking.words import words
from ctxlab.engines.ranking.worth import Adaptive, asks_for_overview
from ctxlab.engines.truncation.pins import pin_of

RANKING = ("bm25", "relevant", "recent-and-relevant", "summary-and-relevant", "adaptive")
N = r"([\d,]+)"
KEY = r"(\S+?)"
SHORT = rf"needed {N} where {N} (?:was|were) left"


class RankChecker:
    """The walk of a cut by rank: of each unit what it needed and what was left when its turn came."""

    def __init__(self, cut: Any) -> None:
        """Of a `CutChecker`, which knows units, costs and room."""
        self.cut, self.settings = cut, cut.settings

    @cached_property
    def room(self) -> int:
        by_summary = self.settings.strategy == "summary-and-relevant"
        return int(self.cut.left * (1 - self.settings.summary_share)) if by_summary else self.cut.left

    @cached_property
    def query(self) -> str:
        asked = [
            draft for draft in self.cut.drafts if draft.role == "user" and not draft.pinned and not draft.result_of
        ]
        return str(asked[-1].text) if asked else ""

    @cached_property
    def row(self) -> list[list[int]]:
        """The units that come before those that rank, as far as they fit into their share: the newest, or pins."""
        newest = sorted(self.cut.free, key=lambda unit: unit[0], reverse=True)
        if self.settings.strategy == "recent-and-relevant":
            row, share = newest, self.settings.recent_share
        elif self.settings.strategy == "adaptive" and not asks_for_overview(self.query):
            row, share = sorted(filter(self.is_pin, newest), key=self.cut.cost), self.settings.pins_share
        else:
            return []
        found, left = [], int(self.cut.left * share)
        for unit in row:
            left -= self.cut.cost(unit)
            if left < 0:
                break
            found.append(unit)
        return found

    def is_pin(self, unit: list[int]) -> bool:
        drafts = [self.cut.drafts[i] for i in unit]
        return any(pin_of(str(draft.text)) for draft in drafts if draft.role == "user")

    @cached_property
    def scores(self) -> dict[int, float]:
        drafts = self.cut.drafts
        asked = [i for i, d in enumerate(drafts) if d.role == "user" and not d.pinned and not d.result_of]
        ranked = [i for i in range(len(drafts)) if i in self.cut.unit and i not in asked[-1:]]
        candidates = [Candidate(str(drafts[i].text), drafts[i].role, drafts[i].role) for i in ranked]
        ranker = Adaptive() if self.settings.strategy == "adaptive" else Bm25()
        return dict(zip(ranked, ranker.rank(self.query, candidates).scores, strict=True))

    @cached_property
    def quoted(self) -> set[str]:
        """The messages of which the summary has words."""
        made = [draft for key, draft in self.cut.after.items() if key == "made:token-limiter:0"]
        return {span.origin.ref for draft in made for span in draft.text.spans if span.origin.kind == "node"}

    @cached_property
    def places(self) -> dict[int, int]:
        """The rank of each message, from 1 on."""
        order = sorted(self.scores, key=lambda i: (self.scores[i], i), reverse=True)
        return {i: n for n, i in enumerate(order, start=1)}

    @cached_property
    def order(self) -> list[list[int]]:
        others = [unit for unit in self.cut.free if unit not in self.row]
        return sorted(others, key=lambda unit: min(self.rank(i) for i in unit))

    def rank(self, i: int) -> int:
        return self.places.get(i, len(self.places) + 1)

    @cached_property
    def passed(self) -> dict[int, tuple[int, int]]:
        """By position, of each unit that didn't fit: tokens needed, tokens left."""
        left, found = self.room - sum(map(self.cut.cost, self.row)), {}
        for unit in self.order:
            needed = self.cut.cost(unit)
            if needed <= left:
                left -= needed
            else:
                found |= dict.fromkeys(unit, (needed, left))
        return found

    @cached_property
    def sentences(self) -> dict[str, Callable[..., bool]]:
        return {
            rf"needed {N} tokens?, {N} (?:was|were) left": self.did_not_fit,
            rf"the call with its results needed {N} tokens?, {N} (?:was|were) left": self.did_not_fit,
            rf"ranks behind {KEY}, which {SHORT}, and needed more than {N} too": (
                lambda i, *rest: len(self.cut.unit[i]) == 1 and self.is_behind(i, *rest)
            ),
            rf"ranks behind {KEY}, which {SHORT}, and as the call with its results needed more than {N} too": (
                lambda i, *rest: len(self.cut.unit[i]) > 1 and self.is_behind(i, *rest)
            ),
        }

    def did_not_fit(self, i: int, needed: int, left: int) -> bool:
        return self.passed[i] == (needed, left) and needed > left

    def is_behind(self, i: int, x: int, needed: int, left: int, too: int) -> bool:
        alike = self.passed[i][1] == left == too < self.passed[i][0]
        return self.rank(i) > self.rank(x) and self.passed[x] == (needed, left) and alike

    def rest_holds(self, i: int, reason: str) -> tuple[str, bool]:
        """A reason without the clause on what was set aside, and whether that clause is true."""
        newest = re.fullmatch(rf"(.*), and past the recent share of {N} tokens?", reason)
        if newest:
            share, first = int(newest[2].replace(",", "")), self.cut.unit[i][0]  # a unit is as old as its call
            through = sum(self.cut.cost(unit) for unit in self.cut.free if unit[0] >= first)
            is_share = share == int(self.cut.left * self.settings.recent_share)
            return newest[1], is_share and through > share
        beside = re.fullmatch(rf"(.*) beside the summary's share of {N} tokens?", reason)
        if beside:
            return beside[1], int(beside[2].replace(",", "")) == self.cut.left - self.room
        return reason, self.settings.strategy in ("bm25", "relevant", "adaptive")

    def detail_holds(self, key: str, detail: str) -> bool:
        """Whether rank, score and words that are said of a message are its own."""
        i = self.cut.at[key]
        place = re.match(rf"it (?:is|has none of the words looked for, and is) {N}(?:st|nd|rd|th) of {N}", detail)
        assert place is not None, detail
        numbers = [int(each.replace(",", "")) for each in place.groups()]
        score = re.search(r"with a score of (\S+):", detail)
        said = re.findall(r"'(\w+)'", detail)
        quotes = detail.endswith("; the summary quotes it")
        text = set(words(str(self.cut.drafts[i].text)))
        return (
            quotes == (self.cut.drafts[i].origin.ref in self.quoted)
            and numbers == [self.places[i], len(self.places)]
            and (f"{self.scores[i]:.3g}" == score[1] if score else not self.scores[i])
            and all(text.issuperset(words(word)) for word in said)
        )
