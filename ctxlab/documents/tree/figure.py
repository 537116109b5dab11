"""A session's tree as a plotly figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

from ctxlab.display.one_line import label
from ctxlab.display.short_texts import counted
from ctxlab.display.text_width import FIGURE_PIXELS, fitted
from ctxlab.display.theme import ROLE_SYMBOLS, Theme, theme_of
from ctxlab.documents.tree.collapse import FOLDED, TreeGlyph, glyphs_of, straight_children
from ctxlab.documents.tree.layout import LayoutName, Places, layout_places
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ctxlab.documents.session.session import Session
    from ctxlab.documents.tree.graph_and_frame import TreeShape

CURVED = 400
ROW, LEAST, MOST = 30, 120, 900
LABEL, LEAST_LABEL, MOST_LABEL = 11, 52, 170
"""Pixels of the letters of a label, and of the room that it has at least and at most."""


def shape_figure(session: Session, shape: TreeShape, layout: LayoutName, theme_name: str) -> go.Figure:
    import plotly.graph_objects as go

    look = theme_of(theme_name)
    if layout not in (layouts := get_args(LayoutName)):
        raise CtxlabError(f"there is no layout {layout!r}{did_you_mean(layout, layouts)}")
    signs = glyphs_of(session, shape)
    places = layout_places(layout, [sign.parent for sign in signs], straight_children(signs))
    axes, height = _square() if layout == "force" else _axes(places)
    rounded = tuple((round(x, 3), round(y, 3)) for x, y in places)
    picture = _TreeTraces(tuple(signs), rounded, look, layout)
    legend = {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False}
    figure = go.Figure([*picture.edges(), *picture.messages(), *picture.marks(session.active_leaf_id)])
    figure.update_layout(
        look.layout(
            title=look.title("Branches", _sentence(shape, signs)),
            height=height,
            margin={"l": 12, "r": 12, "t": 72, "b": 12},
            legend=legend,
            hovermode="closest",
            annotations=[*picture.labels()],
            **axes,
        )
    )
    return figure


def _axes(places: Places) -> tuple[dict[str, Any], int]:
    """The root at the left or on top, first branches first; and how many pixels that is high."""
    furthest, lowest = (max((place[axis] for place in places), default=0.0) for axis in (0, 1))
    pad = max(0.5, 0.015 * furthest)
    x = {"visible": False, "range": [-pad, furthest + pad]}
    y = {"visible": False, "range": [lowest + 0.7, -0.7]}
    return {"xaxis": x, "yaxis": y}, 72 + min(MOST, max(LEAST, int(ROW * (lowest + 1))))


def _square() -> tuple[dict[str, Any], int]:
    return {"xaxis": {"visible": False}, "yaxis": {"visible": False, "scaleanchor": "x"}}, 640


def _sentence(shape: TreeShape, signs: Sequence[TreeGlyph]) -> str:
    leaves = len(shape.keys) - len({parent for parent in shape.parents if parent >= 0})
    chains = sum(len(sign.nodes) > 1 for sign in signs)
    messages = sum(not node.is_empty_root for sign in signs for node in sign.nodes)
    words = [counted(messages, "message"), counted(leaves, "leaf", "leaves")]
    return ", ".join([*words, *([f"{chains:,} folded {'chain' if chains == 1 else 'chains'}"] if chains else [])])


@dataclass(frozen=True, slots=True, eq=False)
class _TreeTraces:
    """Glyphs at their positions, as plotly traces."""

    signs: tuple[TreeGlyph, ...]
    places: tuple[tuple[float, float], ...]
    look: Theme
    layout: LayoutName

    @property
    def is_tree(self) -> bool:
        return self.layout != "force"

    @property
    def is_small(self) -> bool:
        return len(self.signs) <= CURVED

    def edges(self) -> Iterator[go.Scatter]:
        """Lines to what is switched off dotted, the active path drawn last and thick."""
        look = self.look
        lines: dict[str, dict[str, Any]] = {
            "off": {"color": look.edge, "width": 1, "dash": "dot"},
            "plain": {"color": look.edge, "width": 1},
            "active": {"color": look.ink, "width": 2},
        }
        for kind, line in lines.items():
            xs: list[float | None] = []
            ys: list[float | None] = []
            for sign, (x, y) in zip(self.signs, self.places, strict=True):
                if sign.parent < 0 or sign.edge != kind:
                    continue
                x0, y0 = self.places[sign.parent]
                points = self._line(x0, y0, x, y)
                xs += [*(point[0] for point in points), None]
                ys += [*(point[1] for point in points), None]
            if xs:
                yield _scatter(x=xs[:-1], y=ys[:-1], mode="lines", line=line, hoverinfo="skip", showlegend=False)

    def messages(self) -> Iterator[go.Scatter]:
        """One trace a kind of message, so that the legend explains the signs."""
        for kind in dict.fromkeys(sign.look for sign in self.signs):
            mine = [i for i, sign in enumerate(self.signs) if sign.look == kind]
            color, symbol = _color(kind, self.look), _symbol(kind)
            texts = [] if self.is_small else [_label(self.signs[i], 0) for i in mine]
            labelled = {"text": texts, "textfont": {"size": LABEL, "color": self.look.ink_2}} if any(texts) else {}
            yield _scatter(
                x=[self.places[i][0] for i in mine],
                y=[self.places[i][1] for i in mine],
                mode="markers+text" if labelled else "markers",
                marker={
                    "symbol": [symbol if self.signs[i].is_enabled else f"{symbol}-open" for i in mine],
                    "color": color,
                    "size": 9 if self.is_small else 6,
                    "line": {"width": 1, "color": self.look.ink_2 if kind == FOLDED else color},
                },
                textposition="bottom center",
                hovertext=[_hover(self.signs[i]) for i in mine],
                hoverinfo="text",
                name=kind,
                cliponaxis=False,
                **labelled,
            )

    def labels(self) -> Iterator[dict[str, Any]]:
        """The label below each sign, on a ground of its own, so that no line crosses its letters."""
        if not self.is_small:
            return
        for sign, (x, y) in zip(self.signs, self.places, strict=True):
            text = _label(sign, self._label_pixels())
            if text:
                yield {
                    "x": x,
                    "y": y,
                    "text": text,
                    "showarrow": False,
                    "xanchor": "center",
                    "yanchor": "top",
                    "yshift": -6,
                    "font": {"size": LABEL, "color": self.look.ink_2},
                    "bgcolor": self.look.surface,
                    "borderpad": 1,
                }

    def marks(self, leaf: str | None) -> Iterator[go.Scatter]:
        """The ring around the active leaf, and the legend entry of hollow glyphs."""
        if not all(sign.is_enabled for sign in self.signs):
            hollow = {"symbol": "circle-open", "size": 9, "color": self.look.ink_3}
            yield _scatter(x=[None], y=[None], mode="markers", marker=hollow, name="switched off")
        at = [place for sign, place in zip(self.signs, self.places, strict=True) if leaf in sign.keys]
        ring = {"symbol": "circle-open", "size": 17, "line": {"width": 2, "color": self.look.ring}}
        yield _scatter(
            x=[x for x, _ in at],
            y=[y for _, y in at],
            mode="markers",
            marker={**ring, "color": self.look.ring},
            hoverinfo="skip",
            name="active leaf",
            cliponaxis=False,
        )

    def _line(self, x0: float, y0: float, x: float, y: float) -> list[tuple[float, float]]:
        if not self.is_small or not self.is_tree or x == x0 or y == y0:
            return [(x0, y0), (x, y)]
        if self.layout == "tidy":
            return _curve(x0, y0, x, y)
        return [(across, down) for down, across in _curve(y0, x0, y, x)]

    def _label_pixels(self) -> float:
        """Room of a label from its message to the next; 0 where there is none."""
        if not self.is_tree or not self.is_small:
            return 0
        deepest = max([x for x, _ in self.places], default=0.0)
        return FIGURE_PIXELS / (deepest + 1) - LABEL / 2


def _curve(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
    """Level at both ends, so that a line leaves and arrives straight."""
    eased = [(t, t * t * (3 - 2 * t)) for t in (0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1)]
    return [(round(x0 + (x1 - x0) * t, 3), round(y0 + (y1 - y0) * s, 3)) for t, s in eased]


def _color(name: str, look: Theme) -> str:
    if name == FOLDED:
        return look.hover
    return look.sources["summary"] if name == "summary" else look.roles.get(name, look.ink_3)


def _symbol(name: str) -> str:
    return {FOLDED: "square", "summary": "hourglass"}.get(name, ROLE_SYMBOLS.get(name, "circle"))


def _label(sign: TreeGlyph, room: float) -> str:
    if len(sign.nodes) > 1:
        return f"{len(sign.nodes):,}"
    return fitted(sign.nodes[0].content, min(room, MOST_LABEL), LABEL) if room >= LEAST_LABEL else ""


def _hover(sign: TreeGlyph) -> str:
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
