"""Themes of figures: the colours of surfaces, roles and sources, light and dark, and signs that read without colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ctxlab.display.source_styles import SOURCES
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass

ThemeName = Literal["light", "dark"]

FONT = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, "PingFang SC", sans-serif'


@dataclass(frozen=True, slots=True)
class Theme:
    """Measured colours: ink reads on every surface and tint, fills stand out from the surface by 3 to 1."""

    surface: str
    side: str
    hover: str
    line: str
    edge: str
    ink: str
    ink_2: str
    ink_3: str
    ok: str
    warn: str
    error: str
    ok_tint: str
    warn_tint: str
    error_tint: str
    add_tint: str
    add_line: str
    gone_tint: str
    move_tint: str
    ring: str
    pattern: str
    mix: float
    roles: Mapping[str, str]
    sources: Mapping[str, str]

    def tint(self, color: str) -> str:
        """A colour thin enough for ink to read on it."""
        red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red},{green},{blue},{self.mix:g})"

    def layout(self, **fields: Any) -> dict[str, Any]:
        """The plotly layout that all figures share; `fields` are added to it."""
        return {
            "template": {"data": {}, "layout": {}},
            "paper_bgcolor": self.surface,
            "plot_bgcolor": self.surface,
            "font": {"family": FONT, "size": 12, "color": self.ink},
            "hoverlabel": {
                "bgcolor": self.side,
                "bordercolor": self.edge,
                "align": "left",
                "font": {"family": FONT, "size": 12, "color": self.ink},
            },
            "margin": {"l": 12, "r": 12, "t": 44, "b": 12},
            **fields,
        }

    def title(self, name: str, result: str = "") -> dict[str, Any]:
        """A head row: the name, then the one sentence of result."""
        shown_result = f"  <span style='color:{self.ink_2}'>{result}</span>" if result else ""
        return {
            "text": f"<b>{name}</b>{shown_result}",
            "font": {"size": 12, "color": self.ink},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": 12, "t": 14},
        }


LIGHT = Theme(
    surface="#ffffff",
    side="#f6f7f8",
    hover="#eceef1",
    line="#dcdfe4",
    edge="#858c98",
    ink="#1b1e24",
    ink_2="#474d58",
    ink_3="#5f6673",
    ok="#1a7442",
    warn="#855600",
    error="#b3261e",
    ok_tint="#e6f3ea",
    warn_tint="#faf0dc",
    error_tint="#fbeae8",
    add_tint="#d9ecfb",
    add_line="#0b62a8",
    gone_tint="#fbe3dc",
    move_tint="#ebe7f2",
    ring="#d93a3a",
    pattern="rgba(255,255,255,.55)",
    mix=0.11,
    roles={"root": "#4a6fa5", "user": "#91814f", "assistant": "#4b8a6b", "tool": "#8a6a94", "system": "#4a6fa5"},
    sources={source.name: source.light for source in SOURCES},
)
DARK = Theme(
    surface="#1a1c20",
    side="#212429",
    hover="#2b2f36",
    line="#353a42",
    edge="#79818e",
    ink="#e7e9ec",
    ink_2="#b6bcc6",
    ink_3="#9aa1ad",
    ok="#6cc794",
    warn="#e2b155",
    error="#f28b82",
    ok_tint="#1d2f26",
    warn_tint="#332a17",
    error_tint="#3a2322",
    add_tint="#173650",
    add_line="#77bdf2",
    gone_tint="#45271e",
    move_tint="#38363f",
    ring="#ff8787",
    pattern="rgba(0,0,0,.45)",
    mix=0.2,
    roles={"root": "#7d9fd3", "user": "#c1b078", "assistant": "#74b593", "tool": "#bb9cc5", "system": "#7d9fd3"},
    sources={source.name: source.dark for source in SOURCES},
)
THEMES: dict[str, Theme] = {"light": LIGHT, "dark": DARK}

ROLE_SYMBOLS: dict[str, str] = {
    "root": "square",
    "system": "square",
    "user": "circle",
    "assistant": "diamond",
    "tool": "cross",
}
SOURCE_SYMBOLS: dict[str, str] = {source.name: source.symbol for source in SOURCES}
SOURCE_SIGNS: dict[str, str] = {source.name: source.sign for source in SOURCES} | {
    "free": "▢",
    "reserve": "□",
    "cut": "▨",
}
HATCHES: dict[str, str] = {source.name: source.hatch for source in SOURCES}


def theme_of(name: str) -> Theme:
    """The theme of this name; raises CtxlabError for any but light and dark."""
    if name not in THEMES:
        raise CtxlabError(f"there is no theme {name!r}{did_you_mean(name, list(THEMES))}")
    return THEMES[name]
