"""The way of attachments as a figure: of one file from its bytes to what is sent, of all files from kind to form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.context.file_words import SENT_AS, file_words, kind_words
from ctxlab.display.one_line import label
from ctxlab.display.short_texts import counted
from ctxlab.display.theme import Theme, ThemeName, theme_of
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.sent_files import SentFile, counts_by_way, sent_files

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEAD, LINE, GAP, FOOT = 52, 17, 26, 16
WIDE = 88
"""Characters of a line of words."""
MOST_LINES = 6
ROW = 54
NOT_SENT = "not sent"


@dataclass(frozen=True, slots=True)
class Station:
    """A stop on the way of a file: its name, what is known there, and whether something is amiss."""

    name: str
    lines: tuple[str, ...]
    symbol: str = "circle"
    warns: bool = False


@checked_arguments
def attachment_figure(trace: Trace, file: str | SentFile | None = None, *, theme: ThemeName = "light") -> go.Figure:
    """Of one file, by name or id: how it is stored, detected, decided and sent. Without one: a flow of all files.

    The flow leads from kinds to the forms in which files are sent, with their number and their tokens.
    """
    look = theme_of(theme)
    files = sent_files(trace)
    if file is None:
        return _flow(files, look)
    return _way(file if isinstance(file, SentFile) else _named(file, files), look)


def _named(name: str, files: Sequence[SentFile]) -> SentFile:
    found = [each for each in files if name in (each.id, each.name)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(dict.fromkeys(each.id for each in found))
        raise CtxlabError(f"{len(found)} files are called {name!r} (ids: {ids}): pass one of sent_files(trace)")
    raise CtxlabError(f"no file is called {name!r}{did_you_mean(name, [each.name for each in files])}")


# --- one file


def _way(file: SentFile, look: Theme) -> go.Figure:
    import plotly.graph_objects as go

    stations = list(_stations(file))
    ys: list[float] = []
    at = 0.0
    notes: list[dict[str, Any]] = []
    for station in stations:
        ys.append(at + LINE / 2)
        ink = look.warn if station.warns else look.ink
        words = "<br>".join([f"<b>{station.name}</b>", *station.lines])
        notes.append(
            {
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "xshift": 30,
                "align": "left",
                "showarrow": False,
                "y": at,
                "yanchor": "top",
                "yshift": 2,
                "text": words,
                "font": {"color": ink},
            }
        )
        at += LINE * (1 + len(station.lines)) + GAP
    figure = go.Figure(
        go.Scatter(
            x=[0] * len(ys),
            y=ys,
            mode="lines+markers",
            line={"color": look.edge, "width": 2},
            marker={
                "symbol": [station.symbol for station in stations],
                "size": 13,
                "color": [look.warn if station.warns else look.sources["attachment"] for station in stations],
                "line": {"width": 1, "color": look.surface},
            },
            hovertext=[f"<b>{station.name}</b><br>{'<br>'.join(station.lines)}" for station in stations],
            hoverinfo="text",
            cliponaxis=False,
        )
    )
    height = at - GAP + FOOT
    figure.update_layout(
        look.layout(
            title=look.title(label(file.shown_name, 60), label(file.sent, 80)),
            height=int(HEAD + height + FOOT),
            margin={"l": 12, "r": 12, "t": HEAD, "b": FOOT},
            showlegend=False,
            xaxis={"visible": False, "fixedrange": True, "range": [-0.015, 1]},
            yaxis={"visible": False, "fixedrange": True, "range": [height, 0]},
            annotations=notes,
        )
    )
    return figure


def _stations(file: SentFile) -> Iterator[Station]:
    if file.stored is not None:
        stored = file.stored
        mime = f"; its message calls it {stored.mime_type}" if stored.mime_type else ""
        yield Station("stored", _lines(f"{file_words(_undecided(stored))}{mime}"), "hexagon-open")
    yield Station("detected", _lines(file.about, file.problem), "hexagon", warns=bool(file.problem))
    yield Station("decided", _lines(file.way, file.reason or "No step has said why."), "diamond")
    if file.cut:
        yield Station(NOT_SENT, _lines(f"its message was cut: {file.cut}"), "x", warns=True)
        return
    about = "about " if file.estimated else ""
    places = f", {file.places[0]} to {file.places[-1]}" if len(file.places) > 1 else "".join(file.places)
    yield Station("sent", _lines(f"{file.sent}{places}, {about}{counted(file.tokens, 'token')}"), "square")


def _undecided(stored: Any) -> Any:
    from dataclasses import replace

    return replace(stored, route=None)


def _lines(*sentences: str) -> tuple[str, ...]:
    lines = [line for words in sentences if words for line in wrap(words, WIDE) or [words]]
    shown = [label(line, 2 * WIDE) for line in lines[:MOST_LINES]]
    return (*shown[:-1], f"{shown[-1]}…") if len(lines) > MOST_LINES else tuple(shown)


# --- all files


def _flow(files: Sequence[SentFile], look: Theme) -> go.Figure:
    import plotly.graph_objects as go

    ways = list(counts_by_way(files))
    kinds, forms = list(dict.fromkeys(way[0] for way in ways)), list(dict.fromkeys(way[1] for way in ways))
    ends = [*(("kind", kind) for kind in kinds), *(("form", form) for form in forms)]
    place = {end: i for i, end in enumerate(ends)}
    figure = go.Figure()
    if ways:
        figure.add_trace(
            go.Sankey(
                arrangement="fixed" if len(ends) == 2 else "snap",
                node={
                    "label": [_end_words(end, ways) for end in ends],
                    "color": [_end_colour(end, look) for end in ends],
                    "line": {"width": 1, "color": look.edge},
                    "thickness": 14,
                    "pad": 26,
                    "hovertemplate": "%{label}<extra></extra>",
                },
                link={
                    "source": [place["kind", kind] for kind, *_ in ways],
                    "target": [place["form", form] for _, form, *_ in ways],
                    "value": [n for *_, n, _ in ways],
                    "color": [look.tint(_end_colour(("form", form), look)) for _, form, *_ in ways],
                    "line": {"width": 1, "color": look.line},
                    "customdata": [_link_words(*way) for way in ways],
                    "hovertemplate": "%{customdata}<extra></extra>",
                },
                textfont={"color": look.ink, "size": 12, "shadow": "none"},
            )
        )
    figure.update_layout(
        look.layout(
            title=look.title("Attachments", _sentence(files)),
            height=HEAD + FOOT + ROW * max(2, len(kinds), len(forms)),
            margin={"l": 12, "r": 12, "t": HEAD, "b": FOOT},
            xaxis={"visible": False},
            yaxis={"visible": False},
        )
    )
    return figure


def _sentence(files: Sequence[SentFile]) -> str:
    if not files:
        return "no message has a file"
    sent = [file for file in files if not file.cut]
    about = "about " if any(file.estimated for file in sent) else ""
    words = f"{counted(len(files), 'file')}, {about}{counted(sum(file.tokens for file in sent), 'token')}"
    amiss = sum(bool(file.problem) for file in files)
    return f"{words}; {amiss:,} with a problem" if amiss else words


def _end_words(end: tuple[str, str], ways: Sequence[tuple[str, str, int, int]]) -> str:
    side, name = end
    mine = [way for way in ways if way[0 if side == "kind" else 1] == name]
    n = sum(way[2] for way in mine)
    if side == "kind":
        return counted(n, kind_words(name))
    files = counted(n, "file")
    form = "is not sent" if name == NOT_SENT else SENT_AS.get(name, SENT_AS["unknown"])
    tokens = sum(way[3] for way in mine)
    return ", ".join([f"{form}: {files}", *([counted(tokens, "token")] if tokens else [])])


def _end_colour(end: tuple[str, str], look: Theme) -> str:
    """Kinds are plain; what goes as a file, as words, as a description and not at all have colours of their own."""
    side, name = end
    if side == "kind":
        return look.edge
    colours = {"text": look.add_line, "description": look.warn, NOT_SENT: look.sources["history"]}
    return colours.get(name, look.sources["attachment"])


def _link_words(kind: str, form: str, n: int, tokens: int) -> str:
    words = "not sent" if form == NOT_SENT else SENT_AS.get(form, SENT_AS["unknown"])
    return f"{counted(n, kind_words(kind))}, {words}: {counted(tokens, 'token')}"
