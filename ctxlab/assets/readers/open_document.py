"""OpenDocument: the sheets of an ODS and the text of an ODT, from their XML as a stream.

Cells and rows that are repeated cost two numbers in the file; here they cost no more than what is shown of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.markdown_table import markdown_table
from ctxlab.assets.readers.package import Package
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.readers.sheet_rows import add_sheet
from ctxlab.assets.readers.xml_events import XmlEvent
from ctxlab.context import FileFacts, Transcript

CONTENT = "content.xml"
MOST_COLUMNS = 16_384
MOST_REPEATED_ROWS = 1000
"""Equal rows with words that are shown one by one."""
SKIPPED = frozenset({"annotation", "tracked-changes", "forms", "shapes", "settings", "automatic-styles"})
MARKS = {"tab": "\t", "line-break": "\n"}
MOST_BLANKS = 100
"""Blanks that one element for blanks stands for."""


def read_open_document_sheets(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Each sheet with words a passage `sheet Plan`."""
    collector = PassageCollector(limits)
    package = Package(data, limits)
    events = _without_skipped(package.events(CONTENT))
    sheets = 0
    for event in events:
        if event.kind != "begin" or event.name != "table":
            continue
        sheets += 1
        if collector.is_full or sheets > limits.max_pages:
            collector.problems.append(f"sheet {sheets:,} and those after it are not read")
            break
        add_sheet(event.attributes.get("name", f"{sheets}"), _rows(events), collector)
    collector.problems += package.not_read()
    return collector.transcript("ods")


def read_open_document_text(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """The text in one passage, headings and tables in Markdown."""
    collector = PassageCollector(limits)
    package = Package(data, limits)
    blocks: list[str] = []
    read = 0
    for block in _blocks(_without_skipped(package.events(CONTENT))):
        blocks.append(block)
        read += len(block)
        if read > limits.max_characters:
            break
    collector.add("\n\n".join(blocks))
    collector.problems += package.not_read()
    return collector.transcript("odt")


def _without_skipped(events: Iterator[XmlEvent]) -> Iterator[XmlEvent]:
    depth = 0
    for event in events:
        if depth or (event.kind == "begin" and event.name in SKIPPED):
            depth += {"begin": 1, "end": -1, "text": 0}[event.kind]
        else:
            yield event


def _rows(events: Iterator[XmlEvent]) -> Iterator[list[str]]:
    """The rows until the table ends; empty ones are left out, and equal ones come one by one, up to a number."""
    row: list[str] = []
    empty = repeated = rows = depth = 0
    for event in events:
        match event.kind, event.name:
            case "begin", "table":
                depth += 1
            case "end", "table":
                depth -= 1
                if depth < 0:
                    return
            case "begin", "table-row" if not depth:
                row, empty, rows = [], 0, _count(event, "number-rows-repeated", MOST_REPEATED_ROWS)
            case "end", "table-row" if not depth and row:
                yield from (row for _ in range(rows))
            case "begin", "table-cell" | "covered-table-cell" if not depth:
                repeated = _count(event, "number-columns-repeated", MOST_COLUMNS)
                words = _cell_words(events)
                if not words:
                    empty += repeated
                elif len(row) + empty < MOST_COLUMNS:
                    row += [""] * empty + [words] * min(repeated, MOST_COLUMNS - len(row) - empty)
                    empty = 0
            case _:
                pass


def _count(event: XmlEvent, name: str, most: int) -> int:
    written = event.attributes.get(name, "1")
    return min(int(written), most) if written.isdecimal() and len(written) < 12 else most


def _cell_words(events: Iterator[XmlEvent]) -> str:
    """The paragraphs of a cell, in one line; the events up to its end are taken."""
    words: list[str] = []
    depth = 1
    for event in events:
        if event.kind == "text":
            words.append(event.name)
            continue
        depth += 1 if event.kind == "begin" else -1
        if not depth:
            break
        words += [" "] if event.name in {"p", "s", "tab", "line-break"} and event.kind == "begin" else []
    return " ".join("".join(words).split())


def _blocks(events: Iterator[XmlEvent]) -> Iterator[str]:
    """Headings, paragraphs and tables; a table in a cell of another goes in with its rows' words."""
    words: list[str] = []
    heading = ""
    tables: list[list[list[str]]] = []
    inside = 0
    for event in events:
        match event.kind, event.name:
            case "begin", "p" | "h":
                inside += 1
                heading = "#" * _count(event, "outline-level", 6) + " " if event.name == "h" else ""
            case "end", "p" | "h":
                inside -= 1
                text, words = "".join(words), words if inside else []
                if tables and tables[-1] and tables[-1][-1]:
                    tables[-1][-1][-1] += f" {text}" if not inside else ""
                elif not inside and text.strip():
                    yield heading + text
            case "text", letters if inside:
                words.append(letters)
            case "begin", "s" if inside:
                words.append(" " * _count(event, "c", MOST_BLANKS))
            case "begin", name if inside and name in MARKS:
                words.append(MARKS[name])
            case "begin", "table":
                tables.append([])
            case "begin", "table-row" if tables:
                tables[-1].append([])
            case "begin", "table-cell" if tables and tables[-1]:
                tables[-1][-1].append("")
            case "end", "table" if tables:
                rows = tables.pop()
                if tables and tables[-1] and tables[-1][-1]:
                    tables[-1][-1][-1] += " " + "; ".join(", ".join(cell.strip() for cell in row) for row in rows)
                elif table := markdown_table(rows):
                    yield table
            case _:
                pass
