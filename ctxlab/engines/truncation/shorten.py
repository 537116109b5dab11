"""Where a text can be cut off."""

from __future__ import annotations


def head_length(text: str, characters: int) -> int:
    """The longest head of at most `characters` code points that doesn't cut through a character as people see it."""
    if len(text) <= characters:
        return len(text)
    if text[: characters + 1].isascii() and text[characters - 1 : characters + 1] != "\r\n":
        return characters
    if characters and _is_plain(text[characters - 1]) and _is_plain(text[characters]):
        return characters
    import regex

    at = 0
    for match in regex.finditer(r"\X", text, pos=0, endpos=characters + 64):
        if match.end() > characters:
            break
        at = match.end()
    return at


def _is_plain(character: str) -> bool:
    """Whether it is a character of its own: between two such ones people always see an edge (UAX #29, rule GB999)."""
    return " " <= character < "\x7f" or "\u4e00" <= character <= "\u9fff"
