"""The way of the tokens of many runs: from their source to what is sent, or to the step that cut them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from ctxlab.argument_checks import checked_arguments, shown
from ctxlab.context import Draft
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.display.source_styles import OVERHEAD, PARTS, ROOM
from ctxlab.display.theme import ThemeName
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Step, Trace
from ctxlab.prompt import BuiltMessage, RunFacts, TokenCounter

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

FlowKind = Literal["sent", "cut", "rewritten"]
COLUMNS = ("source", "kind", "step", "tokens", "share")


@dataclass(frozen=True, slots=True)
class Flow:
    """Tokens of one source that went one way; `step` is the one that cut them.

    `rewritten` are tokens that rewriting, shortening and joining took away; negative where they added some.
    """

    source: str
    kind: FlowKind
    step: str
    tokens: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenFlow:
    """The tokens of many runs by source and by what became of them.

    Of each source: entered = sent + cut + rewritten. All together, `sent` is what `trace.tokens` of the runs add up to,
    and `cut` by step what their ledgers add up to.
    """

    flows: tuple[Flow, ...]
    runs: int

    def __repr__(self) -> str:
        sums = ", ".join([f"{self._sum(kind):,} {kind}" for kind in ("sent", "cut", "rewritten")])
        return f"TokenFlow({counted(self.runs, 'run')}: {sums} tokens)"

    def _repr_html_(self) -> str:
        return heading(self) + html_table(COLUMNS, (list(row.values()) for row in self._rows()), of="flows")

    def frame(self) -> pd.DataFrame:
        """One row a flow: tokens of a source that were sent, cut by a step, or taken away by rewriting.

        `share` is that of the tokens that entered from the source; it is missing where rewriting made them more.
        """
        return frame_of(self._rows(), COLUMNS)

    @checked_arguments
    def figure(self, *, theme: ThemeName = "light") -> go.Figure:
        """The flows as a Sankey diagram: sources at the left, what was sent and what each step cut at the right."""
        from ctxlab.studies.branches.token_flow_figure import token_flow_figure

        return token_flow_figure(self, theme)

    def entered(self) -> Mapping[str, int]:
        """The tokens that came in, by source."""
        found = Counter[str]()
        for flow in self.flows:
            found[flow.source] += flow.tokens
        return dict(found)

    def _rows(self) -> Iterator[dict[str, Any]]:
        entered = self.entered()
        for flow in self.flows:
            whole = entered[flow.source]
            share = flow.tokens / whole if 0 <= flow.tokens <= whole and whole else None
            step = flow.step or None
            yield {"source": flow.source, "kind": flow.kind, "step": step, "tokens": flow.tokens, "share": share}

    def _sum(self, kind: FlowKind) -> int:
        return sum(flow.tokens for flow in self.flows if flow.kind == kind)


@checked_arguments
def token_flow(traces: Any) -> TokenFlow:
    """The way of the tokens of these runs, by source: history, presets, lore, and so on.

    `traces` is a run, or several in a list, by name or from a generator: each is looked at once and let go.
    """
    entered, gone = Counter[str](), Counter[tuple[str, FlowKind, str]]()
    runs = 0
    for trace in _each(traces):
        _Account(trace, entered, gone).book()
        runs += 1
    went = Counter[str]()
    for (source, _, _), tokens in gone.items():
        went[source] += tokens
    for source in {**entered, **went}:
        gone[source, "rewritten", ""] += entered[source] - went[source]
    order = {part: number for number, part in enumerate(PARTS)}
    kinds = {"sent": 0, "cut": 1, "rewritten": 2}
    keys = sorted(gone, key=lambda key: (order.get(key[0], len(order)), key[0], kinds[key[1]], key[2]))
    return TokenFlow(tuple([Flow(*key, gone[key]) for key in keys if gone[key]]), runs)


def _each(traces: object) -> Iterator[Trace]:
    if isinstance(traces, Trace):
        yield traces
        return
    values = cast("Mapping[str, object]", traces).values() if isinstance(traces, Mapping) else traces
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise WrongArgument(f"traces takes runs, got {shown(traces)}; ctxlab.build(session) makes one")
    for trace in cast("Iterable[object]", values):
        if not isinstance(trace, Trace):
            raise WrongArgument(f"traces takes runs, got {shown(trace)} among them; ctxlab.build(session) makes one")
        yield trace


class _Account:
    """Books the tokens of one run: what entered, what each step cut, what is sent."""

    def __init__(self, trace: Trace, entered: Counter[str], gone: Counter[tuple[str, FlowKind, str]]) -> None:
        self.trace, self.entered, self.gone = trace, entered, gone
        self.counter: TokenCounter = trace.services.tokenizer
        self.run = RunFacts(self.counter)

    def book(self) -> None:
        for draft in self.trace.start.drafts:
            self._enter(draft)
        for step in self.trace.steps:
            if step.did_nothing:
                continue
            self._book_step(step)
        prompt = self.trace.prompt
        for source, tokens in prompt.tokens_by_source.items():
            if source not in ROOM:
                self.gone[source, "sent", ""] += tokens
        self.entered["tools"] += prompt.tools_tokens
        self.entered[OVERHEAD] += prompt.overhead_tokens

    def _book_step(self, step: Step) -> None:
        """As the ledger does: a message that comes from none before enters, one that goes into none after is cut."""
        unbooked = {draft.key: draft for draft in step.before.drafts}
        dropped = [draft for group in step.after.dropped[len(step.before.dropped) :] for draft in group.drafts]
        for draft in (*dropped, *step.after.drafts):
            keys = (draft.key, *(part.key for part in draft.merged))
            if not [unbooked.pop(key) for key in keys if key in unbooked]:
                self._enter(draft)
        for draft in (*dropped, *unbooked.values()):
            self._cut(draft, step.id)

    def _enter(self, draft: Draft) -> None:
        for entry, tokens, _ in BuiltMessage(draft, self.run).sizes:
            self.entered[entry] += tokens
        self.entered[OVERHEAD] += self.counter.message_tokens

    def _cut(self, draft: Draft, step: str) -> None:
        for entry, tokens, _ in BuiltMessage(draft, self.run).sizes:
            self.gone[entry, "cut", step] += tokens
        self.gone[OVERHEAD, "cut", step] += self.counter.message_tokens
