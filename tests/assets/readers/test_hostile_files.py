"""Files that lie, that unpack without end, that are broken: one sentence, and no more work than they are worth."""

from __future__ import annotations

import tracemalloc
import zipfile
from email.parser import BytesParser
from io import BytesIO

import pytest

from ctxlab.assets.readers import ReadLimits, read_text
from ctxlab.assets.readers.mail import ShortHeaders
from ctxlab.assets.readers.registry import READERS
from ctxlab.context import FileFacts
from ctxlab.errors import CtxlabError, ReadError
from tests.assets.made_files import DOCX, PPTX, WORD, XLSX, pdf, word, workbook, zipped

W3C = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
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


def test_an_empty_file_of_an_unknown_kind_is_said_to_be_empty() -> None:
    assert refusal(b"", "application/octet-stream") == "the file is empty"


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


def test_parameters_of_a_mail_without_end_are_cut() -> None:
    many = "".join(f"a*{number}=x;" for number in range(100_000))
    data = f"From: a@b.c\nSubject: tide\nContent-Type: text/plain; {many}\n\nhigh at noon".encode()

    mail = BytesParser(policy=ShortHeaders()).parsebytes(data)
    transcript = read_text(BytesIO(data), FileFacts("document", "message/rfc822"))

    assert len(str(mail["Content-Type"])) <= 4000
    assert transcript.text == "From: a@b.c\nSubject: tide\n\nhigh at noon"


def test_a_slide_that_is_shown_many_times_is_read_once() -> None:
    slide = "<p:sld xmlns:p='p' xmlns:a='a'><p:sp><a:p><a:r><a:t>tide</a:t></a:r></a:p></p:sp></p:sld>"
    times = range(100)
    shown = "".join(f'<p:sldId r:id="r{number}"/>' for number in times)
    related = "".join(f'<Relationship Id="r{number}" Type="x/slide" Target="slide.xml"/>' for number in times)
    data = zipped(
        {
            "ppt/presentation.xml": f'<p:presentation xmlns:p="p" xmlns:r="r">{shown}</p:presentation>',
            "ppt/_rels/presentation.xml.rels": f"<Relationships>{related}</Relationships>",
            "ppt/slide.xml": slide + " " * 10_000,
        }
    )

    transcript = read_text(BytesIO(data), FileFacts("document", PPTX), limits=ReadLimits(max_unpacked_bytes=50_000))

    assert [passage.place for passage in transcript.passages] == [f"slide {number}" for number in range(1, 101)]


SVG = FileFacts("image", "image/svg+xml")


@pytest.mark.parametrize(
    ("before", "words", "text"),
    [
        ("", "<title>Port</title><g><text>high<tspan>tide</tspan></text></g>", "Port\nhigh tide"),
        (W3C, "<text>high tide</text>", "high tide"),
        (
            '<!DOCTYPE svg [<!ENTITY a "tide"><!ENTITY b SYSTEM "file:///etc/passwd">]>',
            "<text>a&a;&b;</text>",
            "a&a;&b;",
        ),
        ('<?xml version="1.0" encoding="UTF-8"?>', "<text>&lt;\u6e2f\u53e3&#65;</text>", "<\u6e2f\u53e3A"),
        (W3C, "<path d='M0 0'/>", ""),
    ],
)
def test_words_of_an_svg_are_read_and_its_entities_are_never_expanded(before: str, words: str, text: str) -> None:
    source = f'{before}<svg xmlns="http://www.w3.org/2000/svg">{words}</svg>'.encode()

    assert read_text(BytesIO(source), SVG).text == text


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (
            ["word/media/image1.png", "word/media/image2.JPEG", "word/charts/chart1.xml"],
            "2 pictures and 1 chart in it are",
        ),
        (["word/media/image1.png", "word/media/image2.svg", "docProps/thumbnail.jpeg"], "1 picture in it is"),
        (["word/charts/chart1.xml", "word/charts/style1.xml"], "1 chart in it is"),
        ([], ""),
    ],
)
def test_pictures_and_charts_of_a_document_are_counted(names: list[str], says: str) -> None:
    data = zipped({**parts_of(word(PARAGRAPH)), **dict.fromkeys(names, "x")})

    transcript = read_text(BytesIO(data), FileFacts("document", DOCX))

    assert transcript.problems == ((f"{says} not read",) if says else ())


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

    ended = {"the file made its reader fail", "reading it takes more than 2,000 MB of memory"}
    assert refusal(data, XLSX) in ended | {"reading it took longer than 20 s"}  # where the machine is busy
    assert read_text(BytesIO(workbook({"Near": [["a"]]})), FileFacts("document", XLSX)).text == "# Near\na"
