"""Texts, parts of texts, JSON and addresses with `***` in the place of secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast
from urllib.parse import unquote_plus

from ctxlab.secrets.find_secrets import HIDDEN, secrets_in
from ctxlab.secrets.secret_names import is_secret_parameter

__all__ = ["HIDDEN", "masked", "masked_beginning", "masked_data", "masked_in_place", "masked_stretch", "masked_url"]

AHEAD: Final = 2_000
"""Characters behind a cut by which a key that begins before it is known."""
BACK: Final = 16_000
"""Characters before a stretch in which a key that reaches into it begins: the longest private keys in use are half as
long."""


def masked(text: str) -> str:
    """The text with `***` for its secrets; what has the form of a vendor's key keeps its beginning.

    >>> masked("OPENAI_API_KEY=" + "sk-" + "proj-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v")
    'OPENAI_API_KEY=sk-***'
    """
    found = secrets_in(text)
    if not found:
        return text
    pieces: list[str] = []
    at = 0
    for start, end, shown in found:
        pieces += (text[at:start], shown)
        at = end
    return "".join((*pieces, text[at:]))


def masked_beginning(text: str, characters: int) -> str:
    """So many characters of the masked text, or all that it has."""
    return masked(text[: characters + AHEAD])[:characters]


def masked_stretch(text: str, start: int, end: int) -> str:
    """The characters from `start` to `end`, masked; a secret that reaches into them is masked whole."""
    first = max(0, start - BACK)
    pieces: list[str] = []
    at = start
    for begin, stop, shown in secrets_in(text[first : end + AHEAD]):
        begin, stop = begin + first, stop + first
        if stop <= start or begin >= end:
            continue
        pieces += (text[at : max(begin, at)], shown)
        at = stop
    return "".join((*pieces, text[at:end]))


def masked_in_place(text: str) -> str:
    """The text with a `*` for each character of its secrets, so that places in it stay what they were."""
    found = secrets_in(text)
    if not found:
        return text
    pieces: list[str] = []
    at = 0
    for start, end, shown in found:
        kept = shown.removesuffix(HIDDEN)
        kept = kept if text.startswith(kept, start) else ""
        pieces += (text[at:start], kept, "*" * (end - start - len(kept)))
        at = end
    return "".join((*pieces, text[at:]))


def masked_data(value: Any, change: Callable[[str], str] = masked) -> Any:
    """JSON data with all its texts and names masked."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        items = [masked_data(item, change) for item in cast("list[Any]", value)]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        return {
            change(name) if isinstance(name, str) else name: masked_data(item, change) for name, item in fields.items()
        }
    return value


def masked_url(url: str, change: Callable[[str], str] = masked) -> str:
    """An address without its password and without the values of what its query names as a secret."""
    path, mark, query = url.partition("?")
    return change(_without_password(path)) + mark + "&".join(_parameter(each, change) for each in query.split("&"))


def _without_password(path: str) -> str:
    scheme, mark, rest = path.partition("://")
    place, slash, behind = rest.partition("/")
    info, at, host = place.rpartition("@")
    if not at:
        return path
    user, colon, password = info.partition(":")
    shown = f"{user}:{HIDDEN}" if colon and password else HIDDEN if user else ""
    return f"{scheme}{mark}{shown}@{host}{slash}{behind}"


def _parameter(parameter: str, change: Callable[[str], str]) -> str:
    name, mark, value = parameter.partition("=")
    plain = unquote_plus(value)
    if mark and (is_secret_parameter(name) or change(plain) != plain):
        return f"{change(name)}={HIDDEN}"
    return change(parameter)
