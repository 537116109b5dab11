"""Films: what is said in them, and what a few of their frames show."""

from __future__ import annotations

from dataclasses import field
from io import BytesIO
from typing import BinaryIO

from ctxlab.assets.transcription.engine import Engine, NoText, Progress, clock_place
from ctxlab.assets.transcription.film_frames import frames_of
from ctxlab.assets.transcription.ocr import OcrEngine
from ctxlab.assets.transcription.speech import SpeechEngine
from ctxlab.context import FileFacts, FileKind, Passage, Transcript
from ctxlab.errors import CtxlabError, MissingExtra
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class VideoEngine:
    """The sound of a film through one engine, a few frames of it through another, in this order.

    At most `max_frames` frames, evenly spread, are looked at; a frame that shows the words of the one before is left
    out. Either engine may be None. What one of them can't do is a problem of the transcript while the other can.
    """

    sound: Engine | None = field(default_factory=SpeechEngine)
    pictures: Engine | None = field(default_factory=OcrEngine)
    max_frames: int = 8
    max_side: int = 1280
    kinds: frozenset[FileKind] = frozenset({"video"})
    name: str = "video"

    @property
    def version(self) -> str:
        parts = [engine for engine in (self.sound, self.pictures) if engine is not None]
        if not all(engine.version for engine in parts):
            return ""
        return "; ".join([f"{each.name} {each.version}" for each in parts] + [f"{self.max_frames}, {self.max_side}"])

    def read(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        passages: list[Passage] = []
        problems: list[str] = []
        failures: list[CtxlabError] = []
        for read in (self._sound, self._frames):
            try:
                found = read(file, facts, progress)
            except NoText:
                continue
            except CtxlabError as failure:
                failures.append(failure)
                continue
            passages += found.passages
            problems += found.problems
        if not passages:
            missing = [failure for failure in failures if isinstance(failure, MissingExtra)]
            raise (missing or failures or [NoText("no speech was heard in the film and no words were seen")])[0]
        return Transcript(tuple(passages), self.name, tuple(dict.fromkeys((*problems, *map(str, failures)))))

    def _sound(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        if self.sound is None:
            return Transcript(())
        file.seek(0)
        return self.sound.read(file, facts, lambda share: progress(share / 2))

    def _frames(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        """Each frame's words, after its moment in brackets."""
        if self.pictures is None:
            return Transcript(())
        file.seek(0)
        before = ""
        passages: list[Passage] = []
        problems: list[str] = []
        as_picture = FileFacts("image", "image/png")
        for n, frame in enumerate(frames_of(file, count=self.max_frames, max_side=self.max_side)):
            progress(0.5 + n / self.max_frames / 2)
            try:
                found = self.pictures.read(BytesIO(frame.data), as_picture, lambda share: None)
            except NoText:
                continue
            problems += found.problems
            if found.text != before:
                moment = clock_place(frame.seconds)
                passages.append(Passage(f"[{moment}] {found.text.rstrip()}\n", f"frame at {moment}"))
            before = found.text
        return Transcript(tuple(passages), problems=tuple(dict.fromkeys(problems)))
