"""Keys of entries: words, or a JavaScript pattern between slashes."""

from __future__ import annotations

import re

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

_PATTERN = lazy_pattern(r"/(?P<body>.+)/(?P<flags>[dgimsuvy]*)", re.DOTALL)
_OPEN_SLASH = lazy_pattern(r"(?<!\\)(?:\\\\)*/")
_HALF_PAIR = lazy_pattern("[\ud800-\udfff]")
_NAME = lazy_pattern(r"\{\{\s*(user|char)\s*\}\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Key:
    """A key with its entry's settings for case and whole words."""

    text: str
    case_sensitive: bool = False
    whole_words: bool = False
    apart: bool = False
    """Whether, as a whole word, nothing of a word may stand beside it, even where it begins or ends with a sign."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing has to be checked where its folded letters stand."""
        return not (self.case_sensitive or self.whole_words)

    def is_bounded_at(self, text: str, start: int, end: int) -> bool:
        """Whether it matches here, given that its folded letters do."""
        if self.case_sensitive and text[start:end] != self.text:
            return False
        if not self.whole_words or _has_blank(self.text):
            return True
        left = start == 0 or not (_is_word(text[start - 1]) and (self.apart or _is_word(text[start])))
        return left and (end == len(text) or not (_is_word(text[end]) and (self.apart or _is_word(text[end - 1]))))


@dataclass(frozen=True, slots=True)
class PatternKey:
    """`/body/flags`; `marked` if it matches the sign that SillyTavern puts before every message."""

    text: str
    body: str
    flags: str
    marked: bool = False


AnyKey = Key | PatternKey


def key_of(
    text: str, *, case_sensitive: bool, whole_words: bool, marked: bool = False, apart: bool = False
) -> AnyKey | None:
    """A key as it is written in an entry; None for an empty one, which waits for nothing.

    Keys of several words are found inside longer words too, whatever `whole_words` says, as in SillyTavern.
    """
    if not text:
        return None
    if len(text) > 2 and text[0] == "/" and (found := _PATTERN.fullmatch(text)):
        body = found["body"]
        if not _OPEN_SLASH.search(body):
            return PatternKey(text, body, found["flags"], marked or "\\x01" in body or "\x01" in body)
    return Key(text, case_sensitive, whole_words, apart and whole_words)


def with_names(text: str, names: dict[str, str]) -> str:
    """The text with `{{user}}` and `{{char}}` replaced where a name is known."""
    if "{{" not in text:
        return text
    return _NAME.sub(lambda found: names.get(found[1].lower()) or found[0], text)


def folded(text: str, *, lower: bool = False) -> str:
    """The text casefolded, every character at the place where it was; with `lower` in small letters alone.

    Small letters are as JavaScript has them: ſ is no s, and ς no σ.
    """
    fold = text.lower() if lower else text.casefold()
    if len(fold) != len(text):  # ß and its like become two letters
        fold = "".join([_folded_letter(char, lower=lower) for char in text])
    return fold


def _folded_letter(char: str, *, lower: bool) -> str:
    """One letter for one: where folding makes two, the small letter, or itself where there is none."""
    forms = (char.lower(),) if lower else (char.casefold(), char.lower())
    return next((one for one in forms if len(one) == 1), char)


def searchable(text: str, *, lower: bool = False) -> str:
    """Folded, and without halves of surrogate pairs, which have no UTF-8."""
    fold = folded(text, lower=lower)
    return _HALF_PAIR.sub("\ufffd", fold) if not fold.isascii() and _HALF_PAIR.search(fold) else fold


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _has_blank(text: str) -> bool:
    return any(char.isspace() for char in text)
