"""DOCX: headers, the text with its tables in order, footers, footnotes and comments.

The XML is read as a stream, so that a large or hostile document costs no more than what is taken of it; text boxes,
content controls and inserted text are read where they stand, deleted text is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.markdown_table import markdown_table
from ctxlab.assets.readers.package import Package, main_part
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.readers.xml_events import XmlEvent
from ctxlab.context import FileFacts, Transcript
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

SKIPPED = frozenset({"Fallback", "moveFrom", "del", "rPr", "sectPr", "tblPr", "trPr", "tcPr", "tblGrid", "tabs"})
"""Elements that hold no words of the text: a second form of a text box, what was deleted or moved away, settings."""
MARKS: Mapping[str, str] = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
HEADING = lazy_pattern(r"heading ([1-9])$", re.IGNORECASE)
NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})
LIST_ITEM = "- "
Relations = Mapping[str, tuple[str, str]]
"""Type and name of the parts that the document refers to, by id."""


def read_word(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Headers, text, footers, footnotes, comments: each a passage; that of the text itself has no place."""
    package = Package(data, limits)
    document = main_part(package, "word/document.xml")
    related = package.related(document)
    collector = PassageCollector(limits)
    reader = _Reader(_heading_styles(package, related), limits.max_characters)
    text = _joined(reader.blocks(package.events(document)))
    _add_margins(collector, reader, package, related, "header")
    collector.add(text)
    _add_margins(collector, reader, package, related, "footer")
    for kind, item in NOTES.items():
        for part in _of_kind(related, package, kind):
            collector.add("\n".join(reader.notes(package.events(part), item)), kind)
    collector.problems += package.not_read()
    return collector.transcript("docx")


def _add_margins(collector: PassageCollector, reader: _Reader, package: Package, related: Relations, kind: str) -> None:
    """Headers or footers, each text once: those of the first, of even and of odd pages are often equal."""
    texts = ["\n".join(reader.blocks(package.events(part))) for part in _of_kind(related, package, kind)]
    for text in dict.fromkeys(texts):
        collector.add(text, kind)


def _joined(blocks: Iterator[str]) -> str:
    """Blocks with a blank line between them, items of a list without."""
    pieces: list[str] = []
    for block in blocks:
        if pieces:
            both = block.lstrip().startswith(LIST_ITEM) and pieces[-1].lstrip().startswith(LIST_ITEM)
            pieces.append("\n" if both else "\n\n")
        pieces.append(block)
    return "".join(pieces)


def _of_kind(related: Relations, package: Package, kind: str) -> list[str]:
    return sorted({name for kind_of, name in related.values() if kind_of == kind and package.has(name)})


def _heading_styles(package: Package, related: Relations) -> dict[str, int]:
    """Levels of the headings by the id of their style; its name is the same in every language."""
    levels: dict[str, int] = {}
    for part in _of_kind(related, package, "styles"):
        style = ""
        for event in package.events(part):
            if event.kind == "begin" and event.name == "style":
                style = event.attributes.get("styleId", "")
            elif event.kind == "begin" and event.name == "name" and style:
                if found := HEADING.match(event.attributes.get("val", "")):
                    levels[style] = int(found[1])
                style = ""
    return levels


@dataclass(slots=True)
class _Paragraph:
    words: list[str] = field(default_factory=list[str])
    mark: str = ""

    def text(self) -> str:
        text = "".join(self.words).strip("\n")
        return self.mark + text if text.strip() else ""


@dataclass(slots=True)
class _Table:
    rows: list[list[str]] = field(default_factory=list[list[str]])


class _Reader:
    """Blocks of a part: paragraphs, lists and tables, until `most` characters."""

    def __init__(self, headings: Mapping[str, int], most: int) -> None:
        self.headings = headings
        self.most = most
        self.in_letters = False
        self.level = 0

    def blocks(self, events: Iterator[XmlEvent]) -> Iterator[str]:
        """Paragraphs and tables that stand in no other table; those of a text box come before their paragraph."""
        read = 0
        for block, _ in self._blocks(events):
            if block:
                yield block
                read += len(block)
                if read > self.most:
                    return

    def notes(self, events: Iterator[XmlEvent], item: str) -> Iterator[str]:
        """Notes or comments, each as `[footnote 2] text`, with the author where it has one."""
        opened: dict[str, str] = {}
        lines: list[str] = []
        for block, event in self._blocks(events):
            if event and event.name == item and event.kind == "begin":
                opened, lines = dict(event.attributes), []
            elif event and event.name == item:
                if lines and opened.get("type") not in SEPARATORS:
                    author = f" {opened['author']}:" if opened.get("author") else ""
                    yield f"[{item} {opened.get('id', '')}]{author} " + "\n".join(lines)
            elif block:
                lines.append(block)

    def _blocks(self, events: Iterator[XmlEvent]) -> Iterator[tuple[str, XmlEvent | None]]:
        """Blocks, and begins and ends of notes; a paragraph in a cell, or a table in one, goes into the cell."""
        paragraphs: list[_Paragraph] = []
        tables: list[_Table] = []
        skipped = 0
        for event in events:
            if skipped or (event.name in SKIPPED and event.kind != "text"):
                skipped += {"begin": 1, "end": -1, "text": 0}[event.kind]
                continue
            match event.kind, event.name:
                case "begin", "p":
                    paragraphs.append(_Paragraph())
                case "end", "p" if paragraphs:
                    yield from self._into(tables, paragraphs.pop().text())
                case "begin", "tbl":
                    tables.append(_Table())
                case "begin", "tr" if tables:
                    tables[-1].rows.append([])
                case "begin", "tc" if tables and tables[-1].rows:
                    tables[-1].rows[-1].append("")
                case "end", "tbl" if tables:
                    rows = tables.pop().rows
                    yield from self._into(tables, _nested(rows) if tables else markdown_table(rows))
                case _, "footnote" | "endnote" | "comment":
                    yield "", event
                case _ if paragraphs:
                    self._into_paragraph(paragraphs[-1], event)
                case _:
                    pass

    def _into(self, tables: Sequence[_Table], block: str) -> Iterator[tuple[str, None]]:
        if not tables:
            yield block, None
        elif tables[-1].rows and tables[-1].rows[-1] and block:
            cells = tables[-1].rows[-1]
            cells[-1] = f"{cells[-1]} {block}".strip()

    def _into_paragraph(self, paragraph: _Paragraph, event: XmlEvent) -> None:
        match event.kind, event.name:
            case "text", words:
                if self.in_letters:
                    paragraph.words.append(words)
            case kind, "t":
                self.in_letters = kind == "begin"
            case "begin", "pStyle":
                level = self.headings.get(event.attributes.get("val", ""), 0)
                paragraph.mark = "#" * level + " " if level else paragraph.mark
            case "begin", "ilvl":
                self.level = int(event.attributes.get("val", "0"))
            case "begin", "numId" if event.attributes.get("val") != "0" and not paragraph.mark:
                paragraph.mark = "  " * min(self.level, 8) + LIST_ITEM
            case "begin", "footnoteReference" | "endnoteReference" | "commentReference":
                paragraph.words.append(f"[{event.name.removesuffix('Reference')} {event.attributes.get('id', '')}]")
            case "begin", name if name in MARKS:
                paragraph.words.append(MARKS[name])
            case _:
                pass


def _nested(rows: Sequence[Sequence[str]]) -> str:
    """A table in a cell of another, in one line."""
    return "; ".join(", ".join(cell for cell in row if cell) for row in rows if any(row))
