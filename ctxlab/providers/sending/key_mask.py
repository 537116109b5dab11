"""Keys that an answer repeats, masked in its pieces and in the whole, however the answer was cut."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from ctxlab.providers.masked import HIDDEN
from ctxlab.providers.sending.deltas import CallDelta, Delta, TextDelta, ThoughtDelta
from ctxlab.providers.sending.keys import SHORTEST_MASKED, Key

LONGEST_SHOWN: Final = 12
"""Characters of a key at the end of a text from which on they are masked too, though the rest of it never came."""
_WORD: Final = re.compile(r"[A-Za-z]{1,15}")
NO_SECRETS: Final = frozenset({"lm-studio", "not-needed", "no-key", "no-key-required", "sk-no-key-required"})
"""Words that servers of one's own are given in the place of a key."""
OF_CLIENTS: Final = ("authorization", "x-api-key", "x-goog-api-key", "api-key")


class KeyMask:
    """Puts `***` in the place of keys in what a server sends. `found` is whether it sent one.

    A key that is a word, letters alone and fewer than 16, is looked for in no answer: it would blot out that word.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        kept = {key for key in keys if len(key) >= SHORTEST_MASKED and not _is_word(key)}
        written = {json.dumps(key)[1:-1] for key in kept}
        self._forms = tuple(sorted(kept | written, key=len, reverse=True))
        self.found = False

    @classmethod
    def of(cls, key: Key | None, client: Any = None) -> KeyMask:
        """The mask of a key, and of those that a client of one's own has."""
        return cls((*((key.reveal(),) if key is not None else ()), *_keys_of(client)))

    def __repr__(self) -> str:
        return f"KeyMask({HIDDEN if self._forms else ''})"

    def data(self, value: Any, *, whole: bool = True) -> Any:
        """JSON data with all its texts and names masked; `whole`: nothing is added to its texts."""
        return self._data(value, self.whole if whole else self.text) if self._forms else value

    def text(self, text: str) -> str:
        """A text to which more may be added."""
        for form in self._forms:
            if form in text:
                self.found = True
                text = text.replace(form, HIDDEN)
        return text

    def whole(self, text: str) -> str:
        """A text that has ended: a good part of a key at its end is masked as well."""
        text = self.text(text)
        tail = self._tail(text)
        if tail < LONGEST_SHOWN:
            return text
        self.found = True
        return text[:-tail] + HIDDEN

    def pieces(self, deltas: Iterable[Delta]) -> Iterator[Delta]:
        """The pieces of a reply; the end of one that may begin a key is held back until more has come."""
        if not self._forms:
            yield from deltas
            return
        held: dict[tuple[type, int], str] = {}
        try:
            for delta in deltas:
                yield from self._piece(delta, held)
        except Exception:  # what came before a stream broke off is kept
            yield from self._rest(held)
            raise
        yield from self._rest(held)

    def _rest(self, held: Mapping[tuple[type, int], str]) -> Iterator[Delta]:
        return (_delta(*place, self.whole(text)) for place, text in held.items() if text)

    def _piece(self, delta: Delta, held: dict[tuple[type, int], str]) -> Iterator[Delta]:
        place = (type(delta), delta.index if isinstance(delta, CallDelta) else 0)
        added = delta.arguments if isinstance(delta, CallDelta) else delta.text
        text = self.text(held.get(place, "") + added)
        tail = self._tail(text)
        given, held[place] = text[: len(text) - tail], text[len(text) - tail :]
        if isinstance(delta, CallDelta):
            found = replace(delta, id=self.text(delta.id), name=self.text(delta.name), arguments=given)
            if found.id or found.name or found.arguments or not added:
                yield found
        elif given:
            yield replace(delta, text=given)

    def _tail(self, text: str) -> int:
        """Characters at the end of a text with which a key may begin."""
        return max((_overlap(text, form) for form in self._forms), default=0)

    def _data(self, value: Any, masked: Callable[[str], str]) -> Any:
        if isinstance(value, str):
            return masked(value)
        if isinstance(value, dict):
            fields = cast("dict[Any, Any]", value)
            return {self._data(name, masked): self._data(item, masked) for name, item in fields.items()}
        if isinstance(value, list | tuple):
            items = [self._data(item, masked) for item in cast("list[Any]", value)]
            return items if isinstance(value, list) else tuple(items)
        return value


def _is_word(key: str) -> bool:
    return _WORD.fullmatch(key) is not None or key in NO_SECRETS


def _overlap(text: str, form: str) -> int:
    """Characters of the longest end of a text that is a beginning of a form, and not all of it."""
    most = min(len(text), len(form) - 1)
    return next((size for size in range(most, 0, -1) if form.startswith(text[-size:])), 0)


def _delta(kind: type, index: int, text: str) -> Delta:
    if kind is CallDelta:
        return CallDelta(index, arguments=text)
    return TextDelta(text) if kind is TextDelta else ThoughtDelta(text)


def _keys_of(client: Any) -> Iterator[str]:
    """The keys that a client of one's own sends."""
    own = getattr(client, "api_key", None)
    if isinstance(own, str):
        yield own
    headers: Any = getattr(client, "headers", None)
    for name in OF_CLIENTS if hasattr(headers, "get") else ():
        value = headers.get(name)
        if isinstance(value, str):
            yield value.removeprefix("Bearer ").strip()
