"""The text layer of a PDF, page by page."""

from __future__ import annotations

import pickle
from io import BytesIO

import pytest

from ctxlab.assets.pictures import pdf_pages_as_pictures
from ctxlab.assets.readers import ReadLimits, read_text
from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import CtxlabError, NoTextLayer, ReadError
from tests.assets.made_files import pdf, pdf_of, pdf_stream

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


def test_a_stream_that_unpacks_without_end_is_not_opened() -> None:
    data = pdf_of(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
            pdf_stream(b" " * 3_000_000),
        ]
    )

    with pytest.raises(ReadError, match="more than 1 MB isn't read"):
        read(data, ReadLimits(max_unpacked_bytes=1_000_000))


def test_a_stream_packed_twice_is_not_opened() -> None:
    packed = pdf_stream(b" " * 100).replace(b"/Filter/FlateDecode", b"/Filter[/FlateDecode/FlateDecode]")

    with pytest.raises(ReadError, match="packed several times over"):
        read(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>", packed]))


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


def test_pages_become_pictures_of_the_size_asked_for() -> None:
    from PIL import Image

    pictures = pdf_pages_as_pictures(pdf(["one", "two", "three"]), max_pages=2, max_side=300)

    assert [Image.open(BytesIO(picture)).size for picture in pictures] == [(300, 150), (300, 150)]
    assert pictures == pdf_pages_as_pictures(pdf(["one", "two"]), max_pages=9, max_side=300)
