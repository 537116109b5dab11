"""Ids, names and arguments of tool calls in the form that a vendor takes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

from ctxlab.display.short_texts import short
from ctxlab.documents import ToolCall
from ctxlab.providers.body_writer import BodyWriter

_LONG_NUMBER = re.compile(r"\d{16}|\d[eE][+-]?\d{3}")
_ROOM = 20
"""Levels that a body puts around arguments, at most; JSON is written to 254 levels."""


@dataclass(slots=True, eq=False)
class CallWords:
    """Ids or names of one request, changed where a vendor's pattern refuses them, the same for a call and its result.

    `allowed` are the characters that may stand, `longest` how many.
    """

    what: str
    vendor: str
    allowed: re.Pattern[str]
    longest: int
    _changed: dict[str, str] = field(default_factory=dict[str, str])
    _taken: set[str] = field(default_factory=set[str])

    def of(self, word: str, out: BodyWriter, *, key: str | None = None) -> str:
        """The word that is sent; the first time that it is another one there is a loss."""
        found = self._changed.get(word)
        if found is not None:
            return found
        sent = self._made(word)
        self._changed[word] = sent
        self._taken.add(sent)
        if sent != word:
            reason = f"{self.vendor} refuses characters of it or its length; {sent!r} is sent"
            out.lose("field", f"{self.what} {short(word)!r}", reason, key=key)
        return sent

    def _made(self, word: str) -> str:
        made = word[: self.longest]
        if not self.allowed.fullmatch(made):
            made = "".join(c if self.allowed.fullmatch(f"a{c}") else "_" for c in made) or self.what
            made = made if self.allowed.fullmatch(made) else f"_{made}"[: self.longest]
        if made == word and made not in self._taken:
            return made
        base, number = made, 1
        while made in self._taken:
            number += 1
            end = f"_{number}"
            made = f"{base[: self.longest - len(end)]}{end}"
        return made


def arguments_object(call: ToolCall, out: BodyWriter, *, key: str) -> dict[str, Any]:
    """The arguments of a call as an object; what is none is sent as its text under `arguments`, with a loss."""
    words = call.arguments
    if words == "{}" or not words.strip():
        return {}
    try:
        found: Any = orjson.loads(words)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        found = None
    if not isinstance(found, dict) or not _writable(found):
        reason = "its arguments are no JSON object; their text is sent as the field 'arguments' of one"
        out.lose("field", f"the arguments of {short(call.name)!r}", reason, key=key)
        return {"arguments": words}
    if _LONG_NUMBER.search(words) and not _exact(words, found):
        reason = "a number in its arguments has more digits than JSON readers keep; it is rounded"
        out.lose("field", f"the arguments of {short(call.name)!r}", reason, key=key)
    return cast("dict[str, Any]", found)


def _writable(found: object) -> bool:
    nested: object = found
    for _ in range(_ROOM):
        nested = [nested]
    try:
        orjson.dumps(nested)
    except TypeError:
        return False
    return True


def _exact(words: str, found: object) -> bool:
    import json
    from decimal import Decimal

    try:
        exactly = json.loads(words, parse_float=Decimal)
    except (ValueError, RecursionError, ArithmeticError):
        return False
    return bool(exactly == found) or (_rounded(exactly) == found and not _has_long_integer(exactly))


def _rounded(value: Any) -> Any:
    from decimal import Decimal

    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_rounded(each) for each in cast("list[Any]", value)]
    return value


def _has_long_integer(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_long_integer(each) for each in cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        return any(_has_long_integer(each) for each in cast("list[Any]", value))
    return isinstance(value, int) and not -(2**63) <= value < 2**64
