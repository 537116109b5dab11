"""A figure of a survey: the share of messages that each strategy keeps, by budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label
from ctxlab.display.theme import ThemeName, theme_of
from ctxlab.errors import MissingExtra
from ctxlab.studies.statistics import MeanScore, totals_of
from ctxlab.studies.statistics.mean_score import SHARE, mean_of
from ctxlab.studies.study.study_result import StudyResult

if TYPE_CHECKING:
    import plotly.graph_objects as go

LEVEL, NAME = 0.95, "share of messages sent"


def survey_figure(result: StudyResult, theme: ThemeName = "light", width: int | None = None) -> go.Figure:
    """A line for each variant: the mean share of a conversation's messages that is sent, with intervals, by budget.

    Conversations whose budget is too small are in no mean; hovering says how many there are. There are no intervals
    where scipy isn't installed, or with one conversation. With a `width` it is for a column of so many pixels.
    """
    import plotly.graph_objects as go

    look = theme_of(theme)
    figure, has_intervals = go.Figure(), False
    for variant in result.variants:
        points = [(budget, *_kept(result, variant.name, budget)) for budget in result.budgets]
        means = [mean for _, mean, _ in points]
        has_intervals = has_intervals or any(mean is not None and mean.interval is not None for mean in means)
        figure.add_trace(
            go.Scatter(
                x=["no budget" if budget is None else f"{budget:,}" for budget, *_ in points],
                y=[mean.mean if mean else None for mean in means],
                error_y=_whiskers(means),
                customdata=[[mean.cases if mean else 0, errors, _between(mean)] for _, mean, errors in points],
                name=label(variant.name),
                mode="lines+markers",
                hovertemplate="%{y:.1%}%{customdata[2]} of %{customdata[0]} conversations; "
                "%{customdata[1]} with an error",
            )
        )
    head = f"{result.conversations:,} conversations{f', {LEVEL:.0%} intervals' if has_intervals else ''}"
    told = [label(f"Left out: {each}", 140) for each in result.cell_table.facts.left_out]
    figure.update_layout(
        paper_bgcolor=look.surface,
        plot_bgcolor=look.surface,
        font={"color": look.ink},
        xaxis={"title": f"budget, tokens by {label(result.tokenizer)}", "type": "category"},
        yaxis={"title": "share of messages sent", "tickformat": ".0%", "range": [0, 1.02]},
        title="<br>".join([head, *[f"<sub>{each}</sub>" for each in told]]),
        margin={"t": 100 + 20 * len(told)},
    )
    if width is None:
        return figure
    from ctxlab.studies.study_table.figure_parts import in_column

    return in_column(figure, look, width)


def _kept(result: StudyResult, variant: str, budget: int | None) -> tuple[MeanScore | None, int]:
    """The mean share of messages kept, and the number of cases in which it isn't known."""
    columns: Any = result.cell_table.columns
    at = [
        i
        for i, place in enumerate(zip(columns["variant"], columns["budget"], strict=True))
        if place == (variant, budget)
    ]
    sums = [(i, columns["messages"][i], columns["cut_messages"][i]) for i in at if columns["error"][i] is None]
    cells = [
        (columns["conversation"][i], columns["case"][i], kept / (kept + cut)) for i, kept, cut in sums if kept + cut
    ]
    return _mean(cells), len(at) - len(sums)


def _mean(cells: list[tuple[str, str, float]]) -> MeanScore | None:
    try:
        return mean_of(NAME, cells, bounds=SHARE, level=LEVEL)
    except MissingExtra:  # scipy, without which there are means and no intervals
        mean, cases = totals_of((conversation, value) for conversation, _, value in cells).mean, len(cells)
        return MeanScore(NAME, mean, None, cases, cases, len({conversation for conversation, *_ in cells}))


def _whiskers(means: list[MeanScore | None]) -> dict[str, Any]:
    ends = [
        (mean.interval.low - mean.mean, mean.interval.high - mean.mean) if mean and mean.interval else (0.0, 0.0)
        for mean in means
    ]
    return {
        "type": "data",
        "array": [up for _, up in ends],
        "arrayminus": [-down for down, _ in ends],
        "thickness": 1.2,
    }


def _between(mean: MeanScore | None) -> str:
    interval = mean.interval if mean else None
    return f" ({interval.low:.1%} to {interval.high:.1%})" if interval else ""
