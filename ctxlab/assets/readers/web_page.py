"""HTML: a page as Markdown."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.assets.readers.plain_text import read_plain_text
from ctxlab.context import FileFacts, Transcript
from ctxlab.engines.html import html_as_markdown

MOST_SOURCE = 500_000
"""Characters of the source that are converted: tags are most of a page."""


def read_web_page(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """The words of the page in one passage; its source, where it can't be converted, and a problem says why."""
    source = read_plain_text(data, facts, replace(limits, max_characters=max(limits.max_characters, MOST_SOURCE)))
    markdown, problem = html_as_markdown(source.text)
    if problem:
        plain = read_plain_text(data, facts, limits)
        return replace(plain, problems=(*plain.problems, f"read as its source: {problem}"))
    collector = PassageCollector(limits)
    collector.add(markdown)
    collector.problems += source.problems
    return collector.transcript("html")
