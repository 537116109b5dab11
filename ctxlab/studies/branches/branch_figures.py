"""Figures of branches: a sunburst of tokens, where branches diverge, which tokens survive, and a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import label
from ctxlab.display.short_texts import counted
from ctxlab.display.theme import ROLE_SYMBOLS, Theme, theme_of
from ctxlab.studies.branches.measured_tree import MeasuredTree
from ctxlab.studies.branches.stretches import Stretch, stretches

if TYPE_CHECKING:
    import plotly.graph_objects as go

Trees = Sequence[MeasuredTree]

BINS = 80
"""Depths are put together so that a figure has at most so many bars."""
SECTORS = 1_200
"""A sunburst has at most so many sectors; the smallest ones are put together."""
ROWS = 60
POINTS = 6_000
HEIGHT, ROW, HEAD, FOOT = 360, 18, 72, 48
ACTIVE, ABANDONED = "active", "abandoned"


def sunburst(trees: Trees, theme: str) -> go.Figure:
    """Sectors are stretches of messages without forks; angles are tokens, what is abandoned is pale."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    found = stretches(trees, SECTORS)
    ids = [f"s{number}" for number in range(len(found))]
    burst = go.Sunburst(
        ids=ids,
        parents=[ids[each.parent] if each.parent >= 0 else "" for each in found],
        labels=[label(each.name, 28) for each in found],
        values=[each.all_tokens for each in found],
        branchvalues="total",
        hovertext=[_stretch_words(each) for each in found],
        hoverinfo="text",
        marker={
            "colors": [_stretch_color(each, look) for each in found],
            "line": {"width": 1, "color": look.surface},
        },
        insidetextfont={"color": look.ink},
        sort=False,
        maxdepth=12,
    )
    figure = go.Figure([burst])
    tokens, active = _sums(trees)
    words = f"{counted(tokens, 'token')}, {active / tokens if tokens else 0:.0%} on an active path"
    layout = {"height": 560, "margin": {"l": 12, "r": 12, "t": HEAD - 24, "b": 12}}
    figure.update_layout(look.layout(title=look.title("Branches", words), **layout))
    return figure


def _stretch_color(each: Stretch, look: Theme) -> str:
    if each.kind == "corpus":
        return look.hover
    color = look.roles["assistant"]
    return color if each.is_active else look.tint(color)


def _stretch_words(each: Stretch) -> str:
    own = f"{counted(each.tokens, 'token')} in {counted(each.messages, 'message')}"
    state = "" if each.kind == "corpus" else f", {ACTIVE if each.is_active else ABANDONED}"
    return f"<b>{label(each.name, 60)}</b><br>{own}{state}<br>with what follows {each.all_tokens:,}"


def divergence(trees: Trees, theme: str) -> go.Figure:
    """Bars: branches that begin at a depth, by how; a line: branches that are there."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    bins = _Bins(trees)
    there, begun = bins.empty(), {kind: bins.empty() for kind in ("regeneration", "edit", "branch")}
    for tree in trees:
        for depth in tree.shape.depths:
            there[bins.of(depth)] += 1
        for depth, kind in zip(tree.shape.depths, tree.kinds, strict=True):
            if kind in begun:
                begun[kind][bins.of(depth)] += 1
    colors = {"regeneration": look.roles["assistant"], "edit": look.roles["user"], "branch": look.roles["tool"]}
    bars = [_bar(bins, values, kind, colors[kind], look) for kind, values in begun.items() if any(values)]
    width = max(1, bins.width)
    line = go.Scatter(
        x=bins.labels(),
        y=[n / width for n in there],
        name="messages at this depth",
        mode="lines",
        line={"color": look.ink, "width": 2},
        hovertemplate="%{x}: %{y:,.1f} messages a depth<extra></extra>",
    )
    figure = go.Figure([*bars, line])
    words = f"{counted(sum(map(sum, begun.values())), 'branch begins', 'branches begin')} after the first"
    figure.update_layout(_plain_layout(look, "Divergence", words, "depth", "branches"))
    return figure


def survival(trees: Trees, theme: str) -> go.Figure:
    """Tokens by depth: on an active path, and abandoned."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    bins = _Bins(trees)
    tokens = {ACTIVE: bins.empty(), ABANDONED: bins.empty()}
    for tree in trees:
        for depth, active, n in zip(tree.shape.depths, tree.active, tree.tokens, strict=True):
            tokens[ACTIVE if active else ABANDONED][bins.of(depth)] += n
    colors = {ACTIVE: look.roles["assistant"], ABANDONED: look.edge}
    figure = go.Figure([_bar(bins, values, name, colors[name], look) for name, values in tokens.items()])
    whole, kept = _sums(trees)
    words = f"{kept:,} of {counted(whole, 'token')} survive ({kept / whole if whole else 0:.0%})"
    figure.update_layout(_plain_layout(look, "Survival", words, "depth", "tokens"))
    return figure


def timeline(trees: Trees, theme: str) -> go.Figure:
    """A sign a message at its time, a row a branch; of many branches those with most messages."""
    import plotly.graph_objects as go

    look = theme_of(theme)
    every = [(tree, number) for tree in trees for number in range(len(tree.lines))]
    timed = [(t, n, at) for t, n in every if (at := [i for i in t.lines[n].own if t.seconds[i] is not None])]
    rows = sorted(sorted(timed, key=lambda row: -len(row[2]))[:ROWS], key=lambda row: row[0].seconds[row[2][0]] or 0.0)
    most = max(1, POINTS // max(1, len(rows)))
    points: dict[tuple[str, bool], list[tuple[datetime, int, str]]] = {}
    for row, (tree, _, at) in enumerate(rows):
        for i in at[:: ceil(len(at) / most)]:
            node = tree.nodes[i]
            moment = datetime.fromtimestamp(tree.seconds[i] or 0.0, UTC)
            words = f"<b>{label(node.id, 24)}</b> {node.role}<br>{label(node.content, 80)}"
            points.setdefault((node.role, tree.active[i]), []).append((moment, row, words))
    figure = go.Figure([_signs(role, active, found, look) for (role, active), found in sorted(points.items())])
    names = [f"{label(tree.name or tree.id, 18)} · {tree.shape.branches[at[0]]}" for tree, _, at in rows]
    left_out = sum(
        second is None and not node.is_empty_root
        for tree in trees
        for node, second in zip(tree.nodes, tree.seconds, strict=True)
    )
    words = f"{counted(len(rows), 'branch', 'branches')} of {len(every):,}"
    words += f", {counted(left_out, 'message')} without a time" if left_out else ""
    layout = _plain_layout(look, "Timeline", words, "", "")
    layout["height"] = HEAD + FOOT + max(HEIGHT // 2, ROW * len(rows))
    layout["yaxis"] |= {"tickvals": list(range(len(rows))), "ticktext": names, "range": [len(rows) - 0.5, -0.5]}
    figure.update_layout(layout)
    return figure


def _signs(role: str, active: bool, found: Sequence[tuple[datetime, int, str]], look: Theme) -> go.Scatter:  # noqa: FBT001
    import plotly.graph_objects as go

    symbol = ROLE_SYMBOLS.get(role, "circle")
    return go.Scatter(
        x=[moment for moment, _, _ in found],
        y=[row for _, row, _ in found],
        hovertext=[words for _, _, words in found],
        hoverinfo="text",
        mode="markers",
        name=role if active else f"{role}, {ABANDONED}",
        marker={"symbol": symbol if active else f"{symbol}-open", "size": 8, "color": look.roles[role]},
    )


# --- what they share


class _Bins:
    """Depths put together into at most BINS bars."""

    def __init__(self, trees: Trees) -> None:
        self.deepest = max((depth for tree in trees for depth in tree.shape.depths), default=0)
        self.width = ceil((self.deepest + 1) / BINS)

    def empty(self) -> list[int]:
        return [0] * (self.deepest // self.width + 1)

    def of(self, depth: int) -> int:
        return depth // self.width

    def labels(self) -> list[str]:
        starts = range(0, self.deepest + 1, self.width)
        return [str(a) if self.width == 1 else f"{a}–{min(a + self.width - 1, self.deepest)}" for a in starts]


def _bar(bins: _Bins, values: Sequence[int], name: str, color: str, look: Theme) -> go.Bar:
    import plotly.graph_objects as go

    return go.Bar(
        x=bins.labels(),
        y=list(values),
        name=name,
        marker={"color": color, "line": {"width": 0.5, "color": look.surface}},
        hovertemplate=f"%{{x}}: %{{y:,}} {name}<extra></extra>",
    )


def _plain_layout(look: Theme, name: str, words: str, x: str, y: str) -> dict[str, Any]:
    return look.layout(
        title=look.title(name, words),
        height=HEIGHT,
        barmode="stack",
        margin={"l": 12, "r": 12, "t": HEAD, "b": FOOT},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
        xaxis=_axis(look, x),
        yaxis=_axis(look, y),
    )


def _axis(look: Theme, title: str) -> dict[str, Any]:
    return {
        "title": {"text": title, "font": {"size": 11, "color": look.ink_2}},
        "gridcolor": look.line,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"size": 11, "color": look.ink_2},
    }


def _sums(trees: Trees) -> tuple[int, int]:
    tokens = sum(tree.total for tree in trees)
    return tokens, tokens - sum(tree.abandoned_tokens for tree in trees)
