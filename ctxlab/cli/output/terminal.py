"""Terminal output: control characters escaped, optional colours, line breaking, tables."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from ctxlab.display.source_styles import SOURCES
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets import masked, masked_beginning, secrets_in

# Everything a terminal would obey: controls, deletes, line separators, directions, byte order marks, lone surrogates.
OBEYED = lazy_pattern("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
NEWLINE = "↵"
CLOSING = frozenset(" ，。、；：！？）》」』】〕”’…～,.;:!?)]}\"'›»")
GAP = "   "

THEME = Theme(
    {
        "label": "dim",
        "strong": "bold",
        "step": "bold",
        "warn": "yellow",
        "bad": "bold red",
        "cause": "yellow",
        "added": "underline cyan",
        "gone": "red",
        "came": "green",
        "command": "bold cyan",
        "role.system": "blue",
        "role.user": "yellow",
        "role.assistant": "green",
        "role.tool": "magenta",
        "who.system": "bold blue",
        "who.user": "bold yellow",
        "who.assistant": "bold green",
        "who.tool": "bold magenta",
        **{f"source.{source.name}": source.terminal for source in SOURCES},
        "source.free": "dim",
    }
)


def harmless(text: str) -> str:
    r"""The text with every control character escaped; newlines too.

    >>> harmless("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return OBEYED.sub(_written_out, text)


def one_line(text: str, *, cells: int | None = None) -> str:
    """The text on one line: line breaks and tabs as one blank, cut to a width in terminal cells where one is given."""
    text = masked(text) if cells is None else masked_beginning(text, 8 * cells)
    flat = harmless(" ".join(text.split()))
    return flat if cells is None else shortened(flat, cells)


def shortened(text: str, cells: int) -> str:
    """At most `cells` wide, with an ellipsis where something is gone; a Chinese character is two wide."""
    if cell_len(text) <= cells:
        return text
    cut = Text(text, end="")
    cut.truncate(max(cells - 1, 0), overflow="crop")
    return f"{cut.plain.rstrip()}…"


def quoted(text: str, cells: int) -> str:
    """First words in quotes, as wide as given, quotes included."""
    flat = one_line(text, cells=cells - 2)
    return f"“{flat}”" if flat else "(no words)"


def shown_body(text: str) -> str:
    """Text for a preview: harmless, each run of line breaks as one arrow, of blanks as one blank."""
    return OBEYED.sub(_written_out, re.sub(r"[ \t]{2,}|\t", " ", re.sub(r"\s*\n\s*", f" {NEWLINE} ", text)))


def without_secrets(text: Text) -> Text:
    """The text with its secrets masked, the rest in its styles."""
    found = secrets_in(text.plain)
    if not found:
        return text
    pieces: list[str | Text] = []
    at = 0
    for start, end, shown in found:
        pieces += (text[at:start], shown)
        at = end
    return Text.assemble(*pieces, text[at:], style=text.style, end=text.end)


def wrapped(text: Text, width: int, *, hang: int = 0) -> list[Text]:
    """The text in rows of at most `width` cells, those below the first narrower by `hang`.

    Broken at blanks and beside wide characters, as Chinese is; never before a closing mark.
    """
    rows: list[Text] = []
    plain = text.plain
    start = cells = 0
    breakable = 0
    for i, character in enumerate(plain):
        wide = cell_len(character)
        if i > start and (
            plain[i - 1] == " " or ((wide == 2 or cell_len(plain[i - 1]) == 2) and character not in CLOSING)
        ):
            breakable = i
        while i > start and cells + wide > width - (hang if rows else 0) and character != " ":
            end = breakable if breakable > start else i
            rows.append(_row(text, start, end))
            start, cells = end, cell_len(plain[end:i])
        cells += wide
    rows.append(_row(text, start, len(plain)))
    return rows


def _row(text: Text, start: int, end: int) -> Text:
    row = text[start:end]
    row.end = ""
    row.rstrip()
    return row


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return {10: "\\n", 13: "\\r", 9: "\\t"}.get(code) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command line, which knows the exit code."""
        raise BrokenPipeError


class Screen:
    """Prints lines for a command. On a terminal they are broken at its width, elsewhere they stay whole."""

    def __init__(self, console: Console | None = None, *, width: int | None = None) -> None:
        self.console = console or _Console(theme=THEME, highlight=False, markup=False, emoji=False, width=width)
        self.width = max(40, width or self.console.width)
        self.wraps = self.console.is_terminal
        self.coloured = self.console.color_system is not None and not self.console.no_color

    def line(self, *parts: str | tuple[str, str] | Text, hang: int = 0) -> None:
        """One line of parts, each a string, a (string, style) or a Text; what wraps is indented by `hang`."""
        text = without_secrets(Text.assemble(*parts, end=""))
        if not self.wraps or text.cell_len <= self.width:
            self.console.print(text, soft_wrap=True)
            return
        for row, part in enumerate(wrapped(text, self.width, hang=hang)):
            self.console.print(Text.assemble(" " * hang if row else "", part), soft_wrap=True)

    def blank(self) -> None:
        self.console.print()

    def flow(self, items: Iterable[Text], *, gap: str = GAP) -> None:
        """Items side by side, on as many lines as they need; none of them is broken."""
        row = Text()
        for item in items:
            if row and row.cell_len + len(gap) + item.cell_len > self.width:
                self.line(row)
                row = Text()
            row = Text.assemble(row, gap, item) if row else item
        if row:
            self.line(row)


def with_line_editing() -> None:
    """Arrow keys and a history of what was typed, where Python was built with them."""
    try:
        import readline  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        return


def complain(text: str) -> None:
    """One line on standard error."""
    print(f"ctxlab: {' '.join(harmless(masked(text)).split())}", file=sys.stderr)  # noqa: T201


# --- tables

BETWEEN = "  "
NARROWEST_COLUMN = 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title, its side, and the style of its cells."""

    title: str
    right: bool = False
    style: str = ""


def columns(screen: Screen, titles: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """The rows under their titles. On a narrow screen the widest columns on the left are cut."""
    widths = [max(cell_len(text) for text in texts) for texts in zip([t.title for t in titles], *rows, strict=True)]
    room = screen.width - len(BETWEEN) * (len(widths) - 1)
    while screen.wraps and sum(widths) > room:
        widest = max((i for i, title in enumerate(titles) if not title.right), key=lambda i: widths[i], default=None)
        if widest is None or widths[widest] <= NARROWEST_COLUMN:
            break
        widths[widest] -= 1
    _table_row(screen, titles, widths, [title.title for title in titles], header=True)
    for row in rows:
        _table_row(screen, titles, widths, row, header=False)


def _table_row(
    screen: Screen, titles: Sequence[Column], widths: Sequence[int], cells: Sequence[str], *, header: bool
) -> None:
    line = Text(end="")
    for i, (title, width, cell) in enumerate(zip(titles, widths, cells, strict=True)):
        text = shortened(cell, width)
        pad = " " * (width - cell_len(text))
        if i:
            line.append(BETWEEN)
        line.append(pad + text if title.right else text + pad, "label" if header else title.style)
    line.rstrip()
    screen.line(line)
