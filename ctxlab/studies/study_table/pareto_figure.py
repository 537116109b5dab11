"""Score against cost: the frontier filled and linked, what is dominated hollow."""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label, plain
from ctxlab.display.short_texts import nearest
from ctxlab.display.text_width import FIGURE_PIXELS, pixels_wide
from ctxlab.display.theme import Theme, ThemeName, theme_of
from ctxlab.errors import WrongArgument
from ctxlab.studies.study_table.figure_parts import (
    HIGHEST_LABEL,
    LABELLED,
    NAME,
    NAME_SIZE,
    at_one_budget,
    axis,
    click_target,
    foot,
    head,
    hover,
    margins,
    mean_at,
    places_apart,
    row_name,
    score_axis,
    short_name,
    whiskers,
)
from ctxlab.studies.study_table.pareto import pareto_frontier

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ctxlab.studies.study_table.study_table import StudyTable, TableRow

HEIGHT = 440
PLOT, APART = FIGURE_PIXELS - 100, 9
"""Pixels of the plot across, and from a point to its name."""
NAME_HEIGHT = 0.045
"""Of the plot, what a name takes."""


def pareto_figure(
    table: StudyTable, *, cost: str = "tokens", budget: int | None = None, theme: ThemeName = "light"
) -> go.Figure:
    """A point a row of the table, its mean cost to the right, its score with interval upwards.

    The frontier is by the means: a difference between two of its points may well be open. `customdata` of a point is
    its variant, its budget and the case at which the variant scores least.
    """
    import plotly.graph_objects as go

    look = theme_of(theme)
    rows = rows_with(table, cost, budget)
    on = frontier_rows(table, rows, cost)
    figure = go.Figure()
    if len(on) > 1:
        figure.add_trace(_link([rows[i] for i in on], table, cost, look))
    dominated = [row for i, row in enumerate(rows) if i not in on]
    for group, filled in ((dominated, False), ([rows[i] for i in on], True)):
        if group:
            figure.add_trace(_points(group, table, cost, look, filled=filled))
    shown, few = at_one_budget(table, budget), len(rows) <= LABELLED
    named = [row for i, row in enumerate(rows) if few or i in on or row.is_baseline]
    figure.update_layout(
        look.layout(
            title=head(shown, look, f"{table.score} against {cost}"),
            height=HEIGHT,
            showlegend=False,
            margin=margins(shown, 60, 24),
            xaxis=axis(look, f"mean {label(cost, NAME)}", rangemode="tozero"),
            yaxis=score_axis(table, look),
            annotations=[
                *_names(named, [rows[i] for i in on], table, cost, look, budgets=budget is None),
                foot(table, look),
            ],
        )
    )
    return figure


def rows_with(table: StudyTable, cost: str, budget: int | None) -> list[TableRow]:
    """The rows with a score and a cost, but for the oracle's; raises WrongArgument for what isn't in the table."""
    known = list(table.rows[0].also) if table.rows else []
    if cost not in known:
        hint = nearest(cost, known) if known else ""
        raise WrongArgument(
            f"the table has no means of {plain(cost, NAME)!r}{hint}; study_table(..., also=[...]) takes them in"
        )
    if budget is not None and budget not in table.budgets:
        there = ", ".join(f"{each:,}" for each in table.budgets if each is not None)
        raise WrongArgument(f"the table has no budget {budget:,}; there are: {there or 'none'}")
    rows = [row for row in table.rows if budget is None or row.budget == budget]
    return [row for row in rows if not row.is_oracle and row.mean is not None and row.also.get(cost) is not None]


def frontier_rows(table: StudyTable, rows: Sequence[TableRow], cost: str) -> tuple[int, ...]:
    """Numbers of the rows on the frontier, in order of cost."""
    sign = -1 if table.better == "lower" else 1
    return pareto_frontier([(row.also[cost] or 0.0, sign * row.mean.mean if row.mean else 0.0) for row in rows])


def _points(rows: Sequence[TableRow], table: StudyTable, cost: str, look: Theme, *, filled: bool) -> go.Scatter:
    import plotly.graph_objects as go

    color = look.ink if filled else look.ink_3
    return go.Scatter(
        x=[row.also[cost] for row in rows],
        y=[mean_at(row, table) for row in rows],
        error_y=whiskers(rows, table, color),
        mode="markers",
        name="frontier" if filled else "dominated",
        marker={
            "symbol": "circle",
            "size": 10 if filled else 8,
            "color": color if filled else look.surface,
            "line": {"width": 1.5, "color": look.surface if filled else color},
        },
        customdata=[click_target(row) for row in rows],
        hovertext=[hover(row, table) for row in rows],
        hoverinfo="text",
    )


def _link(rows: Sequence[TableRow], table: StudyTable, cost: str, look: Theme) -> go.Scatter:
    """The frontier as steps: between two points the cheaper one is the best there is."""
    import plotly.graph_objects as go

    return go.Scatter(
        x=[row.also[cost] for row in rows],
        y=[mean_at(row, table) for row in rows],
        mode="lines",
        line={"color": look.ink, "width": 1.5, "shape": "hv"},
        hoverinfo="skip",
        name="steps of the frontier",
    )


def _names(
    named: Sequence[TableRow], frontier: Sequence[TableRow], table: StudyTable, cost: str, look: Theme, *, budgets: bool
) -> list[dict[str, Any]]:
    """Names beside the points: those of the frontier at their left, the others at their right, none on another.

    A name that the edge of the plot would cut goes to the other side of its point.
    """
    is_on = [row in frontier for row in named]
    several = budgets and len(table.budgets) > 1
    names = [
        short_name(row_name(row)) + (f" {row.budget:,}" if several and row.budget is not None else "") for row in named
    ]
    ends = _ends(named, names, is_on, cost)
    tall = 100.0 if table.is_share else max((abs(mean_at(row, table) or 0.0) for row in named), default=1.0) or 1.0
    points = [(left, right, mean_at(row, table) or 0.0) for row, (left, right) in zip(named, ends, strict=True)]
    first = sorted(range(len(named)), key=lambda i: not is_on[i])
    heights = places_apart([points[i] for i in first], tall * NAME_HEIGHT, HIGHEST_LABEL if table.is_share else None)
    marks: list[dict[str, Any]] = []
    for i, height in zip(first, heights, strict=True):
        if table.is_share and height < 0:  # there is no room for it; the pointer over the point says it
            continue
        x, (left, _) = named[i].also[cost] or 0.0, ends[i]
        marks.append(
            {
                "x": x,
                "y": height,
                "text": f"<b>{names[i]}</b>" if is_on[i] else names[i],
                "showarrow": False,
                "xanchor": "right" if left < x else "left",
                "xshift": -APART if left < x else APART,
                "yshift": 8,
                "font": {"size": NAME_SIZE, "color": look.ink if is_on[i] else look.ink_2},
            }
        )
    return marks


def _ends(
    rows: Sequence[TableRow], names: Sequence[str], is_on: Sequence[bool], cost: str
) -> list[tuple[float, float]]:
    """The two ends of each name, in units of cost."""
    furthest = 1.06 * max((abs(row.also[cost] or 0.0) for row in rows), default=0.0) or 1.0
    found: list[tuple[float, float]] = []
    for row, name, bold in zip(rows, names, is_on, strict=True):
        x = row.also[cost] or 0.0
        wide = (pixels_wide(unescape(name), NAME_SIZE, bold=bold) + APART) * furthest / PLOT
        fits_left, fits_right = x - wide >= 0, x + wide <= furthest
        is_left = fits_left if bold else fits_left and not fits_right
        found.append((x - wide, x) if is_left else (x, x + wide))
    return found
