"""A comparison as a figure: one row a run, one column a message."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ctxlab.display.one_line import label
from ctxlab.display.theme import ROLE_SYMBOLS, Theme, theme_of
from ctxlab.studies.comparison import SIGNS, STATES, Cell, Comparison, ComparisonLine, State

if TYPE_CHECKING:
    import plotly.graph_objects as go

UNFOLDED = 60
"""Up to so many messages each has a column of its own."""
SIGNED = 120
"""Up to so many columns each cell has its sign; above, the first of a row's stretch."""
NAMED = 40
ROW, HEAD, FOOT = 40, 80, 84


def comparison_figure(comparison: Comparison, theme_name: str) -> go.Figure:
    """Colour and sign say the state; stretches that are alike in every run are one column from 60 messages on."""
    import plotly.graph_objects as go

    theme = theme_of(theme_name)
    columns = _columns(comparison.lines)
    figure = go.Figure()
    if columns:
        figure.add_trace(_cells(comparison, columns, theme))
        figure.add_trace(_heads(columns, theme))
    for state in STATES:
        if any(cell.state == state for line in comparison.lines for cell in line.cells):
            figure.add_trace(_key(state, theme))
    differing = sum(line.differs for line in comparison.lines)
    result = f"{len(comparison.lines):,} messages, {differing:,} not the same in all"
    figure.update_layout(
        theme.layout(
            title=theme.title("Compare", result),
            height=HEAD + FOOT + ROW * max(1, len(comparison.traces)),
            margin={"l": 12, "r": 12, "t": HEAD - 12, "b": FOOT},
            legend={
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1,
                "yanchor": "bottom",
                "itemclick": False,
                "itemdoubleclick": False,
            },
            xaxis=_x_axis(columns, theme),
            yaxis=_y_axis(comparison, theme),
        )
    )
    return figure


def _columns(lines: Sequence[ComparisonLine]) -> list[Sequence[ComparisonLine]]:
    """Lines by column: each alone, or where there are many, neighbours with equal states together."""
    if len(lines) <= UNFOLDED:
        return [[line] for line in lines]
    return [list(run) for _, run in groupby(lines, key=lambda line: (line.differs, *(c.state for c in line.cells)))]


def _cells(comparison: Comparison, columns: Sequence[Sequence[ComparisonLine]], theme: Theme) -> go.Heatmap:
    import plotly.graph_objects as go

    runs = range(len(comparison.traces))
    states: list[list[State]] = [[column[0].cells[i].state for column in columns] for i in runs]
    colors = _colors(theme)
    step = 1 / len(STATES)
    scale = [[edge * step, colors[state]] for i, state in enumerate(STATES) for edge in (i, i + 1)]
    return go.Heatmap(
        z=[[STATES.index(state) for state in row] for row in states],
        zmin=-0.5,
        zmax=len(STATES) - 0.5,
        colorscale=scale,
        showscale=False,
        xgap=1,
        ygap=4,
        text=[_signs(row) for row in states],
        texttemplate="%{text}",
        textfont={"size": 12, "color": theme.ink},
        hovertext=[[_hover(column, i) for column in columns] for i in runs],
        hoverinfo="text",
    )


def _colors(theme: Theme) -> dict[State, str]:
    return {
        "kept": theme.line,
        "moved": theme.move_tint,
        "shortened": theme.gone_tint,
        "rewritten": theme.add_tint,
        "only here": theme.ok_tint,
        "cut": theme.warn_tint,
        "not there": theme.surface,
    }


def _signs(states: Sequence[State]) -> list[str]:
    if len(states) <= SIGNED:
        return [SIGNS[state] for state in states]
    return [SIGNS[state] if i == 0 or state != states[i - 1] else "" for i, state in enumerate(states)]


def _hover(column: Sequence[ComparisonLine], run: int) -> str:
    line, cell = column[0], column[0].cells[run]
    if len(column) > 1:
        return _folded_hover(column, run)
    lines = [f"<b>{label(line.key)}</b> {cell.state}"]
    if line.words:
        lines.append(label(line.words, 48))
    if cell.tokens:
        lines.append(f"{cell.tokens:,} tokens")
    if cell.cause:
        lines.append(label(cell.cause, 100))
    return "<br>".join(lines)


def _folded_hover(column: Sequence[ComparisonLine], run: int) -> str:
    cells: list[Cell] = [line.cells[run] for line in column]
    causes = list(dict.fromkeys(cell.cause for cell in cells if cell.cause))
    more = f" and {len(causes) - 1} more" if len(causes) > 1 else ""
    lines = [
        f"<b>{len(column):,} messages</b> {cells[0].state}",
        f"{label(column[0].key)} to {label(column[-1].key)}",
        f"{sum(cell.tokens for cell in cells):,} tokens",
        *([f"{label(causes[0], 100)}{more}"] if causes else []),
    ]
    return "<br>".join(lines)


def _heads(columns: Sequence[Sequence[ComparisonLine]], theme: Theme) -> go.Scatter:
    """Markers above the columns: the role of a message, or the number of messages in the column."""
    import plotly.graph_objects as go

    alone = [len(column) == 1 for column in columns]
    signs = [_sign_of(column[0], theme) for column in columns]
    return go.Scatter(
        x=list(range(len(columns))),
        y=[-0.75] * len(columns),
        mode="markers+text",
        marker={
            "symbol": [symbol for symbol, _ in signs],
            "color": [color for _, color in signs],
            "size": [9 if single else 0 for single in alone],
            "opacity": 1,
            "line": {"width": 0},
        },
        text=["" if single else f"{len(column):,}" for single, column in zip(alone, columns, strict=True)],
        textfont={"size": 11, "color": theme.ink_2},
        hovertext=[
            f"{label(column[0].role)} {label(column[0].key)}" if len(column) == 1 else f"{len(column):,} messages"
            for column in columns
        ],
        hoverinfo="text",
        showlegend=False,
        cliponaxis=False,
    )


def _sign_of(line: ComparisonLine, theme: Theme) -> tuple[str, str]:
    if line.source == "summaries":
        return "hourglass", theme.sources["summary"]
    return ROLE_SYMBOLS.get(line.role, "circle"), theme.roles.get(line.role, theme.ink_3)


def _key(state: State, theme: Theme) -> go.Scatter:
    import plotly.graph_objects as go

    marker = {"symbol": "square", "size": 12, "color": _colors(theme)[state], "line": {"width": 1, "color": theme.edge}}
    return go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=f"{SIGNS[state]} {state}")


def _x_axis(columns: Sequence[Sequence[ComparisonLine]], theme: Theme) -> dict[str, object]:
    named = columns if len(columns) <= NAMED else []
    return {
        "range": [-0.6, max(1, len(columns)) - 0.4],
        "tickvals": list(range(len(named))),
        "ticktext": [label(_name(column), 16) for column in named],
        "tickangle": -60,
        "tickfont": {"size": 11, "color": theme.ink_2},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": False,
    }


def _name(column: Sequence[ComparisonLine]) -> str:
    first = column[0].key.removeprefix("node:")
    return first if len(column) == 1 else f"{first} +{len(column) - 1}"


def _y_axis(comparison: Comparison, theme: Theme) -> dict[str, object]:
    totals = comparison.totals()
    budgets = [f" of {budget:,}" if isinstance(budget, int) else "" for budget in totals["budget"].tolist()]
    return {
        "range": [max(1, len(totals)) - 0.5, -1.1],
        "tickvals": list(range(len(totals))),
        "ticktext": [
            f"<b>{label(str(name), 24)}</b><br><span style='color:{theme.ink_2}'>{tokens:,}{budget} tokens</span>"
            for name, tokens, budget in zip(totals.index, totals["tokens"], budgets, strict=True)
        ],
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
    }
