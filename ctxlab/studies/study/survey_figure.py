"""A figure of a survey: the share of messages that each strategy keeps, by budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label
from ctxlab.display.theme import ThemeName, theme_of
from ctxlab.studies.study.study_result import StudyResult

if TYPE_CHECKING:
    import plotly.graph_objects as go


def survey_figure(result: StudyResult, theme: ThemeName = "light") -> go.Figure:
    """A line for each variant: the mean share of a conversation's messages that is sent, at each budget.

    Conversations whose budget is too small are in no mean; hovering says how many there are.
    """
    import plotly.graph_objects as go

    look = theme_of(theme)
    figure = go.Figure()
    for variant in result.variants:
        points = [(budget, *_kept(result, variant.name, budget)) for budget in result.budgets]
        figure.add_trace(
            go.Scatter(
                x=["no budget" if budget is None else f"{budget:,}" for budget, *_ in points],
                y=[share for _, share, *_ in points],
                customdata=[[cells, errors] for *_, cells, errors in points],
                name=label(variant.name),
                mode="lines+markers",
                hovertemplate="%{y:.1%} of %{customdata[0]} conversations; %{customdata[1]} with an error",
            )
        )
    figure.update_layout(
        paper_bgcolor=look.surface,
        plot_bgcolor=look.surface,
        font={"color": look.ink},
        xaxis={"title": f"budget, tokens by {label(result.tokenizer)}", "type": "category"},
        yaxis={"title": "share of messages sent", "tickformat": ".0%", "range": [0, 1.02]},
        title=f"{result.conversations:,} conversations",
    )
    return figure


def _kept(result: StudyResult, variant: str, budget: int | None) -> tuple[float | None, int, int]:
    """The mean share of messages kept, and in how many cells it is known and not."""
    columns: Any = result.cell_table.columns
    at = [
        i
        for i, place in enumerate(zip(columns["variant"], columns["budget"], strict=True))
        if place == (variant, budget)
    ]
    sums = [(columns["messages"][i], columns["cut_messages"][i]) for i in at if columns["error"][i] is None]
    shares = [kept / (kept + cut) for kept, cut in sums if kept + cut]
    return (sum(shares) / len(shares) if shares else None), len(sums), len(at) - len(sums)
