"""SVG: the words of a picture that is written as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.readers.xml_events import XmlEvent, xml_events
from ctxlab.assets.text_encoding import decode_text
from ctxlab.context import FileFacts, Transcript
from ctxlab.lazy_pattern import lazy_pattern

DECLARATIONS = lazy_pattern(r"\A\ufeff?\s*<\?xml[^>]*\?>|<!DOCTYPE[^\[>]*(?:\[[^\]]*\]\s*)?>", re.IGNORECASE)
ENTITY = lazy_pattern(r"&(?!(?:amp|lt|gt|quot|apos);)(?=[^\s#&;]{1,100};)")
"""The beginning of an entity that the document type would declare; it stays as it is written."""
WITH_WORDS = frozenset({"text", "title", "desc"})


def read_vector_picture(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """Titles, descriptions and texts, each a line, in the order in which they stand."""
    source, _, problems = decode_text(data)
    plain = ENTITY.sub("&amp;", DECLARATIONS.sub("", source, count=2))
    events = xml_events([plain.encode("utf-8", "replace")], part="the picture", max_elements=limits.max_elements)
    collector = PassageCollector(limits)
    collector.add("\n".join(_lines(events)))
    collector.problems += problems
    return collector.transcript("svg")


def _lines(events: Iterator[XmlEvent]) -> Iterator[str]:
    words: list[str] = []
    depth = 0
    for event in events:
        if event.kind == "text":
            words += [event.name] if depth else []
        elif depth or event.name in WITH_WORDS:
            depth += 1 if event.kind == "begin" else -1
            words += [" "] if event.name == "tspan" else []
            if not depth:
                line = " ".join("".join(words).split())
                words = []
                if line:
                    yield line
