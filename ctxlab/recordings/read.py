"""Read a recording: the content of a file says which program wrote it, not its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.errors import BrokenFile, ReadError, UnknownFormat, WrongArgument
from ctxlab.formats.apps.claude_code_message import BOOKKEEPING as OF_CLAUDE_CODE
from ctxlab.formats.decode import source_at, source_of
from ctxlab.formats.known_but_unread import name_of
from ctxlab.formats.results import Loss, Losses
from ctxlab.formats.source import Archive, Source, described
from ctxlab.formats.unsent_texts import BOOKKEEPING as OF_ALL
from ctxlab.formats.unsent_texts import Fields, Texts, unsent_fields
from ctxlab.local_models import LocalModel
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.folder import only_recording
from ctxlab.recordings.readers import (
    aider,
    bodies,
    chat_exports,
    claude_code,
    cline,
    codex,
    databases,
    gemini_cli,
    http_pairs,
    inspect_log,
    langfuse,
    lhar,
    opencode,
    opencode_storage,
    otel,
    own_records,
    plain_prompt,
    trajectories,
)
from ctxlab.recordings.readers.sub_agent_logs import with_sub_agents
from ctxlab.recordings.recorder.read_records import is_record_file
from ctxlab.recordings.recording import Recording


class RecordingFormat(NamedTuple):
    """A kind of log: its name, how it is recognised, and how its requests are put into a recording.

    `bookkeeping` are fields that the program keeps for itself, or that are parts of a stream, with all that is in them;
    a text that is the value of a field of `taken` is read, if not as it stands.
    """

    name: str
    sniff: Callable[[Any], bool]
    read: Callable[[Source, RecordingBuilder], None]
    bookkeeping: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()


FORMATS: Final = (
    RecordingFormat(claude_code.PROGRAM, claude_code.sniff, claude_code.read, OF_CLAUDE_CODE),
    RecordingFormat(codex.PROGRAM, codex.sniff, codex.read),
    RecordingFormat(cline.PROGRAM, cline.sniff, cline.read),
    RecordingFormat(gemini_cli.PROGRAM, gemini_cli.sniff, gemini_cli.read),
    RecordingFormat(opencode.PROGRAM, opencode.sniff, opencode.read),
    RecordingFormat(langfuse.PROGRAM, langfuse.sniff, langfuse.read),
    RecordingFormat(otel.PROGRAM, otel.sniff, otel.read),
    RecordingFormat("ATIF", trajectories.sniff, trajectories.read),
    RecordingFormat(inspect_log.PROGRAM, inspect_log.sniff, inspect_log.read),
    RecordingFormat(lhar.PROGRAM, lhar.sniff, lhar.read, taken=lhar.TAKEN),
    RecordingFormat("HTTP", http_pairs.sniff, http_pairs.read, taken=http_pairs.TAKEN),
    RecordingFormat("chat exports", chat_exports.sniff, chat_exports.read, taken=chat_exports.TAKEN),
    RecordingFormat("bodies", bodies.sniff, bodies.read, bodies.OF_STREAMS, bodies.TAKEN),
)


LOGS: Final = (claude_code.PROGRAM, codex.PROGRAM)
"""Programs whose logs are read as a conversation too."""


TemplateSource = LocalModel | JinjaTemplate | str | os.PathLike[str]
"""A template that wrote a prompt: as a value, a model that has it, or the path of either."""


@checked_arguments
def read_recording(path: str | os.PathLike[str], *, template: TemplateSource | None = None) -> Recording:
    """The requests of a log that a program wrote, with usage and replies, as one session tree.

    `path` is a file: one that `ctxlab record` made, a log of Claude Code (its sub-agents' beside it too), Codex, Cline,
    Aider or Gemini CLI, a session that OpenCode exported or stores, cassettes of VCR, OpenCode and others, HAR, bodies
    and replies, traces of Langfuse, OpenTelemetry, ctxdiff, LHAR, ATIF, Inspect, an exported chat, or a prompt that is
    one text (`.txt`, `.md`, `.prompt`). Of a folder it is OpenCode's storage, or the only file in it that is a
    recording. The content says which. Raises ReadError, naming the file, where it can't be read, is no recording or
    holds several.

    `template` is what wrote a prompt that is one text: a chat template, a model or the path of one. Its own marks then
    part the messages, and these are rendered again: a loss says from which character on that gives another text.
    Raises WrongArgument for any other kind of file.
    """
    place, name = Path(path).expanduser(), os.fspath(path)
    if template is not None:
        return _of_prompt(place, name, template)
    if place.is_dir():
        return _of_folder(place, name)
    beginning = _beginning(place)
    read_at = next((read for test, read in BY_BYTES if test(beginning)), None)
    if read_at is None:
        read_at = aider.read if aider.is_history(place) else _of_stored_session(place)
    if read_at is not None:
        return _read_with(read_at, place, name)
    try:
        source = source_at(place, name)
    except BrokenFile:
        if not plain_prompt.is_prompt(place):
            raise
        return _read_with(plain_prompt.read, place, name)
    if isinstance(source.data, Archive):
        found = inspect_log.samples_in(source.data.raw, name)
        if found is None:
            raise UnknownFormat(f"{name} is a zip archive, which no reader of recordings takes")
        source = found
    elif claude_code.sniff(source.data):
        source = with_sub_agents(source, place)
    return recording_of(source)


def _of_prompt(place: Path, name: str, template: TemplateSource) -> Recording:
    """The recording of a prompt that a template wrote."""
    from ctxlab.recordings.readers.prompt_by_template import split_by_template
    from ctxlab.rendering.read_template import read_template

    model = read_template(template)
    if not isinstance(model, LocalModel):
        raise WrongArgument("template is an instruct preset, by which no prompt is read back; give a chat template")
    if not plain_prompt.is_prompt(place) or _is_other(place, name):
        raise WrongArgument(f"template is for a prompt that is one text ({_ENDINGS}); {name} is none, so leave it out")
    return _read_with(partial(plain_prompt.read, split=partial(split_by_template, model=model)), place, name)


def _is_other(place: Path, name: str) -> bool:
    """Whether a file is of another kind than a prompt, whatever it is called."""
    if any(test(_beginning(place)) for test, _ in BY_BYTES) or aider.is_history(place):
        return True
    try:
        source_at(place, name)
    except BrokenFile:
        return False
    return True


_ENDINGS: Final = ", ".join(plain_prompt.ENDINGS)
ReadAt = Callable[[Path, str, RecordingBuilder], None]
BY_BYTES: Final[tuple[tuple[Callable[[bytes], bool], ReadAt], ...]] = (
    (is_record_file, own_records.read),
    (databases.is_database, databases.read),
)
"""Files that their first bytes tell."""
SAMPLE_BYTES: Final = 400_000
"""Of a file of JSON lines, what is looked at to say whether it is a recording."""
DATABASE: Final = "opencode.db"


def _read_with(read_at: ReadAt, place: Path, name: str) -> Recording:
    builder = RecordingBuilder(place.stem.removesuffix(".ctxrec"))
    read_at(place, name, builder)
    return finished(builder, name)


def _of_stored_session(place: Path) -> ReadAt | None:
    """The reader of a session's file in OpenCode's storage; None for any other file."""
    root = opencode_storage.session_file(place)
    if root is None:
        return None
    return lambda place, name, builder: opencode_storage.read_folder(root, name, builder, only=place.stem)


def _of_folder(place: Path, name: str) -> Recording:
    if (place / DATABASE).is_file():
        return _read_with(databases.read, place / DATABASE, name)
    root = opencode_storage.storage_at(place)
    if root is not None:
        return _read_with(lambda _, name, builder: opencode_storage.read_folder(root, name, builder), place, name)
    found, others = only_recording(place, name, is_recording)
    recording = read_recording(found)
    if not others:
        return recording
    left_out = Loss("", f"{counted(others, 'other file')} of the folder left out; not recordings")
    return replace(recording, losses=Losses((*recording.losses, left_out)))


def is_recording(place: Path) -> bool:
    """Whether a file of a folder is a recording; a prompt that is one text could be anything, and is none here."""
    beginning = _beginning(place)
    if any(test(beginning) for test, _ in BY_BYTES) or aider.is_history(place):
        return True
    try:
        source = _sample(place) if place.suffix == ".jsonl" else source_at(place, place.name)
    except ReadError:
        return False
    if isinstance(source.data, Archive):
        return inspect_log.samples_in(source.data.raw, place.name) is not None
    return any(form.sniff(source.data) for form in FORMATS)


def program_of_log(place: Path) -> str:
    """The program whose log a file of JSON lines is, request by request as well as a conversation; "" for any other."""
    if not place.is_file() or place.suffix != ".jsonl":
        return ""
    try:
        data = _sample(place).data
    except ReadError:
        return ""
    return next((form.name for form in FORMATS if form.name in LOGS and form.sniff(data)), "")


def _sample(place: Path) -> Source:
    """The first lines of a file of JSON lines."""
    try:
        with place.open("rb") as file:
            found = file.read(SAMPLE_BYTES)
            found = found if len(found) < SAMPLE_BYTES else found[: found.rfind(b"\n") + 1] or found + file.read()
    except OSError as error:
        raise ReadError(f"{place.name} can't be read: {error.strerror or error}") from error
    return source_of(found, place.name)


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
        known = name_of(source.data)
        what = f"it is {known}" if known is not None else f"it holds {described(source.data)}"
        raise UnknownFormat(f"{source.name} is no recording that is known: {what}")
    builder = RecordingBuilder(source.stem, losses=source.losses)
    form.read(source, builder)
    builder.losses += _in_no_request(source, builder, form)
    return finished(builder, source.name)


BOOKKEEPING: Final = OF_ALL | {
    "sessionId", "sessionID", "session_id", "conversationId", "conversation_id", "projectHash", "projectId",
    "requestId", "parentUuid", "parentMessageId", "parent_message_uuid", "leafUuid", "traceId", "trace_id", "spanId",
    "span_id", "startTime", "endTime", "headers", "uri", "url", "mimeType", "version", "cwd", "gitBranch",
}  # fmt: skip
"""Fields of logs that hold ids, times and places."""
MOST_FIELDS: Final = 40
"""Fields that a loss names; more are counted."""


def _in_no_request(source: Source, builder: RecordingBuilder, form: RecordingFormat) -> Iterator[Loss]:
    """The loss of the fields with texts that no request sent and no reply has."""
    told = {loss.field for loss in builder.losses if "left out" in loss.text}
    names = [*unsent_fields(source, Texts(builder.texts()), Fields(BOOKKEEPING | form.bookkeeping, told, form.taken))]
    if names:
        shown = [f"{name:.40}" for name in names[:MOST_FIELDS]]
        shown += [f"{len(names) - MOST_FIELDS} more"] if len(names) > MOST_FIELDS else []
        yield Loss("", f"texts of {counted(len(names), 'field')} are in no request: {', '.join(shown)}; left out")


def finished(builder: RecordingBuilder, name: str) -> Recording:
    """The recording; raises ReadError where there is no request in it."""
    if not builder.request_count:
        raise ReadError(f"{name} has no request to a model")
    return builder.recording()
