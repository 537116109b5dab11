"""HTML: a page as Markdown."""

from __future__ import annotations

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.readers.plain_text import read_plain_text
from ctxlab.context import FileFacts, Transcript
from ctxlab.engines.html import html_as_markdown


def read_web_page(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """The words of the page in one passage; its source, where it can't be converted, and a problem says why."""
    source = read_plain_text(data, facts, limits)
    if len(source.text) >= limits.max_characters:
        return source
    markdown, problem = html_as_markdown(source.text)
    if problem:
        return Transcript.of(source.text, engine="text", problems=(*source.problems, f"read as its source: {problem}"))
    collector = PassageCollector(limits)
    collector.add(markdown)
    collector.problems += source.problems
    return collector.transcript("html")
