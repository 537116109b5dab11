"""Replies of Chat Completions, from the chunks of their streams: OpenAI's, DeepSeek's and compatible servers'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final, cast

from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.sending.deltas import CallDelta, Data, Delta, ServerEvent, TextDelta, ThoughtDelta
from ctxlab.providers.sending.json_values import index_in, list_in, object_in, text_in, values_at
from ctxlab.providers.sending.stream_errors import failed_stream

GROWING = ("content", "reasoning_content", "reasoning", "refusal")
"""Texts of a message that come piece by piece."""


@dataclass(slots=True)
class _Call:
    """A call on its way; `fields` are those that came once."""

    fields: Data
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])

    def data(self) -> Data:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {**self.fields, "type": self.fields.get("type", "function"), "function": function}


@dataclass(slots=True)
class _Choice:
    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    calls: list[_Call] = field(default_factory=list[_Call])
    by_index: dict[int, int] = field(default_factory=dict[int, int])
    message: Data = field(default_factory=dict[str, Any])
    fields: Data = field(default_factory=dict[str, Any])
    logprobs: Data | None = None

    @property
    def finished(self) -> bool:
        return bool(self.fields.get("finish_reason"))

    def data(self, index: int, *, whole: bool) -> Data:
        message: Data = {"role": "assistant", "content": None, **self.message}
        message |= {name: "".join(pieces) for name, pieces in self.texts.items()}
        if not message["content"] and self.calls:
            message["content"] = None  # what a reply in one piece has beside calls
        # The last call may go on until the vendor gives the reason of the end; one that isn't whole must not run.
        calls = self.calls if whole or self.finished else self.calls[:-1]
        if calls:
            message["tool_calls"] = [call.data() for call in calls]
        logprobs = {"logprobs": self.logprobs} if self.logprobs is not None else {}
        return {"index": index, "message": message, "finish_reason": None, **logprobs, **self.fields}


class Assembler:
    """Puts chunks together to a `chat.completion`."""

    def __init__(self) -> None:
        self._fields: Data = {}
        self._choices: dict[int, _Choice] = {}

    def add(self, event: ServerEvent) -> tuple[Delta, ...]:
        """Take one chunk; gives what the first choice got. Raises SendFailed for an error of the server."""
        data = event.data
        if data.get("error") and not list_in(data.get("choices")):
            raise failed_stream(data["error"])
        known = {name: value for name, value in data.items() if name not in ("choices", "object", "error")}
        self._fields |= {name: value for name, value in known.items() if value is not None}
        found: list[Delta] = []
        for stored in list_in(data.get("choices")):
            choice = object_in(stored)
            deltas = self._choice(choice)
            found += deltas if index_in(choice.get("index")) == 0 else []
        if data.get("error"):
            raise failed_stream(data["error"])
        return tuple(found)

    def _choice(self, stored: Data) -> list[Delta]:
        choice = self._choices.setdefault(index_in(stored.get("index")), _Choice())
        found = list(_grow(choice, object_in(stored.get("delta"))))
        for name, value in stored.items():
            if name == "logprobs" and value is not None:
                choice.logprobs = _joined(choice.logprobs or {}, object_in(value))
            elif name not in ("index", "delta", "logprobs") and value is not None:
                choice.fields[name] = value
        return found

    @property
    def complete(self) -> bool:
        """Whether every choice has the reason of its end."""
        return bool(self._choices) and all(choice.finished for choice in self._choices.values())

    def reply(self) -> Data:
        """The `chat.completion` of what came so far; a call that may go on is left out."""
        choices = self._choices or {0: _Choice()}
        return {
            **self._fields,
            "object": "chat.completion",
            "choices": [choices[index].data(index, whole=self.complete) for index in sorted(choices)],
        }


def _grow(choice: _Choice, delta: Data) -> Iterator[Delta]:
    for name, value in delta.items():
        if name == "tool_calls":
            for stored in list_in(value):
                yield from _grow_call(choice, object_in(stored))
        elif name in GROWING:
            yield from _grow_text(choice, name, value)
        elif name == "audio":
            choice.message["audio"] = _joined(object_in(choice.message.get("audio")), object_in(value))
        elif isinstance(value, list):
            choice.message[name] = [*list_in(choice.message.get(name)), *list_in(value)]
        elif value is not None:
            choice.message[name] = value


def _grow_text(choice: _Choice, name: str, value: Any) -> Iterator[Delta]:
    # Some servers send parts where OpenAI sends a text.
    text = value if isinstance(value, str) else "".join(text_in(object_in(part).get("text")) for part in list_in(value))
    if value is None:
        return
    choice.texts.setdefault(name, []).append(text)
    if text:
        yield ThoughtDelta(text) if name.startswith("reasoning") else TextDelta(text)


def _grow_call(choice: _Choice, stored: Data) -> Iterator[Delta]:
    at = _place(choice, stored)
    call, function = choice.calls[at], object_in(stored.get("function"))
    own = {name: value for name, value in stored.items() if name not in ("index", "function") and value}
    call.fields |= {name: value for name, value in own.items() if name not in call.fields}
    name, arguments = function.get("name"), function.get("arguments")
    # Some servers send the arguments as an object, in one piece.
    arguments = arguments if isinstance(arguments, str) else _written(arguments)
    is_new_name = bool(name) and not call.name
    if is_new_name:
        call.name = text_in(name)
    call.arguments.append(arguments)
    id = text_in(own.get("id"))
    if id or is_new_name or arguments:
        yield CallDelta(at, id, call.name if is_new_name else "", arguments)


def _written(arguments: Any) -> str:
    import json

    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _place(choice: _Choice, stored: Data) -> int:
    """Which call a piece belongs to: by its index, and by its id where a server numbers all calls 0 or none at all."""
    index, id = stored.get("index"), text_in(stored.get("id"))
    last = len(choice.calls) - 1
    known = choice.by_index.get(index) if isinstance(index, int) else (last if last >= 0 else None)
    if known is not None and (not id or choice.calls[known].fields.get("id") in (None, id)):
        return known
    choice.calls.append(_Call({}))
    if isinstance(index, int):
        choice.by_index[index] = last + 1
    return last + 1


def _joined(before: Data, after: Data) -> Data:
    """Two objects as one: texts that grow are joined, lists go on, anything else is the later one's."""
    found = dict(before)
    for name, value in after.items():
        if isinstance(value, list):
            found[name] = [*list_in(found.get(name)), *list_in(value)]
        elif isinstance(value, str) and name in ("data", "transcript"):
            found[name] = text_in(found.get(name)) + value
        elif value is not None:
            found[name] = value
    return found


def deltas_of(reply: Data) -> Iterator[Delta]:
    """The readable parts of the first choice of a reply in one piece."""
    choices = list_in(reply.get("choices"))
    message = object_in(object_in(choices[0]).get("message")) if choices else {}
    choice = _Choice()
    order = sorted(message, key=lambda name: not name.startswith("reasoning"))  # thoughts come before words
    yield from _grow(choice, {name: message[name] for name in order})


# --- what can't be read

SHAPES: Final[Mapping[str, tuple[type, ...]]] = {
    "choices": (list,),
    "choices.*": (dict,),
    "choices.*.finish_reason": (str,),
    "usage": (dict,),
    **{
        f"choices.*.{message}{name}": kinds
        for message in ("delta", "message")
        for name, kinds in (
            ("", (dict,)),
            (".content", (str, list)),
            (".reasoning_content", (str,)),
            (".refusal", (str,)),
            (".tool_calls", (list,)),
            (".tool_calls.*", (dict,)),
            (".tool_calls.*.function", (dict,)),
            (".tool_calls.*.function.name", (str,)),
        )
    },
}


def unknown(data: Data) -> Iterator[str]:
    """A sentence for each part of a content that has no text."""
    for message in ("delta", "message"):
        for place, part in values_at(data, f"choices.*.{message}.content.*"):
            if not (isinstance(part, dict) and isinstance(cast("Data", part).get("text"), str)):
                yield f"{place} has no text: left out"
