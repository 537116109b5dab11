"""Knowledge bases made of entries, files, folders and conversations."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from ctxlab.api.sources import FilePath
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import short
from ctxlab.documents import (
    ChunkSettings,
    EntryPart,
    KnowledgeBase,
    KnowledgeBaseSettings,
    KnowledgeEntry,
    Library,
    Session,
)
from ctxlab.documents.knowledge_base import (
    CHUNK_CHARACTERS,
    OVERLAP_CHARACTERS,
    EntryKind,
    KnowledgeEngine,
    entries_with_ids,
)
from ctxlab.errors import CtxlabError, ReadError, WrongArgument

if TYPE_CHECKING:
    from ctxlab.context import Transcript

FileSource: TypeAlias = Annotated[
    FilePath | Session | Library, "a path of a file or a folder, a Session or a Library with conversations"
]
FileSources: TypeAlias = FileSource | Sequence[FileSource]
EntrySource: TypeAlias = KnowledgeEntry | str | Mapping[str, Any]
EntrySources: TypeAlias = Annotated[
    Mapping[str, Any] | Sequence[EntrySource], "entries, texts, dicts of their fields, or a dict of texts by title"
]

MOST_CHARACTERS = 20_000_000
MOST_PAGES = 5_000
CHATS = (".json", ".jsonl")
MARKDOWN = ("text/markdown", "text/x-markdown")
CODE = frozenset({"text/javascript", "text/typescript", "text/css", "application/json", "application/x-sh"})
OF_CODE = "text/x-"
BETWEEN_TURNS = "\n\n"


@checked_arguments
def knowledge_base(
    name: str,
    files: FileSources = (),
    *,
    entries: EntrySources = (),
    id: str | None = None,
    description: str | None = None,
    engine: KnowledgeEngine | None = None,
    chunk_characters: int = CHUNK_CHARACTERS,
    overlap_characters: int = OVERLAP_CHARACTERS,
) -> KnowledgeBase:
    """A knowledge base of entries, of files and of conversations, cut into chunks of so many characters at most.

    A file is an entry: Markdown is cut by headings, code by definitions and lines, a PDF by pages, all else that has
    text by paragraphs and sentences; of a folder all files are read. A conversation, such as a session or a file that
    `read` reads as one, is an entry whose parts are its messages on the active path. A chunk repeats at most
    `overlap_characters` of the one before it. What can't be read is named in `losses`. Raises ReadError where nothing
    at all can be read.
    """
    if overlap_characters >= chunk_characters and overlap_characters != OVERLAP_CHARACTERS:
        raise WrongArgument(
            f"overlap_characters is {overlap_characters:,}: it takes less than the {chunk_characters:,} of a chunk"
        )
    losses: list[str] = []
    own = list(_entries(entries))
    read = [entry for source in _each(files) for entry in _read(source, losses)]
    if losses and not own and not read:
        raise ReadError(f"nothing can be read for knowledge base {name!r}: {losses[0]}")
    chunks = ChunkSettings(characters=chunk_characters, overlap=overlap_characters)
    base = KnowledgeBase(
        id=id or name,
        name=name,
        entries=entries_with_ids((*own, *read)),
        settings=KnowledgeBaseSettings(engine=engine, chunks=chunks),
    )
    more: dict[str, Any] = {"description": description} if description is not None else {}
    return base.with_(**more, **({"losses": tuple(losses)} if losses else {}))


# --- entries


def _entries(given: EntrySources) -> Iterator[KnowledgeEntry]:
    if isinstance(given, Mapping):
        for key, content in given.items():
            yield KnowledgeEntry(key=key, content=content)
        return
    for each in given:
        if isinstance(each, KnowledgeEntry):
            yield each
        else:
            yield KnowledgeEntry(content=each) if isinstance(each, str) else KnowledgeEntry(**each)


# --- files


def _each(given: FileSources) -> Sequence[FileSource]:
    is_row = isinstance(given, Sequence) and not isinstance(given, str)
    return cast("Sequence[FileSource]", given if is_row else (given,))


def _read(source: FileSource, losses: list[str]) -> Iterator[KnowledgeEntry]:
    if isinstance(source, Session):
        yield _of_session(source, "")
    elif isinstance(source, Library):
        yield from _of_library(source, "")
    else:
        place = Path(os.fspath(source)).expanduser()
        if not place.exists():
            raise WrongArgument(f"files: there is no file or folder {short(os.fspath(source))!r}")
        yield from _of_folder(place, losses) if place.is_dir() else _of_file(place, place.name, losses)


def _of_folder(folder: Path, losses: list[str]) -> Iterator[KnowledgeEntry]:
    from ctxlab.formats.folder import FilesOfFolder

    files = FilesOfFolder(folder)
    for path in files:
        yield from _of_file(path, path.relative_to(folder).as_posix(), losses)
    losses += [str(loss) for loss in files.losses]


def _of_file(path: Path, name: str, losses: list[str]) -> Iterator[KnowledgeEntry]:
    """The entries of a file: its conversations, or its text; what isn't read is told in `losses`."""
    if path.suffix.lower() in CHATS:
        from ctxlab import formats

        try:
            found = formats.read(path)
        except ReadError:  # it is no conversation, but may be a text
            found = Library()
        if found.sessions or found.knowledge_bases:
            yield from _of_library(found, name)
            return
    try:
        text, kind = _text(path, name)
    except (CtxlabError, OSError) as error:
        reason = error.strerror or type(error).__name__ if isinstance(error, OSError) else str(error)
        losses.append(f"{name}: left out; {reason}")
        return
    losses += [f"{name}: {problem}" for problem in text.problems]
    if text.text.strip():
        yield KnowledgeEntry(id=name, key=name, content=text.text, kind=kind, source=name, parts=_parts(text))
    elif not text.problems:
        losses.append(f"{name}: left out; it has no text")


def _text(path: Path, name: str) -> tuple[Transcript, EntryKind]:
    from ctxlab.assets.file_types import facts_of
    from ctxlab.assets.readers.limits import ReadLimits
    from ctxlab.assets.readers.registry import read_text

    limits = ReadLimits(max_characters=MOST_CHARACTERS, max_pages=MOST_PAGES)
    data = path.read_bytes()
    facts = facts_of(data, name=name)
    found = read_text(BytesIO(data), facts, limits=limits)
    mime = facts.mime_type.lower()
    if mime in MARKDOWN or path.suffix.lower() in (".md", ".markdown"):
        return found, "markdown"
    return found, "code" if mime in CODE or mime.startswith(OF_CODE) else "text"


def _parts(text: Transcript) -> tuple[EntryPart, ...]:
    """The first character of each page, sheet or slide; none where the whole is one."""
    if not any(passage.place for passage in text.passages):
        return ()
    found: list[EntryPart] = []
    at = 0
    for passage in text.passages:
        found.append(EntryPart(start=at, place=passage.place))
        at += len(passage.text)
    return tuple(found)


# --- conversations


def _of_library(found: Library, source: str) -> Iterator[KnowledgeEntry]:
    for session in found.sessions:
        yield _of_session(session, source)
    for base in found.knowledge_bases:
        yield from base.entries


def _of_session(session: Session, source: str) -> KnowledgeEntry:
    """A conversation as an entry: the messages of the active path under their speakers, each a part named by its id."""
    texts: list[str] = []
    parts: list[EntryPart] = []
    at = 0
    for node in session.path():
        if not node.content.strip() or not node.enabled or node.role not in ("user", "assistant"):
            continue
        text = f"{node.speaker or node.role}: {node.content.strip()}{BETWEEN_TURNS}"
        texts.append(text)
        parts.append(EntryPart(start=at, place=node.id))
        at += len(text)
    about: dict[str, Any] = {"source": source} if source else {}
    name = session.name or session.id
    return KnowledgeEntry(id=session.id, key=name, content="".join(texts), kind="chat", parts=tuple(parts), **about)
