"""Messages in the body of a request: the place of each, its role, and the turn that it is in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.alignment import moved_keys
from ctxlab.providers import JsonPath, Payload, Place, path_text
from ctxlab.studies.request_json import value_or_missing

CONVERSATION = ("messages", "input", "contents")
ROLES = {"model": "assistant", "developer": "system", "function": "tool"}


@dataclass(slots=True)
class MessageForm:
    """The form of one message in a body: its first place, in which role, alone or in the turn of another one."""

    place: Place
    role: str
    inside: bool
    joined: bool
    words: str

    @property
    def shape(self) -> tuple[str, bool, bool]:
        return self.role, self.inside, self.joined

    @property
    def turn(self) -> JsonPath:
        """The path of the turn, or of the block of the system prompt, that it is in."""
        path = self.place.path
        return path[:2] if len(path) > 1 and isinstance(path[1], int) else path[:1]

    def __str__(self) -> str:
        role = f", role {self.role}" if self.inside and self.role else ""
        return f"{path_text(self.place.path)}{role}{', in the turn of another' if self.joined else ''}"


Forms = Mapping[str, MessageForm]
"""By key of a message its form."""


def message_forms(payload: Payload) -> dict[str, MessageForm]:
    """By key of a message its form; one pass over the places."""
    found: dict[str, MessageForm] = {}
    first_of_turn: dict[JsonPath, str] = {}
    for place in payload.places:
        words = str(place.text) if place.text is not None else ""
        known = found.get(place.key)
        if known is not None:
            known.words += words
            continue
        inside = place.path[:1] in {(name,) for name in CONVERSATION} and len(place.path) > 1
        turn = place.path[:2] if inside else place.path[:1]
        owner = first_of_turn.setdefault(turn, place.key)
        role = _role(payload.body, place.path) if inside else "system"
        found[place.key] = MessageForm(place, role, inside, inside and owner != place.key, words)
    return found


def _role(body: Mapping[str, Any], path: JsonPath) -> str:
    turn = value_or_missing(body, path[:2])
    if not isinstance(turn, dict):
        return ""
    members = cast("dict[str, object]", turn)
    role = members.get("role")
    if isinstance(role, str):
        return ROLES.get(role, role)
    kind = str(members.get("type", ""))
    return "tool" if kind.endswith("_output") else "assistant" if kind.endswith("_call") else ""


def moved_among(left: Forms, right: Forms) -> Mapping[str, int]:
    """By key how many places a message moved down among those of the same form in both; the fewest that did."""
    alike = {key for key, form in left.items() if key in right and form.shape == right[key].shape}
    first, second = ([key for key in _in_body_order(forms) if key in alike] for forms in (left, right))
    here, there = ({key: at for at, key in enumerate(keys)} for keys in (first, second))
    return {key: there[key] - here[key] for key in moved_keys(first, second)}


def _in_body_order(forms: Mapping[str, MessageForm]) -> list[str]:
    return sorted(forms, key=lambda key: (forms[key].inside, [n for n in forms[key].place.path if isinstance(n, int)]))


def keys_by_turn(forms: Mapping[str, MessageForm]) -> dict[JsonPath, list[str]]:
    """The messages of each turn, by its path, in order."""
    found: dict[JsonPath, list[str]] = {}
    for key, form in forms.items():
        found.setdefault(form.turn, []).append(key)
    return found
