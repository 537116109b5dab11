"""Keys that an answer repeats, masked in its pieces and in the whole, however the answer was cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ctxlab.providers.sending.deltas import CallDelta, Delta, TextDelta, ThoughtDelta
from ctxlab.providers.sending.keys import Key
from ctxlab.secrets import KnownSecrets

OF_CLIENTS: Final = ("authorization", "x-api-key", "x-goog-api-key", "api-key")


class KeyMask(KnownSecrets):
    """Puts `***` in the place of keys in what a server sends. `found` is whether it sent one.

    A key that is a word, letters alone and fewer than 16, is looked for in no answer: it would blot out that word.
    """

    @classmethod
    def of(cls, key: Key | None, client: Any = None) -> KeyMask:
        """The mask of a key, and of those that a client of one's own has."""
        return cls((*((key.reveal(),) if key is not None else ()), *_keys_of(client)))

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
