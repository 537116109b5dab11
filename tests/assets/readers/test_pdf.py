"""The text layer of a PDF, page by page."""

from __future__ import annotations

import pickle
import zlib
from io import BytesIO

import pytest

from ctxlab.assets.parser_process import ParserProcess
from ctxlab.assets.pictures import pdf_pages_as_pictures
from ctxlab.assets.readers import ReadLimits, read_text
from ctxlab.assets.readers.pdf import _cannot_open, count_pages, page_texts
from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import CtxlabError, NoTextLayer, ReadError
from tests.assets.made_files import LATIN, pdf, pdf_of, pdf_stream

FACTS = FileFacts("document", "application/pdf")
LIMITS = ReadLimits()


def read(data: bytes, limits: ReadLimits = LIMITS) -> Transcript:
    return read_text(BytesIO(data), FACTS, limits=limits)


def test_pages_are_passages_and_one_without_letters_is_named() -> None:
    transcript = read(pdf(["Hello harbour", "", "港口的潮汐表"]))

    assert [(passage.place, passage.text) for passage in transcript.passages] == [
        ("page 1", "Hello harbour\n\n"),
        ("page 3", "港口的潮汐表"),
    ]
    assert transcript.problems == ("no text on page 2: pictures, drawings or nothing",)
    assert transcript.engine == "pdf"


def test_of_500_pages_200_are_read_and_the_others_named() -> None:
    transcript = read(pdf([f"page number {number}" for number in range(1, 501)]))

    assert transcript.passages[-1].place == "page 200"
    assert transcript.text.endswith("page number 200")
    assert transcript.problems == ("pages 201 to 500 are not read",)


def test_pages_after_the_last_character_are_named() -> None:
    transcript = read(pdf(["0123456789"] * 5), ReadLimits(max_characters=15))

    assert transcript.text == "0123456789\n\n012"
    assert transcript.problems == ("the text is cut after 15 characters, on page 2", "pages 3 to 5 are not read")


def test_a_pdf_of_pictures_says_that_it_has_no_text_and_how_many_pages() -> None:
    with pytest.raises(NoTextLayer, match="the PDF has no text on its 3 pages") as refusal:
        read(pdf(["", "", ""]))

    assert refusal.value.pages == 3
    again = pickle.loads(pickle.dumps(refusal.value))
    assert (str(again), again.pages) == (str(refusal.value), 3)


def one_page(contents: bytes) -> bytes:
    return pdf_of(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</Font<</L 5 0 R>>>>/Contents 4 0 R>>",
            contents,
            LATIN,
        ]
    )


@pytest.mark.parametrize("name", [b"/FlateDecode", b"/F#6CateDecode"])
def test_a_stream_packed_twice_is_read(name: bytes) -> None:
    twice = zlib.compress(zlib.compress(b"BT /L 12 Tf 9 9 Td (high tide) Tj ET"))
    contents = b"<</Length %d/Filter[%s%s]>>stream\n%s\nendstream" % (len(twice), name, name, twice)

    assert read(one_page(contents)).text == "high tide"


def test_a_stream_that_unpacks_to_more_than_the_memory_fails_and_the_next_pdf_is_read() -> None:
    contents = pdf_stream(b" " * 300_000_000)
    parsers = ParserProcess(memory_bytes=250_000_000)

    with pytest.raises(
        ReadError, match=r"^(the file made its reader fail|reading it takes more than 250 MB of memory)$"
    ):
        parsers.call(page_texts, one_page(contents), 1, 1000)
    assert parsers.call(page_texts, pdf(["one", "two"]), 1, 1000) == (2, ["one"])
    parsers.close()


def test_forms_in_forms_without_end_end_by_the_limit_of_time_and_the_next_pdf_is_read() -> None:
    forms = 25
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>",
        b"<</Length 5>>stream\n/X Do\nendstream",
    ]
    objects += [
        b"<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<</X %d 0 R>>>>/Length 23>>"
        b"stream\n/X Do /X Do /X Do /X Do\nendstream" % (6 + form)
        for form in range(forms)
    ]
    parsers = ParserProcess()
    assert parsers.call(count_pages, pdf(["one"])) == 1
    parsers.seconds = 1

    with pytest.raises(ReadError, match=r"^reading it took longer than 1 s$"):
        parsers.call(page_texts, pdf_of(objects), 1, 1000)
    parsers.seconds = 20
    assert parsers.call(count_pages, pdf(["one", "two"])) == 2
    parsers.close()


@pytest.mark.parametrize(
    ("pages", "says"),
    [
        (b"<</Type/Pages/Kids[2 0 R]/Count 1>>", "broken|no pages"),
        (b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2000000000>>", "broken|no pages"),
        (b"2 0 R", "broken|no pages"),
        (b"<</Type/Pages/Kids[]/Count 0>>", "broken|no pages"),
    ],
)
def test_a_tree_of_pages_that_is_its_own_child_is_refused(pages: bytes, says: str) -> None:
    with pytest.raises(CtxlabError, match=says):
        read(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", pages]))


@pytest.mark.parametrize(("code", "says"), [(4, "password"), (5, "encrypted"), (3, "broken")])
def test_only_an_encrypted_file_is_said_to_need_a_password(code: int, says: str) -> None:
    assert says in _cannot_open(code, b"%PDF-1.7 trailer<</Encrypt 9 0 R>>")
    assert "broken" in _cannot_open(code, b"%PDF-1.7 trailer<</Root 1 0 R>>")  # whatever an earlier file left behind


def test_pages_become_pictures_of_the_size_asked_for() -> None:
    from PIL import Image

    pictures = pdf_pages_as_pictures(pdf(["one", "two", "three"]), max_pages=2, max_side=300)

    assert [Image.open(BytesIO(picture)).size for picture in pictures] == [(300, 150), (300, 150)]
    assert pictures == pdf_pages_as_pictures(pdf(["one", "two"]), max_pages=9, max_side=300)
