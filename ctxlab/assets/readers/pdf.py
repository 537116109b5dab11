"""PDF: the number of its pages and the text layer of each, which pdfium reads in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from ctxlab.assets.parser_process import PARSERS
from ctxlab.assets.readers.limits import ReadLimits, not_read
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import NoTextLayer, ReadError
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

WRONG_PASSWORD = 4
"""pdfium's FPDF_ERR_PASSWORD."""
UNKNOWN_SECURITY = 5
"""pdfium's FPDF_ERR_SECURITY."""
ENCRYPTION = b"/Encrypt"
"""In the trailer of each encrypted file."""
ENCRYPTED = "it is encrypted: without its password it can't be read"
BROKEN = "it can't be opened as a PDF: it is broken"
MOST_NAMED = 10
HYPHEN_AT_LINE_END = lazy_pattern("[\x02\ufffe]\r?\n?")
"""The letter that pdfium writes for a hyphen that divides a word: the word is put together again."""
BLANKS_AT_LINE_END = lazy_pattern(r"(?<![ \t])[ \t]+$", re.MULTILINE)
MANY_LINES = lazy_pattern(r"\n{3,}")
NEVER_TEXT = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def read_pdf(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """The text of the pages, each a passage `page 3`. A page without letters has none, and a problem names it."""
    collector = PassageCollector(limits)
    empty: list[int] = []
    broken: list[int] = []
    read = 0
    pages, texts = PARSERS.call(page_texts, data, limits.max_pages, limits.max_characters)
    for text in texts:
        if collector.is_full:
            break
        read += 1
        if text is None:
            broken.append(read)
        elif text.strip():
            collector.add(text, f"page {read}")
        else:
            empty.append(read)
    if not collector.passages and empty:
        raise NoTextLayer(_no_letters(read, pages), pages=pages)
    if not collector.passages and broken:
        raise ReadError("the PDF is broken: none of its pages can be read")
    if empty:
        collector.problems.append(f"no text on {_pages(empty)}: pictures, drawings or nothing")
    if broken:
        collector.problems.append(f"{_pages(broken)} can't be read: broken")
    if read < pages:
        collector.problems.append(not_read("page", read + 1, pages))
    return collector.transcript("pdf")


def number_of_pages(data: bytes) -> int:
    """The number of pages; raises a CtxlabError of one sentence where it can't be counted."""
    return PARSERS.call(count_pages, data)


# --- in the process of the parsers


def count_pages(data: bytes) -> int:
    """The number of pages, 0 of a PDF without any."""
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        pdf = PdfDocument(data)
    except PdfiumError as error:
        raise ReadError(ENCRYPTED if error.err_code in (WRONG_PASSWORD, UNKNOWN_SECURITY) else BROKEN) from None
    with closing(pdf):
        return len(pdf)


def page_texts(data: bytes, max_pages: int, max_characters: int) -> tuple[int, list[str | None]]:
    """The number of all pages and the text of the first, until they have more characters; None where one is broken."""
    texts: list[str | None] = []
    left = max_characters
    with opened_pdf(data) as pdf:
        for index in range(min(len(pdf), max_pages)):
            if left < 0:
                break
            texts.append(text := _page_text(pdf, index, max_characters))
            left -= len(text.strip()) if text else 0
        return len(pdf), texts


@contextmanager
def opened_pdf(data: bytes) -> Generator[PdfDocument]:
    """The document until it is closed; only for the process of the parsers.

    Raises ReadError when it is broken, has no pages, or needs a password; one that an empty password opens is opened.
    """
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        pdf = PdfDocument(data)
    except PdfiumError as error:
        raise ReadError(_cannot_open(error.err_code, data)) from None
    with closing(pdf):
        if len(pdf) < 1:
            raise ReadError("the PDF has no pages that can be read")
        yield pdf


def _cannot_open(code: int | None, data: bytes) -> str:
    is_encrypted = ENCRYPTION in data  # the code is the last one of the process, which an earlier file may have left
    if is_encrypted and code == WRONG_PASSWORD:
        return "the PDF can't be read without its password; attach a copy that has none"
    if is_encrypted and code == UNKNOWN_SECURITY:
        return "the PDF is encrypted in a way that isn't known; attach a copy that is not encrypted"
    return "the PDF is broken: it can't be opened"


def _page_text(pdf: PdfDocument, index: int, most: int) -> str | None:
    """The text of a page; None where the page is broken."""
    from pypdfium2 import PdfiumError

    try:
        with closing(pdf[index]) as page, closing(page.get_textpage()) as letters:
            count = letters.count_chars()
            text = letters.get_text_range(0, most + 1) if count > most else letters.get_text_bounded()
    except PdfiumError:
        return None
    lines = NEVER_TEXT.sub("", HYPHEN_AT_LINE_END.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    return MANY_LINES.sub("\n\n", BLANKS_AT_LINE_END.sub("", lines))


def _no_letters(read: int, pages: int) -> str:
    where = "its page" if read == 1 else f"its {read:,} pages" if read == pages else f"its first {read:,} pages"
    return f"the PDF has no text on {where}: pictures, drawings or nothing"


def _pages(pages: list[int]) -> str:
    """
    >>> _pages([3]), _pages([3, 4])
    ('page 3', 'pages 3, 4')
    """
    named = ", ".join(f"{page:,}" for page in pages[:MOST_NAMED])
    more = f" and {len(pages) - MOST_NAMED:,} more" if len(pages) > MOST_NAMED else ""
    return f"page{'s' if len(pages) > 1 else ''} {named}{more}"
