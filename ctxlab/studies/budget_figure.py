"""The window as a bar: tokens by source, free tokens, reserve, and beyond its end the tokens that did not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import label
from ctxlab.display.source_styles import ROOM, SOURCES
from ctxlab.display.theme import HATCHES, SOURCE_SIGNS, Theme, ThemeName, theme_of
from ctxlab.engines.truncation import BudgetReport
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.processors import TokenLimiter

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The stretches of the window bar, in its order: the name, whose look it has, and the entries of the budget in it.
ORDER = (
    *((source.title, source.name, source.parts) for source in SOURCES),
    *((room, room, (room,)) for room in ROOM),
)
ROW, HEAD, FOOT = 22, 64, 28
GAP = 0.25  # between the bar and the rows below it, in rows
WIDEST = 1.6
"""The axis ends at so many windows; what hangs out further runs on."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the bar in tokens; `look` names colour, fill and sign, `parts` say what it is made of."""

    name: str
    look: str
    start: int
    tokens: int
    parts: str = ""

    @property
    def end(self) -> int:
        return self.start + self.tokens


@checked_arguments
def budget_figure(trace: Trace, *, theme: ThemeName = "light") -> go.Figure:
    """The window bar on top, below it each source at its place in the bar; cut tokens are drawn beyond the edge."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    segments = segments_of(trace)
    window = _window(trace)
    end = max([1, *(segment.end for segment in segments)])
    shown = min(end, WIDEST * window) if window else end
    figure = go.Figure([_bar(segment, i, look) for i, segment in enumerate(segments, 1)])
    # The numbers at the right need something drawn on their axis.
    figure.add_trace(go.Scatter(x=[0], y=[0], yaxis="y2", mode="markers", marker={"opacity": 0}, hoverinfo="skip"))
    rows: dict[str, Any] = {"range": [len(segments) + 0.6 + GAP, -0.6], "showgrid": False, "zeroline": False}
    rows |= {"tickvals": [i + GAP for i in range(1, len(segments) + 1)], "fixedrange": True, "automargin": True}
    numbers = [_number(segment, window or trace.tokens, look) for segment in segments]
    figure.update_layout(
        look.layout(
            title=look.title("Budget", _sentence(trace)),
            height=HEAD + FOOT + ROW * (len(segments) + 2),
            margin={"l": 12, "r": 12, "t": HEAD, "b": FOOT},
            barmode="overlay",
            showlegend=False,
            xaxis={
                "range": [0, shown],
                "tickformat": ",d",
                "gridcolor": look.line,
                "zeroline": False,
                "tickfont": {"size": 11, "color": look.ink_2},
            },
            yaxis={**rows, "ticktext": [_name(segment, look) for segment in segments]},
            yaxis2={**rows, "ticktext": numbers, "overlaying": "y", "side": "right"},
            shapes=_edges(trace, segments, window, look),
            annotations=_marks(trace, segments, window, shown, look),
        )
    )
    return figure


def segments_of(trace: Trace) -> list[Segment]:
    """The segments of the bar from its start: sources, free, reserve, then the tokens that did not fit."""
    spent = trace.prompt.tokens_by_source
    segments: list[Segment] = []
    at = 0
    for name, look, sources in ORDER:
        tokens = sum(spent.get(source, 0) for source in sources)
        if tokens > 0:
            there = [f"{source} {spent[source]:,}" for source in sources if source in spent]
            segments.append(Segment(name, look, at, tokens, ", ".join(there) if len(there) > 1 else ""))
            at += tokens
    cut = _did_not_fit(trace)
    return [*segments, Segment("did not fit", "cut", at, cut, _what_was_cut(trace))] if cut else segments


def _window(trace: Trace) -> int | None:
    """Tokens of budget and reserve together; None when nothing limits the run."""
    report = trace.result.report(BudgetReport)
    return report.budget_tokens + report.reserve_tokens if report is not None else None


def _did_not_fit(trace: Trace) -> int:
    """Tokens that the limiter took out for want of room, by cutting and by shortening."""
    count = trace.services.tokenizer.count_draft
    lost = 0
    for step in trace.steps:
        if step.id == TokenLimiter.id:
            lost += trace.tokens_of(step.before) - trace.tokens_of(step.after)
            groups = step.after.dropped[len(step.before.dropped) :]
            lost -= sum(count(draft) for group in groups if group.needed is None for draft in group.drafts)
    return max(0, lost)


def _cut(trace: Trace) -> int:
    return sum(len(group.drafts) for group in trace.result.dropped if group.needed is not None)


def _what_was_cut(trace: Trace) -> str:
    causes = dict.fromkeys(str(group.cause) for group in trace.result.dropped if group.needed is not None)
    return "<br>".join([_counts(trace), *(label(cause, 100) for cause in causes)])


def _counts(trace: Trace) -> str:
    report = trace.result.report(BudgetReport)
    cut, shortened = _cut(trace), report.shortened if report is not None else 0
    words = f"{cut:,} {'message' if cut == 1 else 'messages'} cut"
    return f"{words}, {shortened:,} shortened" if shortened else words


def _sentence(trace: Trace) -> str:
    report = trace.result.report(BudgetReport)
    if report is None:
        return f"{trace.tokens:,} tokens, no budget"
    free = report.budget_tokens - trace.tokens
    room = f"{free:,} tokens free" if free >= 0 else f"<b>{-free:,} tokens over budget</b>"
    return f"{_counts(trace)}, {room}"


# --- drawing


def _bar(segment: Segment, row: int, look: Theme) -> go.Bar:
    import plotly.graph_objects as go

    hover = [f"<b>{segment.name}</b> {segment.tokens:,} tokens"]
    return go.Bar(
        orientation="h",
        x=[segment.tokens] * 2,
        base=[segment.start] * 2,
        y=[0, row + GAP],
        width=[0.9, 0.5],
        marker=_fill(segment.look, look),
        hovertext="<br>".join([*hover, segment.parts] if segment.parts else hover),
        hoverinfo="text",
    )


def _fill(name: str, look: Theme) -> dict[str, Any]:
    if name == "free":  # its dashed outline is a shape, which bars can't have
        return {"color": look.surface, "line": {"width": 0}}
    if name == "reserve":
        pattern = {"shape": "|", "fgcolor": look.edge, "size": 9, "solidity": 0.12}
        return {"color": look.hover, "line": {"width": 1, "color": look.edge}, "pattern": pattern}
    if name == "cut":
        color = look.sources["history"]
        pattern = {"shape": "/", "fgcolor": color, "size": 6, "solidity": 0.35}
        return {"color": look.surface, "line": {"width": 1, "color": color}, "pattern": pattern}
    pattern = {"shape": HATCHES[name], "fgcolor": look.pattern, "size": 6, "solidity": 0.25}
    edge = {"width": 1, "color": look.surface}
    return {"color": look.sources[name], "line": edge, **({"pattern": pattern} if HATCHES[name] else {})}


def _name(segment: Segment, look: Theme) -> str:
    color = look.sources.get(segment.look, look.edge if segment.look != "cut" else look.sources["history"])
    return f"<span style='color:{color}'>{SOURCE_SIGNS[segment.look]}</span> {segment.name} "


def _number(segment: Segment, whole: int, look: Theme) -> str:
    share = "" if segment.look == "cut" else f"{segment.tokens / max(1, whole):.0%}"
    return f" <b>{segment.tokens:,}</b> <span style='color:{look.ink_2}'>{share}</span>"


def _edges(trace: Trace, segments: Sequence[Segment], window: int | None, look: Theme) -> list[dict[str, Any]]:
    """The outline of the free segment, and lines at the ends of budget and window."""
    shapes = [
        {
            "type": "rect",
            "x0": segment.start,
            "x1": segment.end,
            "y0": row - half,
            "y1": row + half,
            "line": {"width": 1, "color": look.edge, "dash": "dot"},
        }
        for i, segment in enumerate(segments, 1)
        if segment.look == "free"
        for row, half in ((0, 0.45), (i + GAP, 0.25))
    ]
    report = trace.result.report(BudgetReport)
    if window is None or report is None:
        return shapes
    color = look.error if trace.tokens > report.budget_tokens else look.ink
    ends = {"type": "line", "yref": "y", "y0": -0.6, "y1": 0.6, "line": {"width": 2, "color": color}}
    return [*shapes, *({**ends, "x0": at, "x1": at} for at in {report.budget_tokens, window})]


def _marks(
    trace: Trace, segments: Sequence[Segment], window: int | None, shown: float, look: Theme
) -> list[dict[str, Any]]:
    """Labels above the bar: the end of the budget, the end of the window, an arrow where the bar is cut."""
    report = trace.result.report(BudgetReport)
    if window is None or report is None:
        return []
    budget = report.budget_tokens
    above: dict[str, Any] = {"y": -0.6, "yanchor": "bottom", "showarrow": False, "font": {"size": 11}}
    outside = next((segment for segment in segments if segment.look == "cut"), None)
    marks = [{**above, "x": budget, "xanchor": "right", "text": f"budget <b>{budget:,}</b>"}]
    if window > budget:
        marks[0]["xshift"] = -4
        marks.append({**above, "x": window, "xanchor": "right", "text": f"window {window:,}"})
    if outside is not None:
        runs_on = " →" if outside.end > shown else ""
        marks.append(
            {
                **above,
                "x": window,
                "xanchor": "left",
                "xshift": 6,
                "text": f"did not fit <b>{outside.tokens:,}</b>{runs_on}",
            }
        )
    return marks
