"""Paired differences to the baseline as a forest: a row a variant and budget, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label
from ctxlab.display.theme import Theme, ThemeName, theme_of
from ctxlab.studies.study_table.figure_parts import (
    NAME,
    at_one_budget,
    axis,
    click_target,
    foot,
    head,
    hover,
    line_name,
    margins,
    scale,
    short_name,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ctxlab.studies.statistics import PairedDifference
    from ctxlab.studies.study_table.study_table import StudyTable, TableRow

ROW, AROUND = 24, 150
STATES = (("better", "higher"), ("worse", "lower"), ("open", "equal"))


def difference_figure(table: StudyTable, *, budget: int | None = None, theme: ThemeName = "light") -> go.Figure:
    """Better ones are filled circles, worse ones filled squares, open ones hollow; the line is no difference."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    shown = at_one_budget(table, budget)
    rows = [row for row in table.rows if row.difference and (budget is None or row.budget == budget)]
    figure = go.Figure()
    for verdicts in STATES:
        numbered = [
            (i, row, row.difference) for i, row in enumerate(rows) if row.verdict in verdicts and row.difference
        ]
        if numbered:
            figure.add_trace(_state(table, numbered, verdicts[0], look))
    unit = ", points" if table.is_share else ""
    figure.update_layout(
        look.layout(
            title=head(shown, look, "Differences to the baseline"),
            height=AROUND + ROW * max(1, len(rows)),
            showlegend=False,
            margin=margins(shown, 12, 24),
            xaxis=axis(look, f"{label(table.score, NAME)} less that of {label(table.baseline, NAME)}{unit}"),
            yaxis=_y_axis(rows, look),
            shapes=[
                {
                    "type": "line",
                    "x0": 0,
                    "x1": 0,
                    "yref": "paper",
                    "y0": 0,
                    "y1": 1,
                    "line": {"width": 1, "color": look.edge},
                }
            ],
            annotations=[foot(table, look)],
        )
    )
    return figure


def _state(
    table: StudyTable, numbered: list[tuple[int, TableRow, PairedDifference]], verdict: str, look: Theme
) -> go.Scatter:
    import plotly.graph_objects as go

    color = {"better": look.ok, "worse": look.error}.get(verdict, look.ink_3)
    by = scale(table)
    intervals = [each.interval for _, _, each in numbered]
    means = [each.mean for _, _, each in numbered]
    return go.Scatter(
        x=[mean * by for mean in means],
        y=[i for i, _, _ in numbered],
        error_x={
            "type": "data",
            "array": [max(0, it.high - mean) * by if it else 0 for it, mean in zip(intervals, means, strict=True)],
            "arrayminus": [max(0, mean - it.low) * by if it else 0 for it, mean in zip(intervals, means, strict=True)],
            "color": color,
            "thickness": 1.4,
            "width": 4,
        },
        mode="markers",
        name=verdict,
        marker={
            "symbol": "square" if verdict == "worse" else "circle",
            "size": 9,
            "color": look.surface if verdict == "open" else color,
            "line": {"width": 1.5, "color": color},
        },
        customdata=[click_target(row) for _, row, _ in numbered],
        hovertext=[hover(row, table) for _, row, _ in numbered],
        hoverinfo="text",
    )


def _y_axis(rows: list[TableRow], look: Theme) -> dict[str, Any]:
    names = [
        short_name(line_name(row)) + (f" {row.budget:,}" if row.budget is not None else "") + f" <b>{row.verdict}</b>"
        for row in rows
    ]
    return axis(
        look,
        "",
        range=[max(1, len(rows)) - 0.4, -0.6],
        tickvals=list(range(len(rows))),
        ticktext=names,
        showgrid=False,
        fixedrange=True,
    )
