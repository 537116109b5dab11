"""An answer of a chat program, which holds calls and their results, as messages of OpenAI's in a row."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import field
from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.lazy_dataclass import dataclass

ASSISTANT: Final = "assistant"
TEXTS_OF_FILES: Final = ("extracted_content", "text", "content")
NAMES_OF_FILES: Final = ("file_name", "filename", "name")


@dataclass(slots=True)
class AnswerInARow:
    """Takes the parts of an answer in their order; `messages` gives its texts, thoughts, calls and results in a row.

    What is said after a call is a message after its result.
    """

    messages: list[Data] = field(default_factory=list[Data])
    _texts: list[str] = field(default_factory=list[str])
    _thoughts: list[str] = field(default_factory=list[str])
    _calls: list[Data] = field(default_factory=list[Data])
    _results: dict[str, Data] = field(default_factory=dict[str, Data])

    def add_text(self, text: str) -> None:
        if text:
            self._begin()
            self._texts.append(text)

    def add_thought(self, text: str) -> None:
        if text:
            self._begin()
            self._thoughts.append(text)

    def add_call(self, id: str, name: str, arguments: Any) -> None:
        """A call; where it has no id, the result that comes next is its own."""
        if self._results:
            self._begin()
        function = {"name": name, "arguments": arguments if isinstance(arguments, str) else _json(arguments)}
        self._calls.append({"id": id, "type": "function", "function": function})

    def add_result(self, id: str, name: str, content: Any, **more: Any) -> None:
        """The result of a call: a text, parts in OpenAI's form, or another value, of which it is the JSON."""
        given = content if isinstance(content, str) or _are_parts(content) else _json(content)
        key = id or f"without id {len(self._results)}"
        self._results[key] = {"role": "tool", "tool_call_id": id, "name": name, "content": given, **more}

    def end(self, **more: Any) -> tuple[Data, ...]:
        """All messages; `more` are fields of the first of the answer's own."""
        if self._texts or self._thoughts or self._calls or self._results or not self.messages:
            self._finish()
        first = next((message for message in self.messages if message["role"] == ASSISTANT), None)
        if first is not None:
            first.update(more)
        return tuple(self.messages)

    def _begin(self) -> None:
        if self._calls or self._results:
            self._finish()

    def _finish(self) -> None:
        more: Data = {"reasoning_content": "\n\n".join(self._thoughts)} if self._thoughts else {}
        more |= {"tool_calls": self._calls} if self._calls else {}
        if self._texts or more or not self._results:
            self.messages.append({"role": ASSISTANT, "content": "\n".join(self._texts), **more})
        self.messages += self._results.values()
        self._texts, self._thoughts, self._calls, self._results = [], [], [], {}


def document_in(file: Data) -> Data | None:
    """The part with a file whose text lies in the export; None for a file that is only named.

    The text is under one of `TEXTS_OF_FILES`, in the file's own fields, or in `data` or `file` of it.
    """
    text = next((text for text in _texts_of(file) if text.strip()), None)
    if text is None:
        return None
    names = [holder[key] for holder in _holders(file) for key in NAMES_OF_FILES if isinstance(holder.get(key), str)]
    data = b64encode(text.encode(errors="replace")).decode()
    body: Data = {"filename": names[0]} if names and names[0] else {}
    return {"type": "file", "file": {**body, "file_data": f"data:text/plain;base64,{data}"}}


def about_document(file: Data) -> Data:
    """The fields of such a file beside the text that `document_in` takes."""
    taken = next((text for text in _texts_of(file) if text.strip()), None)
    rest: Data = {}
    for key, value in file.items():
        if key in ("data", "file") and isinstance(value, dict):
            value = about_document(fields_of(value))
        if value not in (None, "", [], {}) and not (key in TEXTS_OF_FILES and value == taken):
            rest[key] = value
    return rest


def _holders(file: Data) -> tuple[Data, ...]:
    inner = fields_of(file.get("file"))
    return file, fields_of(file.get("data")), inner, fields_of(inner.get("data"))


def _texts_of(file: Data) -> list[str]:
    return [holder[key] for holder in _holders(file) for key in TEXTS_OF_FILES if isinstance(holder.get(key), str)]


def _are_parts(content: Any) -> bool:
    return isinstance(content, list) and bool(content) and all("type" in fields_of(part) for part in content)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
