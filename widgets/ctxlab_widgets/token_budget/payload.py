"""A run's budget as the page gets it: the window by source, its messages, and the range of budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from string import ascii_lowercase
from typing import Any

from ctxlab.context import Dropped
from ctxlab.documents import ModelProfile
from ctxlab.engines.truncation import STRATEGIES, BudgetReport, newest_first, strategies
from ctxlab.errors import UnknownProcessor
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.cut_causes import cut_cause
from ctxlab.pipeline.services import TokenCounter
from ctxlab.processors import TokenLimiter
from ctxlab.processors.token_limiter_settings import LimiterSettings
from ctxlab.studies.budget_figure import segments_of
from ctxlab.studies.budget_sums import border_sum, budget_sums
from ctxlab.studies.estimate_words import estimate_note
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets.token_budget.rows import CUT, SHORTENED, BudgetRow, BudgetRows, MessageLabels, RowCache, rows_json
from ctxlab_widgets.token_budget.units import Units, UnitsCache, limiter_step

NAMED = 4
"""More messages than these are only counted in a sentence."""


@dataclass(slots=True)
class BudgetPayload:
    """The payload of a run; keeps what other budgets of the same run leave as it is."""

    labels: MessageLabels = field(default_factory=MessageLabels)
    known: UnitsCache = field(default_factory=UnitsCache)
    counted: RowCache = field(default_factory=RowCache)
    rows: BudgetRows = field(default_factory=lambda: BudgetRows([], ""))
    looks: tuple[str, ...] = ()
    sent: tuple[Any, ...] = ()
    written: str = ""

    def units(self, trace: Trace) -> Units | None:
        return self.known.of(trace)

    def messages(self, trace: Trace) -> str:
        """Rows, steps and the ladder of budgets as JSON: what other budgets mostly leave as it is."""
        units = self.units(trace)
        self.rows = self.counted.rows_of(trace, units)
        steps = [step.id for step in trace.steps]
        now = (trace.start, units, steps, self.rows.all)
        if now != self.sent:
            self.sent = now
            self.labels.begin(trace)
            ladder = list(units.ladder) if units is not None else []
            rows = list(rows_json(self.rows.all, self.labels, units))
            self.written = as_json({"rows": rows, "steps": steps, "ladder": ladder})
        return self.written

    def name(self, key: str) -> str:
        """The name of a message in a sentence; what is no message keeps its name."""
        return next((self.labels.short(row.draft) for row in self.rows.all if row.key == key), key)

    def view(self, trace: Trace, before: Trace | None, wanted: int | None) -> dict[str, Any]:
        """Everything else; `before` is the run that changes are told against."""
        report = trace.result.report(BudgetReport)
        strategy = report.strategy if report is not None else _strategy(trace)
        traits = strategies().by_name[strategy].traits
        budget = report.budget_tokens if report is not None else None
        marks, changed = self._changes(trace, before)
        segments = segments_of(trace)
        self.looks = tuple(each.look for each in segments)
        groups = _for_want_of_room(trace)
        letters = {
            draft.key: letter for letter, group in zip(ascii_lowercase, groups, strict=False) for draft in group.drafts
        }
        note = estimate_note(trace)
        return {
            "budget": budget,
            "reserve": report.reserve_tokens if report is not None else 0,
            "wanted": budget if wanted is None else wanted,
            "sent": trace.tokens,
            "window": window_of(trace),
            "messages": len(trace.result.drafts),
            "to_come": _is_to_come(trace),
            "segments": [[each.name, each.look, each.tokens] for each in segments],
            "overhead": self._overhead(trace, sum(each.tokens for each in segments if each.look == "overhead")),
            "states": self.rows.states,
            "marks": marks,
            "changed": changed,
            "cut": _units_cut(trace),
            "shortened": report.shortened if report is not None else 0,
            "border": self._border(trace),
            "reasons": [cut_cause(group) for group in groups],
            "needs": [_own_needs(trace, group) for group in groups],
            "sums": self._sums(trace),
            "reason_of": "".join([letters.get(row.key, " ") for row in self.rows.all]) if letters else "",
            "one_cut": report is not None and traits.keeps_one_end,
            "by_units": report is not None and traits.keeps_one_more,
            "estimated": trace.estimated,
            "estimate": note.text if note is not None else "",
            "strategy": strategy,
        }

    def _sums(self, trace: Trace) -> dict[str, Any] | None:
        """The sums of the cut in words; tokens that its limiter counted of rows that now have others, by key."""
        sums, step, report = budget_sums(trace), limiter_step(trace), trace.result.report(BudgetReport)
        if sums is None or step is None or report is None:
            return None
        after = {draft.key: draft for draft in step.after.drafts}
        was = {draft.key: draft for draft in step.before.drafts} if report.shortened else {}
        cost = report.costs.cost_of
        counted: dict[str, int] = {}
        whole: dict[str, int] = {}
        for row, state in self.rows:
            if state == CUT:
                continue
            draft = after.get(row.key)
            if draft is not row.draft:
                counted[row.key] = cost(draft) if draft is not None else 0
            if state == SHORTENED:
                whole[row.key] = cost(was[row.key])
        numbers = {"overhead": sums.overhead_tokens, "later": sums.later_tokens, "own_overhead": sums.own_overhead}
        return {"text": str(sums), **numbers, "counted": counted, "whole": whole}

    def _border(self, trace: Trace) -> dict[str, Any] | None:
        """The unit at which the cut began; it may have stayed, such as the one that filled the room."""
        step, groups = limiter_step(trace), _for_want_of_room(trace)
        if step is None or not groups:
            return None
        border = set(groups[0].border)
        drafts = [draft for draft in step.before.drafts if draft.key in border]
        named = ", ".join([self.labels.short(draft) for draft in drafts[:NAMED]])
        key = drafts[0].key if drafts else ""
        return {"key": key, "name": named, "needed": groups[0].needed, "left": groups[0].left}

    def _changes(self, trace: Trace, before: Trace | None) -> tuple[str, str]:
        """Signs for the rows, and the sentence: what falls in and out against another run."""
        if before is None or before is trace:
            return "", ""
        were = {part.key for draft in before.result.drafts for part in draft.parts}
        marks = "".join([_mark(was=row.key in were, now=state != CUT) for row, state in self.rows])
        come, gone = ([row for row, mark in zip(self.rows.all, marks, strict=True) if mark == sign] for sign in "+-")
        return marks, "; ".join(f"{way}: {self._named(rows)}" for way, rows in (("in", come), ("out", gone)) if rows)

    def _named(self, rows: Sequence[BudgetRow]) -> str:
        shown = rows if len(rows) <= NAMED + 1 else rows[:NAMED]
        names = ", ".join([self.labels.short(row.draft) for row in shown])
        return names if shown is rows else f"{names} and {len(rows) - NAMED:,} more"

    def _overhead(self, trace: Trace, tokens: int) -> list[list[Any]]:
        """Parts of the overhead besides messages: [words, tokens]."""
        counter, n = trace.services.tokenizer, len(trace.result.drafts)
        frames = n * counter.message_tokens
        rows = sum(n for row, state in self.rows if state != CUT for look, n in row.tokens if look == "overhead")
        found = [
            (f"{n:,} × {counter.message_tokens:,} a message", frames),
            ("the request", counter.request_tokens),
            ("where texts join", tokens - frames - counter.request_tokens - rows),
        ]
        return [[words, tokens] for words, tokens in found if tokens]


def choices(trace: Trace, tokenizers: Sequence[str]) -> str:
    """The choices as JSON: strategies with their settings, tokenizers."""
    held = _settings(trace)
    found: list[dict[str, Any]] = []
    for name, strategy in strategies().by_name.items():
        traits = strategy.traits
        numbers = [_number(traits.main_setting, traits.step, held)] if traits.main_setting is not None else []
        found.append({"name": name, "about": strategy().describe(), "numbers": numbers})
    return as_json({"strategies": found, "tokenizers": list(tokenizers), "limiter": held is not None})


def _number(name: str, step: float, held: LimiterSettings | None) -> dict[str, Any]:
    info = TokenLimiter.Settings.model_fields[name]
    top = next((each.le for each in info.metadata if hasattr(each, "le")), None)
    value = getattr(held, name) if held is not None else info.default
    return {"name": name, "title": info.title, "value": value, "step": step, "max": top, "about": info.description}


def _settings(trace: Trace) -> LimiterSettings | None:
    try:
        settings = trace.pipeline.stage(TokenLimiter.id).processor.settings
    except UnknownProcessor:
        return None
    return settings if isinstance(settings, LimiterSettings) else None


def _strategy(trace: Trace) -> str:
    held = _settings(trace)
    return held.strategy if held is not None else STRATEGIES[0].name


def _is_to_come(trace: Trace) -> bool:
    """Whether the run stopped before its limiter, which would keep it to a budget."""
    if _settings(trace) is None or limiter_step(trace) is not None:
        return False
    return TokenLimiter.id in [stage.id for stage in trace.pipeline.running()]


def window_of(trace: Trace) -> int | None:
    """The model's window, where it is known."""
    model: ModelProfile | None = trace.start.input.model
    return model.context_window if model is not None else None


def reserve_of(trace: Trace) -> tuple[int | None, int]:
    """Tokens kept for the reply: as the limiter is told, and as it comes out."""
    held = _settings(trace)
    setting = held.reserve_tokens if held is not None else None
    report = trace.result.report(BudgetReport)
    return setting, report.reserve_tokens if report is not None else setting or 0


def counted_by(trace: Trace, tokenizer: TokenCounter) -> int:
    """The sent messages, counted by another tokenizer."""
    agent = trace.start.input.agent
    tools = tokenizer.count_tools(agent.tools) if agent is not None and agent.tools else 0
    return sum(map(tokenizer.count_draft, trace.result.drafts)) + tokenizer.request_tokens + tools


def _for_want_of_room(trace: Trace) -> list[Dropped]:
    step = limiter_step(trace)
    if step is None:
        return []
    return [group for group in step.after.dropped[len(step.before.dropped) :] if group.needed is not None]


def _own_needs(trace: Trace, group: Dropped) -> str:
    """The sum of what messages needed, where they are those at which the cut began."""
    return border_sum(trace, group) if {draft.key for draft in group.drafts} <= set(group.border) else ""


def _units_cut(trace: Trace) -> int:
    return sum(1 for group in _for_want_of_room(trace) for _ in newest_first(group.drafts))


def _mark(*, was: bool, now: bool) -> str:
    return " " if was is now else "+" if now else "-"
