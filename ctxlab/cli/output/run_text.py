"""A run as text: its head, the table of steps with their changes and causes, notes and losses, token bar, variables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from ctxlab.cli.output.terminal import Column, Screen, columns, harmless, one_line, quoted, wrapped
from ctxlab.context import Draft, Dropped
from ctxlab.display.short_texts import counted
from ctxlab.display.source_looks import BY_NAME, OF_PART, ROOM, SOURCES
from ctxlab.documents import Note
from ctxlab.engines.truncation import BudgetReport
from ctxlab.engines.variables.values_before_and_after import VariableValue
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.token_breakdown import spending
from ctxlab.processors import TokenLimiter

NAMED = 3  # dropped messages whose first words are shown, each so many cells wide
NARROWEST, WIDEST = 17, 44
STACKED_BELOW = 62  # cells beside the names of steps that a row of the table needs
MOST_LOSSES = 8
STYLES = {"info": "dim", "warning": "warn", "error": "bad"}
MARKS = {"info": "·", "warning": "!", "error": "×"}


def head(screen: Screen, trace: Trace) -> None:
    """The session, leaf, agent, user, model, tokenizer and budget of a run."""
    build_input = trace.start.input
    session, agent, user, model = build_input.session, build_input.agent, build_input.user, build_input.model
    path = sum(not node.is_empty_root for node in session.path(build_input.leaf_id))
    counter = trace.services.tokenizer
    name = f"{session.name} ({session.id})" if session.name and session.name != session.id else session.id or "unnamed"
    pairs = [
        ("session", name),
        ("leaf", f"{build_input.leaf_id or 'none'}, message {path}" if path else "none"),
        ("agent", agent.shown_name or agent.id if agent else "none"),
        *([("user", user.shown_name)] if user else []),
        ("model", (model.name or model.id) if model else "none"),
        ("tokenizer", f"{counter.name} [{'estimated' if trace.estimated else 'exact'}]"),
        ("budget", budget_words(trace)),
    ]
    screen.flow([Text.assemble((f"{label} ", "label"), (one_line(value), "strong")) for label, value in pairs])


def budget_of(trace: Trace) -> int | None:
    """Tokens that the limiter keeps to; None when nothing limits it, or when it is off or didn't run yet."""
    report = trace.result.report(BudgetReport)
    return report.budget_tokens if report is not None else None


def budget_words(trace: Trace) -> str:
    row = next((row for row in trace.pipeline.describe() if row["id"] == TokenLimiter.id), None)
    if row is None or not row["enabled"]:
        return "none, the limiter is off"
    setting = row["settings"]["budget_tokens"]
    tokens = budget_of(trace)
    tokens = setting["value"] if tokens is None else tokens
    if tokens is None:
        return "none"
    source = {"call": "", "default": ", the model's window"}.get(setting["layer"], f", the {setting['layer']}'s")
    return f"{tokens:,}{source}"


def losses(screen: Screen, found: Sequence[str]) -> None:
    for loss in found[:MOST_LOSSES]:
        screen.line(("! ", "warn"), (f"lost in reading: {harmless(loss)}", "warn"), hang=2)
    if len(found) > MOST_LOSSES:
        screen.line((f"! and {len(found) - MOST_LOSSES:,} more losses", "warn"))


def notes(screen: Screen, found: Sequence[Note], *, indent: int = 0) -> None:
    for note in found:
        style = STYLES[note.level]
        mark = f"{' ' * indent}{MARKS[note.level]} "
        screen.line((mark, style), (harmless(note.text), style), hang=len(mark))


class Steps:
    """The table of steps. Rows can be printed one by one, as the debugger does."""

    def __init__(self, screen: Screen, trace: Trace) -> None:
        self.screen = screen
        self.names = max(len(id) for id in ("step", *trace.pipeline.ids))
        self.stacked = screen.wraps and screen.width < self.names + STACKED_BELOW
        self.room = max(12, min(44, screen.width - self.names - 42)) if not self.stacked else screen.width - 4

    def head(self) -> None:
        titles = f"{'messages':>8}  {'tokens':>7}  {'+/-':>8}  {'ms':>7}"
        did = "" if self.stacked else f"{'what it did':<{self.room}}  "
        self.screen.line((f"{'step':<{self.names}}  {did}{titles}", "label"))

    def all(self, trace: Trace) -> None:
        """Every step of the trace, then those that are off or not run yet."""
        self.head()
        for index in range(len(trace.steps)):
            self.row(trace, index)
        done = {step.id for step in trace.steps}
        off = [stage.id for stage in trace.pipeline.stages if not stage.enabled and stage.id not in done]
        later = [stage.id for stage in trace.pipeline.running() if stage.id not in done]
        for label, ids in (("not run", later), ("off", off)):
            if ids:
                self.screen.line((f"{label}: {', '.join(ids)}", "dim"), hang=len(label) + 2)

    def row(self, trace: Trace, index: int) -> None:
        """One step: its changes in numbers, and under it every cause and note."""
        changes = trace.changes(index)
        step = trace.steps[index]
        after = trace.tokens_of(step.after)
        delta = after - trace.tokens_of(step.before)
        words = f"failed: {step.error}" if step.error else changes.summary
        words = f"by hand: {words}" if step.edited else words
        numbers = (
            f"{len(step.after.drafts):>8,}  {after:>7,}  {f'{delta:+,}' if delta else '=':>8}  {_ms(step.seconds):>7}"
        )
        first, *rest = self._lines(harmless(words))
        quiet = "dim" if not changes and not changes.decided and not step.error else ""
        style = "bad" if step.error else quiet
        id = (f"{harmless(step.id):<{self.names}}  ", quiet or "step")
        if self.stacked:  # too narrow for words beside the numbers
            self.screen.line(id, (numbers, quiet))
            self.screen.line("  ", (first, style))
        else:
            self.screen.line(id, (f"{first:<{self.room}}  ", style), (numbers, quiet))
        for line in rest:
            self.screen.line("  " if self.stacked else f"{'':<{self.names}}  ", (line, style))
        for group in changes.dropped:
            self._dropped(trace, group)
        notes(self.screen, changes.notes, indent=2)

    def _lines(self, words: str) -> list[str]:
        if not self.screen.wraps:
            return [words]
        return [line.plain for line in wrapped(Text(words), self.room)]

    def _dropped(self, trace: Trace, group: Dropped) -> None:
        count = trace.services.tokenizer.count_draft
        tokens = sum(count(draft) for draft in group.drafts)
        self.screen.line(("  − ", "cause"), (harmless(str(group.cause)), "cause"), hang=4)
        lost = f"    {counted(len(group.drafts), 'message')}, {counted(tokens, 'token')}: "
        self.screen.line((lost + self._named(group.drafts, self.screen.width - len(lost)), "dim"), hang=4)

    def _named(self, drafts: Sequence[Draft], room: int) -> str:
        """The first words of the first few, as many as there is room for."""
        shown = max(1, min(NAMED, len(drafts), (room - 9) // (NARROWEST + 3)))
        more = f" · {len(drafts) - shown:,} more" if len(drafts) > shown else ""
        each = (room - len(more) - 3 * (shown - 1)) // shown
        return " · ".join(first_words(draft, min(each, WIDEST)) for draft in drafts[:shown]) + more


def first_words(draft: Draft, cells: int) -> str:
    """A message's short name and its first words, as wide as given."""
    name = short_key(draft.key)
    return f"{name} {words_of(draft, max(10, cells - len(name) - 1))}"


def words_of(draft: Draft, cells: int) -> str:
    """The first words of a message in quotes, or its calls or files when it has no text."""
    if draft.text or not (draft.calls or draft.assets):
        return quoted(str(draft.text), cells)
    names = [f"calls {call.name}" for call in draft.calls] or [asset.name or asset.kind for asset in draft.assets]
    return one_line(", ".join(names), cells=cells)


def short_key(key: str) -> str:
    """`u8` for `node:u8`; other keys as they are."""
    return harmless(key.removeprefix("node:"))


def _ms(seconds: float) -> str:
    ms = seconds * 1000
    return f"{ms:.1f}" if ms < 100 else f"{ms:,.0f}"


# --- the token bar

# Each source has a block of its own, so that the bar reads without colour.
BLOCKS = {**{source.name: source.block for source in SOURCES}, "free": "·"}
WIDEST_BAR = 100


def spent(trace: Trace) -> dict[str, int]:
    """Tokens of the result as the bar draws them; they add up to `trace.tokens`."""
    found = dict.fromkeys(BLOCKS, 0)
    for source, tokens in spending(trace).tokens.items():
        if source not in ROOM:
            found[OF_PART[source]] += tokens
    return {kind: tokens for kind, tokens in found.items() if tokens > 0}


def bar(screen: Screen, trace: Trace) -> None:
    """The prompt as one row of blocks, free tokens at the end, with the name of each block."""
    tokens = spent(trace)
    total = sum(tokens.values())
    budget = budget_of(trace)
    if budget is not None and budget > total:
        tokens["free"] = budget - total
    width = min(screen.width - 1, WIDEST_BAR)
    row = Text(end="")
    for kind, cells in _cells(tokens, width).items():
        row.append(BLOCKS[kind] * cells, f"source.{kind}")
    screen.line(row)
    legend = [
        Text.assemble((f"{BLOCKS[kind]} ", f"source.{kind}"), f"{_title(kind)} ", (f"{n:,}", "strong"))
        for kind, n in tokens.items()
    ]
    screen.flow(legend, gap="  ")


def _title(kind: str) -> str:
    return BY_NAME[kind].title if kind in BY_NAME else kind


def _cells(tokens: dict[str, int], width: int) -> dict[str, int]:
    """Cells of each kind, at least one each; the largest remainders get the rest, so that the width is filled."""
    total = sum(tokens.values())
    exact = {kind: n * width / total for kind, n in tokens.items()}
    cells = {kind: max(1, int(share)) for kind, share in exact.items()}
    while (left := width - sum(cells.values())) != 0:
        step = 1 if left > 0 else -1
        kind = max(cells, key=lambda kind: step * (exact[kind] - cells[kind]) if cells[kind] + step > 0 else -width)
        cells[kind] += step
    return cells


# --- variables

WHOSE = {"conversation": "this conversation", "everywhere": "everywhere", "session": "<svar> tags"}
WIDEST_VALUE = 40


def variables(screen: Screen, values: Sequence[VariableValue], *, step: str) -> None:
    """One line a variable, with the value before for those that the step changed."""
    changed = [value for value in values if value.changed]
    head = f"{len(values):,} {'variable' if len(values) == 1 else 'variables'}"
    words = f"{len(changed):,} changed by {harmless(step)}" if changed else f"none changed by {harmless(step)}"
    screen.line((head, "strong"), (f"; {words}", ""))
    titles = [
        Column(""),
        Column("name", style="strong"),
        Column("before", style="dim"),
        Column("after"),
        Column("kept for", style="dim"),
    ]
    rows = [
        (
            "~" if value.changed else " ",
            one_line(value.name, cells=WIDEST_VALUE),
            _shown(value.before) if value.changed else "",
            _shown(value.after),
            WHOSE.get(value.scope, value.scope),
        )
        for value in sorted(values, key=lambda value: not value.changed)
    ]
    columns(screen, titles, rows)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return one_line(text, cells=WIDEST_VALUE)
