"""Cut the history to what fits, and say for every cut why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.context import Context
from ctxlab.context.step_report import Row
from ctxlab.context.tool_pairs import with_whole_pairs
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.engines.truncation import BudgetReport, UnitCosts
from ctxlab.pipeline import OverBudget, Processor, Remedy, Services, Trace
from ctxlab.processors.cut_to_budget import Cut, Room
from ctxlab.processors.session_loader import stored_setting
from ctxlab.processors.token_limiter_settings import ID, LimiterSettings, SettingsOfLimiter
from ctxlab.processors.tokens_added_after_limiter import over_budget_message


class TokenLimiter(Processor):
    """Keep the context within a budget of tokens."""

    id = ID
    name = "Token limiter"
    description = (
        "Cuts messages until the rest fits: which go says its strategy, by default the oldest; "
        "presets, summaries and the newest message always stay."
    )
    priority = 400
    is_core = True
    needs = ("history",)
    reads_later_tokens = True

    Settings = cast("type[LimiterSettings]", SettingsOfLimiter())
    settings: LimiterSettings

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
        return self._cut(ctx, services, room).result()

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
        return self._cut(ctx, services, room).remedies(keys)

    def why_dropped(self, ctx: Context, services: Services, keys: Sequence[str]) -> Mapping[str, str]:
        """Rank, score and words of each of these messages, where the strategy goes by these."""
        room = self._room(ctx)
        return {} if room is None else self._cut(ctx, services, room).details(keys)

    def rows_of(self, table: str, ctx: Context, services: Services) -> Sequence[Row] | None:
        """The table "ranking": every message that the strategy ranked, best first."""
        room = self._room(ctx) if table == "ranking" else None
        rows = [] if room is None else self._cut(ctx, services, room).ranked_rows()
        return [row._asdict() for row in rows] or None

    def unit_costs(self, ctx: Context, services: Services) -> UnitCosts:
        """Tokens of every unit of this context, whatever the budget is, and without one."""
        return self._cut(ctx, services, Room(0, 0)).costs()

    def _cut(self, ctx: Context, services: Services, room: Room) -> Cut:
        return Cut(ctx, services, room, strategy=self.settings.made_strategy(), settings=self.settings)

    def _room(self, ctx: Context) -> Room | None:
        """Tokens for the prompt, and those of a model's window for the reply; None when nothing limits it."""
        settings, model = self.settings, ctx.input.model
        window = model.context_window if model is not None else None
        if settings.budget_tokens is not None:
            beside = window - settings.budget_tokens if window is not None else 0
            return Room(settings.budget_tokens, max(0, min(settings.reserve_tokens or 0, beside)))
        if window is None:
            return None
        reserve = settings.reserve_tokens if settings.reserve_tokens is not None else _reply_limit(ctx) or 0
        return Room(window - reserve, reserve)


def _reply_limit(ctx: Context) -> int | None:
    max_tokens = (ctx.input.agent.parameters or {}).get("maxTokens") if ctx.input.agent else None
    if isinstance(max_tokens, int):
        return max_tokens
    return ctx.input.model.max_output_tokens if ctx.input.model else None
