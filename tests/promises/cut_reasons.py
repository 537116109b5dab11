"""Whether the sentence that a cut message carries is true of it: read back, and worked out in another way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ctxlab.context import Draft, Text
from ctxlab.engines.truncation import head_length
from ctxlab.pipeline import Trace
from tests.promises.rank_reasons import RANKING, RankChecker

N = r"([\d,]+)"
KEY = r"(\S+?)"
SHORT = rf"needed {N} where {N} (?:was|were) left"
UNPAIRED = ("no call asks for it", "no result answers it and it says nothing else")
CALLS = "the call with its results "
WENT = "the oldest went until the rest fitted into"


@dataclass
class CutChecker:
    """One run of the limiter: its units, what each costs, and what was left of the budget for what may go."""

    trace: Trace
    settings: Any
    units: list[list[int]]
    """Positions of calls with their results, and of messages alone, oldest first."""
    must_stay: set[int]

    def __post_init__(self) -> None:
        step = self.trace.step("token-limiter")
        self.drafts = step.before.drafts
        self.after = {draft.key: draft for draft in step.after.drafts}
        self.at = {draft.key: i for i, draft in enumerate(self.drafts)}
        self.named = {draft.key.removeprefix("node:"): i for i, draft in enumerate(self.drafts)}
        self.unit = {i: unit for unit in self.units for i in unit}
        self.free = [unit for unit in self.units if not self.must_stay.issuperset(unit)]

    # --- figures

    @cached_property
    def added(self) -> int:
        overhead = self.settings.overhead_tokens
        tokenizer = self.trace.services.tokenizer
        return 0 if overhead is None else overhead - tokenizer.message_tokens

    def cost(self, positions: Iterable[int]) -> int:
        return sum(self.cost_of(self.as_sent(i)) for i in positions)

    def cost_of(self, draft: Draft) -> int:
        return self.trace.services.tokenizer.count_draft(draft) + self.added

    def as_sent(self, i: int) -> Draft:
        """Without the calls that nothing answers."""
        draft, unit = self.drafts[i], self.unit.get(i, [i])
        answered = [self.drafts[j].result_of for j in unit if j != i]
        calls = [call for call in draft.calls[::-1] if call.id in answered and not answered.remove(call.id)]
        return replace(draft, calls=tuple(calls[::-1]))

    def head_cost(self, unit: list[int]) -> int:
        return sum(self.cost_of(self.head(i)) for i in unit)

    def head(self, i: int) -> Draft:
        draft = self.as_sent(i)
        words = str(draft.text)
        head = words[: head_length(words, self.settings.retained_characters)] + self.settings.marker
        if len(head) >= len(words):
            return draft
        return replace(draft, body=(Text.of(head, draft.origin),), reasoning=None)

    @property
    def left(self) -> int:
        """Tokens for all that may go."""
        tokenizer = self.trace.services.tokenizer
        return self.settings.budget_tokens - tokenizer.request_tokens - self.as_it_stays(self.must_stay)

    @property
    def capacity(self) -> int:
        return self.left + self.as_it_stays(i for i in self.must_stay if i in self.unit)

    def as_it_stays(self, positions: Iterable[int]) -> int:
        return sum(self.cost_of(self.after[self.drafts[i].key]) for i in positions)

    def unspent(self, *, besides: Iterable[int] = ()) -> int:
        """What is left beside what stays of it, as it stays."""
        apart = set(besides)
        kept = [i for unit in self.free for i in unit if self.drafts[i].key in self.after and i not in apart]
        return self.left - self.as_it_stays(kept)

    def exchange(self, i: int) -> list[int]:
        """What may go of the exchange of a message: from a user message to the next, by the calls."""
        first = self.unit[i][0] if i in self.unit else i
        begins = [u[0] for u in self.units if self.drafts[u[0]].role == "user" and not self.drafts[u[0]].result_of]
        start = max((b for b in begins if b <= first), default=-1)
        end = min((b for b in begins if b > first), default=len(self.drafts))
        return [j for unit in self.free if start <= unit[0] < end for j in unit]

    def inwards(self) -> list[list[int]]:
        row, order, ends = list(self.free), [], [0, 0]
        while row:
            side = 0 if ends[0] <= ends[1] else 1
            unit = row.pop(-1 if side == 0 else 0)
            ends[side] += self.cost(unit)
            order.append(unit)
        return order

    def grown(self) -> tuple[int, int]:
        """The unit at which the room was full the last time, and the one at which it began then."""
        start, full = 0, (-1, -1)
        share = self.settings.block_share * self.capacity
        for n in range(len(self.units)):
            if self.sum(start, n) <= self.capacity:
                continue
            while start < n and self.sum(start, n) > share:
                start += 1
            full = (n, start)
            if self.sum(start, n) > self.capacity:
                start = n + 1
        return full

    def sum(self, first: int, last: int) -> int:
        return sum(self.cost(unit) for unit in self.units[first : last + 1])

    # --- sentences

    def holds(self, key: str, reason: str) -> bool:
        """Whether the reason is true of the message; a sentence that isn't known is none."""
        i = self.at[key]
        if reason in UNPAIRED:
            return i not in self.unit
        if reason.startswith("its call is "):
            call = self.unit[i][0]
            return i != call and self.holds(self.drafts[call].key, reason.removeprefix("its call is "))
        sentences = self.sentences
        if self.settings.strategy in RANKING:
            reason, is_true = self.ranks.rest_holds(i, reason)
            sentences = self.ranks.sentences if is_true else {}
        for pattern, check in sentences.items():
            match = re.fullmatch(pattern, reason)
            if match:
                values = [int(v.replace(",", "")) if re.fullmatch(N, v) else self.named[v] for v in match.groups()]
                return check(i, *values)
        raise AssertionError(f"nobody knows the sentence {reason!r}")

    @cached_property
    def ranks(self) -> RankChecker:
        return RankChecker(self)

    @cached_property
    def sentences(self) -> dict[str, Callable[..., bool]]:
        return {
            rf"needed {N} tokens?, {N} (?:was|were) left": self.did_not_fit,
            rf"{CALLS}needed {N} tokens?, {N} (?:was|were) left": self.did_not_fit,
            rf"its head needed {N} tokens?, {N} (?:was|were) left": self.head_did_not_fit,
            rf"the heads of its call and results needed {N} tokens?, {N} (?:was|were) left": self.head_did_not_fit,
            rf"(?:its exchange|what may go of its exchange) needed {N} tokens?, {N} (?:was|were) left": (
                lambda i, needed, left: self.cost(self.exchange(i)) == needed > left == self.unspent()
            ),
            rf"older than {KEY}, which {SHORT}": lambda i, x, *n: i < x and self.did_not_fit(x, *n),
            rf"older than {KEY}, which {SHORT} and stays shortened": self.older_than_shortened,
            rf"older than {KEY}, whose head {SHORT}": lambda i, x, *n: i < x and self.head_did_not_fit(x, *n),
            rf"older than {KEY}, which {SHORT}, and past the head's share of {N} tokens?": self.past_the_head,
            rf"in an exchange older than that of {KEY}, which {SHORT}": self.in_an_older_exchange,
            rf"of lower priority than {KEY}, which {SHORT}": (
                lambda i, x, *n: self.drafts[i].priority < self.drafts[x].priority and self.did_not_fit(x, *n)
            ),
            rf"older and no more important than {KEY}, which {SHORT}": (
                lambda i, x, *n: (
                    i < x and self.drafts[i].priority <= self.drafts[x].priority and self.did_not_fit(x, *n)
                )
            ),
            rf"its calls and results rank behind those of {KEY}, which {SHORT}": (
                lambda i, x, *n: self.rank(i) < self.rank(x) and self.did_not_fit(x, *n)
            ),
            rf"behind {KEY} on the way from both ends inwards, which {SHORT}": (
                lambda i, x, *n: (
                    self.inwards().index(self.unit[i]) > self.inwards().index(self.unit[x]) and self.did_not_fit(x, *n)
                )
            ),
            rf"(?:{CALLS})?needed {N} tokens?, the whole room has {N}": self.too_large_alone,
            rf"older than {KEY}, which needed {N} where the whole room has {N}": (
                lambda i, x, *n: i < x and self.too_large_alone(x, *n)
            ),
            rf"older than {KEY}, which filled the room of {N} tokens?": self.before_what_filled,
            rf"older than {KEY}: when {KEY} filled the room of {N} tokens?, {WENT} {N}": self.before_the_start,
            rf"it and the newer ones that may go needed {N} tokens?, {N} (?:was|were) left": self.crowded_out,
            rf"older than {KEY}, which with the newer ones that may go {SHORT}": (
                lambda i, x, *n: i < x and self.crowded_out(x, *n)
            ),
        }

    def did_not_fit(self, i: int, needed: int, left: int) -> bool:
        unit = self.exchange(i) if self.settings.strategy == "whole-exchanges" else self.unit[i]
        return self.cost(unit) == needed > left == self.unspent()

    def head_did_not_fit(self, i: int, needed: int, left: int) -> bool:
        return self.head_cost(self.unit[i]) == needed > left == self.unspent()

    def older_than_shortened(self, i: int, x: int, needed: int, left: int) -> bool:
        is_short = any(self.after[self.drafts[j].key].text != self.drafts[j].text for j in self.unit[x])
        return i < x and is_short and self.cost(self.unit[x]) == needed > left == self.unspent(besides=self.unit[x])

    def past_the_head(self, i: int, x: int, needed: int, left: int, share: int) -> bool:
        place = self.free.index(self.unit[i])
        through = sum(self.cost(unit) for unit in self.free[: place + 1])
        is_share = share == int(self.left * self.settings.head_share)
        return i < x and is_share and through > share and self.did_not_fit(x, needed, left)

    def in_an_older_exchange(self, i: int, x: int, needed: int, left: int) -> bool:
        is_older = (
            i not in self.unit
            or max(self.exchange(i), default=-1) < 0
            or (self.unit[self.exchange(i)[0]][0] < self.unit[self.exchange(x)[0]][0])
        )
        return is_older and self.exchange(i) != self.exchange(x) and self.did_not_fit(x, needed, left)

    def rank(self, i: int) -> tuple[int, int]:
        return max(self.drafts[j].priority for j in self.unit[i]), max(self.unit[i])

    def too_large_alone(self, i: int, needed: int, room: int) -> bool:
        return self.cost(self.unit[i]) == needed > room == self.capacity

    def before_what_filled(self, i: int, x: int, room: int) -> bool:
        full, start = self.grown()
        return i < x and self.units[full][0] == x and full == start and room == self.capacity

    def before_the_start(self, i: int, first: int, x: int, room: int, share: int) -> bool:
        full, start = self.grown()
        places = self.units[start][0] == first and self.units[full][0] == x
        is_share = share == int(self.capacity * self.settings.block_share)
        return i < first and places and is_share and self.sum(start, full) <= share and room == self.capacity

    def crowded_out(self, i: int, needed: int, left: int) -> bool:
        newer = self.free[self.free.index(self.unit[i]) :]
        return sum(self.cost(unit) for unit in newer) == needed > left == self.left
