"""Parts that the figures of a study share: lines of variants, whiskers, axes, labels beside points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape, unescape
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label, plain
from ctxlab.display.text_width import FIGURE_PIXELS, fitted, lines_of, pixels_wide
from ctxlab.display.theme import Theme
from ctxlab.errors import WrongArgument
from ctxlab.studies.study_table.table_notes import LOUD_WORDS, SETTINGS, table_summary
from ctxlab.studies.study_table.table_text import amount

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ctxlab.studies.study_table.study_table import StudyTable, TableRow

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star", "hexagon", "pentagon")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
NAME = 40
LINE_NAME = 34
"""Cells of a name beside a line or a point."""
LINE, LINE_HEIGHT = FIGURE_PIXELS - 120, 14
"""Pixels of a line of text around a plot, and from it to the next."""
HEAD_LINES, FOOT_LINES = 3, 4
HIGHEST_LABEL = 100.0
"""On an axis of shares, which ends a little above."""
LEAST_COLUMN, COLUMN_SHAPE, COLUMN_LEFT, COLUMN_LETTERS = 200, 0.6, 46, 9
"""Of a figure in a column: least width, height of the plot by its width, pixels for the axis, pixels of letters."""
AXIS_HEIGHT, LEGEND_LINE, LEGEND_SIGN = 40, 16, 44
NAME_SIZE = 11
"""Pixels of the letters of a name."""
LABELLED = 40
"""Above so many points only the frontier and the baseline have their names beside them."""


def scale(table: StudyTable) -> float:
    """Shares are drawn as numbers of a hundred."""
    return 100.0 if table.is_share else 1.0


def colors(theme: Theme) -> tuple[str, ...]:
    """Colours that stand out from the surface by 3 to 1."""
    wanted = ("preset", "lore", "history", "knowledge", "summary", "profile")
    found = [theme.sources[name] for name in wanted if name in theme.sources]
    return tuple(dict.fromkeys([*found, *theme.roles.values()]))


def whiskers(rows: Sequence[TableRow], table: StudyTable, color: str, width: float = 1.4) -> dict[str, Any]:
    """Error bars from each mean to the ends of its interval; where a row has none, of no length."""
    up, down = [], []
    for row in rows:
        interval, mean = (row.mean.interval, row.mean.mean) if row.mean else (None, 0.0)
        up.append(max(0.0, interval.high - mean) * scale(table) if interval else 0.0)
        down.append(max(0.0, mean - interval.low) * scale(table) if interval else 0.0)
    return {"type": "data", "array": up, "arrayminus": down, "color": color, "thickness": width, "width": 4}


def mean_at(row: TableRow, table: StudyTable) -> float | None:
    return row.mean.mean * scale(table) if row.mean else None


def hover(row: TableRow, table: StudyTable) -> str:
    """The words of a point under the pointer."""
    mean = row.mean
    if mean is None:
        return label(row.variant, NAME)
    between = ""
    if mean.interval:
        low, high = (amount(each, is_share=table.is_share) for each in (mean.interval.low, mean.interval.high))
        between = f", {table.level:.0%}: {low} to {high}"
    lines = [
        f"<b>{label(line_name(row), NAME)}</b>" + (f" at {row.budget:,}" if row.budget is not None else ""),
        f"{label(table.score, NAME)} {amount(mean.mean, is_share=table.is_share)}{between}",
        f"{mean.cases:,} cases of {mean.conversations:,} conversations",
        *(f"mean {label(name, NAME)} {value:,.4g}" for name, value in row.also.items() if value is not None),
    ]
    if row.difference is not None:
        told = row.difference.amount(row.difference.mean)
        lines.append(f"{told} to {label(table.baseline, NAME)}: {row.verdict}, p {row.difference.p_holm:.2g}")
    return "<br>".join(lines)


def row_name(row: TableRow) -> str:
    """The variant and the labels of a row."""
    return ", ".join([row.variant, *map(str, row.labels.values())])


def line_name(row: TableRow) -> str:
    """The name of a row as a figure shows it: with the settings of its strategy, where they aren't the defaults."""
    settings = ", ".join(each for each in row.settings.split(", ") if not each.startswith("strategy="))
    name = row_name(row)
    return f"{name} ({settings})" if settings and len(name) + len(settings) + 3 <= LINE_NAME else name


def click_target(row: TableRow) -> list[Any]:
    """The target of a click: variant, budget, and the case at which the variant scores least."""
    return [row.variant, row.budget, row.worst_case]


def axis(theme: Theme, title: str, **fields: Any) -> dict[str, Any]:
    return {
        "title": {"text": title, "font": {"size": 12, "color": theme.ink_2}},
        "gridcolor": theme.line,
        "linecolor": theme.edge,
        "tickfont": {"size": 11, "color": theme.ink_2},
        "zeroline": False,
        "automargin": True,
        **fields,
    }


def score_axis(table: StudyTable, theme: Theme) -> dict[str, Any]:
    unit = ", %" if table.is_share else ""
    bounds = {"range": [-3, 103]} if table.is_share else {"rangemode": "tozero"}
    return axis(theme, f"{label(table.score, NAME)}{unit}", **bounds)


def head(table: StudyTable, theme: Theme, name: str) -> dict[str, Any]:
    """The head row, and below it the sentence of result where it is long."""
    lines = _lines(table.summary, HEAD_LINES)
    return theme.title(label(name, NAME), f"<br>{'<br>'.join(lines)}" if len(lines) > 1 else "".join(lines))


def margins(table: StudyTable, left: int, right: int) -> dict[str, int]:
    """Pixels around a plot, in which its head, its axes and its note have a place."""
    head_lines, note = len(_lines(table.summary, HEAD_LINES)), len(_lines(_note(table), FOOT_LINES))
    top = 56 + (LINE_HEIGHT * head_lines if head_lines > 1 else 0)
    return {"l": left, "r": right, "t": top, "b": 70 + LINE_HEIGHT * max(1, note)}


def _lines(text: str, most: int) -> list[str]:
    """Text in lines, safe for a figure; the last one is cut where there are more than so many."""
    found = lines_of(plain(text, LINE * most), LINE)
    last = [fitted(" ".join(found[most - 1 :]), LINE)] if len(found) >= most else []
    return [*(escape(line, quote=False) for line in found[: most - 1]), *last]


def _note(table: StudyTable) -> str:
    """The first note, and the one on settings where there are some."""
    return " ".join([*table.notes[:1], *(note for note in table.notes[1:] if note.startswith(SETTINGS))])


def at_one_budget(table: StudyTable, budget: int | None) -> StudyTable:
    """The table's rows at one budget, with the summary of those; the table itself without a budget."""
    if budget is None:
        return table
    part = replace(table, rows=tuple(row for row in table.rows if row.budget == budget))
    return replace(part, summary=table_summary(part))


def foot(table: StudyTable, theme: Theme) -> dict[str, Any]:
    """The first note below the plot: what the figure rests on, or the loud word that too few carry it."""
    return {
        "text": "<br>".join(_lines(_note(table), FOOT_LINES)),
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 0,
        "yref": "paper",
        "yanchor": "top",
        "yshift": -46,
        "showarrow": False,
        "align": "left",
        "font": {
            "size": 11,
            "color": theme.warn if table.notes and table.notes[0].startswith(LOUD_WORDS) else theme.ink_3,
        },
    }


def spread_labels(heights: Sequence[float], least: float, most: float | None = None) -> list[float]:
    """Heights moved apart, so that labels at them are at least so far from one another; their order stays.

    None is above `most`: those that would be go down, and push down what is below them.

    >>> spread_labels([1, 1.2, 5], 1), spread_labels([4, 4, 5], 1, 5)
    ([1, 2, 5], [3, 4, 5])
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    found = list(heights)
    for below, above in pairwise(order):
        found[above] = max(found[above], found[below] + least)
    limit = most
    for i in reversed(order):
        if limit is not None:
            found[i] = min(found[i], limit)
            limit = found[i] - least
    return found


def ticks_between(values: Sequence[float]) -> list[int]:
    """Whole round numbers, 1, 2 and 5 times powers of ten, around and between values above 0; at most about twelve.

    >>> ticks_between([310, 4100])
    [200, 500, 1000, 2000, 5000]
    """
    if not values:
        return []
    low, high = min(values), max(values)
    every = [digit * 10**power for power in range(16) for digit in (1, 2, 5)]
    first = max([i for i, tick in enumerate(every) if tick <= low], default=0)
    last = min([i for i, tick in enumerate(every) if tick >= high], default=len(every) - 1)
    found = every[first : last + 1]
    return found if len(found) <= 12 else [tick for tick in found if str(tick)[0] == "1"]


def places_apart(labels: Sequence[tuple[float, float, float]], high: float, most: float | None = None) -> list[float]:
    """Heights of labels, each raised until it touches no earlier one; a label is its left end, right end and height.

    One that would be above `most` is lowered instead.
    """
    found: list[tuple[float, float, float]] = []

    def place(left: float, right: float, y: float, step: float) -> float:
        while any(left < end and start < right and abs(y - at) < high * 0.999 for start, end, at in found):
            y += step
        return y

    for left, right, y in labels:
        up = place(left, right, y, high / 2)
        at = up if most is None or up <= most else place(left, right, min(y, most), -high / 2)
        found.append((left, right, at))
    return [y for _, _, y in found]


def short_name(name: str) -> str:
    return label(plain(name, LINE_NAME), LINE_NAME)


def name_margin(names: Iterable[str]) -> int:
    """Pixels to the right of a plot in which these names have a place."""
    return max(170, ceil(24 + max((pixels_wide(unescape(short_name(name)), NAME_SIZE) for name in names), default=0.0)))


def in_column(figure: go.Figure, look: Theme, width: int) -> go.Figure:
    """A figure for the column of a page: no head, notes or names on the plot, which a caption and the legend say."""
    if width < LEAST_COLUMN:
        raise WrongArgument(f"width takes pixels from {LEAST_COLUMN} on, got {width}")
    traces: Any = figure.data
    names = [trace.name for trace in traces if trace.name]
    below = AXIS_HEIGHT + LEGEND_LINE * _legend_lines(names, width)
    figure.layout.annotations = ()
    figure.update_layout(
        title=None,
        width=width,
        height=round(COLUMN_SHAPE * width) + below,
        margin={"l": COLUMN_LEFT, "r": 10, "t": 10, "b": below},
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "font": {"size": COLUMN_LETTERS, "color": look.ink},
        },
    )
    fonts: dict[str, Any] = {"title_font_size": COLUMN_LETTERS, "tickfont_size": COLUMN_LETTERS}
    figure.update_xaxes(**fonts, title_standoff=4)
    figure.update_yaxes(**fonts, title_standoff=4)
    return figure


def _legend_lines(names: Sequence[str], width: int) -> int:
    """Lines of a legend whose columns are as wide as its longest name."""
    if not names:
        return 0
    longest = max(pixels_wide(unescape(name), COLUMN_LETTERS) for name in names) + LEGEND_SIGN
    return ceil(len(names) / max(1, int(width // longest)))
