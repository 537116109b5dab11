"""A preset or a lore entry in many places: tokens, prefix, distance from the newest message, what it pushes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, first_of
from ctxlab.display.theme import ThemeName
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import prefix_tokens
from ctxlab.studies.what_if.injection_places import InjectionPlace, Placed, places_to_try
from ctxlab.studies.what_if.removals import Removals, run_on
from ctxlab.studies.what_if.sent_pieces import SentPiece, pieces_of

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

COLUMNS = (
    *("place", "depth", "anchor", "order", "tokens", "prefix_tokens", "prefix_share", "messages_behind"),
    *("tokens_behind", "pushed_out_messages", "pushed_out_tokens", "pushed_out", "error"),
)
IN_HISTORY = ("node:", "pending")


@dataclass(frozen=True, slots=True, eq=False)
class SweepRow:
    """A place, and the prompt with the preset or entry there.

    `prefix_tokens` are those at the head of the prompt with which the prompt of the turn before, of the same place,
    began too, and `prefix_share` their share of the prompt; None of a first turn. `messages_behind` are messages of the
    conversation that stand after it, `tokens_behind` the tokens of all that stands after it; None where it isn't sent.
    `pushed_out` are messages that are sent without it and not with it.
    """

    place: InjectionPlace
    tokens: int | None = None
    prefix_tokens: int | None = None
    prefix_share: float | None = None
    messages_behind: int | None = None
    tokens_behind: int | None = None
    pushed_out: tuple[str, ...] = ()
    pushed_out_tokens: int = 0
    error: str | None = None

    def __repr__(self) -> str:
        return f"SweepRow({plain(str(self), 300)})"

    def __str__(self) -> str:
        if self.error is not None:
            return f"{self.place}: fails: {self.error}"
        prefix = "" if self.prefix_share is None else f", prefix {self.prefix_share:.0%}"
        out = f", pushes out {first_of(self.pushed_out, 3)}" if self.pushed_out else ""
        return f"{self.place}: {counted(self.tokens or 0, 'token')}{prefix}{out}"


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Places of one preset or lore entry, in the order in which they were tried."""

    key: str
    rows: tuple[SweepRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SweepRow]:
        return iter(self.rows)

    def __repr__(self) -> str:
        shares = [row.prefix_share for row in self.rows if row.prefix_share is not None]
        prefix = f", prefix {min(shares):.0%} to {max(shares):.0%}" if shares else ""
        return f"Sweep({plain(self.key)} in {counted(len(self.rows), 'place')}{prefix})"

    def frame(self) -> pd.DataFrame:
        """One row a place."""
        return frame_of(map(_row, self.rows), COLUMNS)

    def figure(self, theme: ThemeName = "light") -> go.Figure:
        """By place: the share of the prompt that the turn before began with too, and the tokens that it pushes out."""
        from ctxlab.studies.what_if.sweep_figure import sweep_figure

        return sweep_figure(self, theme)

    def _repr_html_(self) -> str:
        rows = [
            (
                str(row.place),
                row.tokens,
                None if row.prefix_share is None else f"{row.prefix_share:.0%}",
                row.messages_behind,
                row.tokens_behind,
                row.error or first_of(row.pushed_out, 3),
            )
            for row in self.rows
        ]
        head = ("place", "tokens", "prefix", "messages behind", "tokens behind", "pushes out")
        return heading(self) + html_table(head, rows, of="places")


def _row(row: SweepRow) -> dict[str, object]:
    place = row.place
    values = (
        *(str(place), None if place.depth is None else float(place.depth), place.anchor),
        None if place.order is None else float(place.order),
        *(row.tokens, row.prefix_tokens, row.prefix_share, row.messages_behind, row.tokens_behind),
        *(len(row.pushed_out), row.pushed_out_tokens, ", ".join(row.pushed_out) or None, row.error),
    )
    return dict(zip(COLUMNS, values, strict=True))


def sweep(
    trace: Trace,
    earlier: Trace | None,
    what: str,
    *,
    depths: Sequence[float] | None = None,
    orders: Sequence[float] | None = None,
    anchors: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Sweep:
    """A preset or a lore entry in one place after another; `earlier` is the run at the turn before."""
    thing = Placed(trace, what)
    places = places_to_try(trace, thing, depths=depths, orders=orders, anchors=anchors)
    work = _Sweeping(trace, earlier, thing)
    rows: list[SweepRow] = []
    for place in places:
        rows.append(work.row(place))
        if progress is not None:
            progress(len(rows) / len(places))
    return Sweep(thing.key, tuple(rows))


class _Sweeping:
    """Runs with a thing in one place after another, held against the run without it."""

    def __init__(self, trace: Trace, earlier: Trace | None, thing: Placed) -> None:
        self.trace, self.earlier, self.thing = trace, earlier, thing
        self.without = self._without()

    def _without(self) -> Mapping[str, SentPiece] | None:
        """Messages that are sent without the thing; None where that can't be built."""
        try:
            alone = run_on(self.trace, Removals(self.trace).without([self.thing.key]))
        except CtxlabError:
            return None
        return pieces_of(alone.result.drafts)

    def row(self, place: InjectionPlace) -> SweepRow:
        try:
            run = run_on(self.trace, self.thing.at(self.trace.start.input, place))
        except CtxlabError as problem:
            return SweepRow(place, error=f"{type(problem).__name__}: {problem}")
        counter = run.services.tokenizer
        sent = pieces_of(run.result.drafts)
        behind = self._behind(list(sent))
        out = [key for key in self.without or () if key not in sent]
        prefix = self._prefix_tokens(run, place)
        messages = run.tokens - run.request_tokens
        return SweepRow(
            place,
            tokens=run.tokens,
            prefix_tokens=prefix,
            prefix_share=None if prefix is None or not messages else prefix / messages,
            messages_behind=None if behind is None else sum(key.startswith(IN_HISTORY) for key in behind),
            tokens_behind=None if behind is None else sum(sent[key].tokens(counter) for key in behind),
            pushed_out=tuple(out),
            pushed_out_tokens=sum((self.without or {})[key].tokens(counter) for key in out),
        )

    def _behind(self, keys: Sequence[str]) -> Sequence[str] | None:
        """The keys that stand after the thing, the last of its copies; None where it isn't sent."""
        own = [n for n, key in enumerate(keys) if key == self.thing.key or key.startswith(f"{self.thing.key}@")]
        return keys[own[-1] + 1 :] if own else None

    def _prefix_tokens(self, run: Trace, place: InjectionPlace) -> int | None:
        """Tokens of the prompt that the prompt of the turn before, of the same place, began with too."""
        if self.earlier is None:
            return None
        try:
            before = run_on(self.earlier, self.thing.at(self.earlier.start.input, place))
        except CtxlabError:
            return None
        return prefix_tokens(before.result.drafts, run.result.drafts, run.services.tokenizer)
