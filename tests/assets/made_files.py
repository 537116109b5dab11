"""Files that tests make themselves: documents, spreadsheets, slides, PDFs, pictures."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

OPEN_XML = "application/vnd.openxmlformats-officedocument."
DOCX = OPEN_XML + "wordprocessingml.document"
PPTX = OPEN_XML + "presentationml.presentation"
XLSX = OPEN_XML + "spreadsheetml.sheet"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODT = "application/vnd.oasis.opendocument.text"
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LATIN = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
CHINESE = (
    b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font"
    b"/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>"
    b"/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0"
    b"/Ascent 880/Descent -120/CapHeight 880/StemV 93>>>>]>>"
)


def zipped(parts: Mapping[str, bytes | str], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP of these parts."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return buffer.getvalue()


def pdf(pages: Sequence[str]) -> bytes:
    """A PDF with a line of text a page; a page of an empty text has none. Chinese is set in a font that isn't in it."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids.encode(), len(pages)),
        LATIN,
        CHINESE,
    ]
    for number, text in enumerate(pages):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Resources<</Font<</L 3 0 R/C 4 0 R>>>>/Contents %d 0 R>>"
            % (6 + 2 * number)
        )
        objects.append(pdf_stream(_drawn(text)))
    return pdf_of(objects)


def pdf_of(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalogue."""
    out = b"%PDF-1.5\n"
    places: list[int] = []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + tail


def pdf_stream(content: bytes, *, dictionary: bytes = b"") -> bytes:
    packed = zlib.compress(content, 9)
    return b"<</Length %d/Filter/FlateDecode%s>>stream\n%s\nendstream" % (len(packed), dictionary, packed)


def _drawn(text: str) -> bytes:
    if not text:
        return b"0 0 10 10 re f"
    if text.isascii():
        return b"BT /L 12 Tf 20 100 Td (%s) Tj ET" % text.encode()
    return b"BT /C 12 Tf 20 100 Td <%s> Tj ET" % text.encode("utf-16-be").hex().encode()


def word(body: str, **parts: str) -> bytes:
    """A DOCX of WordprocessingML, such as `<w:p>...</w:p>`; `parts` are others it refers to, by their type."""
    relations = "".join(f'<Relationship Id="r{kind}" Type="x/{kind}" Target="{kind}.xml"/>' for kind in parts)
    return zipped(
        {
            "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": f"<Relationships>{relations}</Relationships>",
            **{f"word/{kind}.xml": f"<w:{kind} {WORD}>{content}</w:{kind}>" for kind, content in parts.items()},
        }
    )


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """An XLSX; dates are written as dates."""
    from datetime import date, datetime

    import xlsxwriter

    buffer = BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        day, moment = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    if isinstance(cell, date):
                        sheet.write_datetime(row, column, cell, moment if isinstance(cell, datetime) else day)
                    elif cell is not None:
                        sheet.write(row, column, cell)
    return buffer.getvalue()


def open_document(kind: str, body: str) -> bytes:
    """An ODS (`spreadsheet`) or ODT (`text`) of this XML."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = f"<office:document-content {spaces}><office:body><office:{kind}>{body}</office:{kind}></office:body>"
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": content + "</office:document-content>",
        }
    )
