"""Readers by MIME type, and the one function that reads the text of a file of any type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import BinaryIO, cast

from ctxlab.assets.readers.limits import LIMITS, ReadLimits, whole_file
from ctxlab.assets.type_table import noun_of
from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import CtxlabError, ReadError

Reader = Callable[[bytes, FileFacts, ReadLimits], Transcript]

OPEN_XML = "application/vnd.openxmlformats-officedocument."
OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
READERS: Mapping[str, str] = {
    "application/pdf": "pdf:read_pdf",
    OPEN_XML + "wordprocessingml.document": "word:read_word",
    OPEN_XML + "wordprocessingml.template": "word:read_word",
    "application/vnd.ms-word.document.macroenabled.12": "word:read_word",
    OPEN_XML + "presentationml.presentation": "slides:read_slides",
    OPEN_XML + "presentationml.slideshow": "slides:read_slides",
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": "slides:read_slides",
    OPEN_XML + "spreadsheetml.sheet": "sheets:read_open_xml_sheets",
    OPEN_XML + "spreadsheetml.template": "sheets:read_open_xml_sheets",
    "application/vnd.ms-excel.sheet.macroenabled.12": "sheets:read_open_xml_sheets",
    "application/vnd.ms-excel": "sheets:read_old_sheets",
    OPEN_DOCUMENT + "spreadsheet": "open_document:read_open_document_sheets",
    OPEN_DOCUMENT + "text": "open_document:read_open_document_text",
    "message/rfc822": "mail:read_mail",
    "text/rtf": "rich_text:read_rich_text",
    "application/rtf": "rich_text:read_rich_text",
    "text/html": "web_page:read_web_page",
    "application/xhtml+xml": "web_page:read_web_page",
    "image/svg+xml": "vector_picture:read_vector_picture",
}
"""The function that reads a type, as `module:function` of this package."""
READER_ENGINES = frozenset({"text", "pdf", "docx", "pptx", "xlsx", "xls", "ods", "odt", "email", "rtf", "html", "svg"})
"""Names under which readers sign their transcripts: the text is the file's own, not recognised or heard."""
NEWER_FORMS: Mapping[str, str] = {
    "application/msword": "DOCX",
    "application/vnd.ms-powerpoint": "PPTX",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "XLSX",
    OPEN_DOCUMENT + "presentation": "PPTX",
}
"""Types without a reader that programs save in one that has one."""
PLAIN_TEXT = "plain_text:read_plain_text"


def has_reader(facts: FileFacts) -> bool:
    """Whether `read_text` knows the type; a PDF of scanned pages has a reader and no text."""
    return _reader_name(facts) is not None


def read_text(file: BinaryIO, facts: FileFacts, *, limits: ReadLimits = LIMITS) -> Transcript:
    """The text of a file in passages with their places, such as `page 3`, `sheet Plan`, `slide 2`.

    What the limits leave out is named in the problems. Raises a CtxlabError of one sentence for a file that has no
    reader, is empty, broken, too large or needs a password; `NoTextLayer` for a PDF whose pages have no letters.
    """
    name = _reader_name(facts)
    if name is None:
        if not file.read(1):
            raise ReadError("the file is empty")
        raise ReadError(_no_reader(facts.mime_type))
    data = file.read(limits.max_bytes + 1)
    if not data:
        raise ReadError("the file is empty")
    if name == PLAIN_TEXT:
        return _reader(name)(data, facts, limits)
    transcript = _read(name, whole_file(data, limits), facts, limits)
    if not transcript.passages and not transcript.problems:
        return replace(transcript, problems=("no text was found in the file",))
    return transcript


def _read(name: str, data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    try:
        return _reader(name)(data, facts, limits)
    except CtxlabError:
        raise
    except RecursionError:
        raise ReadError("the file is nested too deeply to be read") from None
    except Exception as error:  # the bytes are anybody's, and what the libraries raise is not documented
        raise ReadError(
            f"the file is broken: as {noun_of(facts.mime_type)} it can't be read ({type(error).__name__})"
        ) from None


def _no_reader(mime_type: str) -> str:
    newer = NEWER_FORMS.get(mime_type)
    advice = f"; save it as {newer} and attach that" if newer else ""
    return f"there is no reader for {noun_of(mime_type) if mime_type else 'a file of unknown type'}{advice}"


def _reader_name(facts: FileFacts) -> str | None:
    return READERS.get(facts.mime_type.lower()) or (PLAIN_TEXT if facts.kind == "text" else None)


def _reader(name: str) -> Reader:
    module, function = name.split(":")
    return cast("Reader", getattr(import_module(f"ctxlab.assets.readers.{module}"), function))
