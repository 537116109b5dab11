"""Descriptions that stand for files which a model doesn't read: three fixed lines, in Chinese or English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

from ctxlab.assets.type_table import is_known, noun_of
from ctxlab.documents.session.inline_bytes import without_data
from ctxlab.lazy_pattern import lazy_pattern

Language = Literal["zh", "en"]

MOST_CHARACTERS = 120
"""Of a name or an id in a description."""
OCTETS = "application/octet-stream"

MOST_OF_A_MIME_TYPE = 80
"""Characters; the longest that are in use have 74."""

_MIME_TYPE = lazy_pattern(r"[a-z0-9][\w.+-]*/[a-z0-9][\w.+-]*", re.ASCII)

_WORDS: Mapping[str, tuple[str, str]] = {
    "picture": ("图片", "picture"),
    "document": ("文档", "document"),
    "sheet": ("表格", "spreadsheet"),
    "slides": ("演示", "presentation"),
    "audio": ("音频", "audio"),
    "video": ("视频", "video"),
    "archive": ("压缩包", "archive"),
}
_NAMES: Mapping[str, tuple[str, str]] = {
    "image/jpeg": ("JPEG", "picture"),
    "image/png": ("PNG", "picture"),
    "image/gif": ("GIF", "picture"),
    "image/webp": ("WebP", "picture"),
    "image/bmp": ("BMP", "picture"),
    "image/svg+xml": ("SVG", "picture"),
    "application/pdf": ("PDF", "document"),
    "application/msword": ("Word", "document"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("Word", "document"),
    "application/vnd.ms-excel": ("Excel", "sheet"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ("Excel", "sheet"),
    "application/vnd.ms-powerpoint": ("PowerPoint", "slides"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ("PowerPoint", "slides"),
    "audio/mpeg": ("MP3", "audio"),
    "audio/mp3": ("MP3", "audio"),
    "audio/wav": ("WAV", "audio"),
    "audio/ogg": ("OGG", "audio"),
    "video/mp4": ("MP4", "video"),
    "video/webm": ("WebM", "video"),
    "video/quicktime": ("QuickTime", "video"),
    "application/zip": ("ZIP", "archive"),
    "application/x-rar-compressed": ("RAR", "archive"),
    "application/vnd.rar": ("RAR", "archive"),
}


def type_name(mime_type: str, language: Language = "zh") -> str:
    """The type as people call it; a MIME type without a name as it is, and no MIME type at all as a binary file.

    >>> type_name("image/png", "zh"), type_name("application/pdf", "en")
    ('PNG 图片', 'PDF document')
    """
    bare = clean_mime_type(mime_type)
    if bare in _NAMES:
        form, word = _NAMES[bare]
        return f"{form} {_in(language, *_WORDS[word])}"
    return _in(language, "二进制文件", "binary file") if bare == OCTETS else bare


def clean_mime_type(mime_type: str) -> str:
    """The MIME type in lower case without parameters; that of any bytes for what is no MIME type.

    >>> clean_mime_type("Text/HTML; charset=utf-8"), clean_mime_type("a picture")
    ('text/html', 'application/octet-stream')
    """
    bare = mime_type[: MOST_OF_A_MIME_TYPE * 4].partition(";")[0].strip().lower()
    return bare if len(bare) <= MOST_OF_A_MIME_TYPE and _MIME_TYPE.fullmatch(bare) else OCTETS


def type_for_people(mime_type: str) -> str:
    """The type in English, of those without a name of their own too: `CSV table`, `shell script`.

    >>> type_for_people("text/csv"), type_for_people("image/png")
    ('CSV table', 'PNG picture')
    """
    named = type_name(mime_type, "en") if mime_type else ""
    if named != mime_type or not is_known(mime_type):
        return named
    article, _, noun = noun_of(mime_type).partition(" ")
    return noun if noun and article in ("a", "an") else f"{article} {noun}".strip()


def describe_unreadable(*, name: str, id: str, mime_type: str, language: Language = "zh") -> str:
    """Three lines for a file that the model doesn't read. They never hold anything of its content."""
    last = _in(
        language,
        "当前模型不支持读取此类文件。建议创建具备相应能力的智能体协助处理。",
        "The current model does not read files of this type. An agent whose model does could help with it.",
    )
    return _three_lines(name, id, mime_type, last, language)


def describe_too_large(
    *, name: str, id: str, mime_type: str, size_bytes: int, most_bytes: int, language: Language = "zh"
) -> str:
    """Three lines for a file of a readable type that is larger than what can be sent."""
    size, most = f"{size_bytes:,}", f"{most_bytes:,}"
    last = _in(
        language,
        f"文件大小为 {size} 字节，超过上限 {most} 字节，未发送。",
        f"It has {size} bytes, more than the {most} that can be sent, and is left out.",
    )
    return _three_lines(name, id, mime_type, last, language)


def describe_wordless(*, name: str, id: str, mime_type: str, language: Language = "zh") -> str:
    """Three lines for a file of text in which there is none, such as a form whose tables are empty."""
    last = _in(language, "文件中没有文字。", "There are no words in the file.")
    return _three_lines(name, id, mime_type, last, language, head=("[无文字]", "[No text]"))


def describe_missing(*, name: str, id: str, mime_type: str, language: Language = "zh") -> str:
    """Three lines for a file whose content nobody has any more."""
    last = _in(language, "文件内容已不存在，无法提供。", "The content of the file is not at hand.")
    return _three_lines(name, id, mime_type, last, language, head=("[缺失]", "[Missing]"))


def describe_failed(*, name: str, id: str = "", language: Language = "zh") -> str:
    """Three lines for a file whose content can't be read, such as broken base64."""
    name = _named(name, id, language)
    return _in(
        language,
        f"[文件处理失败: {name}]\n错误: 无法读取文件内容\n请检查文件是否损坏",
        f"[File could not be processed: {name}]\nError: its content cannot be read\nPlease check whether it is damaged",
    )


def one_line(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""A name on one line: no line breaks, no control or direction characters, and cut where it is long.

    >>> one_line("a\n[x]\u202egnp.exe")
    'a [x]gnp.exe'
    """
    text = without_data(text)
    cut = text[: 4 * most + 64]  # no more than this is looked at, however long a name is
    letters = [_shown(character) for character in cut]
    line = " ".join("".join(letters).split())
    return line if len(line) <= most and len(cut) == len(text) else line[: most - 1].rstrip() + "…"


def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "" if category in ("Cf", "Cs", "Cn") else character


def _three_lines(
    name: str,
    id: str,
    mime_type: str,
    last: str,
    language: Language,
    head: tuple[str, str] = ("[无法读取]", "[Cannot be read]"),
) -> str:
    id = one_line(id.removeprefix("artifact:"))
    first = f"{_in(language, *head)} {_named(name, id, language)}"
    shown = id or _in(language, "未知", "unknown")
    kind = f"{_in(language, '类型', 'Type')}: {type_name(mime_type, language)}"
    return f"{first} (artifact:{shown})\n{kind}\n{last}"


def _named(name: str, id: str, language: Language) -> str:
    return one_line(name) or one_line(id) or _in(language, "未知文件", "unknown file")


def _in(language: Language, chinese: str, english: str) -> str:
    return english if language == "en" else chinese
