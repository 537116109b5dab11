"""Bytes that stand in words, as base64 or a data URL: known from other words, and never shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.lazy_pattern import lazy_pattern

MOST_SHOWN = 200
"""Characters of a name, a path or an id that are shown."""
MOST_OF_A_HEAD = 60
_STANDARD = lazy_pattern(r"[A-Za-z0-9+/]*={0,2}")
_BLANKS = lazy_pattern(r"\s+")


def is_data_url(words: str) -> bool:
    """Whether words are a data URL, whatever the case of its scheme and the blanks before it.

    >>> is_data_url(" DATA:image/png;base64,iVBO"), is_data_url("data/1.png")
    (True, False)
    """
    return words[:200].lstrip()[:5].lower() == "data:" or (words[:1].isspace() and is_data_url(words.lstrip()))


def shown(words: str, most: int = MOST_SHOWN) -> str:
    """The words as they are shown: of a data URL its head, of a long text its beginning.

    >>> shown("data:image/png;base64,iVBO")
    'data:image/png;base64,'
    """
    if is_data_url(words):
        head = words.strip()[: MOST_OF_A_HEAD + 1].partition(",")[0]
        return f"{head},"[:MOST_OF_A_HEAD]
    return words if len(words) <= most else f"{words[:most]}…"


def without_data(words: str) -> str:
    """The words as they are, however long; of a data URL its head."""
    return shown(words, len(words))


def shown_data(value: object) -> Any:
    """JSON data with each of its texts as it is shown."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, object]", value).items()
        return {shown(key) if isinstance(key, str) else key: shown_data(each) for key, each in items}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [shown_data(each) for each in cast("Sequence[object]", value)]
    return value


def is_standard_base64(text: str) -> bool:
    """Whether a text is base64 as vendors take it: the standard alphabet, filled up, without blanks."""
    return len(text) % 4 == 0 and _STANDARD.fullmatch(text) is not None


def standard_base64(text: str) -> str:
    """Base64 in its standard alphabet, filled up and without blanks; it may still be broken.

    >>> standard_base64("a-_ b")
    'a+/b'
    """
    plain = _BLANKS.sub("", text).rstrip("=").replace("-", "+").replace("_", "/")
    return plain + "=" * (-len(plain) % 4)
