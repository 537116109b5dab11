"""Scores with their intervals by budget, or against the tokens spent; a line a variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label, plain
from ctxlab.display.short_texts import nearest
from ctxlab.display.theme import Theme, ThemeName, theme_of
from ctxlab.errors import WrongArgument
from ctxlab.studies.study_table.figure_parts import (
    DASHES,
    HIGHEST_LABEL,
    NAME,
    NAME_SIZE,
    SYMBOLS,
    axis,
    click_target,
    colors,
    foot,
    head,
    hover,
    in_column,
    line_name,
    margins,
    mean_at,
    name_margin,
    row_name,
    score_axis,
    short_name,
    spread_labels,
    ticks_between,
    whiskers,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ctxlab.studies.study_table.study_table import StudyTable, TableRow

HEIGHT, AROUND = 440, 140
LABEL_LINE = 13
"""Pixels from a name to the next."""


def scores_figure(
    table: StudyTable, *, against: str = "budget", theme: ThemeName = "light", width: int | None = None
) -> go.Figure:
    """A line a variant, named at its end; the oracle's, if there is one, is drawn thin and dotted above them.

    `against` is `budget`, or one of the columns whose means the table has: score against the tokens spent. With a
    `width` in pixels it is for a column of that width: names are in a legend, head and notes are left to a caption.
    """
    import plotly.graph_objects as go

    look = theme_of(theme)
    known = list(table.rows[0].also) if table.rows else []
    if against != "budget" and against not in known:
        raise WrongArgument(f"the table has no means of {plain(against, NAME)!r}{nearest(against, ['budget', *known])}")
    lines = _lines(table, against)
    figure = go.Figure()
    ends: list[tuple[float, float, str, str]] = []
    heads = [rows[0] for rows in lines.values()]
    plain_lines = [name for name, rows in lines.items() if not rows[0].is_oracle]
    for name, rows in lines.items():
        number = plain_lines.index(name) if name in plain_lines else None
        color = look.ink_3 if number is None else colors(look)[number % len(colors(look))]
        figure.add_trace(_line(table, rows, against, look, number, color, _hidden_by(table, lines, name)))
        ends.append((_x(rows[-1], against), mean_at(rows[-1], table) or 0.0, line_name(rows[-1]), color))
    log = all(x > 0 for row in table.rows for x in [_x(row, against)])
    title = "budget, tokens" if against == "budget" else f"mean {label(against, NAME)}"
    ticks = sorted({row.budget for row in table.rows if row.budget is not None}) if against == "budget" else []
    if log and not 0 < len(ticks) <= 12:
        ticks = ticks_between([x for row in table.rows if (x := _x(row, against))])
    fields: dict[str, Any] = {"type": "log" if log else "linear"}
    if 0 < len(ticks) <= 12:
        fields |= {"tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks]}
    figure.update_layout(
        look.layout(
            title=head(table, look, "Scores by budget" if against == "budget" else f"Scores against {against}"),
            height=_height(lines),
            showlegend=False,
            margin=margins(table, 60, name_margin(map(line_name, heads))),
            xaxis=axis(look, title, **fields),
            yaxis=score_axis(table, look),
            annotations=[*_names(table, ends, log=log), foot(table, look)],
        )
    )
    return figure if width is None else in_column(figure, look, width)


def _height(lines: Sized) -> int:
    """The height in which the names of so many lines have a place."""
    return max(HEIGHT, AROUND + LABEL_LINE * (len(lines) + 1))


def _lines(table: StudyTable, against: str) -> dict[str, list[TableRow]]:
    """By name, the rows of a line that have a score and a place, in order of their place."""
    found: dict[str, list[TableRow]] = {}
    for row in table.rows:
        if row.mean is not None and (against == "budget" or row.also.get(against) is not None):
            found.setdefault(row_name(row), []).append(row)
    return {name: sorted(rows, key=lambda row: _x(row, against)) for name, rows in found.items()}


def _x(row: TableRow, against: str) -> float:
    return float((row.budget if against == "budget" else row.also.get(against)) or 0)


def _line(
    table: StudyTable,
    rows: Sequence[TableRow],
    against: str,
    look: Theme,
    number: int | None,
    color: str,
    hidden_by: int,
) -> go.Scatter:
    """A line; `number` None is the oracle's, which is a bound and has no whiskers.

    One that later lines would hide is drawn so much wider that it stands out around them.
    """
    import plotly.graph_objects as go

    dash = "dot" if number is None else DASHES[number // len(SYMBOLS) % len(DASHES)]
    return go.Scatter(
        x=[_x(row, against) for row in rows],
        y=[mean_at(row, table) for row in rows],
        error_y=whiskers(rows, table, color, 1.4 + 2 * hidden_by) if number is not None else None,
        mode="lines+markers",
        name=label(line_name(rows[0]), NAME),
        line={"color": color, "width": 1 if number is None else 1.8 + 2.4 * hidden_by, "dash": dash},
        marker={
            "symbol": "line-ew-open" if number is None else SYMBOLS[number % len(SYMBOLS)],
            "size": 8 + 5 * hidden_by,
            "color": color,
            "line": {"width": 1, "color": look.surface if number is not None else color},
        },
        customdata=[click_target(row) for row in rows],
        hovertext=[hover(row, table) for row in rows],
        hoverinfo="text",
    )


NEAR = 0.01
"""Of the height of a plot; lines nearer than that lie on one another."""


def _hidden_by(table: StudyTable, lines: Mapping[str, Sequence[TableRow]], name: str) -> int:
    """The number of later lines that lie on a line at all of its points; 3 at most."""
    means = {other: [mean_at(row, table) or 0.0 for row in rows] for other, rows in lines.items()}
    height = 100.0 if table.is_share else max((abs(mean) for each in means.values() for mean in each), default=1.0)
    places = {other: [row.budget for row in rows] for other, rows in lines.items()}
    later = list(lines)[list(lines).index(name) + 1 :]
    on_it = [
        other
        for other in later
        if places[other] == places[name]
        and all(abs(a - b) <= NEAR * height for a, b in zip(means[name], means[other], strict=True))
    ]
    return min(3, len(on_it))


def _names(table: StudyTable, ends: Sequence[tuple[float, float, str, str]], *, log: bool) -> list[dict[str, Any]]:
    """The names of the lines at their ends, moved apart where lines end close to one another."""
    from math import log10

    heights = [y for _, y, _, _ in ends]
    wide = 100.0 if table.is_share else (max(heights, default=1.0) - min(0.0, *heights, 0.0)) or 1.0
    apart = 1.06 * wide * LABEL_LINE / (_height(ends) - AROUND)
    at = spread_labels(heights, apart, HIGHEST_LABEL if table.is_share else None)
    right = max((x for x, _, _, _ in ends), default=1.0)
    return [
        {
            "x": log10(right) if log else right,
            "y": height,
            "xanchor": "left",
            "xshift": 12,
            "showarrow": False,
            "text": short_name(name),
            "font": {"size": NAME_SIZE, "color": color},
        }
        for (_, _, name, color), height in zip(ends, at, strict=True)
    ]
