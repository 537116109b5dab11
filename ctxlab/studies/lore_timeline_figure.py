"""A lore timeline as a figure: one row an entry, one column a message."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label
from ctxlab.display.theme import Theme, theme_of
from ctxlab.engines.worldbook import Decision
from ctxlab.studies.lore_timeline import Kind, LoreTimeline, kind_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

NAMES: dict[Kind, str] = {"fired": "fired", "called up": "called up by other lore", "blocked": "blocked"}
SYMBOLS: dict[Kind, str] = {"fired": "diamond", "called up": "diamond-open", "blocked": "x-thin-open"}
ENTRIES, MESSAGES = 60, 120
"""Size of the picture: the entries with the most events, and the newest messages."""
NAMED = 40
ROW, HEAD, FOOT = 24, 64, 44

Mark = tuple[int, int, str]


def lore_timeline_figure(timeline: LoreTimeline, theme: str = "light") -> go.Figure:
    """Signs where something happened, the newest messages at the right; entries in the order of the books."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    messages = list(timeline.scans)[-MESSAGES:]
    rows = _rows(timeline, messages)
    marks = _marks(timeline, messages, rows)
    figure = go.Figure([_signs(kind, marks[kind], look) for kind in NAMES if marks[kind]])
    figure.update_layout(
        look.layout(
            title=look.title("Lore", _sentence(timeline, messages, rows)),
            height=HEAD + FOOT + ROW * max(1, len(rows)),
            margin={"l": 12, "r": 12, "t": HEAD - 12, "b": FOOT},
            showlegend=True,
            legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
            xaxis=_x_axis(messages, look),
            yaxis=_y_axis([timeline.entries()[key] for key in rows], look),
        )
    )
    return figure


def _rows(timeline: LoreTimeline, messages: Sequence[str]) -> dict[str, int]:
    """The row of each entry by its key; where there are too many, of those to which most happens."""
    keys = list(timeline.entries())
    if len(keys) > ENTRIES:
        happens = dict.fromkeys(keys, 0)
        for message in messages:
            for one in timeline[message].decisions:
                happens[one.key] += kind_of(one) != ""
        chosen = set(sorted(keys, key=lambda key: -happens[key])[:ENTRIES])
        keys = [key for key in keys if key in chosen]
    return {key: row for row, key in enumerate(keys)}


def _marks(timeline: LoreTimeline, messages: Sequence[str], rows: dict[str, int]) -> dict[Kind, list[Mark]]:
    out: dict[Kind, list[Mark]] = {kind: [] for kind in NAMES}
    for column, message in enumerate(messages):
        for one in timeline[message].decisions:
            kind = kind_of(one)
            if kind and one.key in rows:
                out[kind].append((column, rows[one.key], _hover(message, one)))
    return out


def _hover(message: str, one: Decision) -> str:
    head = f"<b>{label(one.lore.entry.title, 40)}</b> at {label(message, 24)}"
    return f"{head}<br>{one.gate or 'fires'}: {label(one.reason, 100)}"


def _signs(kind: Kind, marks: Sequence[Mark], look: Theme) -> go.Scatter:
    import plotly.graph_objects as go

    color = look.warn if kind == "blocked" else look.sources["lore"]
    return go.Scatter(
        x=[column for column, _, _ in marks],
        y=[row for _, row, _ in marks],
        mode="markers",
        name=NAMES[kind],
        marker={"symbol": SYMBOLS[kind], "color": color, "size": 9, "line": {"color": color, "width": 2}},
        hovertext=[hover for _, _, hover in marks],
        hoverinfo="text",
        cliponaxis=False,
    )


def _sentence(timeline: LoreTimeline, messages: Sequence[str], rows: dict[str, int]) -> str:
    by_kind, entries = timeline.counts(), len(timeline.entries())
    parts = [f"{by_kind['fired'] + by_kind['called up']:,} times fired", f"{by_kind['blocked']:,} times blocked"]
    parts += [f"the newest {len(messages)} of {len(timeline):,} messages"] if len(timeline) > len(messages) else []
    parts += [f"{len(rows)} of {entries:,} entries"] if entries > len(rows) else []
    return ", ".join(parts)


def _x_axis(messages: Sequence[str], look: Theme) -> dict[str, Any]:
    every = max(1, ceil(len(messages) / NAMED))
    named = range(0, len(messages), every)
    return {
        "range": [-0.6, max(1, len(messages)) - 0.4],
        "tickvals": list(named),
        "ticktext": [label(messages[column], 16) for column in named],
        "tickfont": {"size": 11, "color": look.ink_2},
        "gridcolor": look.line,
        "zeroline": False,
    }


def _y_axis(titles: Sequence[str], look: Theme) -> dict[str, Any]:
    return {
        "range": [max(1, len(titles)) - 0.4, -0.6],
        "tickvals": list(range(len(titles))),
        "ticktext": [f"{label(title, 28)} " for title in titles],
        "gridcolor": look.line,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
    }
