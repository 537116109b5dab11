"""Problems of the messages of a chat completion: roles, contents, names, and calls with their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.display.short_texts import counted, short
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_checks import Findings, is_object, shown, unknown_field
from ctxlab.providers.call_forms import is_json_object
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.check_parts import check_parts
from ctxlab.providers.openai_chat.profiles import ChatProfile
from ctxlab.providers.openai_chat.speaker_names import MAX_NAME, NAME
from ctxlab.providers.place import JsonPath

Json = Mapping[str, Any]

FIELDS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"role", "content", "name"}),
    "developer": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": frozenset({"role", "content", "name", "tool_calls", "refusal", "audio", "function_call"}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
    "function": frozenset({"role", "content", "name"}),
}
INSTEAD_OF_CONTENT = ("tool_calls", "function_call", "audio", "refusal")
MAX_CALLS = 128
TOOL_NAME = lazy_pattern(r"[a-zA-Z0-9_-]{1,64}")


class MessagesCheck:
    """A walk over the messages that remembers which calls wait for their results."""

    def __init__(self, model: ModelInfo, profile: ChatProfile, findings: Findings) -> None:
        self._model = model
        self._profile = profile
        self._fields = {role: fields for role, fields in FIELDS.items() if role not in profile.no_roles}
        self._findings = findings
        self._waiting: dict[str, JsonPath] = {}
        self._in_results = False

    def run(self, messages: list[Any]) -> None:
        """Record the problems of all messages, in their order."""
        for i, message in enumerate(messages):
            at: JsonPath = ("messages", i)
            if is_object(message, at, self._findings, "a message"):
                self._message(cast("Json", message), at, last=i == len(messages) - 1)
        self._end_results()

    def _message(self, message: Json, at: JsonPath, *, last: bool) -> None:
        role = message.get("role")
        fields = self._fields.get(role) if isinstance(role, str) else None
        if fields is None:
            self._role(message, at)
            return
        if role == "tool":
            self._result(message, at)
        elif self._waiting or self._in_results:
            self._end_results()
        self._content(message, cast("str", role), at)
        if role == "assistant" and "tool_calls" in message:
            self._calls(message["tool_calls"], (*at, "tool_calls"))
        unknown = message.keys() - fields
        if unknown:
            self._unknown(message, unknown, at, last=last)
        name = message.get("name")
        if "name" in fields and "name" in message and not (name is None and role == "assistant") and role != "function":
            self._name(name, (*at, "name"))

    def _role(self, message: Json, at: JsonPath) -> None:
        roles = ", ".join(self._fields)
        if "role" not in message:
            reason = f"{self._findings.vendor} wants a role in each message"
            self._findings.add((*at, "role"), "role", reason, f"give one of {roles}")
        else:
            reason = f"{shown(message['role'])} is no role of {self._findings.vendor}'s chat"
            self._findings.add((*at, "role"), "role", reason, f"make it one of {roles}")

    def _content(self, message: Json, role: str, at: JsonPath) -> None:
        content = message.get("content")
        if isinstance(content, str):
            return
        path = (*at, "content")
        if isinstance(content, list):
            check_parts(cast("list[Any]", content), role, path, self._model, self._profile, self._findings)
        elif content is not None:
            reason = f"a content is a text or an array of parts, and this is {shown(content)}"
            self._findings.add(path, "content", reason, "make it a text")
        elif role != "assistant" or not any(message.get(name) for name in INSTEAD_OF_CONTENT):
            what = "a message of the assistant without calls" if role == "assistant" else f"a {role} message"
            reason = f"{what} has a content, and there is none here"
            self._findings.add(path, "content", reason, "give it a text, or take the message out")

    def _calls(self, calls: Any, at: JsonPath) -> None:
        if not isinstance(calls, list):
            reason = f"calls are an array, and this is {shown(calls)}"
            self._findings.add(at, "calls", reason, "make it an array, or take it out where there is a content")
            return
        calls = cast("list[Any]", calls)
        if not calls:
            reason = "an array of calls has at least one"
            self._findings.add(at, "calls", reason, "take the field out where there is a content")
        if len(calls) > MAX_CALLS and not self._profile.lenient:
            reason = f"a message has up to {MAX_CALLS} calls, and these are {len(calls)}"
            self._findings.add(at, "calls", reason, f"send {MAX_CALLS} of them at most, with their results")
        self._waiting = {}
        for i, call in enumerate(calls):
            if is_object(call, (*at, i), self._findings, "a call"):
                self._call(cast("Json", call), (*at, i))
        self._in_results = True

    def _call(self, call: Json, at: JsonPath) -> None:
        kind = call.get("type")
        call_id = call.get("id")
        inner = call.get(kind) if kind in ("function", "custom") else None
        if kind not in ("function", "custom"):
            reason = f"a call is of type 'function' or 'custom', and this is {shown(kind)}"
            self._findings.add((*at, "type"), "call-type", reason, "make it 'function'")
        elif not isinstance(inner, dict):
            reason = f"a call has its name and arguments in an object {kind!r}, and there is none"
            self._findings.add((*at, cast("str", kind)), "call-shape", reason, "give it name and arguments")
        elif kind == "function":
            self._function(cast("Json", inner), (*at, "function"))
        if self._profile.call_fields is not None:
            for name in (
                call.keys() - {"id", "type", *([kind] if isinstance(kind, str) else [])} - self._profile.call_fields
            ):
                unknown_field(name, ("id", "type", "function"), at, self._findings, "a call")
        if not isinstance(call_id, str) or not call_id:
            reason = f"a call has an id that its result names, and this is {shown(call_id)}"
            self._findings.add((*at, "id"), "call-id", reason, "give it an id, and its result the same")
            return
        if len(call_id) > self._profile.max_call_id:
            reason = f"ids of calls have up to {self._profile.max_call_id} characters, and this one has {len(call_id)}"
            self._findings.add((*at, "id"), "call-id", reason, "give call and result a shorter one")
        if call_id in self._waiting:
            reason = f"the id {short(call_id)!r} is that of another call of this message"
            self._findings.add(
                (*at, "id"), "call-id-twice", reason, "give it an id of its own, and its result the same"
            )
        self._waiting[call_id] = at

    def _function(self, function: Json, at: JsonPath) -> None:
        name = function.get("name")
        if not isinstance(name, str) or TOOL_NAME.fullmatch(name) is None:
            reason = f"a tool's name is 1 to 64 letters, digits, _ and -, and this is {shown(name)}"
            self._findings.add((*at, "name"), "tool-name", reason, "give it such a name, as in tools")
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            reason = f"arguments are the text of a JSON object, and this is {shown(arguments)}"
            self._findings.add((*at, "arguments"), "arguments", reason, "write them as a text, such as '{}'")
        elif not is_json_object(arguments):
            reason = "arguments are the text of a JSON object, and these can't be read as one"
            self._findings.add((*at, "arguments"), "arguments", reason, "write them as a JSON object, such as '{}'")
        for each in function.keys() - {"name", "arguments"}:
            unknown_field(each, ("name", "arguments"), at, self._findings, "a call")

    def _result(self, message: Json, at: JsonPath) -> None:
        call_id = message.get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            reason = f"a result names the id of its call, and this is {shown(call_id)}"
            self._findings.add((*at, "tool_call_id"), "result-id", reason, "give it the id of a call right before it")
        elif not self._in_results:
            reason = "a result stands right behind the message with its call, and there is none"
            mend = "put it behind its call, or take it out"
            self._findings.add((*at, "tool_call_id"), "result-without-call", reason, mend)
        elif self._waiting.pop(call_id, None) is None:
            reason = f"no call of the message before waits for a result with the id {short(call_id)!r}"
            mend = "give it the id of a call that waits, or take it out"
            self._findings.add((*at, "tool_call_id"), "result-without-call", reason, mend)

    def _end_results(self) -> None:
        for call_id, at in self._waiting.items():
            reason = f"the call {short(call_id)!r} has no result right behind its message"
            mend = "put a tool message with its id behind it, or take the call out"
            self._findings.add(at, "call-without-result", reason, mend)
        self._waiting = {}
        self._in_results = False

    def _name(self, name: object, at: JsonPath) -> None:
        if isinstance(name, str) and (NAME.fullmatch(name) or self._profile.lenient):
            return
        reason = f"a name has 1 to {MAX_NAME} characters, and no white space, <, >, |, / or \\; this is {shown(name)}"
        self._findings.add(at, "name", reason, "give such a name, or leave it out")

    def _unknown(self, message: Json, unknown: set[str], at: JsonPath, *, last: bool) -> None:
        role = message["role"]
        own = self._profile.message_fields
        for name in message:
            if name not in unknown:
                continue
            if name == "prefix" and self._profile.prefix:
                self._prefix(message, at, last=last)
            elif role == "assistant" and (own is None or name in own):
                if name == "reasoning_content" and not isinstance(message[name], str | None):
                    reason = f"reasoning_content is a text, and this is {shown(message[name])}"
                    self._findings.add((*at, name), "field-value", reason, "make it a text, or leave it out")
            else:
                what = f"a {role} message" if role != "assistant" else "a message of the assistant"
                unknown_field(name, FIELDS[role], at, self._findings, what)

    def _prefix(self, message: Json, at: JsonPath, *, last: bool) -> None:
        at = (*at, "prefix")
        if not isinstance(message["prefix"], bool):
            reason = f"prefix is true or false, and this is {shown(message['prefix'])}"
            self._findings.add(at, "prefix", reason, "make it true, or leave it out")
        elif message["prefix"] and not (last and message["role"] == "assistant"):
            reason = "the beginning of a reply is the last message, and the assistant's"
            self._findings.add(at, "prefix", reason, "leave it out here")


def check_messages(messages: Any, model: ModelInfo, profile: ChatProfile, findings: Findings) -> None:
    """Record the problems of `messages`."""
    if not isinstance(messages, list):
        reason = f"messages are an array, and this is {shown(messages)}"
        findings.add(("messages",), "messages", reason, "give an array with at least one message")
        return
    messages = cast("list[Any]", messages)
    if not messages:
        reason = f"{findings.vendor} wants at least one message"
        findings.add(("messages",), "messages", reason, "give a message of the user")
    MessagesCheck(model, profile, findings).run(messages)


def check_thoughts(messages: list[Any], findings: Findings) -> None:
    """Record calls without the thoughts that led to them, for a vendor that wants these back while it thinks."""
    from ctxlab.providers.problem import Fix

    fix = Fix("don't think", parameters={"thinkingEnabled": False})
    for i, message in enumerate(messages):
        if isinstance(message, dict) and message.get("tool_calls") and message.get("reasoning_content") is None:  # pyright: ignore[reportUnknownMemberType]
            reason = f"while it thinks, {findings.vendor} wants the thoughts back that led to a call"
            mend = "put them into reasoning_content, or switch thinking off"
            path = ("messages", i, "reasoning_content")
            findings.add(path, "thoughts-of-calls", reason, mend, fixes=(fix,))


def any_text_holds(messages: list[Any], word: str) -> bool:
    """Whether a word is in a text of the messages, in any case."""
    for message in messages:
        content = cast("Any", message).get("content") if isinstance(message, dict) else None
        parts: list[Any] = cast("list[Any]", content) if isinstance(content, list) else [{"text": content}]
        for part in parts:
            found = cast("Json", part).get("text") if isinstance(part, dict) else None
            if isinstance(found, str) and word in found.casefold():
                return True
    return False


def too_many_messages(messages: list[Any], most: int, findings: Findings) -> None:
    """Record more messages than the vendor takes."""
    if len(messages) > most:
        reason = f"{findings.vendor} takes up to {counted(most, 'message')}, and these are {len(messages):,}"
        findings.add(
            ("messages",), "message-count", reason, f"send {most:,} at most; a cut or a merge makes them fewer"
        )


def too_many_pictures(field: str, entries: list[Any], kind: str, most: int, findings: Findings) -> None:
    """Record more pictures than the vendor takes, in the contents of messages and the outputs of tools."""
    found = 0
    for entry in entries:
        for name in ("content", "output") if isinstance(entry, dict) else ():
            content = cast("Json", entry).get(name)
            parts = cast("list[Any]", content) if isinstance(content, list) else []
            found += sum(isinstance(part, dict) and cast("Json", part).get("type") == kind for part in parts)
    if found > most:
        reason = f"{findings.vendor} takes up to {most:,} pictures, and these are {found:,}"
        findings.add((field,), "picture-count", reason, f"send {most:,} of them at most")
