"""The messages of a run as rows in sent order, those that were cut in the places where they stood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from ctxlab.context import Context, Draft
from ctxlab.display.one_line import plain
from ctxlab.engines.truncation import BudgetReport
from ctxlab.engines.worldbook.explain import LORE, decisions
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.processors.injection.presets import presets_of
from ctxlab.prompt import BuiltMessage, RunFacts, TokenCounter
from ctxlab.prompt.built_message import SEAMS
from ctxlab_widgets.token_budget.units import Units, limiter_step

KEPT, PROTECTED, SHORTENED, CUT = "k", "p", "s", "c"
MOST_HELD = 20_000
ID_SHOWN = 10
"""Longer ids say nothing to a person."""
WORDS = 48


@dataclass(frozen=True, slots=True, eq=False)
class BudgetRow:
    """One message as it last stood alone; `tokens` are by look and without the overhead of its frame.

    What it costs that the text of files meets the message's own words is counted with the larger of both.
    """

    draft: Draft
    look: str
    tokens: tuple[tuple[str, int], ...]

    @property
    def key(self) -> str:
        return self.draft.key


@dataclass(frozen=True, slots=True, eq=False)
class BudgetRows:
    """Messages in their order, and a letter for the state of each."""

    all: list[BudgetRow]
    states: str

    def __iter__(self) -> Iterator[tuple[BudgetRow, str]]:
        return zip(self.all, self.states, strict=True)


@dataclass(slots=True)
class RowCache:
    """Rows that were made before: other budgets leave most messages as they are."""

    counter: object = None
    rows: dict[int, BudgetRow] = field(default_factory=dict[int, BudgetRow])

    def rows_of(self, trace: Trace, units: Units | None) -> BudgetRows:
        """Sent messages and those cut by the limiter, in one order."""
        if trace.services.tokenizer is not self.counter or len(self.rows) > MOST_HELD:
            self.counter, self.rows = trace.services.tokenizer, {}
        messages = trace.prompt.messages
        sent = [*dict.fromkeys(part.alone or message.draft for message in messages for part in message.joined)]
        cut, shortened = _cut_after(trace, {draft.key for draft in sent}), _shortened(trace)
        free = units.at if units is not None else {}
        drafts = cut.pop("", [])
        states = [CUT] * len(drafts)
        for draft in sent:
            drafts.append(draft)
            states.append(SHORTENED if draft.key in shortened else KEPT if draft.key in free else PROTECTED)
            if draft.key in cut:
                gone = cut.pop(draft.key)
                drafts += gone
                states += CUT * len(gone)
        return BudgetRows([self._row(draft, trace.services.tokenizer) for draft in drafts], "".join(states))

    def _row(self, draft: Draft, counter: TokenCounter) -> BudgetRow:
        held = self.rows.get(id(draft))
        if held is None:
            found: dict[str, int] = {}
            joins = 0
            message = BuiltMessage(draft, RunFacts(counter))
            for each in message.parts:
                if each.source == SEAMS:
                    joins += each.tokens
                elif each.tokens:
                    found[each.look] = found.get(each.look, 0) + each.tokens
            if joins:  # a stretch of a bar can't be less than nothing
                found[max(found, key=lambda look: found[look])] += joins
            held = self.rows[id(draft)] = BudgetRow(draft, message.joined[0].look, tuple(found.items()))
        return held


def _cut_after(trace: Trace, sent: set[str]) -> dict[str, list[Draft]]:
    """Messages cut by the limiter, by the key of the nearest sent message before each; "" where there is none."""
    step = limiter_step(trace)
    found: dict[str, list[Draft]] = {}
    if step is None:
        return found
    gone = {
        draft.key
        for group in step.after.dropped[len(step.before.dropped) :]
        if group.needed is not None
        for draft in group.drafts
    }
    last = ""
    for draft in step.before.drafts:
        if draft.key in gone:
            found.setdefault(last, []).append(draft)
        elif draft.key in sent:
            last = draft.key
    return found


def _shortened(trace: Trace) -> set[str]:
    step = limiter_step(trace)
    report = step.after.report(BudgetReport) if step is not None else None
    if step is None or report is None or not report.shortened:
        return set()
    was = {draft.key: draft for draft in step.before.drafts}
    return {
        draft.key
        for draft in step.after.drafts
        if (old := was.get(draft.key)) is not None and len(draft.text) != len(old.text)
    }


# --- what they are called


@dataclass(slots=True)
class MessageLabels:
    """Short labels of messages, and the step that put each there; found once for each message."""

    input: Any = None
    titles: dict[str, str] = field(default_factory=dict[str, str])
    found: dict[int, tuple[Draft, str]] = field(default_factory=dict[int, tuple[Draft, str]])
    steps: dict[str, int] = field(default_factory=dict[str, int])
    known: set[int] = field(default_factory=set[int])
    contexts: list[Context] = field(default_factory=list[Context])

    def begin(self, trace: Trace) -> None:
        """Take over a run, and forget what belongs to another conversation."""
        if trace.start is not self.input:
            self.input = trace.start
            self.found, self.steps = {}, {}
            self.known, self.contexts = set(), []
            self.titles = {preset.key: preset.node.name for preset in presets_of(trace.start.input) if preset.node.name}
        self.titles |= {one.key: one.title for one in decisions(trace.result) if one.title}
        for place, step in enumerate(trace.steps):
            self._met(place, step.after)

    def _met(self, place: int, context: Context) -> None:
        if id(context) in self.known:
            return
        for draft in context.drafts:
            self.steps.setdefault(draft.key, place)
        if len(self.contexts) < 100:  # kept alive: their ids would be given to others
            self.known.add(id(context))
            self.contexts.append(context)

    def of(self, draft: Draft) -> str:
        """Its title, else its id where a person can say it and its first words."""
        held = self.found.get(id(draft))
        if held is None:
            held = self.found[id(draft)] = (draft, self._made(draft))
        return held[1]

    def short(self, draft: Draft) -> str:
        """The label in as few words as a sentence can take."""
        name = plain(self._title(draft), 24) or _id(draft)
        return name or f"“{plain(self.of(draft), 20)}”"

    def _made(self, draft: Draft) -> str:
        return plain(self._title(draft) or f"{_id(draft)} {_words(draft)}".strip(), WORDS) or draft.role

    def _title(self, draft: Draft) -> str:
        return self.titles.get(draft.key.partition("@")[0], "")


def _id(draft: Draft) -> str:
    kind, _, name = draft.key.partition(":")
    if kind == LORE:
        return f"{kind}/{plain(name.rpartition('/')[2], ID_SHOWN)}"
    shown = name if kind == "node" else draft.key
    return plain(shown) if shown and len(shown) <= (ID_SHOWN if kind == "node" else 2 * ID_SHOWN) else ""


def _words(draft: Draft) -> str:
    text = draft.text
    head = str(text.cut(0, 4 * WORDS)) if len(text) > 4 * WORDS else str(text)
    if head.strip():
        return head
    calls = ", ".join(call.name for call in draft.calls[:4])
    files = ", ".join(asset.name or asset.kind for asset in draft.assets[:4])
    return " ".join(words for words in (calls and f"calls {calls}", files) if words)


def rows_json(rows: Sequence[BudgetRow], labels: MessageLabels, units: Units | None) -> Iterator[list[Any]]:
    """Each row for the page: [key, label, look, [[look, tokens], ...], step, unit, pinned], short of its state."""
    at = units.at if units is not None else {}
    for row in rows:
        tokens = [[look, n] for look, n in row.tokens]
        place, unit = labels.steps.get(row.key, -1), at.get(row.key, -1)
        yield [row.key, labels.of(row.draft), row.look, tokens, place, unit, int(row.draft.pinned)]
