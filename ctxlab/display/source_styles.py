"""The sources of text, one row each: everything that shows a source is made from this table.

The themes of figures, the terminal's colours and bar, `trace.budget()` and the browser half read it; the latter through
`sources.css` and `sources.ts`, which `make widgets` writes.
"""

from __future__ import annotations

from typing import Literal

from ctxlab.lazy_dataclass import dataclass

Hatch = Literal["", "-", ".", "\\", "x", "|", "+"]
Underline = Literal["", "solid", "dotted", "dashed", "double", "wavy"]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line of an icon: an SVG path in a field of 12 by 12, and its width."""

    path: str
    width: float


@dataclass(frozen=True, slots=True)
class Source:
    """A source of text, as it is shown.

    `light` and `dark` are its colours, which stand out from the surface by 3 to 1. Without colour it is told by `sign`,
    a character; `icon`, an SVG path in a field of 12 by 12 that is filled, or a stroke; `symbol`, plotly's name of a
    marker; `hatch`, plotly's name of a fill pattern; `underline`, CSS's style of a line; and `block`, the character of
    its stretch of a bar in a terminal, where `terminal` is its colour.

    `parts` are its entries in `trace.budget()`; `kinds` are the kinds of an origin that belong to it.
    """

    name: str
    title: str
    light: str
    dark: str
    sign: str
    icon: str | Stroke
    block: str
    terminal: str
    symbol: str = "square"
    hatch: Hatch = ""
    underline: Underline = ""
    parts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


# In the order of a bar; colours are told apart under deuteranopia and protanopia.
SOURCES: tuple[Source, ...] = (
    Source(
        name="preset",
        title="system, presets",
        light="#4269d0",
        dark="#7590ec",
        sign="■",
        icon="M2 2h8v8H2z",
        block="█",
        terminal="blue",
        underline="solid",
        parts=("system", "presets"),
        kinds=("preset",),
    ),
    Source(
        name="profile",
        title="profile",
        light="#5a3a96",
        dark="#cdbff8",
        sign="●",
        icon="M6 1.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 0 0 0-8.8z",
        block="▜",
        terminal="bright_magenta",
        symbol="circle",
        hatch="-",
        underline="wavy",
        parts=("profile",),
        kinds=("profile", "persona", "user"),
    ),
    Source(
        name="lore",
        title="lore",
        light="#8a2f0c",
        dark="#cf8244",
        sign="◆",
        icon="M6 .8 11.2 6 6 11.2.8 6z",
        block="▙",
        terminal="red",
        symbol="diamond",
        hatch=".",
        underline="dotted",
        parts=("lore",),
        kinds=("lore",),
    ),
    Source(
        name="knowledge",
        title="knowledge",
        light="#1688bd",
        dark="#2b93bd",
        sign="▲",
        icon="M6 1.2 11.4 10.8H.6z",
        block="▟",
        terminal="bright_blue",
        symbol="triangle-up",
        hatch="\\",
        underline="dashed",
        parts=("knowledge",),
        kinds=("knowledge",),
    ),
    Source(
        name="tools",
        title="tools",
        light="#7a2a5c",
        dark="#f3b0cd",
        sign="✚",
        icon="M4.4 1h3.2v3.4H11v3.2H7.6V11H4.4V7.6H1V4.4h3.4z",
        block="▚",
        terminal="magenta",
        hatch="x",
        parts=("tools",),
    ),
    Source(
        name="attachment",
        title="attachments",
        light="#649612",
        dark="#8cc63f",
        sign="⬢",
        icon=Stroke("M3.4 1.4h5.2L11.2 6 8.6 10.6H3.4L.8 6z", 1.8),
        block="▞",
        terminal="bright_green",
        hatch="|",
        parts=("attachments",),
        kinds=("transcript", "attachment"),
    ),
    Source(
        name="macro",
        title="macros",
        light="#946200",
        dark="#dda93f",
        sign="✱",
        icon=Stroke(
            "M4.6 1.4C2.6 1.4 4 5.2 1.6 6 4 6.8 2.6 10.6 4.6 10.6M7.4 1.4c2 0 .6 3.8 3 4.6-2.4.8-1 4.6-3 4.6", 1.5
        ),
        block="▛",
        terminal="bright_yellow",
        underline="double",
        kinds=("macro", "variable"),
    ),
    Source(
        name="overhead",
        title="overhead",
        light="#4f5560",
        dark="#c5cad2",
        sign="⋯",
        icon="M1 4.6h2.8v2.8H1zM4.6 4.6h2.8v2.8H4.6zM8.2 4.6H11v2.8H8.2z",
        block="░",
        terminal="bright_black",
        parts=("overhead", "seams"),
    ),
    Source(
        name="summary",
        title="summaries",
        light="#3f6b7d",
        dark="#9cc3d4",
        sign="⋈",
        icon="M2 1h8L6.6 6 10 11H2l3.4-5z",
        block="▒",
        terminal="cyan",
        symbol="hourglass",
        hatch="+",
        parts=("summaries",),
        kinds=("summary",),
    ),
    Source(
        name="history",
        title="history kept",
        light="#858a94",
        dark="#868c96",
        sign="═",
        icon="M1 2h10v2.2H1zM1 7.4h7v2.2H1z",
        block="▓",
        terminal="white",
        parts=("history",),
        kinds=("node", "pending"),
    ),
)

OVERHEAD = "overhead"
"""The source of what no other source has."""
BY_NAME: dict[str, Source] = {source.name: source for source in SOURCES}
OF_PART: dict[str, str] = {part: source.name for source in SOURCES for part in source.parts}
"""By entry of `trace.budget()`, the name of its source."""
OF_KIND: dict[str, str] = {kind: source.name for source in SOURCES for kind in source.kinds}
"""By kind of an origin, the name of its source; OVERHEAD for any other kind."""
ROOM: tuple[str, ...] = ("free", "reserve")
"""Entries of `trace.budget()` that no text fills, after all others."""
PARTS: tuple[str, ...] = (*OF_PART, *ROOM)
"""All entries of `trace.budget()`, in its order."""
