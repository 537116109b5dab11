"""`ctxlab assets`: the type and the measures of files, and how a model would get them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.descriptions import Language, type_for_people, type_name
from ctxlab.assets.file_types import facts_of
from ctxlab.assets.transcription import FileTranscriber
from ctxlab.cli.output.progress import progress
from ctxlab.cli.output.terminal import Column, Screen, columns, harmless, one_line
from ctxlab.context import AssetRef, FileFacts
from ctxlab.display.short_texts import counted
from ctxlab.documents import LibraryFile, ModelProfile
from ctxlab.errors import ReadError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Services
from ctxlab.processors import TranscriptionProcessor
from ctxlab.processors.files.outcome import FileOutcome
from ctxlab.processors.files.planner import FilePlanner
from ctxlab.processors.files.worded import tokens_of
from ctxlab.providers import tokenizer_for
from ctxlab.secrets import masked_data

MOST_FILES = 1_000
"""Files of folders that are looked at."""
UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class Row:
    """A file, its facts, and how the model gets it, for how many tokens; None where no model is named."""

    name: str
    facts: FileFacts
    sent: FileOutcome | None = None
    tokens: int | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems of the file and of how it goes, each sentence once."""
        said = (self.facts.spoofed, self.facts.problem)
        more = self.sent.problem if self.sent is not None else ""
        for sentence in said:
            more = more.replace(sentence, "") if sentence else more
        return tuple(dict.fromkeys(each for each in (*said, more.strip("; ")) if each))

    @property
    def goes_as(self) -> str:
        """The form in which it goes: `text`, `picture, scaled to 1568 x 78`."""
        assert self.sent is not None
        size = self.scaled_size
        return f"{self.sent.sent_as}, scaled to {size[0]} x {size[1]}" if size else self.sent.sent_as

    @property
    def scaled_size(self) -> tuple[int, int] | None:
        """The pixels of a picture that is scaled; None for all else."""
        route = self.sent.files[0].route if self.sent and self.sent.sent_as == "picture" and self.sent.files else None
        if route is None or not route.width or not route.height:
            return None
        size = (route.width, route.height)
        return None if size == (self.facts.width, self.facts.height) or self.facts.kind != "image" else size


def print_assets(paths: Sequence[Path], *, model: str | None, language: Language, as_json: bool) -> None:
    """One row a file, and under the table what is amiss. The model gets each as a message of a build sends it."""
    with progress("looking at files"):
        found = list(islice(_files(paths), MOST_FILES + 1))
        rows = [_row(path, name, model, language) for path, name in found[:MOST_FILES]]
    if as_json:
        _print_json(rows, language)
        return
    screen = Screen()
    _print_table(screen, rows, language)
    for row in rows:
        for sentence in row.problems:
            screen.line((f"! {harmless(row.name)}: ", "warn"), (harmless(sentence), "warn"), hang=2)
    if len(found) > MOST_FILES:
        screen.line((f"! only the first {MOST_FILES:,} files are looked at; name a smaller folder", "warn"))
    if model is not None:
        _print_model(screen, model, rows)


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


def _row(path: Path, name: str, model: str | None, language: Language) -> Row:
    try:
        with path.open("rb") as file:
            facts = facts_of(file, name=path.name)
    except OSError as error:
        raise ReadError(f"{path} can't be read: {error.strerror or error}") from error
    return Row(name, facts) if model is None else _sent_row(path, name, facts, ModelProfile(id=model), language)


def _sent_row(path: Path, name: str, facts: FileFacts, model: ModelProfile, language: Language) -> Row:
    files, policy = BuildFiles(folder=path.parent), TranscriptionProcessor().policy(model)
    services = Services(tokenizer_for(model), assets=files, transcriber=FileTranscriber(files))
    asset = AssetRef(path.name, facts.kind, path.name, facts.mime_type, facts.size_bytes, source=LibraryFile(path.name))
    sent = FilePlanner(policy, services).outcome(asset, depth=None, language=language)
    return Row(name, facts, sent, tokens_of(sent, services.tokenizer, policy.frames))


def type_words(facts: FileFacts, language: Language) -> str:
    """The type as people call it."""
    return type_name(facts.mime_type, language) if language == "zh" else type_for_people(facts.mime_type)


# --- for people


def _print_table(screen: Screen, rows: Sequence[Row], language: Language) -> None:
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
            one_line(type_words(row.facts, language), cells=40),
            f"{row.facts.confidence:.0%}",
            size_words(row.facts.size_bytes or 0),
            measures_words(row.facts),
        )
        for row in rows
    ]
    if any(row.sent for row in rows):
        titles += [Column("goes as"), Column("tokens", right=True), Column("because")]
        cells = [
            (*line, row.goes_as, f"{row.tokens:,}", one_line(row.sent.reason))
            for line, row in zip(cells, rows, strict=True)
            if row.sent
        ]
    columns(screen, titles, cells)


def _print_model(screen: Screen, model: str, rows: Sequence[Row]) -> None:
    """One line on the model, and where this is from."""
    capabilities = TranscriptionProcessor().policy(ModelProfile(id=model)).reads
    read = ", ".join(capabilities.as_data()["input"])
    said = (
        f"{harmless(model)} reads {read}" if capabilities.known else f"nothing is known of {harmless(model)}: text only"
    )
    described = sum(1 for row in rows if row.sent and row.sent.sent_as == "description")
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


def _print_json(rows: Sequence[Row], language: Language) -> None:
    json.dump(masked_data([_data(row, language) for row in rows]), sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def _data(row: Row, language: Language) -> dict[str, Any]:
    data = {"name": row.name, "type": type_words(row.facts, language), **row.facts.as_data()}
    if row.sent is None:
        return data
    goes: dict[str, Any] = {"sent_as": row.sent.sent_as, "reason": row.sent.reason, "tokens": row.tokens}
    if row.scaled_size is not None:
        goes["width"], goes["height"] = row.scaled_size
    if row.sent.description:
        goes["text"] = row.sent.description
    return {**data, "goes": goes}
