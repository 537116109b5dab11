"""A figure of presets at the left, sent messages at the right, wires between them, and a ruler of depths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from html import unescape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import label, plain
from ctxlab.display.text_width import FIGURE_PIXELS, fitted, pixels_wide
from ctxlab.display.theme import ROLE_SYMBOLS, SOURCE_SYMBOLS, Theme, ThemeName, theme_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.landings import Injection, Landing, LandingOutcome, Landings, landings

if TYPE_CHECKING:
    import plotly.graph_objects as go

LEFT, RIGHT, RULER = (0.0, 0.36), (0.56, 0.92), 0.94
PLOT = FIGURE_PIXELS - 24
"""Pixels of the plot across."""
TEXT, BETWEEN = 0.035, 12
"""Of the plot, what is in front of a text; pixels between two texts."""
CUT = "later cut"
ROW, HEAD = 24, 72
FOLDED_FROM = 4
"""So many messages of the history in a row are shown as one."""
MOST_ROWS = 160
COUNTED: tuple[tuple[LandingOutcome, str], ...] = (
    ("landed", "as asked"),
    ("elsewhere", "landed elsewhere"),
    ("warned", "with a warning"),
    ("not sent", "not sent"),
)


@dataclass(frozen=True, slots=True, eq=False)
class SentRow:
    """One row at the right: a message, or several in a row. `y` is its middle, in rows."""

    rows: tuple[Landing, ...]
    y: float

    @property
    def first(self) -> Landing:
        return self.rows[0]


@checked_arguments
def injection_figure(trace: Trace, *, theme: ThemeName = "light") -> go.Figure:
    """The landing of each preset in the history as it was. Depth n is before the newest n messages.

    Warned ones are amber, those that are not sent have no wire; stretches of plain history are folded.
    """
    import plotly.graph_objects as go

    look = theme_of(theme)
    placed = landings(trace)
    right = _folded(placed.rows)
    drawing = _Drawing(look)
    ends = drawing.right(right)
    bottom = drawing.left(placed.injections, ends)
    drawing.ruler(right, placed)
    height = max(bottom, len(right)) + 0.2
    axis: dict[str, Any] = {"visible": False, "fixedrange": True}
    figure = go.Figure(drawing.traces())
    figure.update_layout(
        look.layout(
            title=look.title("Injections", _sentence(placed)),
            height=int(HEAD + ROW * (height + 0.4)),
            margin={"l": 12, "r": 12, "t": 40, "b": 8},
            showlegend=False,
            hovermode="closest",
            xaxis={**axis, "range": [0, 1]},
            yaxis={**axis, "range": [height, -1.4]},
            shapes=drawing.shapes,
        )
    )
    return figure


def _sentence(placed: Landings) -> str:
    counts = [(sum(each.outcome == outcome for each in placed.injections), words) for outcome, words in COUNTED]
    counted = [f"{n} {words}" for n, words in counts if n]
    return f"history of {placed.history:,} messages: {', '.join(counted) or 'nothing is injected'}"


def _folded(rows: Sequence[Landing]) -> list[SentRow]:
    groups: list[tuple[Landing, ...]] = []
    for (is_history, _), run in groupby(rows, key=lambda row: (row.is_history, row.later_cut)):
        together = tuple(run)
        fold = is_history and len(together) >= FOLDED_FROM
        groups.extend([together] if fold else [(row,) for row in together])
    if len(groups) > MOST_ROWS:
        half = MOST_ROWS // 2
        middle = tuple(row for group in groups[half:-half] for row in group)
        groups = [*groups[:half], middle, *groups[-half:]]
    return [SentRow(group, float(i)) for i, group in enumerate(groups)]


@dataclass
class _Drawing:
    """Texts, markers and shapes of the figure; one row is one unit, x runs from 0 to 1."""

    look: Theme
    shapes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    texts: list[tuple[float, float, str, str, str]] = field(default_factory=list[tuple[float, float, str, str, str]])
    signs: list[tuple[float, float, str, str, str]] = field(default_factory=list[tuple[float, float, str, str, str]])

    # --- the two columns

    def right(self, shown: Sequence[SentRow]) -> dict[int, float]:
        """Draw the sent messages in order; gives the y of every message by its position."""
        look = self.look
        self._text(RIGHT[0], -1, "Sent, before anything is cut", look.ink_2)
        self._text(RULER, -1, "depth", look.ink_2)
        for group in shown:
            y, (symbol, color) = group.y, self._sign_of(group)
            self._box(RIGHT, y, 0.44, look.side if group.first.is_history else look.tint(color), "rgba(0,0,0,0)")
            self._box((RIGHT[0], RIGHT[0] + 0.004), y, 0.44, color, color)
            self._sign(RIGHT[0] + 0.02, y, symbol, color, _hover_row(group))
            ink = look.ink_3 if group.first.later_cut else look.ink
            end = CUT if group.first.later_cut else ""
            room = (RIGHT[1] - RIGHT[0] - TEXT - 0.005) * PLOT - (pixels_wide(end) + BETWEEN if end else 0)
            self._text(RIGHT[0] + TEXT, y, fitted(_words(group), room), ink)
            if end:
                self._text(RIGHT[1] - 0.005, y, end, look.ink_3, right=True)
        if not shown:
            self._text(RIGHT[0], 0, "nothing is sent", look.ink_3)
        return {row.position: group.y for group in shown for row in group.rows}

    def left(self, injections: Sequence[Injection], ends: dict[int, float]) -> float:
        """Draw the presets with their placement and wires to their landings; gives the total height."""
        look, room = self.look, (LEFT[1] - LEFT[0] - TEXT - 0.008) * PLOT
        self._text(LEFT[0], -1, "Presets, in order" if injections else "No presets", look.ink_2)
        y = 0.0
        for each in injections:
            tall = bool(each.sentence)
            amber, gone = each.outcome == "warned", each.outcome == "not sent"
            color = look.warn if amber else look.ink_3 if gone else look.sources[each.look]
            edge = look.warn if amber else look.line
            middle = y + (0.4 if tall else 0)
            self._box(LEFT, middle, 0.84 if tall else 0.44, look.warn_tint if amber else look.surface, edge)
            self._box((LEFT[0], LEFT[0] + 0.004), middle, 0.84 if tall else 0.44, color, color)
            symbol = SOURCE_SYMBOLS.get(each.look, "square")
            self._sign(LEFT[0] + 0.02, y, f"{symbol}-open" if gone else symbol, color, _hover_injection(each))
            place = "not sent" if gone else fitted(each.requested, room / 2)
            name = fitted(each.name, room - pixels_wide(unescape(place)) - BETWEEN)
            self._text(LEFT[0] + TEXT, y, name, look.ink_3 if gone else look.ink)
            self._text(LEFT[1] - 0.008, y, place, look.ink_2, right=True)
            if tall:
                mark = "▲ " if amber else ""
                words = mark + fitted(each.sentence, room - pixels_wide(mark))
                self._text(LEFT[0] + TEXT, y + 0.8, words, look.warn if amber else look.ink_2)
            for landing in each.landings:
                self._wire(y, ends[landing.position], each.outcome, color)
            y += 1.9 if tall else 1
        return y

    def _wire(self, start: float, end: float, outcome: LandingOutcome, color: str) -> None:
        middle = (LEFT[1] + RIGHT[0]) / 2
        path = f"M {LEFT[1]} {start:g} C {middle} {start:g} {middle} {end:g} {RIGHT[0]} {end:g}"
        line = {
            "color": color,
            "width": 2.5 if outcome == "elsewhere" else 1.2,
            "dash": "dash" if outcome == "warned" else "solid",
        }
        self.shapes.append({"type": "path", "path": path, "line": line})
        self._sign(RIGHT[0] - 0.004, end, "triangle-right", color, "")

    def ruler(self, shown: Sequence[SentRow], placed: Landings) -> None:
        """Ticks between messages; n are the messages of the history below."""
        history = [group for group in shown if any(row.is_history for row in group.rows)]
        if not history:
            return
        look = self.look
        landed = {landing.below for each in placed.injections for landing in each.landings}
        ticks = [(history[0].y - 0.5, placed.history), *((group.y + 0.5, group.rows[-1].below) for group in history)]
        top, bottom = ticks[0][0], ticks[-1][0]
        self._line(RULER, top, RULER, bottom)
        for y, depth in ticks:
            self._line(RULER, y, RULER + 0.01, y)
            words = f"<b>{depth:,}</b>" if depth in landed else f"{depth:,}"
            self._text(RULER + 0.016, y, words, look.ink if depth in landed else look.ink_3)

    def _sign_of(self, group: SentRow) -> tuple[str, str]:
        look, first = self.look, group.first
        if len(group.rows) > 1:
            return "circle-open", look.sources["history"]
        if first.draft.origin.kind == "summary":
            return "hourglass", look.sources["summary"]
        if first.is_history:
            return ROLE_SYMBOLS.get(first.draft.role, "circle"), look.roles.get(first.draft.role, look.ink_3)
        return SOURCE_SYMBOLS.get(first.look, "square"), look.sources[first.look]

    # --- what it is drawn with

    def _text(self, x: float, y: float, words: str, color: str, *, right: bool = False) -> None:
        self.texts.append((x, y, words, color, "middle left" if right else "middle right"))

    def _sign(self, x: float, y: float, symbol: str, color: str, hover: str) -> None:
        self.signs.append((x, y, symbol, color, hover))

    def _box(self, x: tuple[float, float], y: float, half: float, fill: str, edge: str) -> None:
        corners = {"x0": x[0], "x1": x[1], "y0": y - half, "y1": y + half}
        line = {"width": 1, "color": edge}
        self.shapes.append({"type": "rect", **corners, "fillcolor": fill, "line": line, "layer": "below"})

    def _line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        line = {"width": 1, "color": self.look.edge}
        self.shapes.append({"type": "line", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": line})

    def traces(self) -> list[Any]:
        import plotly.graph_objects as go

        words = go.Scatter(
            x=[text[0] for text in self.texts],
            y=[text[1] for text in self.texts],
            text=[text[2] for text in self.texts],
            textfont={"color": [text[3] for text in self.texts], "size": 12},
            textposition=[text[4] for text in self.texts],
            mode="text",
            hoverinfo="skip",
            cliponaxis=False,
        )
        signs = go.Scatter(
            x=[sign[0] for sign in self.signs],
            y=[sign[1] for sign in self.signs],
            marker={
                "symbol": [sign[2] for sign in self.signs],
                "color": [sign[3] for sign in self.signs],
                "size": 8,
                "line": {"width": 1, "color": [sign[3] for sign in self.signs]},
            },
            mode="markers",
            hovertext=[sign[4] for sign in self.signs],
            hoverinfo="text",
            cliponaxis=False,
        )
        return [words, signs]


def _words(group: SentRow) -> str:
    draft = group.first.draft
    if len(group.rows) > 1:
        first, last = (row.draft.key.removeprefix("node:") for row in (group.rows[0], group.rows[-1]))
        return f"{len(group.rows):,} messages, {plain(first, 14)} to {plain(last, 14)}"
    return str(draft.text) or ", ".join(call.name for call in draft.calls)


def _hover_row(group: SentRow) -> str:
    if len(group.rows) > 1:
        return f"<b>{len(group.rows):,} messages</b>, {group.rows[-1].below:,} below"
    row = group.first
    return f"<b>{label(row.draft.key)}</b> {row.draft.role}, depth {row.below:,}<br>{label(str(row.draft.text), 70)}"


def _hover_injection(each: Injection) -> str:
    depths = ", ".join(f"{landing.below:,}" for landing in each.landings[:8])
    lines = [f"<b>{label(each.name)}</b> {each.outcome}"]
    if each.requested:
        lines.append(label(f"requested: {each.requested}"))
    if depths:
        lines.append(f"landed at depth {depths}")
    if each.sentence:
        lines.append(label(each.sentence, 120))
    return "<br>".join(lines)
