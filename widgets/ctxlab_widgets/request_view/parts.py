"""The messages behind the values of a body: whose characters they are, and which steps touched them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.context import Draft, Text
from ctxlab.display.one_line import plain
from ctxlab.display.source_styles import OF_KIND, OVERHEAD
from ctxlab.pipeline import Trace
from ctxlab.prompt import BuiltMessage, JoinedMessage
from ctxlab.prompt.merged_parts import pieces
from ctxlab.providers import Place
from ctxlab.studies.sent_prompt import SentPrompt

MOST_TOOLS = 3

Stretch = tuple[str, int]
"""Characters and the number of the part that they are of; -1 for those of no part, such as a separator."""


class BodyParts:
    """Numbers the parts of all messages, and splits the texts of places into them."""

    def __init__(self, prompt: SentPrompt, trace: Trace) -> None:
        self.rows: list[dict[str, Any]] = []
        self._steps = steps_of_parts(trace)
        self._messages: dict[str, tuple[BuiltMessage, int]] = {}
        self._others: dict[str, int] = {}
        self._read_to: dict[str, int] = {}
        for message in prompt.messages:
            self._messages[message.draft.key] = (message, len(self.rows))
            self.rows.extend([self._row(part, message, prompt) for part in message.joined])

    def _row(self, part: JoinedMessage, message: BuiltMessage, prompt: SentPrompt) -> dict[str, Any]:
        return {
            "key": part.key,
            "source": part.look,
            "name": prompt.names[part.key],
            "how": prompt.hows[part.key],
            "tokens": part.tokens,
            "steps": self._steps.get(part.key, []),
            "joined": len(message.joined),
        }

    def draft(self, place: Place) -> Draft | None:
        found = self._messages.get(place.key)
        return found[0].draft if found else None

    def stretches(self, place: Place, text: Text) -> list[Stretch]:
        """The characters of a value, each stretch with its part."""
        words = str(text)
        if place.key not in self._messages:
            return [(words, self._other(place))]
        message, first = self._messages[place.key]
        if len(message.joined) == 1:
            return [(words, first)]
        start = str(message.draft.text).find(words, self._read_to.get(place.key, 0))
        if start < 0:
            return self._by_origin(text, message, first)
        self._read_to[place.key] = start + len(words)
        return _overlaps(words, start, message, first)

    def part(self, place: Place, value: object) -> int:
        """The part that a value without words is of: the one with this call or file, else the message's first."""
        if place.key not in self._messages:
            return self._other(place)
        message, first = self._messages[place.key]
        ids = _ids(value)
        for number, part in enumerate(message.joined):
            calls = part.alone.calls if part.alone is not None else ()
            if any(call.id in ids for call in calls):
                return first + number
        return first

    def _by_origin(self, text: Text, message: BuiltMessage, first: int) -> list[Stretch]:
        """Of words that don't stand in the message like this: by who wrote them."""
        numbers = {part.alone.origin: first + n for n, part in enumerate(message.joined) if part.alone is not None}
        found: list[Stretch] = []
        for span in text.spans:
            known = next((numbers[origin] for origin in span.origins() if origin in numbers), -1)
            found.append((span.text, known))
        return found

    def tools(self, names: list[str]) -> int:
        """The row of the definitions of tools, which are no message's."""
        named = [*names[:MOST_TOOLS], *([f"{len(names) - MOST_TOOLS:,} more"] if len(names) > MOST_TOOLS else [])]
        row = {"key": "", "source": "tools", "name": ", ".join(named) or "tools", "how": "", "tokens": 0}
        self.rows.append({**row, "steps": [], "joined": 1})
        return len(self.rows) - 1

    def _other(self, place: Place) -> int:
        """The row of a key that is no message of the run."""
        if place.key not in self._others:
            self._others[place.key] = len(self.rows)
            kind = place.origin.kind if place.origin else ""
            row = {"key": place.key, "source": OF_KIND.get(kind, OVERHEAD), "name": plain(place.key, 48)}
            self.rows.append({**row, "how": "", "tokens": 0, "steps": [], "joined": 1})
        return self._others[place.key]


def _overlaps(words: str, start: int, message: BuiltMessage, first: int) -> list[Stretch]:
    found: list[Stretch] = []
    at, end = start, start + len(words)
    for number, part in enumerate(message.joined):
        low, high = max(part.start, at), min(part.end, end)
        if low >= high:
            continue
        if low > at:
            found.append((words[at - start : low - start], -1))
        found.append((words[low - start : high - start], first + number))
        at = high
    return [*found, (words[at - start :], -1)] if at < end else found


def _ids(value: object) -> set[str]:
    if not isinstance(value, Mapping):
        return set()
    members = cast("Mapping[str, object]", value)
    return {each for name in ("id", "call_id", "tool_use_id") if isinstance(each := members.get(name), str)}


def steps_of_parts(trace: Trace) -> dict[str, list[int]]:
    """By key, the numbers of the steps at which a message came, was rewritten or was joined with others."""
    found: dict[str, list[int]] = {}
    for number, step in enumerate(trace.steps):
        before, after = step.before.drafts, step.after.drafts
        if before is after:
            continue
        known = {part.key: draft for draft in before for part in draft.parts}
        same = set(map(id, before))
        for draft in after:
            if id(draft) not in same:
                for key in _touched(draft, known):
                    found.setdefault(key, []).append(number)
    return found


def _touched(draft: Draft, known: Mapping[str, Draft]) -> list[str]:
    olds = [known.get(part.key) for part in draft.parts]
    if len(olds) == 1 or any(old is None or len(old.parts) != len(olds) for old in olds):
        return [part.key for part in draft.parts]
    old = olds[0]
    if old is None or old.text is draft.text:
        return []
    was = {piece.part.key: str(piece.text) for piece in pieces(old)}
    return [piece.part.key for piece in pieces(draft) if was.get(piece.part.key) != str(piece.text)]
