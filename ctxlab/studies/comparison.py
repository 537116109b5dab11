"""Several runs side by side: the outcome of each message in each run, with its cause."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import AssetRef, Draft
from ctxlab.context.file_words import files_otherwise, name_of, route_words
from ctxlab.display.data_frame import frame_of
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, short
from ctxlab.display.theme import ThemeName
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.row_keys import row_keys
from ctxlab.prompt.built_message import source_of
from ctxlab.prompt.merged_parts import is_seam
from ctxlab.studies.message_outcomes import Move, Outcome, Outcomes, in_one_order, typed

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

State = Literal["kept", "moved", "shortened", "rewritten", "only here", "cut", "not there"]
STATES: tuple[State, ...] = ("kept", "moved", "shortened", "rewritten", "only here", "cut", "not there")
SHOWN_RUNS = 8
SIGNS: Mapping[State, str] = {
    "kept": "=",
    "moved": "↔",
    "shortened": "…",
    "rewritten": "≠",
    "only here": "+",
    "cut": "×",
    "not there": "–",
}
PART_OF = "sent as a part of"
COLUMNS = ("key", "role", "source", "words")
TOTALS = (
    *("run", "messages", "tokens", "cut_messages", "cut_tokens", "left_out_messages", "left_out_tokens"),
    *("shortened_messages", "budget", "strategy"),
)


class NamedRun(Protocol):
    """A run with a name, such as an item of a page's history of runs."""

    @property
    def name(self) -> str: ...

    @property
    def trace(self) -> Trace: ...


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One message in one run. `cause` is a sentence, empty where nothing happened to it; `tokens` are its own.

    `draft` is the message as it last stood alone in this run, sent or not; None where the run never had it.
    """

    state: State
    cause: str = ""
    tokens: int = 0
    draft: Draft | None = None

    @property
    def is_sent(self) -> bool:
        return self.state not in ("cut", "not there")


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonLine:
    """One message in all runs. Runs that do the same with it have the same number in `groups`; the first run has 0."""

    key: str
    role: str
    source: str
    words: str
    cells: tuple[Cell, ...]
    groups: tuple[int, ...]

    @property
    def differs(self) -> bool:
        """Whether the runs don't all do the same with it."""
        return any(self.groups)

    def __repr__(self) -> str:
        return f"ComparisonLine({self.key!r}, {', '.join(cell.state for cell in self.cells)})"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Runs aligned message by message, in the order of the conversation; falsy when nothing differs.

    Messages of different conversations have different lines, whatever their ids: the id of the session goes before the
    key, as in `airline-2/node:m1`. Versions of one conversation, edited or with other branches, are aligned by ids, and
    where these are others by what messages say; so are presets of one agent, lore and knowledge in all runs.

    States: *kept*, sent as it is elsewhere; *moved*, sent at another place than in the run that has most messages;
    *shortened*, sent up to some character; *rewritten*, sent with other words than were typed and than another run
    sends; *only here*, no other run ever had it; *cut*, taken out with a cause; *not there*, this run never had it.
    What every run left out before anything was cut has no line. A message that was joined with others has its own line.
    """

    traces: Mapping[str, Trace]
    lines: tuple[ComparisonLine, ...]

    def __bool__(self) -> bool:
        return any(line.differs for line in self.lines)

    def __iter__(self) -> Iterator[ComparisonLine]:
        return iter(self.lines)

    def __repr__(self) -> str:
        differing = sum(line.differs for line in self.lines)
        runs = ", ".join([short(name) for name in list(self.traces)[:SHOWN_RUNS]]) or "nothing"
        more = f" and {len(self.traces) - SHOWN_RUNS:,} more" if len(self.traces) > SHOWN_RUNS else ""
        return f"Comparison({runs}{more}: {counted(len(self.lines), 'message')}, {differing:,} differ)"

    def _repr_html_(self) -> str:
        from ctxlab.studies.html import comparison_html

        return comparison_html(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("comparison", self)

    def frame(self) -> pd.DataFrame:
        """One row a message: key, role, source and first words, then its state in each run, a column each."""
        return self._frame(self.lines, "state")

    def causes(self) -> pd.DataFrame:
        """Rows and columns as in `frame`, with the cause as a sentence, empty where nothing happened."""
        return self._frame(self.lines, "cause")

    def changes(self) -> pd.DataFrame:
        """The rows of the frame that are not the same in all runs."""
        return self._frame([line for line in self.lines if line.differs], "state")

    def totals(self) -> pd.DataFrame:
        """One row a run: what is sent, what was cut of the lines here, and within which budget.

        `left_out_messages` have no line here: every run left them out before anything was cut, such as those that are
        switched off. Both sums are with the overhead of messages, as in `trace.cuts()`, which has a row for each.
        """
        rows = ({"run": name, **row} for name, row in zip(self.traces, self.total_rows(), strict=True))
        return frame_of(rows, TOTALS).astype({"budget": "Int64"})

    def total_rows(self) -> list[dict[str, Any]]:
        """The totals as dicts, one a run."""
        traces = list(self.traces.values())
        there = {line.key for line in self.lines}
        keys = row_keys([trace.start.input for trace in traces])
        left_out = [_left_out(trace, row_key, there) for trace, row_key in zip(traces, keys, strict=True)]
        return [self._total(i, trace, left_out[i]) for i, trace in enumerate(traces)]

    def equal_runs(self) -> tuple[int, ...]:
        """For each run the number of the first one that does the same with every message, within as many tokens."""
        tokens = [trace.tokens for trace in self.traces.values()]
        does = [(n, *[line.groups[i] for line in self.lines]) for i, n in enumerate(tokens)]
        first = {each: i for i, each in reversed(list(enumerate(does)))}
        return tuple([first[each] for each in does])

    @checked_arguments
    def figure(self, theme: ThemeName = "light") -> go.Figure:
        """One row a run, one column a message, a colour and a sign for each state; long stretches alike are folded."""
        from ctxlab.studies.comparison_figure import comparison_figure

        return comparison_figure(self, theme)

    def _frame(self, lines: Sequence[ComparisonLine], field: str) -> pd.DataFrame:
        columns = (*COLUMNS, *self.traces)
        rows = (
            (line.key, line.role, line.source, line.words, *(getattr(cell, field) for cell in line.cells))
            for line in lines
        )
        return frame_of((dict(zip(columns, row, strict=True)) for row in rows), columns)

    def _total(self, i: int, trace: Trace, gone: Sequence[Draft]) -> dict[str, Any]:
        report, count = trace.result.report(BudgetReport), trace.services.tokenizer.count_draft
        cut = [line.cells[i].tokens for line in self.lines if line.cells[i].state == "cut"]
        left_out = [count(draft) for draft in gone]
        return {
            "messages": len(trace.result.drafts),
            "tokens": trace.tokens,
            "cut_messages": len(cut),
            "cut_tokens": sum(cut),
            "left_out_messages": len(left_out),
            "left_out_tokens": sum(left_out),
            "shortened_messages": sum(line.cells[i].state == "shortened" for line in self.lines),
            "budget": report.budget_tokens if report is not None else None,
            "strategy": report.strategy if report is not None else "",
        }


def _left_out(trace: Trace, row_key: Callable[[str], str], there: Container[str]) -> list[Draft]:
    """The messages that a run left out and that have no line: every run did, before anything was cut."""
    dropped = (draft for group in trace.result.dropped for draft in group.drafts)
    return [draft for draft in dropped if not any(row_key(part.key) in there for part in draft.parts)]


@checked_arguments
def compare(traces: Mapping[str, Trace] | Sequence[NamedRun]) -> Comparison:
    """Runs by name, side by side: which messages each sends, cuts, shortens, rewrites and moves.

    They may differ in anything: strategy, budget, agent, leaf, version of the session. Runs of different conversations
    share nothing but presets and lore. A list holds values with a `name` and a `trace`; a name that comes again gets a
    number.
    """
    traces = runs_by_name(traces)
    taken = [name for name in traces if name in COLUMNS]
    if taken:
        raise CtxlabError(f"a run can't be named {taken[0]!r}: the frame has a column of this name")
    keys = row_keys([trace.start.input for trace in traces.values()])
    runs = [Outcomes(trace, row_key) for trace, row_key in zip(traces.values(), keys, strict=True)]
    order = in_one_order([*(run.before for run in runs), *(run.sent for run in runs)])
    moves = [run.moved(order) for run in runs]
    lines = [_Line(key, runs, moves).line() for key in order]
    return Comparison(traces, tuple(lines))


def runs_by_name(runs: Mapping[str, Trace] | Sequence[NamedRun]) -> dict[str, Trace]:
    """The runs by name; of a list's equal names the second is `name 2`.

    >>> from typing import NamedTuple
    >>> Run = NamedTuple("Run", [("name", str), ("trace", object)])
    >>> list(runs_by_name([Run("as opened", None), Run("Mood at 1", None), Run("as opened", None)]))
    ['as opened', 'Mood at 1', 'as opened 2']
    """
    if isinstance(runs, Mapping):
        return dict(runs)
    found: dict[str, Trace] = {}
    for run in runs:
        name, n = run.name, 2
        while name in found:
            name, n = f"{run.name} {n}", n + 1
        found[name] = run.trace
    return found


class _Line:
    """Builds one line: the outcomes of a message in all runs, and whether they differ."""

    def __init__(self, key: str, runs: Sequence[Outcomes], moves: Sequence[Mapping[str, Move]]) -> None:
        self.key = key
        self.runs = runs
        self.outcomes = [run.by_key.get(key) for run in runs]
        self.moves = [moved.get(key) for moved in moves]
        self.sent = [outcome for outcome in self.outcomes if outcome is not None and outcome.is_sent]
        self.all_say_the_same = len({str(outcome.draft.text) for outcome in self.sent}) < 2

    def line(self) -> ComparisonLine:
        known = [outcome for outcome in self.outcomes if outcome is not None]
        first = next((outcome for outcome in known if outcome.shortening is None), known[0])
        cells = tuple([self._cell(i) for i in range(len(self.outcomes))])
        signs = [self._outcome(i, cell) for i, cell in enumerate(cells)]
        words = plain(str(first.draft.text)) or ", ".join(call.name for call in first.draft.calls)
        groups = tuple([signs.index(sign) for sign in signs])
        return ComparisonLine(self.key, first.draft.role, source_of(first.draft), words, cells, groups)

    def _cell(self, i: int) -> Cell:
        outcome = self.outcomes[i]
        if outcome is None:
            return Cell("not there")
        state, cause = self._state(i, outcome)
        return Cell(state, cause, self.runs[i].trace.services.tokenizer.count_draft(outcome.draft), outcome.draft)

    def _state(self, i: int, outcome: Outcome) -> tuple[State, str]:
        if not outcome.is_sent:
            return "cut", str(outcome.cause)
        shortening = outcome.shortening
        if len(self.outcomes) > 1 and all(other is None for j, other in enumerate(self.outcomes) if j != i):
            return "only here", ""
        if shortening is not None:
            return "shortened", str(shortening)
        if not self.all_say_the_same and str(outcome.draft.text) != typed(self._first().draft.text):
            return "rewritten", "; ".join([self._why_rewritten(outcome), *self._files_told(outcome)])
        move = self.moves[i]
        if move is not None:
            return "moved", _with_place(outcome, move.sentence)
        return "kept", self._how_sent(i, outcome)

    def _outcome(self, i: int, cell: Cell) -> tuple[object, ...]:
        """The values that are equal when two runs did the same with the message."""
        outcome, move = self.outcomes[i], self.moves[i]
        if outcome is None or outcome.whole is None:
            return (cell.state,)
        draft, whole = outcome.draft, outcome.whole
        files = tuple(_sent_file(asset) for asset in draft.assets)
        place = move.above if move is not None else ""
        fields = (str(draft.text), draft.speaker, draft.calls, draft.result_of, draft.reasoning, files)
        return (cell.state, place, self._join(i, whole), whole.role, *fields)

    def _first(self) -> Outcome:
        return next(outcome for outcome in self.outcomes if outcome is not None)

    def _why_rewritten(self, outcome: Outcome) -> str:
        causes = dict.fromkeys(str(span.cause) for span in outcome.draft.text.spans if span.cause)
        return "; ".join(causes) or "other words than in another run"

    def _how_sent(self, i: int, outcome: Outcome) -> str:
        """The role or the joins of a message, where they differ in another run."""
        parts: list[str] = []
        whole = outcome.whole
        if whole is None:
            return ""
        if len({other.whole.role for other in self.sent if other.whole}) > 1:
            parts.append(f"sent in the role {whole.role}")
        joins = {self._join(j, other.whole) for j, other in enumerate(self.outcomes) if other and other.whole}
        into, separators = self._join(i, whole)
        if separators is not None and len(joins) > 1:
            parts.append(f"{PART_OF} {into}")
            if len({each for _, each in joins if each}) > 1:
                parts.append(f"joined by {', '.join(map(repr, separators))}")
        here = self.outcomes[i]
        parts += self._files_otherwise(here.draft) if here is not None else []
        return "; ".join(parts)

    def _files_told(self, outcome: Outcome) -> list[str]:
        """Its files that go otherwise than in the first run that sends it; of that run those that others don't have."""
        if outcome is self.sent[0]:
            return self._files_otherwise(outcome.draft)
        told = files_otherwise(self.sent[0].draft, outcome.draft)
        return [told] if told else []

    def _files_otherwise(self, draft: Draft) -> list[str]:
        """Its files that go otherwise in another run, or not as files there."""
        others = [{_sent_file(asset) for asset in other.draft.assets} for other in self.sent]
        return [
            f"{name_of(asset)} {route_words(asset.route) or 'goes as it is'}"
            for asset in draft.assets
            if not all(_sent_file(asset) in other for other in others)
        ]

    def _join(self, i: int, whole: Draft) -> tuple[str, tuple[str, ...] | None]:
        """The merged message and its separators; None for the first part, which keeps the message's own key."""
        into = self.runs[i].row_key(whole.key)
        return into, _separators(whole) if into != self.key else None


def _with_place(outcome: Outcome, sentence: str) -> str:
    placed = str(outcome.draft.placement or "")
    return f"{placed}: {sentence}" if placed else sentence


def _sent_file(asset: AssetRef) -> tuple[object, ...]:
    """A key that is equal when two runs send a file alike: the file, and how the model gets it, whatever the reason."""
    route = asset.route
    return (asset.id, *((route.kind, route.width, route.height) if route is not None else ()))


def _separators(whole: Draft) -> tuple[str, ...]:
    return tuple(sorted({span.text for span in whole.text.spans if is_seam(span)}))
