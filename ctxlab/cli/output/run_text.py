"""A run as text: its head, the table of steps with their changes and causes, notes and losses, token bar, variables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from ctxlab.cli.output.option_names import in_option_names, with_timestamp_option
from ctxlab.cli.output.terminal import Screen, harmless, one_line, quoted, wrapped
from ctxlab.context import BuildInput, Draft, Dropped
from ctxlab.context.file_words import name_of
from ctxlab.display.short_texts import counted
from ctxlab.documents import ModelProfile, Note
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.affordable_counts import NOT_COUNTED, AffordableCounts, shown
from ctxlab.pipeline.services import TokenCounter
from ctxlab.pipeline.trace import Step
from ctxlab.processors import TokenLimiter
from ctxlab.providers import tokenizer_for
from ctxlab.providers.tokenizers import counted_model
from ctxlab.studies.estimate_words import REMEDY, estimate_note

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
    name = f"{session.name} ({session.id})" if session.name and session.name != session.id else session.id or "unnamed"
    pairs = [
        ("session", name),
        ("leaf", f"{build_input.leaf_id or 'none'}, message {path}" if path else "none"),
        ("agent", agent.shown_name or agent.id if agent else "none"),
        *([("user", user.shown_name)] if user else []),
        ("model", (model.name or model.id) if model else "none"),
        ("tokenizer", tokenizer_words(trace)),
        ("budget", budget_words(trace)),
    ]
    screen.flow([Text.assemble((f"{label} ", "label"), (one_line(value), "strong")) for label, value in pairs])


def tokenizer_words(trace: Trace) -> str:
    """The tokenizer of a run with the model that it is for, and whether its counts are exact for that one."""
    build_input, counter = trace.start.input, trace.services.tokenizer
    of_file = counted_model(build_input.agent) if build_input.model is None else None
    words = counter_words(counter, build_input.model, of_file)
    if trace.estimated and not counter.estimated:
        return f"{words}, but what a file costs is estimated"
    return words


def counter_words(counter: TokenCounter, model: ModelProfile | None, of_file: str | None = None) -> str:
    """`cl100k_base [exact for gpt-4-turbo, which the preset names]`; `of_file` is a model that only a file names."""
    is_own = counter.name == tokenizer_for(model if model is not None else of_file).name
    name = (model.name or model.id) if model is not None else of_file
    if not is_own:
        return f"{counter.name} [not the one of {name}]" if name else f"{counter.name} [no model is named]"
    if not name:
        return f"{counter.name} [exact for this encoding; no model is named]"
    whose = f"{name}, which the preset names" if model is None else name
    return f"{counter.name} [{'estimated' if counter.estimated else 'exact'} for {whose}]"


def sent_before(screen: Screen, build_input: BuildInput) -> None:
    """A line that says which leaf is the prompt of the last answer, where the path of a session ends with one."""
    if build_input.leaf is not None or build_input.pending is not None:
        return
    path = [node for node in build_input.session.path(build_input.leaf_id) if not node.is_empty_root]
    if len(path) < 2 or path[-1].role != "assistant":
        return
    answer, question = harmless(path[-1].id), harmless(path[-2].id)
    screen.line((f"· {answer} is an answer: this is what would follow it; --leaf {question} was sent for it", "dim"))


def budget_of(trace: Trace) -> int | None:
    """Tokens that the limiter keeps to; None when nothing limits it, or when it is off or didn't run yet."""
    report = trace.result.report(BudgetReport)
    return report.budget_tokens if report is not None else None


def budget_words(trace: Trace) -> str:
    row = next((row for row in trace.pipeline.as_data() if row["id"] == TokenLimiter.id), None)
    if row is None or not row["enabled"]:
        return "none, the limiter is off"
    setting = row["settings"]["budget_tokens"]
    tokens = budget_of(trace)
    tokens = setting["value"] if tokens is None else tokens
    if tokens is None:
        return "none"
    source = {"call": "", "default": ", the model's window"}.get(setting["layer"], f", the {setting['layer']}'s")
    return f"{tokens:,}{source}"


def losses(screen: Screen, found: Sequence[str], *, during: str = "reading") -> None:
    for loss in found[:MOST_LOSSES]:
        words = harmless(in_option_names(loss))
        screen.line(("! ", "warn"), (f"lost in {during}: {words}", "warn"), hang=2)
    if len(found) > MOST_LOSSES:
        screen.line((f"! and {len(found) - MOST_LOSSES:,} more losses in {during}", "warn"))


def notes(screen: Screen, found: Sequence[Note], *, indent: int = 0) -> None:
    for note in found:
        style = STYLES[note.level]
        mark = f"{' ' * indent}{MARKS[note.level]} "
        screen.line((mark, style), (harmless(with_timestamp_option(note.text)), style), hang=len(mark))


def estimate(screen: Screen, trace: Trace) -> None:
    """A line that says how far off an estimated count may be; none where it is exact."""
    note = estimate_note(trace)
    if note is not None:
        notes(screen, [Note(note.level, note.text.replace(REMEDY, f"--set {REMEDY}"))])


class Steps:
    """The table of steps. Rows can be printed one by one, as the debugger does."""

    def __init__(self, screen: Screen, trace: Trace) -> None:
        self.screen = screen
        self._counts: tuple[Trace, AffordableCounts] | None = None
        self.names = max(len(id) for id in ("step", *trace.pipeline.ids))
        self.stacked = screen.wraps and screen.width < self.names + STACKED_BELOW
        self.room = max(12, min(WIDEST, screen.width - self.names - 42)) if not self.stacked else screen.width - 4

    def head(self) -> None:
        titles = f"{'messages':>8}  {'tokens':>7}  {'+/-':>8}  {'ms':>7}"
        did = "" if self.stacked else f"{'what it did':<{self.room}}  "
        self.screen.line((f"{'step':<{self.names}}  {did}{titles}", "label"))

    def all(self, trace: Trace) -> None:
        """Every step of the trace, then those that are off or not run yet."""
        if not self.screen.wraps:  # nothing is cut there, so that columns stand in line only if words have room
            longest = max((cell_len(_did(trace, index)) for index in range(len(trace.steps))), default=0)
            self.room = max(self.room, min(WIDEST, longest))
        self.head()
        for index in range(len(trace.steps)):
            self.row(trace, index)
        done = {step.id for step in trace.steps}
        off = [stage.id for stage in trace.pipeline.stages if not stage.enabled and stage.id not in done]
        later = [stage.id for stage in trace.pipeline.running() if stage.id not in done]
        for label, ids in (("not run", later), ("off", off)):
            if ids:
                self.screen.line((f"{label}: {', '.join(ids)}", "dim"), hang=len(label) + 2)
        if any(self._counts_of(trace).tokens_of(step.after.drafts) is None for step in trace.steps):
            self.screen.line((f"{NOT_COUNTED}: too much to count by the way; `ctxlab ledger` counts all of it", "dim"))

    def row(self, trace: Trace, index: int) -> None:
        """One step: its changes in numbers, and under it every cause and note."""
        changes = trace.changes(index)
        step = trace.steps[index]
        counts = self._counts_of(trace)
        before, after = counts.context_tokens(step.before.drafts), counts.context_tokens(step.after.drafts)
        numbers = (
            f"{len(step.after.drafts):>8,}  {shown(after):>7}  {_delta(step, before, after):>8}  {_ms(step.seconds):>7}"
        )
        first, *rest = self._lines(_did(trace, index))
        quiet = "dim" if not changes and not changes.decided and not step.error else ""
        style = "bad" if step.error else quiet
        id = (f"{harmless(step.id):<{self.names}}  ", quiet or "step")
        if self.stacked:  # too narrow for words beside the numbers
            self.screen.line(id, (numbers, quiet))
            self.screen.line("  ", (first, style))
        else:
            self.screen.line(id, (f"{first}{' ' * max(0, self.room - cell_len(first))}  ", style), (numbers, quiet))
        for line in rest:
            self.screen.line("  " if self.stacked else f"{'':<{self.names}}  ", (line, style))
        for group in changes.dropped:
            self._dropped(trace, group)
        notes(self.screen, changes.notes, indent=2)

    def _counts_of(self, trace: Trace) -> AffordableCounts:
        if self._counts is None or self._counts[0] is not trace:
            self._counts = (trace, AffordableCounts(trace))
        return self._counts[1]

    def _lines(self, words: str) -> list[str]:
        if not self.screen.wraps:
            return [words]
        return [line.plain for line in wrapped(Text(words), self.room)]

    def _dropped(self, trace: Trace, group: Dropped) -> None:
        tokens = self._counts_of(trace).tokens_of(group.drafts)
        self.screen.line(("  − ", "cause"), (harmless(str(group.cause)), "cause"), hang=4)
        many = "not counted" if tokens is None else counted(tokens, "token")
        lost = f"    {counted(len(group.drafts), 'message')}, {many}: "
        self.screen.line((lost + self._named(group.drafts, self.screen.width - len(lost)), "dim"), hang=4)

    def _named(self, drafts: Sequence[Draft], room: int) -> str:
        """The first words of the first few, as many as there is room for."""
        shown = max(1, min(NAMED, len(drafts), (room - 9) // (NARROWEST + 3)))
        more = f" · {len(drafts) - shown:,} more" if len(drafts) > shown else ""
        each = (room - len(more) - 3 * (shown - 1)) // shown
        return " · ".join(first_words(draft, min(each, WIDEST)) for draft in drafts[:shown]) + more


def _did(trace: Trace, index: int) -> str:
    """Words for one step's changes, by hand or failed where it was."""
    step = trace.steps[index]
    words = f"failed: {step.error}" if step.error else trace.changes(index).summary
    return harmless(f"by hand: {words}" if step.edited else words)


def first_words(draft: Draft, cells: int) -> str:
    """A message's short name and its first words, as wide as given."""
    name = short_key(draft.key)
    return f"{name} {words_of(draft, max(10, cells - len(name) - 1))}"


def words_of(draft: Draft, cells: int) -> str:
    """The first words of a message in quotes, or its calls or files when it has no text."""
    if draft.text or not (draft.calls or draft.assets):
        return quoted(str(draft.text), cells)
    names = [f"calls {call.name}" for call in draft.calls] or [name_of(asset) for asset in draft.assets]
    return one_line(", ".join(names), cells=cells)


def short_key(key: str) -> str:
    """`u8` for `node:u8`; other keys as they are."""
    return harmless(key.removeprefix("node:"))


def _delta(step: Step, before: int | None, after: int | None) -> str:
    """The change of tokens by a step: `=` for nothing."""
    if step.before.drafts is step.after.drafts:
        return "="
    if before is None or after is None:
        return NOT_COUNTED
    return f"{after - before:+,}" if after != before else "="


def _ms(seconds: float) -> str:
    ms = seconds * 1000
    return f"{ms:.1f}" if ms < 100 else f"{ms:,.0f}"
