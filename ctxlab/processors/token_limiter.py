"""Cut the history to what fits, and say for every cut why."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any, Literal, NamedTuple

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, Dropped, Edit, Origin, Text
from ctxlab.context.tool_pairs import (
    ORPHAN_RESULT,
    SILENT_CALL,
    units_newest_first,
    with_whole_pairs,
    without_unanswered,
)
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.truncation import (
    Block,
    BudgetReport,
    ByPriority,
    HeadAndTail,
    MiddleOut,
    Reason,
    Sliding,
    Strategy,
    Unit,
    Verdict,
    WholeExchanges,
    Window,
    head_length,
    least_room,
    newest_first,
)
from ctxlab.pipeline import (
    BudgetTooSmall,
    LeastBudget,
    OverBudget,
    Processor,
    ProcessorSettings,
    Remedy,
    Services,
    Trace,
)
from ctxlab.processors.over_budget import over_budget_message
from ctxlab.processors.session_loader import stored_setting

ID = "token-limiter"
StrategyName = Literal["sliding", "head-and-tail", "whole-exchanges", "by-priority", "middle-out", "block"]


class TokenLimiter(Processor):
    """Keep the context within a budget of tokens."""

    id = ID
    name = "Token limiter"
    description = "Cuts the oldest messages until the rest fits; presets, summaries and the newest message always stay."
    priority = 400
    is_core = True
    needs = ("history",)
    reads_later_tokens = True

    class Settings(ProcessorSettings):
        budget_tokens: int | None = Field(
            None,
            ge=1,
            title="Budget",
            description="Tokens for the whole prompt; none takes the model's window if known.",
        )
        reserve_tokens: int | None = Field(
            None,
            ge=0,
            title="Reserve",
            description="Tokens kept free for the reply; none keeps the reply limit free of a model's window.",
        )
        strategy: StrategyName = Field("sliding", title="Strategy", description="Which messages go first.")
        head_share: float = Field(
            0.25,
            ge=0,
            le=1,
            title="Head share",
            description="Share of the room that head-and-tail gives to the oldest.",
        )
        block_share: float = Field(
            0.5,
            ge=0,
            le=1,
            title="Block share",
            description="Share of the room that block drops down to when it is full.",
        )
        retained_characters: int = Field(
            0,
            ge=0,
            title="Retained characters",
            description="Keep this much of the head of a cut message; 0 keeps none.",
        )
        retain: Literal["border", "each"] = Field(
            "border", title="Retain", description="Shorten only the message at the border of the cut, or every cut one."
        )
        marker: str = Field("\n[…]", title="Marker", description="Put where a shortened message was cut off.")
        overhead_tokens: int | None = Field(
            None,
            ge=0,
            title="Overhead",
            description="Tokens per message; none takes what wire format and merging need.",
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        if not isinstance(stored, Agent):
            return None
        management = stored_setting(stored.parameters, "contextManagement")
        if not management:
            return None
        found: dict[str, Any] = {}
        budget = management.get("maxContextTokens")
        if management.get("enabled") and budget:
            found["budget_tokens"] = budget
        retained = management.get("retainedCharacters")
        if isinstance(retained, int) and retained > 0:
            found["retained_characters"] = retained
        return ProcessorEntry(id=cls.id, settings=found) if found else None

    def __call__(self, ctx: Context, services: Services) -> Context:
        room = self._room(ctx)
        if room is None:
            return with_whole_pairs(ctx, ID)
        return _Cut(self, ctx, services, room).result()

    def check_run(self, trace: Trace) -> None:
        """Raises OverBudget when the final messages, counted anew, are more than was promised."""
        report = trace.result.report(BudgetReport)
        if report is None or report.overhead_tokens is not None:  # with an overhead of one's own nothing is promised
            return
        if trace.tokens > report.budget_tokens:
            raise OverBudget(over_budget_message(trace, ID, report.budget_tokens), processor=ID)

    def what_keeps(self, ctx: Context, services: Services, keys: Sequence[str]) -> Mapping[str, Remedy]:
        """The least budget above this one that keeps each of these messages."""
        room = self._room(ctx)
        if room is None:
            return {}
        return _Cut(self, ctx, services, room).remedies(keys)

    def _room(self, ctx: Context) -> _Room | None:
        """Tokens for the prompt and those kept free of them; None when nothing limits it."""
        settings = self.settings
        if settings.budget_tokens is not None:
            reserve = settings.reserve_tokens or 0
            return _Room(settings.budget_tokens - reserve, reserve)
        model = ctx.input.model
        if model is None or model.context_window is None:
            return None
        reserve = settings.reserve_tokens if settings.reserve_tokens is not None else _reply_limit(ctx) or 0
        return _Room(model.context_window - reserve, reserve)

    def strategy(self) -> Strategy:
        match self.settings.strategy:
            case "sliding":
                return Sliding(self.settings.retain)
            case "head-and-tail":
                return HeadAndTail(self.settings.head_share)
            case "whole-exchanges":
                return WholeExchanges()
            case "by-priority":
                return ByPriority()
            case "middle-out":
                return MiddleOut()
            case "block":
                return Block(self.settings.block_share)


class _Room(NamedTuple):
    """Tokens for the prompt, and tokens that were taken off for the reply."""

    prompt: int
    reserve: int


def _reply_limit(ctx: Context) -> int | None:
    asked = (ctx.input.agent.parameters or {}).get("maxTokens") if ctx.input.agent else None
    if isinstance(asked, int):
        return asked
    return ctx.input.model.max_output_tokens if ctx.input.model else None


class _Cut:
    """One run of the limiter: what must stay, what the strategy keeps, what goes."""

    def __init__(self, limiter: TokenLimiter, ctx: Context, services: Services, room: _Room) -> None:
        self.settings = limiter.settings
        self.strategy = limiter.strategy()
        pinned_tools = _has_tools(draft for draft in ctx.drafts if draft.pinned)
        self.ctx = with_whole_pairs(ctx, ID) if pinned_tools else ctx  # else repaired as far as the cut goes
        self.budget, self.reserve = room
        self.tokenizer = services.tokenizer
        overhead = self.settings.overhead_tokens
        self.added = services.later_tokens if overhead is None else overhead - services.tokenizer.message_tokens
        self.repaired: dict[int, Draft] = {}
        self.orphans: list[int] = []
        self.mute: list[int] = []
        self.units = _Replayed(self._sound_units())

    def cost_of(self, draft: Draft) -> int:
        return self.tokenizer.count_draft(draft) + self.added

    def cost(self, unit: Unit) -> int:
        if len(unit.at) == 1:
            return self.cost_of(self._draft(unit.at[0]))
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

    def result(self) -> Context:
        protected = self._protected(self.units)
        window = self._window(protected)
        verdict = self.strategy.cut(window)
        border = verdict.border.at if verdict.border else ()
        if self._may_hold_orphans({*protected, *verdict.keep, *border}):
            self._walk_to_the_oldest()
        return self._arranged(protected, verdict, window.left)

    def _window(self, protected: set[int]) -> Window:
        """What may be kept beside what must stay; raises BudgetTooSmall where that alone is too much."""
        fixed = self._fixed_tokens(protected)
        if fixed > self.budget:
            raise BudgetTooSmall(self._too_small(protected, fixed), processor=ID)
        return Window(
            units=lambda: iter(self.units),
            left=self.budget - fixed,
            capacity=self.budget - self._fixed_tokens(self.pinned),
            cost=self.cost,
            shortened=self._shortened,
            cost_of=self.cost_of,
            is_protected=lambda unit: protected.issuperset(unit.at),
            draft=self._draft,
        )

    def _walk_to_the_oldest(self) -> None:
        """A result without a call shows only when the walk has reached the oldest message."""
        for _ in self.units:
            pass

    def remedies(self, keys: Sequence[str]) -> dict[str, Remedy]:
        """What would keep messages that were cut; each unit is counted once, however many of them are asked for."""
        protected = self._protected(self.units)
        units = list(self.units)
        window = replace(
            self._window(protected),
            units=lambda: iter(units),
            cost=cache(self.cost),
            shortened=partial(self._shortened, head=self._words_of_head),
            is_protected={unit: protected.issuperset(unit.at) for unit in units}.__getitem__,
        )
        unit_of = {i: unit for unit in units for i in unit.at}
        place = {draft.key: i for i, draft in enumerate(self.ctx.drafts)}
        unpaired = {self.ctx.drafts[i].key: cause for at, cause in self._unpaired_causes() for i in at}
        unpaired |= {draft.key: group.cause for group in self.ctx.dropped for draft in group.drafts}
        found: dict[str, Remedy] = {}
        for key in keys:
            at = place.get(key, -1)
            if at in unit_of:
                least = self._least_budget(window, unit_of[at], at)
                found[key] = Remedy(str(least), {f"{ID}.budget_tokens": least.tokens}, least)
            else:
                found[key] = Remedy(f"no budget would keep it: {unpaired[key].reason}")
        return found

    def _least_budget(self, window: Window, unit: Unit, at: int) -> LeastBudget:
        """A room of the strategy's is a budget less what must stay and the reserve that an explicit budget has."""
        kept = self.strategy.kept(window, unit)
        room = least_room(kept.ranges, at)
        reserve = self.settings.reserve_tokens or 0
        beside = self.budget - window.left + reserve

        def budget(tokens: int | None) -> int | None:
            return None if tokens is None else tokens + beside

        return LeastBudget(
            tokens=room.tokens + beside,
            whole_tokens=room.whole_tokens + beside,
            extra_tokens=room.tokens - window.left,
            extra_whole_tokens=room.whole_tokens - window.left,
            lost_again_at=budget(room.lost_again_at),
            kept_again_at=budget(room.kept_again_at),
            with_keys=tuple(self.ctx.drafts[i].key for i in kept.at if i != at),
            reserve_tokens=reserve,
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
            if not has_user and first.role == "user" and not first.is_result:
                has_user = True
                protected.update(unit.at)
            if has_user and newest.newest == last:
                break
        return protected | set(newest.at) if newest else protected

    @cached_property
    def tool_tokens(self) -> int:
        agent = self.ctx.input.agent
        return self.tokenizer.count_tools(agent.tools) if agent and agent.tools else 0

    def _fixed_tokens(self, protected: Iterable[int]) -> int:
        return self.tokenizer.request_tokens + self.tool_tokens + sum(self.cost_of(self._draft(i)) for i in protected)

    def _too_small(self, protected: set[int], fixed: int) -> str:
        costs = [(self.cost_of(self._draft(i)), self.ctx.drafts[i].key) for i in protected]
        costs += [(self.tool_tokens, "tool definitions"), (self.tokenizer.request_tokens, "the request itself")]
        biggest = ", ".join(f"{name} ({tokens:,})" for tokens, name in sorted(costs, reverse=True)[:3] if tokens)
        return (
            f"the budget is {self.budget:,} tokens, and what must stay needs {fixed:,}; the largest are {biggest}. "
            f"Raise budget_tokens, or make these shorter"
        )

    def _shortened(self, unit: Unit, head: Callable[[Draft, int], Draft] | None = None) -> dict[int, Draft] | None:
        """The messages of a unit with their heads alone; itself where a head with its marker would not be shorter."""
        if self.settings.retained_characters <= 0:
            return None
        head = head or self._head
        found: dict[int, Draft] = {}
        for i in unit.at:
            draft = self._draft(i)
            words = str(draft.text)
            at = head_length(words, self.settings.retained_characters)
            found[i] = draft if at + len(self.settings.marker) >= len(words) else head(draft, at)
        return found

    def _words_of_head(self, draft: Draft, at: int) -> Draft:
        """As many tokens as `_head` has: the same words without their past, which takes a third of the time to make."""
        text = Text.of(str(draft.text)[:at] + self.settings.marker, draft.origin)
        body = (text, *draft.assets)
        return Draft(draft.key, draft.role, body, draft.origin, draft.calls, draft.result_of, None, draft.speaker)

    def _head(self, draft: Draft, at: int) -> Draft:
        """The draft cut to its first characters."""
        cause = Cause(ID, "shortened", f"the first {at} of {len(draft.text)} characters stay")
        left, marker = at, self.settings.marker

        def head(text: Text) -> Text:
            nonlocal left, marker
            end, left = max(left, 0), left - len(text) - 1  # texts are counted as if on lines of their own
            if end >= len(text):
                return text
            edit = Edit(end, len(text), marker, cause, Origin("notice", ID))
            marker = ""
            return text.splice([edit])

        short = draft.edit_text(head)
        if "reasoningArtifacts" in draft.meta:
            meta = {name: value for name, value in draft.meta.items() if name != "reasoningArtifacts"}
            short = short.changed(cause, meta=FrozenDict(meta))
        return short.changed(cause, reasoning=None)

    def _arranged(self, protected: set[int], verdict: Verdict, left: int) -> Context:
        drafts = self.ctx.drafts
        stay = protected | verdict.keep
        aside = {*self.orphans, *self.mute} - stay
        shortened = {i: draft for i, draft in verdict.shortened.items() if draft is not self._draft(i)}
        changed = {i: draft for i, draft in {**self.repaired, **shortened}.items() if i in stay}
        kept = [changed.get(i, drafts[i]) if changed else drafts[i] for i in sorted(stay)]
        gone = _between(len(drafts), stay | aside)
        ctx = self.ctx.arrange(kept, dropped=[*self._groups(gone, verdict), *self._unpaired()])
        history = len(drafts) - len(self.pinned)
        counted = [*kept, *(drafts[i] for i in (verdict.border.at if verdict.border else ()))]
        report = BudgetReport(
            budget_tokens=self.budget,
            reserve_tokens=self.reserve,
            strategy=self.strategy.name,
            protected_tokens=self.budget - left,
            history_tokens=verdict.spent,
            left_tokens=left - verdict.spent,
            kept=len(stay),
            cut=len(gone),
            history=history,
            shortened=len(shortened),
            overhead_tokens=self.settings.overhead_tokens,
            estimated=self.tokenizer.estimated or any(map(self.tokenizer.draft_is_estimated, counted)),
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

    def __iter__(self) -> Iterator[Unit]:
        i = 0
        while True:
            if i == len(self._found):
                unit = next(self._source, None)
                if unit is None:
                    return
                self._found.append(unit)
            yield self._found[i]
            i += 1
