"""HTML to Markdown; reasoning in its tags stays as it is."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from ctxlab.context import Cause, Edit, Origin, Text
from ctxlab.engines.html.conversion_limits import too_much, unparsable
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from markdownify import MarkdownConverter

TAG = lazy_pattern(r"<[A-Za-z]")
EMPTY_LINK = lazy_pattern(r"!?\[\s*\]\([^)\n\[]*\)")
TRAILING_BLANKS = lazy_pattern(r"(?<![ \t])[ \t]+$", re.MULTILINE)
MANY_LINES = lazy_pattern(r"\n{3,}")
BLANKS = lazy_pattern(r"[ \t]+")
MANY_BLANKS = lazy_pattern(r"[ \t]{100}")


def looks_like_html(text: str) -> bool:
    """Whether a tag opens and, anywhere after it, one closes: `i<n` alone is no HTML."""
    tag = TAG.search(text)
    return tag is not None and ">" in text[tag.end() :]


def as_markdown(text: Text, *, keep_tags: Sequence[str], note: str, cause: Cause) -> tuple[Text, str | None]:
    """The text as Markdown with `note` after it, or the text itself and why it can't be converted.

    What stands inside one of `keep_tags` stays as it is; a tag that is never closed keeps everything up to the end.
    """
    whole = str(text)
    kept = [(m.start(), m.end()) for m in _kept(keep_tags).finditer(whole)]
    mark = _unused_mark(whole)
    starts = [0, *(end for _, end in kept)]
    ends = [*(start for start, _ in kept), len(whole)]
    markdown, problem = _converted(mark.join([whole[start:end] for start, end in zip(starts, ends, strict=True)]))
    if problem:
        return text, problem
    pieces = _tidy(markdown).split(mark)
    if len(pieces) != len(kept) + 1:  # the converter lost a mark: better no change than a wrong one
        return text, f"a part between {' or '.join(f'<{tag}>' for tag in keep_tags)} is inside other markup"
    edits = [Edit(start, end, piece, cause) for start, end, piece in zip(starts, ends, pieces, strict=True)]
    return text.splice(edits) + Text.of(note, Origin("notice", cause.processor), cause), None


def html_as_markdown(html: str) -> tuple[str, str | None]:
    """A page as Markdown, or nothing and why it can't be converted; scripts and styles have no words."""
    markdown, problem = _converted(html)
    return _tidy(markdown), problem


def _kept(tags: Sequence[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(tag) for tag in tags)
    return re.compile(rf"<({names})\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def _unused_mark(text: str) -> str:
    """A private character followed by more of another one than the text has anywhere."""
    longest = max(map(len, re.findall("\ue001+", text)), default=0)
    return "\ue000" + "\ue001" * (longest + 1)


def _converted(html: str) -> tuple[str, str | None]:
    """The Markdown, or why there is none."""
    if problem := unparsable(html):
        return "", problem
    from bs4 import BeautifulSoup

    converter = _converter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of texts that look like a file name, and the like
            soup = BeautifulSoup(html, "lxml")
        if problem := too_much(soup, len(html)):
            return "", problem
        _collapse_blanks(soup)
        return str(converter.convert_soup(soup)), None
    except Exception as error:  # the HTML is anybody's, and what a parser raises is not documented
        return "", f"its HTML can't be parsed ({type(error).__name__})"


def _collapse_blanks(soup: BeautifulSoup) -> None:
    """Long runs of blanks as one, where they don't count: the converter's cost is quadratic in their length."""
    from bs4.element import NavigableString

    for words in soup.find_all(string=lambda text: bool(text and MANY_BLANKS.search(text))):
        if type(words) is NavigableString and words.find_parent("pre") is None:
            words.replace_with(BLANKS.sub(" ", words))


@cache
def _converter() -> MarkdownConverter:
    from markdownify import MarkdownConverter

    class Converter(MarkdownConverter):
        """Markdown has no sign for what is deleted, inserted, below or above the line: those tags stay."""

        def kept(self, el: Tag, text: str, parent_tags: object) -> str:
            return str(el) if text.strip() else ""

        convert_del = convert_ins = convert_sub = convert_sup = kept

        def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
            code = _without_blank_lines(text)
            return super().convert_pre(el, code, parent_tags)  # pyright: ignore[reportAttributeAccessIssue]  (no stubs)

    return Converter(
        heading_style="atx",
        bullets="*",
        strong_em_symbol="*",
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
        keep_inline_images_in=["td", "th"],
        code_language_callback=_language,
        strip_pre=None,  # its way is quadratic in a run of blanks
    )


def _language(pre: Tag) -> str:
    """The language that a code block names in its class, such as `language-python`."""
    code = pre.find("code")
    classes = (code or pre).get("class")
    named = [name for name in classes or () if name.startswith("language-")]
    return named[0].removeprefix("language-") if named else ""


def _without_blank_lines(code: str) -> str:
    """The code without blank lines before and after it."""
    lead = len(code) - len(code.lstrip(" \n"))
    return code[code.rfind("\n", 0, lead) + 1 :].rstrip(" \n")


def _tidy(markdown: str) -> str:
    text = EMPTY_LINK.sub("", markdown)
    text = TRAILING_BLANKS.sub("", text)
    return MANY_LINES.sub("\n\n", text).strip()
