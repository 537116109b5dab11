"""The window as a bar: who takes how much of it, what is free, and what hangs outside because it didn't fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause
from ctxlab.pipeline import Trace
from ctxlab.pipeline.spending import LIMITER, spending
from ctxlab.theme import FILLS, SOURCE_SYMBOLS, Theme, ThemeName, label, theme_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

# In the order of the window bar: the source of the budget, its name, and the source whose look it has.
ORDER = (
    ("system", "system", "preset"),
    ("presets", "presets", "preset"),
    ("profile", "profile", "profile"),
    ("lore", "lore", "lore"),
    ("knowledge", "knowledge", "knowledge"),
    ("tools", "tools", "tools"),
    ("attachments", "attachments", "attachment"),
    ("overhead", "overhead", "overhead"),
    ("seams", "seams", "overhead"),
    ("summaries", "summaries", "summary"),
    ("history", "history kept", "history"),
)
ROW, HEAD, FOOT = 24, 84, 40
BAR, THIN = 0.9, 0.5


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the bar in tokens; `look` names colour, fill and sign."""

    name: str
    look: str
    start: int
    tokens: int
    note: str = ""


def budget_figure(trace: Trace, *, theme: ThemeName = "light") -> go.Figure:
    """The window bar on top, below it each source where it stands in the bar; cut messages hang beyond the edge."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    segments = segments_of(trace)
    window = _window(trace)
    figure = go.Figure()
    rows = len(segments)
    for i, segment in enumerate(segments, 1):
        figure.add_trace(_bar(segment, [0, i], look))
    end = max([window or 0, *(s.start + s.tokens for s in segments)]) or 1
    figure.update_layout(
        look.layout(
            title=look.title("Budget", _sentence(trace, segments)),
            height=HEAD + FOOT + ROW * (rows + 2),
            margin={"l": 12, "r": 12, "t": HEAD - 20, "b": FOOT},
            barmode="overlay",
            showlegend=False,
            xaxis={
                "range": [0, end * 1.001],
                "side": "bottom",
                "tickformat": ",d",
                "gridcolor": look.line,
                "zeroline": False,
                "tickfont": {"color": look.ink_2},
                "fixedrange": True,
            },
            yaxis=_rows(segments, trace.tokens, look),
            yaxis2=_numbers(segments, window or trace.tokens, look),
            shapes=_edges(trace, segments, window, rows, look),
            annotations=_marks(trace, window, look),
        )
    )
    # Numbers at the right need something drawn on their axis.
    figure.add_trace(go.Scatter(x=[0], y=[0], yaxis="y2", mode="markers", marker={"opacity": 0}, hoverinfo="skip"))
    return figure


def segments_of(trace: Trace) -> list[Segment]:
    """What the bar is made of, from its start: sources, free, reserve, and beyond the window what was cut."""
    spent = spending(trace).tokens
    segments: list[Segment] = []
    at = 0
    parts = [(name, look, spent.get(source, 0)) for source, name, look in ORDER]
    parts += [("free", "free", max(0, spent.get("free", 0))), ("reserve", "reserve", spent.get("reserve", 0))]
    for name, look, tokens in parts:
        if tokens > 0:
            segments.append(Segment(name, look, at, tokens))
            at += tokens
    lost, why = _did_not_fit(trace)
    if lost:
        segments.append(Segment("did not fit", "cut", at, lost, why))
    return segments
