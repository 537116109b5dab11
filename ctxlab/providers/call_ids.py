"""Ids, names and arguments of tool calls in the form that a vendor takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

import orjson

from ctxlab.display.short_texts import short
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.provider import Prompt

_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]+")


@dataclass(slots=True, eq=False)
class CallForms:
    """Calls of one request as they are sent; what had to be changed is a loss, once for each name or id.

    The vendor takes ids of up to `max_id` characters and names of up to `max_name`.
    """

    out: BodyWriter
    max_id: int
    max_name: int
    _ids: dict[str, str] = field(default_factory=dict[str, str])
    _names: dict[str, str] = field(default_factory=dict[str, str])
    _taken: set[str] = field(default_factory=set[str])

    def reserve(self, names: set[str]) -> None:
        """Keep names that can go as they are for those tools that have them."""
        self._taken |= {name for name in names if self._fits(name)}

    def _fits(self, name: str) -> bool:
        return 0 < len(name) <= self.max_name and _NOT_IN_A_NAME.search(name) is None

    def id(self, call_id: str, key: str) -> str:
        """The id that is sent: a long one as its beginning and a digest, alike for call and result."""
        if len(call_id) <= self.max_id:
            return call_id
        sent = self._ids.get(call_id)
        if sent is None:
            digest = sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            sent = self._ids[call_id] = f"{call_id[: self.max_id - 13]}_{digest}"
            reason = f"ids of calls have up to {self.max_id} characters here; it goes as {short(sent)!r}"
            self.out.lose("field", f"id {short(call_id)!r}", reason, key=key)
        return sent

    def name(self, name: str, key: str | None = None) -> str:
        """The name of a tool that is sent: of letters, digits, _ and - alone."""
        if self._fits(name):
            return name
        sent = self._names.get(name)
        if sent is None:
            sent = self._names[name] = self._free(_NOT_IN_A_NAME.sub("_", name).strip("_") or "tool")
            reason = f"names of tools are up to {self.max_name} letters, digits, _ and -; it goes as {short(sent)!r}"
            self.out.lose("name", f"tool {short(name)!r}", reason, key=key)
        return sent

    def _free(self, name: str) -> str:
        most = self.max_name
        number, free = 2, name[:most]
        while free in self._taken:
            end = f"_{number}"
            free, number = name[: most - len(end)] + end, number + 1
        self._taken.add(free)
        return free

    def arguments(self, arguments: str, key: str) -> str:
        """The arguments as the text of a JSON object: none as `{}`, other words under the name `arguments`."""
        if not arguments.strip():
            return "{}"
        if is_json_object(arguments):
            return arguments
        reason = "they are no JSON object; they go as the text of a field `arguments`"
        self.out.lose("field", f"arguments {short(arguments, 30)!r}", reason, key=key)
        text = arguments.encode("utf-8", "replace").decode()
        return orjson.dumps({"arguments": text}).decode()


def tool_names(prompt: Prompt) -> set[str]:
    """The names of the tools of a prompt, and of those that were called in it."""
    found = {call.name for draft in prompt.drafts if draft.calls for call in draft.calls}
    for tool in prompt.tools:
        found |= {holder["name"] for holder in _named(tool) if isinstance(holder.get("name"), str)}
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
