"""Replies of Google's Gemini API, from the pieces of their streams, each of which is a reply of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.sending.deltas import CallDelta, Data, Delta, ServerEvent, TextDelta, ThoughtDelta
from ctxlab.providers.sending.json_values import index_in, list_in, object_in, text_in
from ctxlab.providers.sending.stream_errors import failed_stream

OF_TEXT = frozenset({"text", "thought", "thoughtSignature"})
GROWING = ("citationMetadata", "logprobsResult")
"""Fields of a candidate whose lists go on from piece to piece."""


class Assembler:
    """Puts pieces together to a `GenerateContentResponse`."""

    def __init__(self) -> None:
        self._fields: Data = {}
        self._candidates: dict[int, Data] = {}
        self._parts: dict[int, list[_Part]] = {}
        self._calls = 0

    def add(self, event: ServerEvent) -> tuple[Delta, ...]:
        """Take one piece; gives what the first candidate got. Raises SendFailed for an error of the server."""
        if event.data.get("error"):
            raise failed_stream(event.data["error"])
        for name, value in event.data.items():
            if name == "usageMetadata":
                self._fields[name] = {**object_in(self._fields.get(name)), **object_in(value)}
            elif name != "candidates" and value is not None:
                self._fields[name] = value
        found: list[Delta] = []
        for stored in list_in(event.data.get("candidates")):
            candidate = object_in(stored)
            deltas = self._candidate(index_in(candidate.get("index")), candidate)
            found += deltas if index_in(candidate.get("index")) == 0 else []
        return tuple(found)

    def _candidate(self, index: int, stored: Data) -> list[Delta]:
        candidate = self._candidates.setdefault(index, {})
        parts = self._parts.setdefault(index, [])
        for name, value in stored.items():
            if name in GROWING:
                candidate[name] = _longer(object_in(candidate.get(name)), object_in(value))
            elif name not in ("content", "index") and value is not None:
                candidate[name] = value
        found: list[Delta] = []
        for part in list_in(object_in(stored.get("content")).get("parts")):
            fields = object_in(part)
            _put(parts, fields)
            found += self._deltas(fields)
        return found

    def _deltas(self, part: Data) -> Iterator[Delta]:
        for delta in _read(part, self._calls):
            self._calls += isinstance(delta, CallDelta)
            yield delta

    @property
    def complete(self) -> bool:
        """Whether every candidate has the reason of its end, or the prompt was refused."""
        if not self._candidates:
            return bool(object_in(self._fields.get("promptFeedback")).get("blockReason"))
        return all(candidate.get("finishReason") for candidate in self._candidates.values())

    def reply(self) -> Data:
        """The response of what came so far. A refused prompt has no candidate, as in one piece."""
        if not self._candidates and self.complete:
            return dict(self._fields)
        found = [
            {
                "content": {"role": "model", "parts": self._whole_parts(index)},
                **self._candidates.get(index, {}),
                "index": index,
            }
            for index in sorted(self._candidates) or [0]
        ]
        return {"candidates": found, **self._fields}

    def _whole_parts(self, index: int) -> list[Data]:
        """The parts without calls whose arguments go on: they must not run."""
        parts = [part.data() for part in self._parts.get(index, [])]
        return [part for part in parts if not object_in(part.get("functionCall")).get("willContinue")]


@dataclass(slots=True)
class _Part:
    """A part on its way, its words in the pieces that came."""

    fields: Data
    words: list[str] | None

    def data(self) -> Data:
        return self.fields if self.words is None else {**self.fields, "text": "".join(self.words)}

    def goes_on(self, part: Data) -> bool:
        """Whether words go on with these: those without a signature, and of thoughts with thoughts."""
        same = self.fields.get("thought") == part.get("thought")
        return self.words is not None and bool(part["text"]) and same and "thoughtSignature" not in self.fields


def _put(parts: list[_Part], part: Data) -> None:
    """Add a part; words that go on with the words before become one part, which a signature ends."""
    is_text = isinstance(part.get("text"), str) and part.keys() <= OF_TEXT
    if is_text and parts and parts[-1].words is not None and parts[-1].goes_on(part):
        parts[-1].words.append(part["text"])
        parts[-1].fields |= part
    else:
        parts.append(_Part(dict(part), [part["text"]] if is_text else None))


def _longer(before: Data, after: Data) -> Data:
    longer: dict[str, Any] = {
        name: [*list_in(before.get(name)), *list_in(value)] if isinstance(value, list) else value
        for name, value in after.items()
    }
    return {**before, **longer}


def _read(part: Data, calls: int) -> Iterator[Delta]:
    import json

    text, call = text_in(part.get("text")), part.get("functionCall")
    if text:
        yield ThoughtDelta(text) if part.get("thought") is True else TextDelta(text)
    if isinstance(call, dict):
        fields = object_in(call)
        arguments = json.dumps(fields.get("args") or {}, ensure_ascii=False)
        yield CallDelta(calls, text_in(fields.get("id")), text_in(fields.get("name")), arguments)


def deltas_of(reply: Data) -> Iterator[Delta]:
    """The readable parts of the first candidate of a reply in one piece."""
    yield from Assembler().add(ServerEvent({"candidates": list_in(reply.get("candidates"))[:1]}))


# --- what can't be read

SHAPES: Final[Mapping[str, tuple[type, ...]]] = {
    "candidates": (list,),
    "candidates.*": (dict,),
    "candidates.*.content": (dict,),
    "candidates.*.content.parts": (list,),
    "candidates.*.content.parts.*": (dict,),
    "candidates.*.content.parts.*.text": (str,),
    "candidates.*.content.parts.*.functionCall": (dict,),
    "candidates.*.finishReason": (str,),
    "usageMetadata": (dict,),
}


def unknown(data: Data) -> Iterator[str]:
    """Nothing: its parts have no kinds."""
    yield from ()
