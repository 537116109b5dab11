"""A Sankey diagram of tokens: sources at the left, what was sent and what each step cut at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.display.one_line import label
from ctxlab.display.short_texts import counted
from ctxlab.display.source_styles import BY_NAME, OF_PART
from ctxlab.display.theme import Theme, theme_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ctxlab.studies.branches.token_flow import Flow, TokenFlow

SENT = "sent"
TAKEN_AWAY, ADDED = "rewritten away", "added by rewriting"
ROW, HEAD = 26, 64


def token_flow_figure(flow: TokenFlow, theme: str = "light") -> go.Figure:
    """A band a flow, as wide as its tokens; what rewriting adds comes in at the left like a source."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    links = [_link(each) for each in flow.flows]
    names = list(dict.fromkeys([name for left, right, _ in links for name in (left, right)]))
    at = {name: number for number, name in enumerate(names)}
    sankey = go.Sankey(
        arrangement="snap",
        node={
            "label": [label(name, 40) for name in names],
            "color": [_color(name, look) for name in names],
            "line": {"width": 0},
            "pad": 14,
            "thickness": 16,
            "hovertemplate": "%{label}: %{value:,.0f} tokens<extra></extra>",
        },
        link={
            "source": [at[left] for left, _, _ in links],
            "target": [at[right] for _, right, _ in links],
            "value": [tokens for _, _, tokens in links],
            "color": [look.tint(_color(left if left in OF_PART else right, look)) for left, right, _ in links],
            "hovertemplate": "%{source.label} → %{target.label}: %{value:,.0f} tokens<extra></extra>",
        },
    )
    figure = go.Figure([sankey])
    figure.update_layout(
        look.layout(
            title=look.title("Tokens", _sentence(flow)),
            height=HEAD + max(220, ROW * len(names)),
            margin={"l": 12, "r": 12, "t": HEAD, "b": 16},
        )
    )
    return figure


def _link(flow: Flow) -> tuple[str, str, int]:
    """Names of both ends, and the tokens between them."""
    if flow.kind == "sent" and flow.tokens >= 0:
        return flow.source, SENT, flow.tokens
    if flow.kind == "cut":
        return flow.source, f"cut by {flow.step}", flow.tokens
    return (flow.source, TAKEN_AWAY, flow.tokens) if flow.tokens >= 0 else (ADDED, flow.source, -flow.tokens)


def _color(name: str, look: Theme) -> str:
    if name in OF_PART:
        return look.sources[BY_NAME[OF_PART[name]].name]
    return look.ok if name == SENT else look.error if name.startswith("cut by") else look.edge


def _sentence(flow: TokenFlow) -> str:
    sent, cut = (sum(each.tokens for each in flow.flows if each.kind == kind) for kind in ("sent", "cut"))
    share = sent / (sent + cut) if sent + cut else 0
    return f"{counted(flow.runs, 'run')}: {sent:,} tokens sent, {cut:,} cut ({share:.0%} sent)"
