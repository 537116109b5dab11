"""A sweep as a figure: by place, the prefix kept and the tokens pushed out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label
from ctxlab.display.theme import Theme, ThemeName, theme_of
from ctxlab.studies.what_if.sweep import Sweep, SweepRow

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW, HEAD, FOOT = 22, 64, 40
MOST = 60
"""Places that are shown."""


def sweep_figure(found: Sweep, theme: ThemeName = "light") -> go.Figure:
    """A bar a place and side: to the left the share of the prefix, to the right the tokens that are pushed out."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    rows = found.rows[:MOST]
    shares = [(row.prefix_share or 0) * 100 for row in rows]
    tokens = [row.pushed_out_tokens for row in rows]
    figure = go.Figure(
        [
            _bars(rows, shares, "prefix of the turn before, in % of the prompt", look.ok, "x"),
            _bars(rows, tokens, "tokens pushed out", look.warn, "x2"),
        ]
    )
    left_out = f", the first {MOST} of {len(found.rows):,} places" if len(found.rows) > MOST else ""
    figure.update_layout(
        look.layout(
            title=look.title(label(found.key, 40), f"in {len(rows)} places{left_out}"),
            height=HEAD + FOOT + ROW * max(1, len(rows)),
            margin={"l": 12, "r": 24, "t": HEAD - 12, "b": FOOT},
            showlegend=True,
            legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
            xaxis={**_x_axis(look), "domain": [0, 0.48], "range": [0, 100]},
            xaxis2={**_x_axis(look), "domain": [0.54, 1], "range": [0, max([*tokens, 1]) * 1.05]},
            yaxis=_y_axis(rows, look),
            bargap=0.35,
        )
    )
    return figure


def _bars(rows: tuple[SweepRow, ...], values: list[float] | list[int], name: str, color: str, axis: str) -> go.Bar:
    import plotly.graph_objects as go

    return go.Bar(
        x=values,
        y=list(range(len(rows))),
        orientation="h",
        xaxis=axis,
        name=name,
        marker={"color": color},
        hovertext=[label(str(row), 160) for row in rows],
        hoverinfo="text",
    )


def _x_axis(look: Theme) -> dict[str, Any]:
    return {"gridcolor": look.line, "zeroline": False, "tickfont": {"size": 11, "color": look.ink_2}}


def _y_axis(rows: tuple[SweepRow, ...], look: Theme) -> dict[str, Any]:
    return {
        "range": [max(1, len(rows)) - 0.4, -0.6],
        "tickvals": list(range(len(rows))),
        "ticktext": [f"{label(str(row.place), 32)} " for row in rows],
        "gridcolor": look.line,
        "zeroline": False,
        "automargin": True,
    }
