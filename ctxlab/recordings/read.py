"""Read a recording: the content of a file says which program wrote it, not its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import ReadError, UnknownFormat
from ctxlab.formats.decode import source_at
from ctxlab.formats.source import Archive, Source, described
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.readers import (
    aider,
    bodies,
    chat_exports,
    claude_code,
    cline,
    codex,
    ctrace,
    gemini_cli,
    http_pairs,
    inspect_log,
    langfuse,
    lhar,
    otel,
    own_records,
    trajectories,
)
from ctxlab.recordings.recorder.read_records import is_record_file
from ctxlab.recordings.recording import Recording


class RecordingFormat(NamedTuple):
    """A kind of log: its name, how it is recognised, and how its requests are put into a recording."""

    name: str
    sniff: Callable[[Any], bool]
    read: Callable[[Source, RecordingBuilder], None]


FORMATS: Final = (
    RecordingFormat(claude_code.PROGRAM, claude_code.sniff, claude_code.read),
    RecordingFormat(codex.PROGRAM, codex.sniff, codex.read),
    RecordingFormat(cline.PROGRAM, cline.sniff, cline.read),
    RecordingFormat(gemini_cli.PROGRAM, gemini_cli.sniff, gemini_cli.read),
    RecordingFormat(langfuse.PROGRAM, langfuse.sniff, langfuse.read),
    RecordingFormat(otel.PROGRAM, otel.sniff, otel.read),
    RecordingFormat("ATIF", trajectories.sniff, trajectories.read),
    RecordingFormat(inspect_log.PROGRAM, inspect_log.sniff, inspect_log.read),
    RecordingFormat(lhar.PROGRAM, lhar.sniff, lhar.read),
    RecordingFormat("HTTP", http_pairs.sniff, http_pairs.read),
    RecordingFormat("chat exports", chat_exports.sniff, chat_exports.read),
    RecordingFormat("bodies", bodies.sniff, bodies.read),
)


@checked_arguments
def read_recording(path: str | os.PathLike[str]) -> Recording:
    """The requests of a log that a program wrote, with usage and replies, as one session tree.

    `path` is a file: one that `ctxlab record` made, a log of Claude Code (its sub-agents' beside it too), Codex, Cline,
    Aider or Gemini CLI, cassettes of VCR, OpenCode and others, HAR, bodies and replies, traces of Langfuse,
    OpenTelemetry, ctxdiff, LHAR, ATIF, Inspect, or an exported chat. The content says which. Raises ReadError, naming
    the file, where it can't be read or is no recording.
    """
    place, name = Path(path).expanduser(), os.fspath(path)
    beginning = _beginning(place)
    if is_record_file(beginning) or ctrace.is_database(beginning):
        builder = RecordingBuilder(place.stem.removesuffix(".ctxrec"))
        (own_records.read if is_record_file(beginning) else ctrace.read)(place, name, builder)
        return finished(builder, name)
    if aider.is_history(place):
        builder = RecordingBuilder(place.stem)
        aider.read(place, name, builder)
        return finished(builder, name)
    source = source_at(place, name)
    if isinstance(source.data, Archive):
        found = inspect_log.samples_in(source.data.raw, name)
        if found is None:
            raise UnknownFormat(f"{name} is a zip archive, which no reader of recordings takes")
        source = found
    elif claude_code.sniff(source.data):
        source = claude_code.with_sub_agents(source, place)
    return recording_of(source)


def _beginning(place: Path) -> bytes:
    """The first bytes of a file; none where there is no file that can be read, which the reading itself tells."""
    try:
        with place.open("rb") as file:
            return file.read(128)
    except OSError:
        return b""


def recording_of(source: Source) -> Recording:
    """The recording in a parsed file; raises UnknownFormat for what is none."""
    form = next((form for form in FORMATS if form.sniff(source.data)), None)
    if form is None:
        raise UnknownFormat(f"{source.name} is no recording that is known: it holds {described(source.data)}")
    builder = RecordingBuilder(source.stem, losses=source.losses)
    form.read(source, builder)
    return finished(builder, source.name)


def finished(builder: RecordingBuilder, name: str) -> Recording:
    """The recording; raises ReadError where there is no request in it."""
    if not builder.request_count:
        raise ReadError(f"{name} has no request to a model")
    return builder.recording()
