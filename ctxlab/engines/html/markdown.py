"""HTML to Markdown, thoughts left alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from ctxlab.context import Cause, Edit, Origin, Text

if TYPE_CHECKING:
    from bs4 import Tag
    from markdownify import MarkdownConverter

TAG = re.compile(r"<[A-Za-z]")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
EMPTY_LINK = re.compile(r"!?\[\s*\]\([^)\n]*\)")
TRAILING_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)
MANY_LINES = re.compile(r"\n{3,}")


def looks_like_html(text: str) -> bool:
    """Whether a tag opens and, anywhere after it, one closes: `i<n` alone is no HTML."""
    tag = TAG.search(text)
    return tag is not None and ">" in text[tag.end() :]


def as_markdown(text: Text, *, keep_tags: Sequence[str], note: str, cause: Cause) -> Text:
    """The text as Markdown with `note` after it; what stands inside one of `keep_tags` stays as it is.

    A tag that is never closed keeps everything up to the end.
    """
    whole = str(text)
    kept = [(m.start(), m.end()) for m in _kept(keep_tags).finditer(whole)]
    mark = _unused_mark(whole)
    html = ""
    at = 0
    for start, end in kept:
        html += whole[at:start] + mark
        at = end
    pieces = _tidy(_converted(html + whole[at:])).split(mark)
    if len(pieces) != len(kept) + 1:  # the converter lost a mark: better no change than a wrong one
        return text
    starts = [0, *(end for _, end in kept)]
    ends = [*(start for start, _ in kept), len(whole)]
    edits = [Edit(start, end, piece, cause) for start, end, piece in zip(starts, ends, pieces, strict=True)]
    return text.splice(edits) + Text.of(note, Origin("notice", cause.processor), cause)


def _kept(tags: Sequence[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(tag) for tag in tags)
    return re.compile(rf"<({names})\b[^>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def _unused_mark(text: str) -> str:
    mark = "\ue000"
    while mark in text:
        mark += "\ue001"
    return mark


def _converted(html: str) -> str:
    return str(_converter().convert(COMMENT.sub("", html)))


@cache
def _converter() -> MarkdownConverter:
    from markdownify import MarkdownConverter

    class Converter(MarkdownConverter):
        """Markdown has no sign for what is deleted, inserted, below or above the line: those tags stay."""

        def kept(self, el: Tag, text: str, parent_tags: object) -> str:
            return str(el) if text.strip() else ""

        convert_del = convert_ins = convert_sub = convert_sup = kept

    return Converter(
        heading_style="atx",
        bullets="*",
        strong_em_symbol="*",
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
        keep_inline_images_in=["td", "th"],
        code_language_callback=_language,
    )


def _language(pre: Tag) -> str:
    """The language that a code block names in its class, such as `language-python`."""
    code = pre.find("code")
    classes = (code or pre).get("class")
    named = [name for name in classes or () if name.startswith("language-")]
    return named[0].removeprefix("language-") if named else ""


def _tidy(markdown: str) -> str:
    text = EMPTY_LINK.sub("", markdown)
    text = TRAILING_BLANKS.sub("", text)
    return MANY_LINES.sub("\n\n", text).strip()
