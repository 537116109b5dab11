"""PPTX: the words of each slide in the order of its shapes, groups and tables included, and its speaker notes."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.assets.readers.limits import ReadLimits, not_read
from ctxlab.assets.readers.markdown_table import markdown_table
from ctxlab.assets.readers.package import Package, main_part
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.readers.xml_events import XmlEvent
from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import ReadError

NO_WORDS_OF_THE_SLIDE = frozenset({"sldNum", "dt", "ftr", "hdr"})
"""Placeholders that are the same on every slide: its number, the date, footer and header."""
SHAPE_NAMES = frozenset({"sp", "graphicFrame"})


def read_slides(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Each slide with words a passage `slide 2`, its notes after it."""
    package = Package(data, limits)
    presentation = main_part(package, "ppt/presentation.xml")
    slides = _slides(package, presentation)
    if not slides:
        raise ReadError("the presentation has no slides")
    collector = PassageCollector(limits)
    texts: dict[str, str] = {}  # a presentation may show one slide any number of times
    read = 0
    for read, name in enumerate(slides[: limits.max_pages], 1):
        if name not in texts:
            texts[name] = _slide_text(package, name)
        collector.add(texts[name], f"slide {read}")
        if collector.is_full:
            break
    if read < len(slides):
        collector.problems.append(not_read("slide", read + 1, len(slides)))
    collector.problems += package.not_read()
    return collector.transcript("pptx")


def _slides(package: Package, presentation: str) -> list[str]:
    """Names of the slides in the order in which they are shown."""
    related = package.related(presentation)
    ids = [
        event.attributes.get("id", "")
        for event in package.events(presentation)
        if event.kind == "begin" and event.name == "sldId"
    ]
    return [related[one][1] for one in ids if one in related]


def _slide_text(package: Package, name: str) -> str:
    blocks = list(_blocks(package.events(name)))
    for kind, notes in dict.fromkeys(package.related(name).values()):
        if kind == "notesSlide" and package.has(notes):
            words = "\n".join(_blocks(package.events(notes)))
            blocks += [f"Notes: {words}"] if words.strip() else []
    return "\n\n".join(blocks)


def _blocks(events: Iterator[XmlEvent]) -> Iterator[str]:
    """The words of each shape, its paragraphs in lines; a table as one in Markdown."""
    lines: list[str] = []
    words: list[str] = []
    rows: list[list[str]] = []
    in_letters = counts = False
    skipped = 0
    for event in events:
        if skipped or (event.name == "Fallback" and event.kind == "begin"):
            skipped += {"begin": 1, "end": -1, "text": 0}[event.kind]
            continue
        match event.kind, event.name:
            case "begin", name if name in SHAPE_NAMES:
                lines, rows, counts = [], [], True
            case "begin", "ph":
                counts = event.attributes.get("type") not in NO_WORDS_OF_THE_SLIDE
            case kind, "t":
                in_letters = kind == "begin"
            case "text", letters if in_letters:
                words.append(letters)
            case "begin", "br":
                words.append("\n")
            case "begin", "tr":
                rows.append([])
            case "end", "p":
                lines += ["".join(words)] if words else []
                words = []
            case "end", "tc" if rows:
                rows[-1].append("\n".join(lines))
                lines = []
            case "end", name if name in SHAPE_NAMES:
                text = markdown_table(rows) if rows else "\n".join(lines)
                if counts and text.strip():
                    yield text
                lines, rows = [], []
            case _:
                pass
