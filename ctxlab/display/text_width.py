"""Pixels that a text takes in a figure: at most as many as in the widest of the fonts that figures are drawn with."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from unicodedata import combining, east_asian_width

from ctxlab.display.one_line import plain

FIGURE_PIXELS = 860
"""The width for which a figure has room, where nothing says how wide it is drawn."""
# Advance widths in ems, each raised to the next twentieth: of each letter the widest of DejaVu Sans 2.37, which has the
# widest letters of the fonts that a new machine has, and of Noto Sans and Noto Sans SC.
_EMS = {
    letter: width
    for width, letters in (
        (0.3, "'ijl"),
        (0.35, " ,.:;I"),
        (0.4, "()-/[\\]ft"),
        (0.45, "!r"),
        (0.5, '"°'),
        (0.55, "?Jcsz§ç"),
        (0.6, "*FL_kvxy|"),
        (0.65, "$0123456789EPSTY`abdeghnopqu{}«»éèüöäßñ"),
        (0.7, "ABCKRVXZ"),
        (0.75, "U"),
        (0.8, "&DGHNOQ"),
        (0.85, "#+<=>^w~×→←↑↓≥≤±"),
        (0.95, "M"),
        (1.0, "%@Wm"),
        (1.15, "…"),  # Noto Sans SC sets letters off from it
    )
    for letter in letters
}
_BOLD = 1.27
"""The most by which a bold letter is wider."""
_EMOJI = 1.4


def pixels_wide(text: str, size: float = 12, *, bold: bool = False) -> float:
    """Pixels that a line takes at most, in letters of so many pixels.

    >>> pixels_wide("灯塔") == 24, pixels_wide("il") < pixels_wide("WM")
    (True, True)
    """
    return size * (_BOLD if bold else 1.0) * sum(map(_ems, text))


def fitted(text: str, pixels: float, size: float = 12, *, bold: bool = False) -> str:
    """The first words of a text on one line as markup for a figure, cut to so many pixels; empty where none fit."""
    line = plain(text, max(2, int(4 * pixels / size)))
    if pixels_wide(line, size, bold=bold) > pixels:
        room = pixels - pixels_wide("…", size, bold=bold)
        end = 0
        for letter in line:
            room -= pixels_wide(letter, size, bold=bold)
            if room < 0:
                break
            end += 1
        line = f"{line[:end].rstrip()}…" if end else ""
    return escape(line, quote=False)


def lines_of(text: str, pixels: float, size: float = 12) -> list[str]:
    """A text in lines of at most so many pixels, broken at blanks, beside Chinese characters, and in long words."""
    lines = [""]
    for word in _words(text):
        if lines[-1] and pixels_wide(lines[-1] + word.rstrip(), size) > pixels:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += word if lines[-1] else word.lstrip()
        while pixels_wide(lines[-1].rstrip(), size) > pixels and len(lines[-1]) > 1:
            end = _fitting(lines[-1], pixels, size)
            lines[-1:] = [lines[-1][:end], lines[-1][end:]]
    return [line.rstrip() for line in lines]


def _fitting(line: str, pixels: float, size: float) -> int:
    end = 1
    while end < len(line) and pixels_wide(line[: end + 1], size) <= pixels:
        end += 1
    return end


def _words(text: str) -> Iterator[str]:
    """Words with the blanks behind them; a Chinese character is a word."""
    word = ""
    for letter in text:
        is_wide = east_asian_width(letter) in "WF"
        if word and (is_wide or (word[-1].isspace() and not letter.isspace())):
            yield word
            word = ""
        word += letter
        if is_wide:
            yield word
            word = ""
    if word:
        yield word


def _ems(letter: str) -> float:
    known = _EMS.get(letter)
    if known is not None:
        return known
    if combining(letter):
        return 0.0
    return _EMOJI if letter >= "\U0001f000" else 1.0
