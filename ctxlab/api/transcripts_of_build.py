"""Texts of files made before a build asks for them, several at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import RLock
from typing import Any, Unpack

from ctxlab.api.options import BuildOptions, listed
from ctxlab.api.resolve import start_of, transcriber_of
from ctxlab.api.sources import AgentSource, SessionSource
from ctxlab.assets.transcription.ensured_transcripts import EnsuredTranscripts
from ctxlab.assets.transcription.process_registry import process_registry
from ctxlab.assets.transcription.registry import TranscriptionTask
from ctxlab.assets.transcription.transcriber import FileTranscriber
from ctxlab.context import AssetRef, Transcript
from ctxlab.display.progress import ProgressOption, progress_of
from ctxlab.documents import AssetSource
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.pipeline import Trace


@listed(BuildOptions)
def ensure_transcripts(
    session: SessionSource,
    agent: AgentSource | None = None,
    *,
    timeout_seconds: float | None = None,
    progress: ProgressOption = True,
    **options: Unpack[BuildOptions],
) -> EnsuredTranscripts:
    """The texts that `build` with the same arguments would make of files, begun together and waited for.

    A build that follows takes them as they are. After `timeout_seconds` in all, what is not ready goes on by itself;
    None waits until each file is read, has failed or is out of its own time. `progress` shows the time left where
    it takes over a second; a function is called with the share that is done, in [0, 1], never twice with one;
    with 1 when all files have ended, also in failure. Steps are run up to the last one that reads files, and nothing of
    that is kept.
    """
    with progress_of("files", progress) as report:
        shares = _Shares(report)
        asked = _Asked(start_of(session, agent, **options), shares)
        asked.run()
        shares.begin()
        ended = process_registry().wait([task.id for task in asked.tasks if task.id], timeout_seconds=timeout_seconds)
        if all(task.ended for task in ended):
            shares.end()
        shares.close()
    by_id = {task.id: task for task in ended}
    return EnsuredTranscripts(tuple(by_id.get(task.id, task) for task in asked.tasks))


class _Shares:
    """The share of all tasks that is done, told whenever it grows, from when all are begun to the 1 at the end."""

    def __init__(self, told: Callable[[float], Any]) -> None:
        self.told: Callable[[float], Any] | None = told
        self.shares: dict[int, float] = {}
        self.last: float | None = None
        self.lock = RLock()

    def begin(self) -> None:
        with self.lock:
            self.last = 0.0
            self._tell()

    def end(self) -> None:
        with self.lock:
            if self.told is not None:
                self.told(1.0)

    def close(self) -> None:
        """Tell no more; tasks that aren't ready go on by themselves."""
        with self.lock:
            self.told = None

    def _tell(self) -> None:
        share = sum(self.shares.values()) / len(self.shares) if self.shares else 0.0
        if self.told is not None and self.last is not None and self.last < share < 1:
            self.last = share
            self.told(share)

    def of_next(self) -> Callable[[float], None]:
        number = len(self.shares)
        self.shares[number] = 0.0

        def tell(share: float) -> None:
            with self.lock:
                self.shares[number] = max(share, self.shares[number])
                self._tell()

        return tell


class _Asked:
    """A transcriber for steps, which begins what it is asked for and waits for nothing."""

    def __init__(self, start: Trace, shares: _Shares) -> None:
        services = start.services
        transcriber = services.transcriber
        if transcriber is None and services.assets is not None:
            transcriber = transcriber_of(services.assets)
        if transcriber is not None and not isinstance(transcriber, FileTranscriber):
            kind = type(transcriber).__name__
            raise WrongArgument(f"the transcriber of services is a {kind}, which begins nothing before a build")
        self.transcriber = transcriber
        self.shares = shares
        self.tasks: list[TranscriptionTask] = []
        self.trace = replace(start, services=replace(services, transcriber=self, retriever=None, llm=None))

    def run(self) -> None:
        """The steps up to the last one that waits."""
        stages = self.trace.pipeline.running()
        waiting = [n for n, stage in enumerate(stages) if stage.processor.waits]
        context = self.trace.start
        for stage in stages[: waiting[-1] + 1 if waiting and self.transcriber is not None else 0]:
            context = self.trace.pipeline.step(stage, context, self.trace.services).after

    def transcribe(
        self, source: AssetSource, *, kind: str, mime_type: str = "", name: str = "", recognise: bool = True
    ) -> Transcript:
        assert self.transcriber is not None
        asset = AssetRef("", kind, name, mime_type, source=source)
        try:
            task = self.transcriber.start(asset, recognise=recognise, progress=self.shares.of_next())
        except CtxlabError as problem:
            task = TranscriptionTask("", name, kind, "failed", error=str(problem))
        if not any(task.id and task.id == known.id for known in self.tasks):
            self.tasks.append(task)
        if task.transcript is not None:
            return task.transcript
        raise CtxlabError(task.error or "its text is being read")
