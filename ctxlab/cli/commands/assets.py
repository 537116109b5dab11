"""`ctxlab assets`: the type and the measures of files, and how a model would get them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from ctxlab.assets.capabilities import Capabilities, capabilities_of
from ctxlab.assets.descriptions import describe_unreadable, type_name
from ctxlab.assets.file_types import facts_of
from ctxlab.assets.likely_route import LikelyRoute, likely_route
from ctxlab.cli.output.progress import progress
from ctxlab.cli.output.terminal import Column, Screen, columns, harmless, one_line
from ctxlab.context import FileFacts
from ctxlab.display.short_texts import counted
from ctxlab.errors import ReadError

MOST_FILES = 1_000
"""Files of folders that are looked at."""
UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class Row:
    """A file, its facts, and the way in which the model gets it; None where no model is named."""

    name: str
    facts: FileFacts
    route: LikelyRoute | None


def print_assets(paths: Sequence[Path], *, model: str | None, language: Literal["zh", "en"], as_json: bool) -> None:
    """One row a file, and under the table what is amiss."""
    capabilities = capabilities_of(model) if model else None
    with progress("looking at files"):
        found = list(islice(_files(paths), MOST_FILES + 1))
        rows = [_row(path, name, capabilities) for path, name in found[:MOST_FILES]]
    if as_json:
        _print_json(rows, language)
        return
    screen = Screen()
    _print_table(screen, rows, language)
    for row in rows:
        for sentence in (row.facts.spoofed, row.facts.problem):
            if sentence:
                screen.line((f"! {harmless(row.name)}: ", "warn"), (harmless(sentence), "warn"), hang=2)
    if len(found) > MOST_FILES:
        screen.line((f"! only the first {MOST_FILES:,} files are looked at; name a smaller folder", "warn"))
    if capabilities is not None:
        _print_model(screen, model or "", capabilities, rows)


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Files and the files of folders below, each with the name by which it is shown."""
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.is_file() and not each.is_symlink())
            if not inside:
                raise ReadError(f"{path} holds no file")
            yield from ((each, each.relative_to(path).as_posix()) for each in inside)
        elif path.is_file():
            yield path, path.name
        else:
            raise ReadError(f"{path} is no file and no folder" if path.exists() else f"there is no file {path}")


def _row(path: Path, name: str, capabilities: Capabilities | None) -> Row:
    try:
        with path.open("rb") as file:
            facts = facts_of(file, name=path.name)
            return Row(name, facts, likely_route(facts, capabilities, file) if capabilities else None)
    except OSError as error:
        raise ReadError(f"{path} can't be read: {error.strerror or error}") from error


# --- for people


def _print_table(screen: Screen, rows: Sequence[Row], language: Literal["zh", "en"]) -> None:
    titles = [
        Column("file"),
        Column("type"),
        Column("sure", right=True),
        Column("size", right=True),
        Column("measures"),
    ]
    cells = [
        (
            one_line(row.name, cells=50),
            one_line(type_name(row.facts.mime_type, language), cells=40),
            f"{row.facts.confidence:.0%}",
            size_words(row.facts.size_bytes or 0),
            measures_words(row.facts),
        )
        for row in rows
    ]
    if any(row.route for row in rows):
        titles += [Column("goes as"), Column("because")]
        cells = [
            (*line, str(row.route), one_line(row.route.reason))
            for line, row in zip(cells, rows, strict=True)
            if row.route
        ]
    columns(screen, titles, cells)


def _print_model(screen: Screen, model: str, capabilities: Capabilities, rows: Sequence[Row]) -> None:
    """One line on the model, and where this is from."""
    read = ", ".join(capabilities.as_data()["input"])
    said = (
        f"{harmless(model)} reads {read}" if capabilities.known else f"nothing is known of {harmless(model)}: text only"
    )
    described = sum(1 for row in rows if row.route and row.route.sent_as == "description")
    source = f" ({harmless(capabilities.source)})" if capabilities.known and capabilities.source else ""
    screen.blank()
    screen.line((f"{said}{source}; of {counted(len(rows), 'file')} {described:,} only described", "dim"))


def size_words(size: int) -> str:
    """A number of bytes with a unit of 1,000s.

    >>> size_words(999), size_words(112246)
    ('999 bytes', '112.2 kB')
    """
    value, unit = float(size), 0
    while value >= 999.95 and unit < len(UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{size:,} {'byte' if size == 1 else 'bytes'}" if unit == 0 else f"{value:.1f} {UNITS[unit]}"


def measures_words(facts: FileFacts) -> str:
    """Pixels, seconds, pages and encoding, as far as they are known."""
    words = [f"{facts.width} x {facts.height}"] if facts.width is not None else []
    words += [f"{facts.seconds:,.1f} s"] if facts.seconds is not None else []
    if facts.pages is not None:
        is_slides = "presentation" in facts.mime_type or "powerpoint" in facts.mime_type
        words.append(counted(facts.pages, "slide" if is_slides else "page"))
    return ", ".join([*words, *([facts.encoding] if facts.encoding else [])])


# --- for programs


def _print_json(rows: Sequence[Row], language: Literal["zh", "en"]) -> None:
    json.dump([_data(row, language) for row in rows], sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def _data(row: Row, language: Literal["zh", "en"]) -> dict[str, Any]:
    data = {"name": row.name, "type": type_name(row.facts.mime_type, language), **row.facts.as_data()}
    if row.route is None:
        return data
    data["goes"] = row.route.as_data()
    if row.route.sent_as == "description":
        name, mime_type = Path(row.name).name, row.facts.mime_type
        data["goes"]["text"] = describe_unreadable(name=name, id=name, mime_type=mime_type, language=language)
    return data
