"""The text of Office documents, in the order in which one reads it."""

from __future__ import annotations

from datetime import date, datetime
from io import BytesIO

import pytest

from ctxlab.assets.readers import READER_ENGINES, ReadLimits, has_reader, read_text
from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import ReadError
from tests.assets.made_files import DOCX, ODS, ODT, PPTX, XLSX, open_document, pdf, word, workbook

LIMITS = ReadLimits()


def read(data: bytes, mime_type: str, limits: ReadLimits = LIMITS) -> Transcript:
    return read_text(BytesIO(data), FileFacts("document", mime_type), limits=limits)


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


# --- Word


def test_a_letter_has_its_paragraphs_headings_lists_and_tables_in_order() -> None:
    import docx

    letter = docx.Document()
    letter.sections[0].header.paragraphs[0].text = "Harbour office"
    letter.sections[0].footer.paragraphs[0].text = "Bergen"
    letter.add_heading("航道通知", level=2)
    letter.add_paragraph("Pilots board at noon.")
    table = letter.add_table(rows=2, cols=2)
    for cell, text in zip(
        [cell for row in table.rows for cell in row.cells], ["berth", "depth", "A|1", "11 m"], strict=True
    ):
        cell.text = text
    letter.add_paragraph("first", style="List Bullet")
    buffer = BytesIO()
    letter.save(buffer)

    transcript = read(buffer.getvalue(), DOCX)

    assert [passage.place for passage in transcript.passages] == ["header", "", "footer"]
    assert transcript.passages[1].text.strip() == (
        "## 航道通知\n\nPilots board at noon.\n\n| berth | depth |\n| --- | --- |\n| A\\|1 | 11 m |\n\nfirst"
    )
    assert transcript.text.startswith("Harbour office\n\n")
    assert transcript.text.endswith("\n\nBergen")


def test_inserted_text_is_read_and_deleted_or_moved_text_is_not() -> None:
    body = (
        "<w:p><w:r><w:t>stays </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>"
    )

    assert read(word(body), DOCX).text == "stays new"


def test_text_in_boxes_and_controls_is_read_once() -> None:
    box = f"<w:txbxContent>{paragraph('in a box')}</w:txbxContent>"
    body = (
        f"<w:sdt><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>"
        f"<w:p><w:r><AlternateContent><Choice>{box}</Choice><Fallback>{box}</Fallback></AlternateContent></w:r></w:p>"
    )

    assert read(word(body), DOCX).text == "in a control\n\nin a box"


def test_notes_and_comments_follow_the_text_under_their_number_and_author() -> None:
    body = (
        '<w:p><w:r><w:t>Depth</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        '<w:p><w:r><w:t>Draft</w:t></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>'
    )
    notes = (
        f'<w:footnote w:id="0" w:type="separator">{paragraph("none")}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph("at low tide")}</w:footnote>'
    )
    comments = f'<w:comment w:id="0" w:author="李">{paragraph("which one?")}</w:comment>'

    transcript = read(word(body, footnotes=notes, comments=comments), DOCX)

    assert transcript.text == (
        "Depth[footnote 2]\n\nDraft[comment 0]\n\n[footnote 2] at low tide\n\n[comment 0] 李: which one?"
    )
    assert [passage.place for passage in transcript.passages] == ["", "footnotes", "comments"]


def test_a_table_in_a_table_goes_into_its_cell() -> None:
    inner = "<w:tbl><w:tr><w:tc>" + paragraph("a") + "</w:tc><w:tc>" + paragraph("b") + "</w:tc></w:tr></w:tbl>"
    body = f"<w:tbl><w:tr><w:tc>{paragraph('outer')}{inner}</w:tc></w:tr></w:tbl>"

    assert read(word(body), DOCX).text == "| outer a, b |\n| --- |"


# --- PowerPoint


def test_slides_are_passages_with_tables_groups_and_notes() -> None:
    import pptx
    from pptx.util import Inches

    show = pptx.Presentation()
    first = show.slides.add_slide(show.slide_layouts[5])
    first.shapes.title.text = "潮汐"
    group = first.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(1), Inches(1), Inches(1)).text_frame.text = "in a group"
    first.notes_slide.notes_text_frame.text = "say it slowly"
    second = show.slides.add_slide(show.slide_layouts[6])
    table = second.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(2)).table
    for row, texts in enumerate([("port", "depth"), ("Bergen", "11 m")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    buffer = BytesIO()
    show.save(buffer)

    transcript = read(buffer.getvalue(), PPTX)

    assert [(passage.place, passage.text.strip()) for passage in transcript.passages] == [
        ("slide 1", "潮汐\n\nin a group\n\nNotes: say it slowly"),
        ("slide 2", "| port | depth |\n| --- | --- |\n| Bergen | 11 m |"),
    ]


# --- spreadsheets


def test_sheets_are_passages_with_plain_numbers_and_iso_dates() -> None:
    data = workbook(
        {
            "Plan": [[None, "name", "when"], [None, "Bergen", date(2026, 3, 4)], [], [None, 2.0, 0.5]],
            "空": [],
            "值班表": [["张三", datetime(2026, 3, 4, 8, 30), True]],
        }
    )

    transcript = read(data, XLSX)

    assert [(passage.place, passage.text.strip()) for passage in transcript.passages] == [
        ("sheet Plan", "# Plan\nname\twhen\nBergen\t2026-03-04\n2\t0.5"),
        ("sheet 值班表", "# 值班表\n张三\t2026-03-04 08:30:00\tTRUE"),
    ]


def test_a_sheet_whose_cells_are_far_apart_is_named_and_the_others_are_read() -> None:
    far = [["a"], *[[]] * 5000, [None] * 1500 + ["z"]]

    transcript = read(workbook({"Far": far, "Near": [["here"]]}), XLSX)

    assert transcript.text == "# Near\nhere"
    assert transcript.problems == ("sheet Far is not read: it is too large, or no table of cells",)


def test_rows_beyond_the_limit_are_named() -> None:
    data = workbook({"Plan": [[f"row {number}"] for number in range(1, 1001)], "Next": [["x"]]})

    transcript = read(data, XLSX, ReadLimits(max_characters=100))

    assert len(transcript.text) == 100
    assert transcript.problems == (
        "the text is cut after 100 characters, on sheet Plan",
        "of sheet Plan, rows 16 to 1,000 are not read",
        "sheet 2 is not read",
    )


def cell(text: str, repeated: int = 1) -> str:
    return f'<table:table-cell table:number-columns-repeated="{repeated}"><text:p>{text}</text:p></table:table-cell>'


def test_an_open_document_sheet_has_its_rows_without_the_empty_ones() -> None:
    body = (
        f'<table:table table:name="潮"><table:table-row>{cell("a")}'
        '<table:table-cell table:number-columns-repeated="2"/>'
        f'{cell("b")}</table:table-row><table:table-row table:number-rows-repeated="1048575">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )

    transcript = read(open_document("spreadsheet", body), ODS)

    assert transcript.text == "# 潮\na\t\t\tb"
    assert transcript.passages[0].place == "sheet 潮"


def test_cells_repeated_a_billion_times_are_cut() -> None:
    row = f'<table:table-row table:number-rows-repeated="10000000">{cell("a", 1_000_000_000)}</table:table-row>'
    data = open_document("spreadsheet", f'<table:table table:name="T">{row}</table:table>')

    transcript = read(data, ODS)

    assert len(transcript.text) == LIMITS.max_characters
    assert "cut after 200,000 characters" in transcript.problems[0]


def test_an_open_document_text_has_headings_and_tables() -> None:
    table = f"<table:table><table:table-row>{cell('a')}{cell('b')}</table:table-row></table:table>"
    body = f'<text:h text:outline-level="2">Tides</text:h><text:p>High<text:s text:c="2"/>at noon</text:p>{table}'

    assert read(open_document("text", body), ODT).text == "## Tides\n\nHigh  at noon\n\n| a | b |\n| --- | --- |"


# --- types


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (word(paragraph("a")), DOCX),
        (workbook({"A": [["a"]]}), XLSX),
        (open_document("text", "<text:p>a</text:p>"), ODT),
        (open_document("spreadsheet", ""), ODS),
        (pdf(["a"]), "application/pdf"),
        (b"{\\rtf1 a}", "application/rtf"),
        (b"Subject: a\n\na", "message/rfc822"),
        (b"<p>a</p>", "text/html"),
        (b"a", "text/plain"),
    ],
)
def test_readers_sign_with_names_that_tell_them_from_recognition(data: bytes, mime_type: str) -> None:
    kind = "text" if mime_type.startswith("text/") else "document"

    assert read_text(BytesIO(data), FileFacts(kind, mime_type)).engine in READER_ENGINES


@pytest.mark.parametrize("mime_type", ["application/msword", "image/png", "application/zip", ""])
def test_a_type_without_a_reader_is_refused_in_a_sentence(mime_type: str) -> None:
    facts = FileFacts("document", mime_type)

    assert not has_reader(facts)
    with pytest.raises(ReadError, match="there is no reader for") as refusal:
        read_text(BytesIO(b"abc"), facts)
    assert "\n" not in str(refusal.value)
