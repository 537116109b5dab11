"""The tree as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab.documents.layouts import TidyTree, force_places
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.theme import ROLE_SYMBOLS, Theme, label, theme_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ctxlab.documents.message import MessageNode
    from ctxlab.documents.session import Session
    from ctxlab.documents.shape import Shape

UNFOLDED = 2000
"""Up to so many messages each has a sign of its own."""
CURVED = 400
ROW, LEAST, MOST = 30, 220, 900
WIDTH, CELL = 860, 6.5
"""Pixels for which labels are fitted, and of one cell of a label."""
FOLDED = "several"


@dataclass(frozen=True, slots=True, eq=False)
class Sign:
    """One sign of the picture: a message, or a straight chain of them."""

    nodes: tuple[MessageNode, ...]
    keys: tuple[str, ...]
    parent: int
    look: str
    is_active: bool

    @property
    def is_enabled(self) -> bool:
        return any(node.enabled for node in self.nodes)


def shape_figure(session: Session, shape: Shape, layout: str, theme_name: str) -> go.Figure:
    import plotly.graph_objects as go

    look = theme_of(theme_name)
    if layout not in ("tree", "force"):
        raise CtxlabError(f"there is no layout {layout!r}{did_you_mean(layout, ['tree', 'force'])}")
    signs = _signs(session, shape)
    parents = [sign.parent for sign in signs]
    depths = _depths(parents)
    across = TidyTree(parents).places()
    is_tree = layout == "tree"
    places = list(zip(map(float, depths), across, strict=True)) if is_tree else force_places(parents, depths, across)
    places = [(round(x, 3), round(y, 3)) for x, y in places]
    figure = go.Figure([*_edges(signs, places, is_tree, look), *_markers(session, signs, places, is_tree, look)])
    axis: dict[str, Any] = {"visible": False}
    rows = max(across, default=0.0) + 1
    height = 72 + min(MOST, max(LEAST, int(ROW * rows))) if is_tree else 640
    figure.update_layout(
        look.layout(
            title=look.title("Branches", _sentence(session, shape, signs)),
            height=height,
            margin={"l": 12, "r": 12, "t": 72, "b": 12},
            legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False},
            hovermode="closest",
            xaxis={**axis, "range": [-0.5, max(depths, default=0) + 0.6]} if is_tree else axis,
            yaxis={**axis, "range": [rows - 0.3, -0.7]} if is_tree else {**axis, "scaleanchor": "x"},
        )
    )
    return figure


def _sentence(session: Session, shape: Shape, signs: Sequence[Sign]) -> str:
    leaves = len(shape.keys) - len({parent for parent in shape.parents if parent >= 0})
    chains = sum(len(sign.nodes) > 1 for sign in signs)
    words = [f"{len(shape.keys):,} messages", f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}"]
    return ", ".join([*words, *([f"{chains:,} folded {'chain' if chains == 1 else 'chains'}"] if chains else [])])


# --- signs


def _signs(session: Session, shape: Shape) -> list[Sign]:
    path = session.path()
    active = {*(node.parent_id for node in path[1:]), session.active_leaf_id} if path else set[str | None]()
    groups: list[list[int]] = []
    group_of: list[int] = []
    above: list[int] = []
    foldable = _foldable(session, shape) if len(shape.keys) > UNFOLDED else [False] * len(shape.keys)
    for i, parent in enumerate(shape.parents):
        if foldable[i] and foldable[parent]:
            group_of.append(group_of[parent])
            groups[group_of[i]].append(i)
        else:
            group_of.append(len(groups))
            groups.append([i])
            above.append(group_of[parent] if parent >= 0 else -1)
    return [
        Sign(
            nodes=tuple(session.nodes[shape.keys[i]] for i in group),
            keys=tuple(shape.keys[i] for i in group),
            parent=parent,
            look=_look(session.nodes[shape.keys[group[0]]], group, shape.parents[group[0]]),
            is_active=shape.keys[group[0]] in active,
        )
        for group, parent in zip(groups, above, strict=True)
    ]


def _foldable(session: Session, shape: Shape) -> list[bool]:
    """Whether a message is inside a straight chain: the only child of its parent, with one child."""
    counts = [0] * len(shape.keys)
    for parent in shape.parents:
        if parent >= 0:
            counts[parent] += 1
    return [
        parent >= 0 and counts[parent] == 1 and counts[i] == 1 and shape.keys[i] != session.active_leaf_id
        for i, parent in enumerate(shape.parents)
    ]


def _look(node: MessageNode, group: Sequence[int], parent: int) -> str:
    if len(group) > 1:
        return FOLDED
    if node.is_summary:
        return "summary"
    return "root" if parent < 0 and node.role == "system" else node.role


def _depths(parents: Sequence[int]) -> list[int]:
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
    return depths


# --- drawing

Places = Sequence[tuple[float, float]]


def _edges(signs: Sequence[Sign], places: Places, is_tree: bool, look: Theme) -> Iterator[go.Scatter]:
    curved = is_tree and len(signs) <= CURVED
    kinds = {"off": ({"color": look.edge, "width": 1, "dash": "dot"}), "plain": {"color": look.edge, "width": 1}}
    kinds["active"] = {"color": look.ink, "width": 2}
    for kind, line in kinds.items():
        xs: list[float | None] = []
        ys: list[float | None] = []
        for sign, (x, y) in zip(signs, places, strict=True):
            if sign.parent < 0 or _kind(sign) != kind:
                continue
            x0, y0 = places[sign.parent]
            points = _curve(x0, y0, x, y) if curved and y != y0 else [(x0, y0), (x, y)]
            xs += [*(point[0] for point in points), None]
            ys += [*(point[1] for point in points), None]
        if xs:
            yield _scatter(x=xs[:-1], y=ys[:-1], mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _kind(sign: Sign) -> str:
    return "active" if sign.is_active else "plain" if sign.is_enabled else "off"


def _curve(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
    """Level at both ends, so that a line leaves and arrives straight."""
    eased = [(t, t * t * (3 - 2 * t)) for t in (0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1)]
    return [(round(x0 + (x1 - x0) * t, 3), round(y0 + (y1 - y0) * s, 3)) for t, s in eased]


def _markers(
    session: Session, signs: Sequence[Sign], places: Places, is_tree: bool, look: Theme
) -> Iterator[go.Scatter]:
    depth = max([x for x, _ in places], default=0) if is_tree else 0
    cells = int(WIDTH / (depth + 1) / CELL) - 1 if is_tree and len(signs) <= CURVED else 0
    for name in dict.fromkeys(sign.look for sign in signs):
        mine = [i for i, sign in enumerate(signs) if sign.look == name]
        color, symbol = _color(name, look), _symbol(name)
        texts = [_label(signs[i], cells) for i in mine]
        yield _scatter(
            x=[places[i][0] for i in mine],
            y=[places[i][1] for i in mine],
            mode="markers+text" if any(texts) else "markers",
            marker={
                "symbol": [symbol if signs[i].is_enabled else f"{symbol}-open" for i in mine],
                "color": color,
                "size": 9 if len(signs) <= CURVED else 6,
                "line": {"width": 1, "color": color if name != FOLDED else look.ink_2},
            },
            **({"text": texts, "textposition": "bottom center", "textfont": {"size": 11, "color": look.ink_2}} if any(texts) else {}),
            hovertext=[_hover(signs[i]) for i in mine],
            hoverinfo="text",
            name=name,
        )
    if any(not sign.is_enabled for sign in signs):
        open_circle = {"symbol": "circle-open", "size": 9, "color": look.ink_3}
        yield _scatter(x=[None], y=[None], mode="markers", marker=open_circle, name="switched off")
    at = [place for sign, place in zip(signs, places, strict=True) if session.active_leaf_id in sign.keys]
    ring = {"symbol": "circle-open", "size": 17, "color": look.ring, "line": {"width": 2, "color": look.ring}}
    yield _scatter(
        x=[x for x, _ in at], y=[y for _, y in at], mode="markers", marker=ring, hoverinfo="skip", name="active leaf"
    )


def _color(name: str, look: Theme) -> str:
    if name == FOLDED:
        return look.hover
    return look.sources["summary"] if name == "summary" else look.roles.get(name, look.ink_3)


def _symbol(name: str) -> str:
    return {FOLDED: "square", "summary": "hourglass"}.get(name, ROLE_SYMBOLS.get(name, "circle"))


def _label(sign: Sign, cells: int) -> str:
    if len(sign.nodes) > 1:
        return f"{len(sign.nodes):,}"
    return label(sign.nodes[0].content, min(cells, 24)) if cells >= 8 else ""


def _hover(sign: Sign) -> str:
    if len(sign.nodes) > 1:
        characters = sum(len(node.content) for node in sign.nodes)
        ends = f"{label(sign.keys[0], 24)} to {label(sign.keys[-1], 24)}"
        return f"<b>{len(sign.nodes):,} messages</b> in a row<br>{ends}<br>{characters:,} characters"
    node = sign.nodes[0]
    lines = [f"<b>{label(sign.keys[0], 40)}</b> {node.role}{'' if node.enabled else ', switched off'}"]
    if node.content:
        lines.append(label(node.content, 60))
    return "<br>".join([*lines, f"{len(node.content):,} characters"])


def _scatter(**fields: Any) -> go.Scatter:
    import plotly.graph_objects as go

    return go.Scatter(**fields)
