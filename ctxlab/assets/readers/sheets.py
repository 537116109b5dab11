"""XLSX and XLS through calamine, in a process of its own: each sheet its name and its rows, a tab between two cells.

calamine keeps a sheet as a rectangle with a place for each cell of it, however few are filled. So it gets the container
unpacked here, without sheets whose rectangle is too large.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import TYPE_CHECKING

from ctxlab.assets.parser_process import PARSERS
from ctxlab.assets.readers.limits import ReadLimits, not_read
from ctxlab.assets.readers.package import Package
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.readers.sheet_rows import LONGEST_NAME, add_sheet
from ctxlab.context import FileFacts, Passage, Transcript
from ctxlab.errors import ReadError
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

FILLED_CELL = lazy_pattern(rb"""<(?:\w+:)?c\b[^>]*?\br\s*=\s*["']([A-Za-z]{1,3})(\d{1,7})["'](?:[^>]*[^>/])?>""")
"""Column and row of a cell that isn't written as empty."""
SHEET_PART = lazy_pattern(r"xl/[\w/]*sheets?/?[^/]*\.xml", re.IGNORECASE)
READABLE_PART = lazy_pattern(
    r"(?!(docProps|customXml)/|.*/(theme|drawings|charts|chartsheets|media|diagrams|pivot\w*|externalLinks|printerSettings)/)"
    r".*\.(xml|rels)",
    re.IGNORECASE,
)
"""Parts that hold cells, or say where they are."""
LETTERS = 26
Cell = int | float | str | bool | time | date | datetime | timedelta


def read_open_xml_sheets(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Each sheet with words a passage `sheet Plan`."""
    package = Package(data, limits)
    found = _read(_without_large_sheets(package, limits), limits, "xlsx")
    return replace(found, problems=(*found.problems, *package.not_read()))


def read_old_sheets(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Each sheet with words a passage `sheet Plan`; a newer file under the type of the older is read as what it is."""
    if data.startswith(b"PK"):
        return read_open_xml_sheets(data, facts, limits)
    return _read(data, limits, "xls")


def _read(data: bytes, limits: ReadLimits, engine: str) -> Transcript:
    passages, problems = PARSERS.call(sheets_of_workbook, data, limits)
    return Transcript(tuple(Passage(text, place) for text, place in passages), engine, tuple(problems))


def sheets_of_workbook(data: bytes, limits: ReadLimits) -> tuple[list[tuple[str, str]], list[str]]:
    """Text and place of each sheet with words, and the problems; only for the process of the parsers."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    collector = PassageCollector(limits)
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
    except PasswordError:
        raise ReadError("the spreadsheet needs a password; attach a copy without one") from None
    except CalamineError:
        raise ReadError("the spreadsheet is broken: it can't be opened") from None
    names = book.sheet_names
    for index, name in enumerate(names):
        if collector.is_full or index >= limits.max_pages:
            collector.problems.append(not_read("sheet", index + 1, len(names)))
            break
        sheet = _sheet(book, index)
        if sheet is None:
            collector.problems.append(f"sheet {name[:LONGEST_NAME]} is not read: it is too large, or no table of cells")
        else:
            add_sheet(name, _cells(sheet), collector, height=sheet.height, first_row=(sheet.start or (0, 0))[0] + 1)
    return [(passage.text, passage.place) for passage in collector.passages], collector.problems


def _sheet(book: CalamineWorkbook, index: int) -> CalamineSheet | None:
    from python_calamine import CalamineError

    try:
        return book.get_sheet_by_index(index)
    except CalamineError:
        return None


def _cells(sheet: CalamineSheet) -> Iterator[list[str]]:
    for row in sheet.iter_rows():
        yield [_shown(cell) for cell in row]


def _shown(cell: Cell) -> str:
    """A cell as it is written: whole numbers without a point, dates in ISO form, a line in one line."""
    match cell:
        case str():
            return " ".join(cell.split()) if not cell.isprintable() else cell
        case bool():
            return "TRUE" if cell else "FALSE"
        case float():
            return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
        case datetime():
            return cell.isoformat(sep=" ") if cell.time() != time() else cell.date().isoformat()
        case date() | time():
            return cell.isoformat()
        case _:
            return str(cell)


def _without_large_sheets(package: Package, limits: ReadLimits) -> bytes:
    """The XML of the container, unpacked and checked, in one that calamine reads; sheets too large are left out."""
    buffer = BytesIO()
    cells = 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as copy:
        for name in package.names:
            if not READABLE_PART.fullmatch(name):
                continue
            data = package.part(name)
            if SHEET_PART.fullmatch(name):
                area = _area(data)
                if cells + area > limits.max_cells:
                    continue
                cells += area
            copy.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def _area(sheet: bytes) -> int:
    """Cells of the rectangle that holds every filled cell."""
    found = FILLED_CELL.findall(sheet)
    columns = [_column(letters) for letters in {letters for letters, _ in found}]
    rows = [int(row) for row in {row for _, row in found}]
    return (max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1) if found else 0


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * LETTERS + letter - ord("A") + 1
    return number
