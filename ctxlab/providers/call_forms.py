"""Ids, names and arguments of tool calls in the form that a vendor takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from hashlib import sha256
from typing import Any, cast

import orjson

from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.loss import LossKind
from ctxlab.providers.provider import Prompt

_LONG_NUMBER = lazy_pattern(r"\d{16}|\d[eE][+-]?\d{3}")
_ROOM = 20
"""Levels that a body puts around arguments, at most; JSON is written to 254 levels."""
_DIGEST = 12


@dataclass(frozen=True, slots=True)
class WordForm:
    """The ids or the names that a vendor takes; `rule` says it in words.

    `refused` are the characters that may not stand; `start` are those with which a word begins.
    """

    rule: str
    longest: int
    refused: re.Pattern[str] | None = None
    start: re.Pattern[str] | None = None

    def fits(self, word: str) -> bool:
        """Whether a word can go as it is."""
        begins = self.start is None or self.start.match(word) is not None
        return len(word) <= self.longest and begins and (self.refused is None or not self.refused.search(word))

    def cleaned(self, word: str) -> str:
        """A word without what is refused; "" where nothing is left."""
        made = self.refused.sub("_", word).strip("_") if self.refused else word
        return made if not made or self.start is None or self.start.match(made) else f"_{made}"


_REFUSED = lazy_pattern(r"[^a-zA-Z0-9_-]+")
_PLAIN = lazy_pattern(r"[a-zA-Z0-9_-]")


def long_ids(longest: int) -> WordForm:
    """Ids of any characters up to a length."""
    return WordForm(f"ids of calls have up to {longest} characters here", longest)


def plain_ids(longest: int) -> WordForm:
    """Ids of letters, digits, _ and -."""
    return WordForm(
        f"ids of calls are 1 to {longest} letters of ASCII, digits, _ and - here", longest, _REFUSED, _PLAIN
    )


def plain_names(longest: int) -> WordForm:
    """Names of tools of letters, digits, _ and -."""
    return WordForm(f"names of tools are 1 to {longest} letters of ASCII, digits, _ and -", longest, _REFUSED, _PLAIN)


@dataclass(slots=True, eq=False)
class SentWords:
    """Ids or names of one request as they are sent: a word is the same each time, and no two are alike.

    Those that can go as they are do so; of each other one there is a loss of kind `kind`, once. With `digest` such a
    one ends with a digest of itself, so that it is the same in each request.
    """

    form: WordForm
    kind: LossKind
    what: str
    digest: bool
    out: BodyWriter
    _taken: set[str]
    _sent: dict[str, str] = field(default_factory=dict[str, str])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])

    def sent(self, word: str, key: str | None) -> str:
        """The word that is sent."""
        if self.form.fits(word):
            return word
        found = self._sent.get(word)
        if found is None:
            found = self._sent[word] = self._free(self._base(word))
            self.out.lose(
                self.kind, f"{self.what} {short(word)!r}", f"{self.form.rule}; it goes as {short(found)!r}", key=key
            )
        return found

    def _base(self, word: str) -> str:
        made, most = self.form.cleaned(word), self.form.longest
        if not self.digest:
            return made[:most] or self.what
        digest = sha256(word.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
        return f"{made[: most - _DIGEST - 1]}_{digest}"

    def _free(self, base: str) -> str:
        free, number = base, self._numbers.get(base, 1)
        while free in self._taken:
            number += 1
            end = f"_{number}"
            free = base[: self.form.longest - len(end)] + end
        self._numbers[base] = number
        self._taken.add(free)
        return free


class CallForms:
    """Calls of one request as they are sent; what had to be changed is a loss, once for each name or id."""

    def __init__(self, prompt: Prompt, out: BodyWriter, ids: WordForm, names: WordForm) -> None:
        self._out = out
        fine_ids = {each for each in _call_ids(prompt) if ids.fits(each)}
        fine_names = {each for each in _tool_names(prompt) if names.fits(each)}
        self._ids = SentWords(ids, "field", "id", True, out, fine_ids)
        self._names = SentWords(names, "name", "tool", False, out, fine_names)

    def id(self, call_id: str, key: str) -> str:
        """The id that is sent, alike for a call and its result."""
        return self._ids.sent(call_id, key)

    def name(self, name: str, key: str | None = None) -> str:
        """The name of a tool that is sent."""
        return self._names.sent(name, key)

    def arguments(self, arguments: str, key: str) -> str:
        """The arguments as the text of a JSON object: none as `{}`, other words under the name `arguments`."""
        if not arguments.strip():
            return "{}"
        if is_json_object(arguments):
            return arguments
        self._lose_arguments(arguments, "they are no JSON object; they go as the text of a field `arguments`", key)
        text = arguments.encode("utf-8", "replace").decode()
        return orjson.dumps({"arguments": text}).decode()

    def arguments_object(self, arguments: str, key: str) -> dict[str, Any]:
        """The arguments as an object: none as an empty one, other words under the name `arguments`."""
        if arguments == "{}" or not arguments.strip():
            return {}
        try:
            found: Any = orjson.loads(arguments)
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            found = None
        if not isinstance(found, dict) or not _writable(found):
            reason = "they are no JSON object that can be sent; they go as the text of a field `arguments`"
            self._lose_arguments(arguments, reason, key)
            return {"arguments": arguments}
        if _LONG_NUMBER.search(arguments) and not _exact(arguments, found):
            reason = "a number in them has more digits than JSON readers keep; it is rounded"
            self._lose_arguments(arguments, reason, key)
        return cast("dict[str, Any]", found)

    def _lose_arguments(self, arguments: str, reason: str, key: str) -> None:
        self._out.lose("field", f"arguments {short(arguments, 30)!r}", reason, key=key)


def _call_ids(prompt: Prompt) -> set[str]:
    found = {call.id for draft in prompt.drafts if draft.calls for call in draft.calls}
    return found | {draft.result_of for draft in prompt.drafts if draft.result_of}


def _tool_names(prompt: Prompt) -> set[str]:
    """The names of the tools of a prompt, and of those that were called in it."""
    found = {call.name for draft in prompt.drafts if draft.calls for call in draft.calls}
    for tool in prompt.tools:
        found |= {name for holder in (tool, *_named(tool)) if isinstance(name := holder.get("name"), str)}
    return found


def with_sent_names(tool: Any, forms: CallForms) -> Any:
    """A tool, or the choice of one, with the names that are sent; a copy of its own, changed in place."""
    if isinstance(tool, dict):
        for holder in _named(cast("dict[str, Any]", tool)):
            if isinstance(holder.get("name"), str):
                cast("dict[str, Any]", holder)["name"] = forms.name(holder["name"])
        allowed = cast("dict[str, Any]", tool).get("allowed_tools")
        for each in allowed.get("tools") or () if isinstance(allowed, dict) else ():  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            with_sent_names(each, forms)
    return tool


def _named(tool: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The objects of a tool that hold its name, in the nested form and in the flat one."""
    holders = [tool.get("function"), tool.get("custom"), tool if tool.get("type") in ("function", "custom") else None]
    return [cast("Mapping[str, Any]", holder) for holder in holders if isinstance(holder, Mapping)]


def is_json_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return isinstance(orjson.loads(text), dict)
    except (orjson.JSONDecodeError, RecursionError):
        return False


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
