"""The cut that keeps a context within a budget: what must stay, what the strategy keeps, what goes and why."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, NamedTuple, cast

from ctxlab.context import Cause, Context, Draft, Dropped
from ctxlab.context.tool_pairs import (
    ORPHAN_RESULT,
    SILENT_CALL,
    units_newest_first,
    with_whole_pairs,
    without_unanswered,
)
from ctxlab.engines.ranking import Ranker, Ranking, ranks
from ctxlab.engines.truncation import (
    BudgetReport,
    LeastRoom,
    MessageCost,
    RanksMessages,
    Reason,
    Shortening,
    Strategy,
    Unit,
    UnitCosts,
    Verdict,
    Window,
    least_room,
    newest_first,
)
from ctxlab.knowledge.policy.result_text import KIND as KNOWLEDGE
from ctxlab.pipeline import BudgetTooSmall, LeastBudget, Remedy, Services
from ctxlab.pipeline.explain.message_names import names_by_key
from ctxlab.processors.example_blocks import ExampleBlocks
from ctxlab.processors.ranked_messages import RankedMessages, ranked_messages
from ctxlab.processors.token_limiter_settings import ID, LimiterSettings
from ctxlab.prompt.token_range import safe_counter


class Room(NamedTuple):
    """Tokens for the prompt, and those of a model's window that are kept free for the reply."""

    prompt: int
    reserve: int


class RankedRow(NamedTuple):
    """A message that was ranked: `words` are those of the question in it, `reason` what its rank rests on.

    `kept_as` says why it stays whatever its rank, such as the rule that it has; "" for all others.
    """

    message: str
    rank: int
    score: float
    words: list[str]
    reason: str
    kept: bool
    kept_as: str


class Cut:
    """One run of the limiter: what must stay, what the strategy keeps, what goes."""

    def __init__(
        self, ctx: Context, services: Services, room: Room, *, strategy: Strategy, settings: LimiterSettings
    ) -> None:
        self.settings, self.strategy = settings, strategy
        pinned_tools = _has_tools(draft for draft in ctx.drafts if draft.pinned)
        self.ctx = with_whole_pairs(ctx, ID) if pinned_tools else ctx  # else repaired as far as the cut goes
        self.budget, self.reserve = room
        self.rankers, self.tokenizer = services.rankers, services.tokenizer
        if settings.estimate == "safe":
            self.tokenizer = safe_counter(services.tokenizer)
        self.run_tokenizer = services.tokenizer
        self.is_safe = self.tokenizer is not services.tokenizer
        overhead = settings.overhead_tokens
        added = services.later_tokens if overhead is None else overhead - self.tokenizer.message_tokens
        self.cost_of = MessageCost(self.tokenizer.count_draft, added)
        self.shortening = Shortening(settings.retained_characters, settings.marker, ID)
        self.repaired: dict[int, Draft] = {}
        self.orphans: list[int] = []
        self.mute: list[int] = []
        self.units = _Replayed(self._sound_units())

    def cost(self, unit: Unit) -> int:
        if len(unit.at) == 1:  # every message in turn, so that a call less counts
            i = unit.at[0]
            draft = self.repaired.get(i) if self.repaired else None
            return self.cost_of(draft or self.ctx.drafts[i])
        return sum(self.cost_of(self._draft(i)) for i in unit.at)

    def _draft(self, i: int) -> Draft:
        return self.repaired.get(i) or self.ctx.drafts[i]

    @cached_property
    def pinned(self) -> list[int]:
        """Positions of pinned drafts, and of those that are half of a pair with one."""
        drafts = self.ctx.drafts
        at = [i for i, draft in enumerate(drafts) if draft.pinned]
        if not _has_tools(drafts[i] for i in at):
            return at
        units = [unit.at for unit in units_newest_first(drafts) if any(drafts[i].pinned for i in unit.at)]
        return sorted({i for unit in units for i in unit})

    @cached_property
    def blocks(self) -> ExampleBlocks:
        return ExampleBlocks.of(self.ctx.drafts, self.cost_of)

    @property
    def _start_of_history(self) -> int:
        """Position of the oldest message that isn't pinned, nor part of an example."""
        drafts, examples = self.ctx.drafts, self.blocks.positions
        return next((i for i, draft in enumerate(drafts) if not draft.pinned and i not in examples), len(drafts))

    def result(self) -> Context:
        """The context after the cut; afterwards this cut has no more units, and nothing of it is held in a circle."""
        try:
            return self._result()
        finally:
            self.units.close()

    def _result(self) -> Context:
        protected = self._protected(self.units)
        window = self._window(protected)
        verdict = self.strategy.cut(window)
        border = verdict.border.at if verdict.border else ()
        if self._may_hold_orphans({*protected, *verdict.keep, *border}):
            self._walk_to_the_oldest()
        return self._arranged(protected, verdict, window.left)

    def _window(self, protected: set[int]) -> Window:
        """The window for units beside what must stay; raises BudgetTooSmall where that alone is too much."""
        fixed = self._fixed_tokens(protected)
        if fixed > self.budget:
            raise self._too_small(protected, fixed)
        return Window(
            units=self.units.__iter__,
            left=self.budget - fixed,
            capacity=self.budget - self._fixed_tokens(self.pinned),
            cost=self.cost,
            shortened=self._shortened,
            cost_of=self.cost_of,
            is_protected=lambda unit: unit.at[0] in protected and protected.issuperset(unit.at),
            draft=self._draft,
            query=self.ranked.query,
            ranking=self.ranked.ranking,
            processor=ID,
        )

    @cached_property
    def ranked(self) -> RankedMessages:
        return ranked_messages(self.ctx, self.units.all, tuple(cast("Iterable[Ranker]", self.rankers)))

    def details(self, keys: Sequence[str]) -> dict[str, str]:
        """Of messages that were cut by rank: rank, score and words, and whether a summary quotes it."""
        ranking = self._ranking()
        if ranking is None:
            return {}
        place = {self.ctx.drafts[i].key: i for unit in self.units for i in unit.at}
        quoted = self._verdict().quoted if self.strategy.traits.quotes else ()
        found = {key: place[key] for key in keys if key in place}
        more = dict.fromkeys(quoted, "; the summary quotes it")
        return {key: f"it {ranking.reason(i)}{more.get(i, '')}" for key, i in found.items()}

    def ranked_rows(self) -> list[RankedRow]:
        """A row for each message that is ranked, best first; none where the strategy ranks nothing."""
        ranking = self._ranking()
        if ranking is None:
            return []
        protected, drafts = self._protected(self.units), self.ctx.drafts
        verdict = self._verdict()
        kept, of_row = protected | verdict.keep, verdict.kept_as
        at = self.ranked.ranked
        ordered = zip(at, ranks([ranking.scores[i] for i in at]), strict=True)
        return [
            RankedRow(
                drafts[i].key,
                rank,
                ranking.scores[i],
                [*ranking.words(i)],
                ranking.reason(i),
                i in kept,
                of_row.get(i, ""),
            )
            for i, rank in sorted(ordered, key=lambda pair: pair[1])
        ]

    def _ranking(self) -> Ranking | None:
        name = self.strategy.ranker_name if isinstance(self.strategy, RanksMessages) else ""
        return self.ranked.ranking(name) if name else None

    def _verdict(self) -> Verdict:
        return self.strategy.cut(self._window(self._protected(self.units)))

    def _walk_to_the_oldest(self) -> None:
        """A result without a call shows only when the walk has reached the oldest message."""
        for _ in self.units:
            pass

    def remedies(self, keys: Sequence[str]) -> dict[str, Remedy]:
        """Changes that would keep messages that were cut; each unit is counted once for all of them."""
        protected = self._protected(self.units)
        units = list(self.units)
        unit_of = {i: unit for unit in units for i in unit.at}
        place = {draft.key: i for i, draft in enumerate(self.ctx.drafts)}
        window = replace(
            self._window(protected),
            units=lambda: iter(units),
            cost=cache(self.cost),
            shortened=self._shortened_words,
            is_protected={unit: protected.issuperset(unit.at) for unit in units}.__getitem__,
            asked=frozenset(unit_of[at] for at in map(place.get, keys) if at in unit_of),
        )
        unpaired = {self.ctx.drafts[i].key: cause for at, cause in self._unpaired_causes() for i in at}
        unpaired |= {draft.key: group.cause for group in self.ctx.dropped for draft in group.drafts}
        found: dict[str, Remedy] = {}
        for key in keys:
            at = place.get(key, -1)
            if (block := self.blocks.block_of(at)) is not None:
                least = self._least_budget_of_block(window, block, at)
                found[key] = Remedy(str(least), {f"{ID}.budget_tokens": least.tokens}, least)
            elif at in unit_of:
                least = self._least_budget(window, unit_of[at], at)
                found[key] = Remedy(str(least), {f"{ID}.budget_tokens": least.tokens}, least)
            else:
                found[key] = Remedy(f"no budget would keep it: {unpaired[key].reason}")
        return found

    def _least_budget(self, window: Window, unit: Unit, at: int) -> LeastBudget:
        """A room of the strategy's is a budget less what must stay."""
        kept = self.strategy.kept(window, unit)
        return self._budget_of_room(window, least_room(kept.ranges, at), [i for i in kept.at if i != at])

    def _least_budget_of_block(self, window: Window, block: int, at: int) -> LeastBudget:
        """A block needs room after the history, and for the blocks before it."""
        units = [window.cost(unit) for unit in window.free_units()]
        one_by_one = self.strategy.traits.keeps_one_end and self.strategy.traits.keeps_one_more
        row = one_by_one and not self.settings.retained_characters
        room = least_room(self.blocks.ranges(block, units, window.left, row=row), at)
        return self._budget_of_room(window, room, [i for i in self.blocks.blocks[block] if i != at])

    def _budget_of_room(self, window: Window, room: LeastRoom, beside_it: Sequence[int]) -> LeastBudget:
        beside = self.budget - window.left

        def budget(tokens: int | None) -> int | None:
            return None if tokens is None else tokens + beside

        return LeastBudget(
            tokens=room.tokens + beside,
            whole_tokens=room.whole_tokens + beside,
            extra_tokens=room.tokens - window.left,
            extra_whole_tokens=room.whole_tokens - window.left,
            for_good=room.for_good + beside,
            gaps=room.gaps,
            lost_again_at=budget(room.lost_again_at),
            kept_again_at=budget(room.kept_again_at),
            with_keys=tuple(self.ctx.drafts[i].key for i in beside_it),
        )

    def _may_hold_orphans(self, stay: set[int]) -> bool:
        """Whether a result that goes is newer than something that stays, so that not the border is why it goes."""
        drafts = self.ctx.drafts
        oldest = min((i for i in stay if not drafts[i].pinned), default=len(drafts))
        return any(drafts[i].role == "tool" and i not in stay for i in range(oldest, len(drafts)))

    def _sound_units(self) -> Iterator[Unit]:
        """Units newest first; results without a call are set aside, calls without a result taken off."""
        for unit in newest_first(self.ctx.drafts):
            if unit.orphan:
                self.orphans.extend(unit.at)
                continue
            if unit.unanswered:
                whole = without_unanswered(self.ctx.drafts[unit.at[0]], unit, ID)
                if whole is None:
                    self.mute.append(unit.at[0])
                    continue
                self.repaired[unit.at[0]] = whole
            yield unit

    def _protected(self, units: _Replayed) -> set[int]:
        """Positions that stay whatever happens: pinned drafts, the newest user message and the newest unit."""
        protected = set(self.pinned)
        last = next((i for i in range(len(self.ctx.drafts) - 1, -1, -1) if not self.ctx.drafts[i].pinned), -1)
        newest: Unit | None = None
        has_user = False
        for unit in units:
            if newest is None or unit.newest > newest.newest:
                newest = unit
            first = self.ctx.drafts[unit.at[0]]
            if not has_user and first.role == "user" and not first.is_result and first.placement is None:
                has_user = True
                protected.update(unit.at)
            if has_user and newest.newest == last:
                break
        return protected | set(newest.at) if newest else protected

    @cached_property
    def tool_tokens(self) -> int:
        return self.tokenizer.count_tools(self.tools) if self.tools else 0

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """Definitions of the tools that are sent."""
        agent = self.ctx.input.agent
        return agent.sent_tools if agent else ()

    def _fixed_tokens(self, protected: Iterable[int]) -> int:
        return self.tokenizer.request_tokens + self.tool_tokens + sum(self.cost_of(self._draft(i)) for i in protected)

    def _too_small(self, protected: set[int], fixed: int) -> BudgetTooSmall:
        costs = [(self.cost_of(self._draft(i)), self.ctx.drafts[i].key) for i in protected]
        costs += [(self.tool_tokens, "tool definitions"), (self.tokenizer.request_tokens, "the request itself")]
        largest = tuple([(name, tokens) for tokens, name in sorted(costs, reverse=True)[:3] if tokens])
        inside = {self.ctx.drafts[i].key: self._knowledge_tokens(self.ctx.drafts[i]) for i in protected}
        shown = names_by_key(self.ctx.drafts)
        words = ", ".join(
            [f"{shown.get(name, name)} ({tokens:,}{_of_which(inside.get(name, 0))})" for name, tokens in largest]
        )
        return BudgetTooSmall(
            f"the budget is {self.budget:,} tokens, and what must stay needs {fixed:,}; the largest are {words}. "
            f"Raise budget_tokens, or make these shorter",
            budget=self.budget,
            least_budget=fixed,
            largest=largest,
            processor=ID,
        )

    def _knowledge_tokens(self, draft: Draft) -> int:
        """Tokens of what a search in knowledge put into a message."""
        found = [span.text for span in draft.text.spans if span.origin.kind == KNOWLEDGE]
        return self.tokenizer.count("".join(found)) if found else 0

    def _shortened(self, unit: Unit) -> dict[int, Draft] | None:
        """The messages of a unit with their heads alone, by position; None where heads are not kept."""
        return self.shortening.heads({i: self._draft(i) for i in unit.at})

    def _shortened_words(self, unit: Unit) -> dict[int, Draft] | None:
        """The texts of a unit's heads alone, by position, for counting only."""
        return self.shortening.heads({i: self._draft(i) for i in unit.at}, words_only=True)

    def costs(self) -> UnitCosts:
        """Tokens of what must stay and of every unit."""
        protected = self._protected(self.units)
        return self._costs(protected, self._fixed_tokens(protected))

    def _costs(self, protected: set[int], tokens: int) -> UnitCosts:
        return UnitCosts(self.ctx.drafts, frozenset(protected), tokens, self.cost_of)

    def _arranged(self, protected: set[int], verdict: Verdict, left: int) -> Context:
        drafts = self.ctx.drafts
        free = left - verdict.spent
        fit = self.blocks.fitting(free) if self.blocks.blocks else 0
        examples = {i for block in self.blocks.blocks[:fit] for i in block}
        stay = protected | verdict.keep | examples
        aside = {*self.orphans, *self.mute, *self.blocks.positions} - stay
        shortened = {i: draft for i, draft in verdict.shortened.items() if draft is not self._draft(i)}
        changed = {i: draft for i, draft in {**self.repaired, **shortened}.items() if i in stay}
        kept = [changed.get(i, drafts[i]) if changed else drafts[i] for i in sorted(stay)]
        if verdict.summary is not None:
            kept.insert(sum(i < self._start_of_history for i in stay), verdict.summary)
        gone = _between(len(drafts), stay | aside)
        without = list(self.blocks.dropped(fit, free, ID))
        ctx = self.ctx.arrange(kept, dropped=[*self._groups(gone, verdict), *without, *self._unpaired()])
        history = len(drafts) - len(self.pinned)
        spent = verdict.spent + self.blocks.spent(fit)
        counted = [*kept, *(drafts[i] for i in (verdict.border.at if verdict.border else ()))]
        report = BudgetReport(
            budget_tokens=self.budget,
            reserve_tokens=self.reserve,
            strategy=self.strategy.name,
            protected_tokens=self.budget - left,
            history_tokens=spent,
            left_tokens=left - spent,
            kept=len(stay),
            cut=len(gone) + sum(len(group.drafts) for group in without),
            history=history,
            shortened=len(shortened),
            overhead_tokens=self.settings.overhead_tokens,
            estimate="safe" if self.is_safe else "mean",
            estimated=self.tokenizer.estimated or any(map(self.tokenizer.draft_is_estimated, counted)),
            costs=self._costs(protected, self.budget - left),
            summary_tokens=self.cost_of(verdict.summary) if verdict.summary is not None else 0,
        )
        return self._noted(ctx.put(report), changed, shortened)

    def _groups(self, gone: list[int], verdict: Verdict) -> list[Dropped]:
        """A group for each reason. What no reason is true of are results, newer than their calls that it is true of."""
        groups: list[Dropped] = []
        for reason in verdict.reasons:
            named, gone = _parted(gone, reason.at)
            groups.extend(self._group(named, reason, reason.words))
        if gone:
            last = verdict.reasons[-1]
            groups.extend(self._group(gone, last, f"its call is {last.words}"))
        return groups

    def _group(self, at: Sequence[int], reason: Reason, words: str) -> Iterator[Dropped]:
        if at:
            drafts, border = self.ctx.drafts, reason.border
            cause = Cause(ID, self.strategy.name, words)
            keys = tuple(drafts[i].key for i in border.at)
            unbroken = at[-1] - at[0] == len(at) - 1
            group = drafts[at[0] : at[-1] + 1] if unbroken else tuple([drafts[i] for i in at])
            yield Dropped(group, cause, border.needed, border.left, keys)

    def _unpaired_causes(self) -> tuple[tuple[list[int], Cause], ...]:
        return (
            (self.orphans, Cause(ID, *ORPHAN_RESULT)),
            (self.mute, Cause(ID, *SILENT_CALL)),
        )

    def _unpaired(self) -> list[Dropped]:
        drafts = self.ctx.drafts
        return [Dropped(tuple(drafts[i] for i in sorted(at)), cause) for at, cause in self._unpaired_causes() if at]

    def _noted(self, ctx: Context, changed: dict[int, Draft], shortened: Container[int]) -> Context:
        for i, draft in changed.items():
            was = self.ctx.drafts[i]
            if len(draft.calls) < len(was.calls):
                reason = next(change.cause.reason for change in draft.changes if change.field == "calls")
                ctx = ctx.note("warning", f"{was.key}: {reason}", processor=ID)
            if i in shortened and was.replays_reasoning:
                ctx = ctx.note(
                    "warning", f"{was.key} was shortened, so its reasoning state is not replayed", processor=ID
                )
        return ctx


def _has_tools(drafts: Iterable[Draft]) -> bool:
    return any(draft.calls or draft.role == "tool" for draft in drafts)


def _of_which(knowledge: int) -> str:
    return f", of which {knowledge:,} are knowledge put into it" if knowledge else ""


def _between(length: int, at: set[int]) -> list[int]:
    """All other positions, rising."""
    found: list[int] = []
    done = 0
    for i in sorted(at):
        found.extend(range(done, i))
        done = i + 1
    found.extend(range(done, length))
    return found


def _parted(rising: list[int], at: Collection[int]) -> tuple[list[int], list[int]]:
    """The positions that are among others, and those that are not."""
    if isinstance(at, range):
        first, end = bisect_left(rising, at.start), bisect_left(rising, at.stop)
        return rising[first:end], rising[:first] + rising[end:]
    if len(at) == 1:
        (one,) = at
        i = bisect_left(rising, one)
        return ([one], rising[:i] + rising[i + 1 :]) if rising[i : i + 1] == [one] else ([], rising)
    named = set(at).intersection(rising)
    return sorted(named), [i for i in rising if i not in named] if named else rising


class _Replayed:
    """Units found once and handed out as often as asked."""

    def __init__(self, source: Iterator[Unit]) -> None:
        self._source = source
        self._found: list[Unit] = []
        self._are_all_found = False

    def __iter__(self) -> Iterator[Unit]:
        return iter(self._found) if self._are_all_found else self._walk()

    def _walk(self) -> Iterator[Unit]:
        i = 0
        while True:
            if i == len(self._found):
                unit = next(self._source, None)
                if unit is None:
                    self._are_all_found = True
                    return
                self._found.append(unit)
            yield self._found[i]
            i += 1

    def all(self) -> list[Unit]:
        """Every unit, the newest first."""
        self._found.extend(self._source)
        self._are_all_found = True
        return self._found

    def close(self) -> None:
        """Forget the source: a generator that is not read to its end holds whoever made it."""
        self._source = iter(())
