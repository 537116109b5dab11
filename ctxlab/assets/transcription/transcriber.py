"""The transcriber of a build: text is read from a file where it has any, else an engine makes it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, BinaryIO

from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.readers import ReadLimits, has_reader, read_text
from ctxlab.assets.transcription.cache import CacheKey, TranscriptCache
from ctxlab.assets.transcription.engine import Engine, FileStore, NoText, Progress
from ctxlab.assets.transcription.process_registry import process_registry
from ctxlab.assets.transcription.registry import TranscriptionTask
from ctxlab.assets.transcription.repetition import without_repetitions
from ctxlab.context import AssetRef, FileFacts, Transcript
from ctxlab.context.portable_pickles import by_fields
from ctxlab.documents import AssetSource
from ctxlab.errors import CtxlabError, MissingExtra, NoTextLayer, ReadError
from ctxlab.lazy_dataclass import dataclass

BLOCK = 1 << 20
MOST_KEPT_BYTES = 1_000_000
"""Bytes of a file, and of those that are in memory with it, up to which it is kept for a retry."""
LOOPING = frozenset({"speech", "video", "vision-model"})
"""Engines whose models may say one thing without end; OCR reads what is there, and forms say one thing many times."""


def default_engines() -> tuple[Engine, ...]:
    """OCR for pictures and scanned pages, speech for recordings, both for films; each says what to install for it."""
    from ctxlab.assets.transcription.ocr import OcrEngine
    from ctxlab.assets.transcription.speech import SpeechEngine
    from ctxlab.assets.transcription.video import VideoEngine

    return (OcrEngine(), SpeechEngine(), VideoEngine())


@dataclass(frozen=True, slots=True)
class FileTranscriber:
    """The text of files that `files` opens: a reader's where there is one for the type, else an engine's.

    `engines` are asked in order, those that read the kind; None are those that come with ctxlab. A file of equal
    content is read once in a process, whoever asks; `cache` keeps what engines made, in a folder if it has one.
    `timeout_seconds` are those of one file.
    """

    files: FileStore
    engines: Sequence[Engine] | None = None
    cache: TranscriptCache | Path | None = None
    timeout_seconds: float = 120
    limits: ReadLimits = field(default_factory=ReadLimits)

    def __post_init__(self) -> None:
        cache = self.cache if isinstance(self.cache, TranscriptCache) else TranscriptCache(self.cache)
        object.__setattr__(self, "cache", cache)
        if self.engines is not None:
            object.__setattr__(self, "engines", tuple(self.engines))

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)

    def transcribe(
        self, source: AssetSource, *, kind: str, mime_type: str = "", name: str = "", recognise: bool = True
    ) -> Transcript:
        """The text of a file; raises CtxlabError, whose message is a sentence for people, when there is none.

        With `recognise` False only text that the file itself has is read, and no engine is asked.
        """
        started = self.start(AssetRef("", kind, name, mime_type, source=source), recognise=recognise)
        registry = process_registry()
        (task,) = registry.wait(started.id)
        if task.transcript is not None:
            return task.transcript
        if task.state == "cancelled":
            again = f"ctxlab.assets.transcription.process_registry().retry({task.id!r})"
            raise CtxlabError(f"its transcription was cancelled; {again} begins it again")
        raise _error_again(registry.error_of(task.id))

    def start(self, asset: AssetRef, *, recognise: bool = True, progress: Progress | None = None) -> TranscriptionTask:
        """The task that reads a file, begun on a thread unless equal content is being read already.

        It may begin as soon as a file is attached; a build then takes what is ready and waits for the rest. Raises
        CtxlabError where its bytes are not at hand.
        """
        if not recognise and self.engines != ():
            return replace(self, engines=()).start(asset, progress=progress)
        facts = self.files.facts(asset)
        file = self.files.open(asset.source)
        if facts is None or file is None:
            raise CtxlabError("its bytes are not here")
        with file:
            facts = facts if facts.sha256 else replace(facts, sha256=_sha256(file))
        work = _Reading(self, asset.source, facts)
        return process_registry().start(
            work,
            key=(facts.sha256, facts.kind, facts.mime_type, self._engines_for(facts), self.limits),
            asset=asset.name or asset.id,
            kind=facts.kind,
            timeout_seconds=self.timeout_seconds,
            progress=progress,
            is_large=max(facts.size_bytes or 0, _held_bytes(self.files)) > MOST_KEPT_BYTES,
        )

    def _engines_for(self, facts: FileFacts) -> tuple[Engine, ...]:
        engines = default_engines() if self.engines is None else self.engines
        return tuple(engine for engine in engines if facts.kind in engine.kinds)

    def read(self, source: AssetSource, facts: FileFacts, progress: Progress) -> Transcript:
        """The text of a file, read on this thread."""
        untold = ""
        if has_reader(facts):
            with self._opened(source) as file:
                try:
                    return read_text(file, facts, limits=self.limits)
                except NoTextLayer as scanned:
                    untold = str(scanned)
        engines = self._engines_for(facts)
        if not engines:
            raise ReadError(untold or f"no engine reads {facts.kind} files of type {facts.mime_type or 'unknown'}")
        return self._by_engines(engines, source, facts, progress)

    def _by_engines(
        self, engines: Sequence[Engine], source: AssetSource, facts: FileFacts, progress: Progress
    ) -> Transcript:
        """The answer of the first engine that has one; those before it that failed are problems of the transcript."""
        failures: list[CtxlabError] = []
        for engine in engines:
            try:
                found = self._by_engine(engine, source, facts, progress)
            except CtxlabError as failure:
                if engine is engines[-1] and not failures:
                    raise
                failures.append(failure)
                continue
            return replace(found, problems=(*found.problems, *_named(engines, failures))) if failures else found
        in_the_file = all(isinstance(failure, NoText | ReadError) for failure in failures)
        raise (ReadError if in_the_file else CtxlabError)("; ".join(_named(engines, failures)))

    def _by_engine(self, engine: Engine, source: AssetSource, facts: FileFacts, progress: Progress) -> Transcript:
        assert isinstance(self.cache, TranscriptCache)
        key = CacheKey(facts.sha256, f"{engine.name} of {facts.mime_type}", engine.version)
        known = self.cache.get(key)
        if known is not None:
            return known
        with self._opened(source) as file:
            found = engine.read(file, facts, progress)
        if engine.name in LOOPING:
            found = without_repetitions(found)
        self.cache.put(key, found)
        return found

    def _opened(self, source: AssetSource) -> BinaryIO:
        file = self.files.open(source)
        if file is None:
            raise CtxlabError("its bytes are not here any more")
        return file


@dataclass(frozen=True, slots=True)
class _Reading:
    """The work of a task."""

    transcriber: FileTranscriber
    source: AssetSource
    facts: FileFacts

    def __call__(self, progress: Progress) -> Transcript:
        return self.transcriber.read(self.source, self.facts, progress)


def _named(engines: Sequence[Engine], failures: Sequence[CtxlabError]) -> list[str]:
    return [f"{engine.name}: {failure}" for engine, failure in zip(engines, failures, strict=False)]


def _error_again(error: Exception | None) -> CtxlabError:
    """An error that is raised for each who waits; the first one's own would gather tracebacks."""
    words = str(error) if isinstance(error, CtxlabError) else f"{type(error).__name__}: {error}"
    kind = next((kind for kind in (MissingExtra, NoText, ReadError) if isinstance(error, kind)), CtxlabError)
    return kind(" ".join(words.split()))


def _held_bytes(files: FileStore) -> int:
    """Bytes that a store has in memory."""
    return sum(map(len, files.files.values())) if isinstance(files, BuildFiles) else 0


def _sha256(file: BinaryIO) -> str:
    found = hashlib.sha256()
    while block := file.read(BLOCK):
        found.update(block)
    return found.hexdigest()
