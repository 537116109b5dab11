"""The transcriber of a build: readers first, then engines; equal files once; failures as sentences."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

import ctxlab
from ctxlab.assets.transcription import (
    Engine,
    FileTranscriber,
    NoText,
    TranscriptCache,
    VisionModel,
    as_engine,
    forget_transcripts,
    process_registry,
)
from ctxlab.assets.transcription.engine import FileStore, Progress
from ctxlab.context import AssetRef, FileFacts, Passage, Transcript
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab.errors import CtxlabError, MissingExtra
from ctxlab.testing.fakes import AssetsInMemory
from tests.assets.transcription.gated_work import GatedWork


@pytest.fixture(autouse=True)
def empty_memory() -> Iterator[None]:
    forget_transcripts()
    yield
    forget_transcripts()


class Counting:
    """An engine that counts what it reads."""

    def __init__(self, name: str = "counting", version: str = "1", error: Exception | None = None) -> None:
        self.name, self.version, self.error = name, version, error
        self.kinds = frozenset({"image"})
        self.read_files: list[bytes] = []

    def read(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        self.read_files.append(file.read())
        if self.error is not None:
            raise self.error
        return Transcript.of(f"{len(self.read_files[-1])} bytes", engine=self.name)


def store(**files: bytes) -> FileStore:
    return AssetsInMemory({LibraryFile(name): data for name, data in files.items()})


def text_of(transcriber: FileTranscriber, name: str, kind: str = "image", mime_type: str = "image/x-test") -> str:
    return transcriber.transcribe(LibraryFile(name), kind=kind, mime_type=mime_type, name=name).text


def test_a_file_with_text_is_read_and_no_engine_is_asked() -> None:
    engine = as_engine(lambda file, facts, progress: "by the engine", kinds=["text"])

    assert text_of(FileTranscriber(store(a="潮汐".encode()), [engine]), "a", "text", "text/plain").strip() == "潮汐"


def test_equal_content_is_read_once_under_any_name_by_any_transcriber() -> None:
    engine = Counting()
    first = FileTranscriber(store(a=b"equal content 1", b=b"equal content 1", c=b"other"), [engine])
    second = FileTranscriber(store(d=b"equal content 1"), [engine])

    texts = [text_of(first, "a"), text_of(first, "b"), text_of(second, "d"), text_of(first, "c")]

    assert texts == ["15 bytes", "15 bytes", "15 bytes", "5 bytes"]
    assert engine.read_files == [b"equal content 1", b"other"]


def test_two_engines_of_one_name_are_not_mixed_up() -> None:
    files = store(a=b"read by two")
    one = as_engine(lambda file, facts, progress: "one", kinds=["image"], name="same")
    two = as_engine(lambda file, facts, progress: "two", kinds=["image"], name="same")

    assert [text_of(FileTranscriber(files, [engine]), "a") for engine in (one, two, one)] == ["one", "two", "one"]


def test_a_folder_answers_where_the_engine_is_not_asked_again(tmp_path: Path) -> None:
    files = store(a=b"kept in a folder")
    assert text_of(FileTranscriber(files, [Counting()], tmp_path), "a") == "16 bytes"
    forget_transcripts()
    again = Counting()

    assert text_of(FileTranscriber(files, [again], TranscriptCache(tmp_path)), "a") == "16 bytes"
    assert again.read_files == []


def test_the_next_engine_reads_what_the_first_can_t_and_a_problem_says_why() -> None:
    engines: list[Engine] = [Counting("first", error=MissingExtra("install it")), Counting("second")]

    found = FileTranscriber(store(a=b"for the second"), engines).transcribe(LibraryFile("a"), kind="image")

    assert (found.text, found.engine, found.problems) == ("14 bytes", "second", ("first: install it",))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MissingExtra("pip install it"), "pip install it"),
        (NoText("no words"), "no words"),
        (ValueError("of two\nlines"), "ValueError: of two lines"),
    ],
)
def test_a_failure_is_one_sentence_for_each_who_asks(error: Exception, words: str) -> None:
    transcriber = FileTranscriber(store(a=words.encode()), [Counting(error=error)])

    refusals: list[CtxlabError] = []
    for _ in range(2):
        with pytest.raises(CtxlabError) as refusal:
            text_of(transcriber, "a")
        refusals.append(refusal.value)

    assert [str(refusal) for refusal in refusals] == [words, words]
    assert isinstance(refusals[0], MissingExtra) == isinstance(error, MissingExtra)
    assert refusals[0] is not refusals[1]


def test_what_no_engine_reads_and_what_is_not_here_are_said_so() -> None:
    transcriber = FileTranscriber(store(a=b"\x00\x01"), [Counting()])

    with pytest.raises(CtxlabError, match=r"^no engine reads other files of type application/zip$"):
        text_of(transcriber, "a", "other", "application/zip")
    with pytest.raises(CtxlabError, match=r"^its bytes are not here$"):
        text_of(transcriber, "nowhere")


def test_a_failure_does_not_last_once_its_cause_is_gone() -> None:
    engine = Counting(error=MissingExtra("install it"))
    transcriber = FileTranscriber(store(a=b"fails at first"), [engine])
    with pytest.raises(MissingExtra):
        text_of(transcriber, "a")

    engine.error = None

    assert text_of(transcriber, "a") == "14 bytes"


def test_what_was_cancelled_is_said_so_with_what_begins_it_again() -> None:
    work = GatedWork()
    engine = as_engine(lambda file, facts, progress: work(progress), kinds=["image"], name="gated")
    transcriber = FileTranscriber(store(a=b"cancelled"), [engine])
    task = transcriber.start(AssetRef("id", "image", "a", source=LibraryFile("a")))
    process_registry().cancel(work.gate(0) and task.id)

    with pytest.raises(CtxlabError, match=rf"cancelled; (.*\.retry\('{task.id}'\)) begins it again") as refusal:
        transcriber.transcribe(LibraryFile("a"), kind="image")

    eval(str(refusal.value).partition("; ")[2].removesuffix(" begins it again"), {"ctxlab": ctxlab})
    work.gate(1).put("begun again")
    assert transcriber.transcribe(LibraryFile("a"), kind="image").text == "begun again"
    work.open_all()


def test_what_loops_is_cut_for_models_and_kept_for_others() -> None:
    loop = "Thank you.\n" * 30
    files = store(a=b"a loop")
    model = VisionModel(lambda data, mime_type: loop)
    form = as_engine(lambda file, facts, progress: loop, kinds=["image"], name="a form")

    assert text_of(FileTranscriber(files, [model]), "a") == "Thank you.\n"
    assert text_of(FileTranscriber(files, [form]), "a") == loop


def test_a_file_without_words_is_looked_at_once() -> None:
    engines = [Counting("first", error=NoText("no words")), Counting("second", error=NoText("no words either"))]
    transcriber = FileTranscriber(store(a=b"a photo"), engines)

    for _ in range(3):
        with pytest.raises(CtxlabError, match=r"^first: no words; second: no words either$"):
            text_of(transcriber, "a")

    assert [len(engine.read_files) for engine in engines] == [1, 1]


def test_without_recognition_no_engine_is_asked() -> None:
    engine = Counting()

    with pytest.raises(CtxlabError):
        FileTranscriber(store(a=b"only a picture"), [engine]).transcribe(
            LibraryFile("a"), kind="image", recognise=False
        )

    assert engine.read_files == []


def test_it_pickles_and_copies_as_its_configuration_with_functions_of_a_notebook() -> None:
    def describe(data: bytes, mime_type: str) -> str:
        return f"{mime_type} of {len(data)} bytes"

    transcriber = FileTranscriber(
        store(a=b"pickled"), [VisionModel(describe), as_engine(lambda *all: "", kinds=["audio"])], Path("kept")
    )

    for made in (pickle.loads(pickle.dumps(transcriber)), copy.deepcopy(transcriber)):
        assert text_of(made, "a", mime_type="image/png") == "image/png of 7 bytes\n"
        assert made.cache == transcriber.cache


def test_a_service_that_completes_prompts_gets_the_picture_as_a_message() -> None:
    class Service:
        def __init__(self) -> None:
            self.prompts: list[object] = []

        def complete(self, prompt: object, **options: object) -> str:
            self.prompts.append(prompt)
            return "a harbour"

    service = Service()

    assert text_of(FileTranscriber(store(a=b"seen"), [VisionModel(service, "Describe it.")]), "a") == "a harbour\n"
    assert service.prompts == [
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Describe it."},
                    {"type": "image_url", "image_url": {"url": "data:image/x-test;base64,c2Vlbg=="}},
                ],
            }
        ]
    ]


def test_the_pages_of_a_scanned_pdf_are_looked_at_one_by_one_and_say_their_place() -> None:
    pages = iter(["first", "", "third"])
    engine = VisionModel(lambda data, mime_type: next(pages), max_pages=3)
    files = _PdfOfPages({LibraryFile("a"): _pdf(5)}, pages=5)

    found = FileTranscriber(files, [engine]).transcribe(LibraryFile("a"), kind="document", mime_type="application/pdf")

    assert found.passages == (Passage("first\n", "page 1"), Passage("third\n", "page 3"))
    assert found.problems == ("pages 4 to 5 are not read",)


class _PdfOfPages(AssetsInMemory):
    def __init__(self, files: dict[LibraryFile, bytes], *, pages: int) -> None:
        super().__init__(dict(files))
        self.pages = pages

    def facts(self, asset: AssetRef) -> FileFacts | None:
        return FileFacts("document", "application/pdf", pages=self.pages)


def _pdf(pages: int) -> bytes:
    """A PDF of blank pages."""
    from io import BytesIO

    from pypdfium2 import PdfDocument

    document, out = PdfDocument.new(), BytesIO()
    for _ in range(pages):
        document.new_page(100, 100)
    document.save(out)
    return out.getvalue()
