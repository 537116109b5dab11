"""Files that lie, that unpack without end, that are broken: one sentence, and no more work than they are worth."""

from __future__ import annotations

import tracemalloc
import zipfile
from io import BytesIO

import pytest

from ctxlab.assets.readers import ReadLimits, read_text
from ctxlab.assets.readers.registry import READERS
from ctxlab.context import FileFacts
from ctxlab.errors import CtxlabError, ReadError
from tests.assets.made_files import DOCX, WORD, XLSX, pdf, word, workbook, zipped

SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "<sheetData>{}</sheetData></worksheet>"
)
PARAGRAPH = "<w:p><w:r><w:t>word</w:t></w:r></w:p>"


def refusal(data: bytes, mime_type: str = DOCX, limits: ReadLimits | None = None) -> str:
    with pytest.raises(CtxlabError) as error:
        read_text(BytesIO(data), FileFacts("document", mime_type), limits=limits or ReadLimits())
    return str(error.value)


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("mime_type", READERS)
def test_no_reader_takes_an_empty_file_or_a_lie(mime_type: str) -> None:
    facts = FileFacts("document", mime_type)
    for data in (b"", b"\0" * 100, b"MZ\x90\0 not what it says", b"%PDF-1.7", b"PK\3\4", b"{\\rtf1"):
        try:
            transcript = read_text(BytesIO(data), facts)
        except CtxlabError as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 200
        else:
            assert len(transcript.text) <= len(data)
    assert refusal(b"", mime_type) == "the file is empty"


def test_ten_megabytes_of_zeros_in_a_document_are_not_unpacked() -> None:
    data = zipped({"word/document.xml": b"\0" * 10_000_000})

    tracemalloc.start()
    says = refusal(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "word/document.xml unpacks to 1,0" in says
    assert peak < 2_000_000


def test_what_a_part_declares_is_what_is_unpacked_of_it() -> None:
    data = bytearray(zipped({"word/document.xml": f"<a>{'many words ' * 100_000}</a>"}))
    for mark, field in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        at = data.index(mark) + field
        data[at : at + 4] = (1000).to_bytes(4, "little")

    assert refusal(bytes(data)) == "the document is broken: word/document.xml can't be unpacked"


def test_parts_count_together() -> None:
    words = PARAGRAPH * 5000
    data = word(words, header=words, footer=words)

    assert "unpacks to more than 300 kB" in refusal(data, limits=ReadLimits(max_unpacked_bytes=300_000))


def test_entities_are_never_expanded() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'

    assert "declares a document type" in refusal(zipped({"word/document.xml": f"{bomb}<a>&b;</a>"}))


def test_elements_without_words_and_without_end_are_not_gone_through() -> None:
    many = "".join(f'<w:r w:x="{number}"/>' for number in range(20_000))

    assert "more than 10,000" in refusal(word(f"<w:p>{many}</w:p>"), limits=ReadLimits(max_elements=10_000))


def test_levels_without_end_are_refused() -> None:
    levels = "".join(f"<a{number}>" for number in range(3000))

    assert "nested too deeply" in refusal(zipped({"word/document.xml": f"<w:document {WORD}>{levels}"}))


def test_an_encrypted_office_file_asks_for_one_without_a_password() -> None:
    assert "needs a password" in refusal(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)


def test_a_file_larger_than_the_limit_is_refused_and_no_more_of_it_is_read() -> None:
    file = BytesIO(pdf(["a"]) * 100)

    with pytest.raises(ReadError, match="the file is too large to be read: 1 kB at most"):
        read_text(file, FileFacts("document", "application/pdf"), limits=ReadLimits(max_bytes=1000))
    assert file.tell() == 1001


def test_a_header_of_a_mail_without_end_is_cut() -> None:
    data = b"From: a@b.c\nTo: " + b"someone@harbour.example, " * 40_000 + b"\nSubject: tide\n\nhigh at noon"

    transcript = read_text(BytesIO(data), FileFacts("document", "message/rfc822"))

    assert transcript.text.endswith("Subject: tide\n\nhigh at noon")
    assert len(transcript.text) < 1200


def test_sheets_left_out_are_not_unpacked_into_cells() -> None:
    data = workbook({"Far": [["a"], *[[]] * 3000, [None] * 3000 + ["z"]]})

    tracemalloc.start()
    transcript = read_text(BytesIO(data), FileFacts("document", XLSX))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert transcript.text == ""
    assert "sheet Far is not read" in transcript.problems[0]
    assert peak < 5_000_000


@pytest.mark.parametrize("cell", ["<c/>" * 16_000 + "<c><v>5</v></c>", '<c x=">" r="XFD20000"><v>1</v></c>'])
def test_a_sheet_that_hides_how_large_it_is_costs_its_reader_and_not_this_process(cell: str) -> None:
    rows = f'<row r="1"><c r="A1"><v>1</v></c></row><row r="20000">{cell}</row>'
    data = zipped({**parts_of(workbook({"Far": [["a"]]})), "xl/worksheets/sheet1.xml": SHEET.format(rows)})

    assert refusal(data, XLSX) in {"the file made its reader fail", "reading it takes more than 2 GB of memory"}
    assert read_text(BytesIO(workbook({"Near": [["a"]]})), FileFacts("document", XLSX)).text == "# Near\na"
