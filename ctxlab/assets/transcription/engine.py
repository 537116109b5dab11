"""Engines that turn a picture, a recording, a film or a scanned document into text, behind one protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, BinaryIO, Protocol, get_args

from ctxlab.context import AssetRef, FileFacts, FileKind, Transcript
from ctxlab.context.portable_pickles import by_fields
from ctxlab.documents import AssetSource
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.lazy_dataclass import dataclass

Progress = Callable[[float], None]
"""Takes the share of the work that is done, in [0, 1]. It raises what ends a task that is cancelled or out of time."""
Read = Callable[[BinaryIO, FileFacts, Progress], Transcript | str]


class NoText(CtxlabError):
    """The engine read the file to its end and found no words in it; the message says so."""


class Engine(Protocol):
    """Reads files of some kinds. Equal name and version read equal files equally, so that the cache may answer.

    An engine holds its configuration alone: it pickles, and what it loads is kept by the process. Without a version
    nothing that it reads is kept on disk.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def kinds(self) -> frozenset[FileKind]: ...
    def read(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        """The text of a file of one of its kinds; raises CtxlabError, whose message is a sentence for people."""
        ...


class FileStore(Protocol):
    """A store that opens files: `services.assets` of a build is one."""

    def open(self, source: AssetSource) -> BinaryIO | None: ...
    def facts(self, asset: AssetRef) -> FileFacts | None: ...


@dataclass(frozen=True, slots=True)
class FunctionEngine:
    """A function as an engine."""

    function: Read
    kinds: frozenset[FileKind]
    name: str
    version: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "function")

    def read(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        found = self.function(file, facts, progress)
        return found if isinstance(found, Transcript) else Transcript.of(found, engine=self.name)


def as_engine(function: Read, *, kinds: Iterable[FileKind], name: str = "", version: str = "") -> FunctionEngine:
    """An engine of `function(file, facts, progress)`, which gives a text or a Transcript.

    >>> as_engine(lambda file, facts, progress: file.read().decode(), kinds=["audio"], name="captions").name
    'captions'
    """
    return FunctionEngine(function, kinds_of(kinds), name or getattr(function, "__name__", "function"), version)


def kinds_of(kinds: Iterable[str]) -> frozenset[FileKind]:
    """Kinds of files; raises WrongArgument for a word that is none."""
    found = frozenset(kinds)
    known = frozenset[FileKind](get_args(FileKind))
    if wrong := sorted(found - known):
        raise WrongArgument(f"{wrong[0]!r} is no kind of file; there are: {', '.join(sorted(known))}")
    return known & found


def clock_place(seconds: float) -> str:
    """A moment of a recording as people write it.

    >>> clock_place(12.7), clock_place(3723)
    ('0:12', '1:02:03')
    """
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
