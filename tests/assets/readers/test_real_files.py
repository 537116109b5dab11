"""Files that other programs wrote: the words that a reader finds in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxlab.assets.file_types import facts_of
from ctxlab.assets.pictures import fitted_size, scaled_picture, thumbnail, vendor_ready
from ctxlab.assets.readers import has_reader, read_text
from ctxlab.context import Transcript
from ctxlab.errors import CtxlabError, NoTextLayer

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[4] / "shared"))
FILES = SHARED / "data" / "files"
pytestmark = pytest.mark.skipif(not FILES.is_dir(), reason=f"there is no folder {FILES}")


def read(name: str) -> Transcript:
    data = (FILES / name).read_bytes()
    facts = facts_of(data, name=name)
    with (FILES / name).open("rb") as file:
        return read_text(file, facts)


@pytest.mark.parametrize(
    ("name", "words", "places"),
    [
        ("attachment.pdf", ["The Crazy Ones", "The misfits."], ["page 1"]),
        ("crazyones.pdf", ["October 14, 1998"], ["page 1"]),
        ("issue-297.pdf", ["test example"], ["page 1"]),
        ("multilang.pdf", ["你好世界", "こんにちは世界", "Привет, мир"], ["page 1"]),
        ("r4-owner-password.pdf", ["pdf encryption test"], ["page 1"]),
        ("scanned.pdf", ["STATE UNIVERSITIES ANNUITANTS ASSOCIATION"], ["page 1"]),
        ("comments-rich-para.docx", ["Some text worthy of note.", "[comment 0] Steve Canny:"], ["", "comments"]),
        ("test.docx", ["# Abstract", "AutoGen: Enabling Next-Gen LLM Applications"], [""]),
        ("prs-notes.pptx", ["Notes: Notes"], ["slide 1"]),
        ("test.pptx", ["AutoGen", "2cdda5c8-e50e-4db4-b5f0-9722a649f455"], [f"slide {n}" for n in range(1, 7)]),
        ("test.xlsx", ["Delta\n89\t82\t100\t12"], ["sheet Sheet1", "sheet 09060124-b5e7-4717-9d07-3c046eb"]),
        ("xlsx_image_middle.xlsx", ["Q1 Report", "$50,000"], ["sheet Revenue", "sheet Expenses"]),
        ("mixed_content_types.eml", ["Subject: Test Email", "multiple lines of text", "Attached: document.pdf"], [""]),
        ("gb18030-utf8.txt", ["功能强大", "資訊科技", "파이썬은"], [""]),
        ("gb18030.txt", ["功能强大", "資訊科技", "파이썬은"], [""]),
        ("shift_jis.txt", ["の開発は"], [""]),
        ("test_utf16_little.csv", ["a,b,c\n1,2,3\n4,5,"], [""]),
    ],
)  # fmt: skip
def test_words_and_places_are_found(name: str, words: list[str], places: list[str]) -> None:
    transcript = read(name)

    assert [word for word in words if word not in transcript.text] == []
    assert [passage.place for passage in transcript.passages] == places


def test_a_scan_has_no_text_layer() -> None:
    with pytest.raises(NoTextLayer) as refusal:
        read("non_searchable.pdf")

    assert refusal.value.pages == 1


def test_a_pdf_with_a_password_is_refused_and_a_document_without_words_says_so() -> None:
    with pytest.raises(CtxlabError, match="without its password"):
        read("r6-user-password.pdf")
    assert read("tbl-having-tables.docx").problems == ("no text was found in the file",)


SUFFIXES = {".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp"}
PICTURES = sorted(path.name for path in FILES.glob("*") if path.suffix in SUFFIXES)


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_scaled_converted_and_drawn_small_or_refused(name: str) -> None:
    data = (FILES / name).read_bytes()
    facts = facts_of(data, name=name)
    assert not has_reader(facts)
    if name == "truncated_jpeg.jpg":
        with pytest.raises(CtxlabError, match="truncated"):
            scaled_picture(data, width=10, height=10)
        assert thumbnail(data) is None
        return

    size = fitted_size(facts.width or 1, facts.height or 1, 50)
    scaled, mime_type = scaled_picture(data, width=size[0], height=size[1])
    ready, _ = vendor_ready(data, facts.mime_type)

    assert (facts_of(scaled).width, facts_of(scaled).height) == size
    assert facts_of(scaled).mime_type == mime_type
    assert facts_of(ready).mime_type in {"image/png", "image/jpeg", "image/gif", "image/webp"}
    assert facts_of(thumbnail(data) or b"").mime_type == "image/webp"
