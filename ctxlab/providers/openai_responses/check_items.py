"""Problems of the items of a response's input: messages, calls with their outputs, and what goes back unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_checks import (
    ANYTHING,
    ARRAY,
    Findings,
    Value,
    check_fields,
    is_object,
    one_of,
    or_null,
    shown,
    text,
)
from ctxlab.providers.call_forms import is_json_object
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_responses.check_parts import check_parts
from ctxlab.providers.place import JsonPath
from ctxlab.providers.signatures import is_signature

Json = Mapping[str, Any]

ROLES = ("user", "system", "developer", "assistant")
MAX_CALL_ID = 64
STATUS = one_of("in_progress", "completed", "incomplete")
NAME = lazy_pattern(r"[a-zA-Z0-9_-]{1,64}")
MESSAGE: Mapping[str, Value] = {
    "type": text(),
    "role": ANYTHING,
    "content": ANYTHING,
    "id": or_null(text()),
    "status": or_null(STATUS),
    "phase": or_null(one_of("commentary", "final_answer")),
}
_CALL: Mapping[str, Value] = {
    "type": text(),
    "call_id": ANYTHING,
    "id": or_null(text()),
    "status": or_null(STATUS),
    "caller": ANYTHING,
    "namespace": or_null(text()),
}
FUNCTION_CALL: Mapping[str, Value] = {**_CALL, "name": ANYTHING, "arguments": ANYTHING}
CUSTOM_CALL: Mapping[str, Value] = {**_CALL, "name": ANYTHING, "input": text()}
OUTPUT: Mapping[str, Value] = {**_CALL, "output": ANYTHING, "name": or_null(text())}
REASONING: Mapping[str, Value] = {
    "type": text(),
    "id": or_null(text()),
    "summary": ARRAY,
    "content": or_null(ARRAY),
    "encrypted_content": or_null(text()),
    "status": or_null(STATUS),
}
OTHERS = frozenset(
    {"file_search_call", "computer_call", "computer_call_output", "web_search_call", "tool_search_call"}
    | {"tool_search_output", "additional_tools", "compaction", "compaction_trigger", "image_generation_call"}
    | {"code_interpreter_call", "local_shell_call", "local_shell_call_output", "shell_call", "shell_call_output"}
    | {"apply_patch_call", "apply_patch_call_output", "mcp_list_tools", "mcp_approval_request", "mcp_call"}
    | {"mcp_approval_response", "item_reference", "program", "program_output", "configuration_update"}
)
"""Items of the vendor's own tools, which go back as they came."""
ID_BEGINS = {"message": "msg", "function_call": "fc", "reasoning": "rs"}


class ItemsCheck:
    """A walk over the items that remembers calls and ids. With `goes_on`, what was before is with the vendor.

    Without `is_stored` the vendor keeps nothing, so that ids of thoughts mean nothing to it.
    """

    def __init__(self, model: ModelInfo, findings: Findings, *, goes_on: bool, is_stored: bool = True) -> None:
        self._is_stored = is_stored
        self._model = model
        self._findings = findings
        self._goes_on = goes_on
        self._waiting: dict[str, JsonPath] = {}
        self._called: set[str] = set()
        self._ids: set[str] = set()
        self._kinds: Mapping[str, Callable[[Json, JsonPath], None]] = {
            "message": self._message,
            "function_call": self._function_call,
            "custom_tool_call": self._custom_call,
            "function_call_output": self._output,
            "custom_tool_call_output": self._output,
            "reasoning": self._reasoning,
        }

    def run(self, items: list[Any]) -> None:
        """Record the problems of all items, in their order."""
        for i, item in enumerate(items):
            at: JsonPath = ("input", i)
            if is_object(item, at, self._findings, "an item"):
                self._item(cast("Json", item), at)
                if cast("Json", item).get("type") == "reasoning" and cast("Json", item).get("id"):
                    self._followed(items[i + 1] if i + 1 < len(items) else None, at)
        for call_id, at in self._waiting.items():
            reason = f"the call {short(call_id)!r} has no output behind it"
            self._findings.add(at, "call-without-result", reason, "put its output behind it, or take the call out")

    def _item(self, item: Json, at: JsonPath) -> None:
        kind = item.get("type", "message")
        check = self._kinds.get(kind) if isinstance(kind, str) else None
        if check is not None:
            check(item, at)
        elif not isinstance(kind, str) or kind not in OTHERS:
            reason = f"{shown(kind)} is no type of an item of {self._findings.vendor}'s input"
            self._findings.add((*at, "type"), "item-type", reason, "make it 'message' with a role, or take it out")
            return
        if "id" in item:
            self._id(item["id"], cast("str", kind), at)

    def _id(self, item_id: object, kind: str, at: JsonPath) -> None:
        begins = ID_BEGINS.get(kind)
        if not isinstance(item_id, str):
            return
        if begins is not None and not item_id.startswith(begins):
            reason = f"ids of items of this type begin with {begins!r}, and this is {shown(item_id)}"
            self._findings.add((*at, "id"), "item-id", reason, "leave it out, or give the one that the vendor gave")
        elif len(item_id) > MAX_CALL_ID and kind in ("message", "function_call"):
            reason = f"ids of items have up to {MAX_CALL_ID} characters, and this one has {len(item_id)}"
            self._findings.add((*at, "id"), "item-id", reason, "leave it out, or give the one that the vendor gave")
        elif item_id in self._ids and kind != "item_reference":
            reason = f"another item has the id {short(item_id)!r} too"
            self._findings.add((*at, "id"), "item-id-twice", reason, "leave the second item out")
        self._ids.add(item_id)

    def _message(self, item: Json, at: JsonPath) -> None:
        check_fields(item, MESSAGE, at, self._findings, required=("role", "content"), what="a message")
        role = item.get("role")
        if "role" in item and role not in ROLES:
            reason = f"{shown(role)} is no role of {self._findings.vendor}'s messages"
            mend = f"make it one of {', '.join(ROLES)}; what a tool gave is a function_call_output"
            self._findings.add((*at, "role"), "role", reason, mend)
            return
        content = item.get("content")
        path = (*at, "content")
        if isinstance(content, list):
            check_parts(cast("list[Any]", content), str(role), path, self._model, self._findings)
        elif "content" in item and not isinstance(content, str):
            reason = f"a content is a text or an array of parts, and this is {shown(content)}"
            self._findings.add(path, "content", reason, "make it a text")

    def _function_call(self, item: Json, at: JsonPath) -> None:
        check_fields(item, FUNCTION_CALL, at, self._findings, what="a call")
        arguments = item.get("arguments")
        if not isinstance(arguments, str) or not is_json_object(arguments):
            reason = "arguments are the text of a JSON object, and these can't be read as one"
            self._findings.add((*at, "arguments"), "arguments", reason, "write them as a JSON object, such as '{}'")
        self._call(item, at)

    def _custom_call(self, item: Json, at: JsonPath) -> None:
        check_fields(item, CUSTOM_CALL, at, self._findings, required=("input",), what="a call")
        self._call(item, at)

    def _call(self, item: Json, at: JsonPath) -> None:
        name = item.get("name")
        if not isinstance(name, str) or NAME.fullmatch(name) is None:
            reason = f"a tool's name is 1 to 64 letters, digits, _ and -, and this is {shown(name)}"
            self._findings.add((*at, "name"), "tool-name", reason, "give it such a name, as in tools")
        call_id = item.get("call_id")
        if not isinstance(call_id, str) or not 0 < len(call_id) <= MAX_CALL_ID:
            reason = f"a call has an id of 1 to {MAX_CALL_ID} characters, and this is {shown(call_id)}"
            self._findings.add((*at, "call_id"), "call-id", reason, "give it an id, and its output the same")
            return
        if call_id in self._called:
            reason = f"the id {short(call_id)!r} is that of another call"
            self._findings.add((*at, "call_id"), "call-id-twice", reason, "give it its own, and its output the same")
        self._called.add(call_id)
        self._waiting[call_id] = at

    def _output(self, item: Json, at: JsonPath) -> None:
        check_fields(item, OUTPUT, at, self._findings, required=("output",), what="an output")
        call_id = item.get("call_id")
        if not isinstance(call_id, str) or not call_id:
            reason = f"an output names the id of its call, and this is {shown(call_id)}"
            self._findings.add((*at, "call_id"), "result-id", reason, "give it the id of a call before it")
        elif self._waiting.pop(call_id, None) is None and not (self._goes_on and call_id not in self._called):
            reason = f"no call before it waits for an output with the id {short(call_id)!r}"
            self._findings.add(
                (*at, "call_id"), "result-without-call", reason, "give it the id of a call that waits, or take it out"
            )
        output = item.get("output")
        if isinstance(output, list):
            check_parts(cast("list[Any]", output), "tool", (*at, "output"), self._model, self._findings)
        elif "output" in item and not isinstance(output, str):
            reason = f"an output is a text or an array of parts, and this is {shown(output)}"
            self._findings.add((*at, "output"), "content", reason, "make it a text")

    def _reasoning(self, item: Json, at: JsonPath) -> None:
        check_fields(item, REASONING, at, self._findings, required=("summary",), what="a reasoning item")
        summary = item.get("summary")
        for i, part in enumerate(cast("list[Any]", summary) if isinstance(summary, list) else []):
            if is_object(part, (*at, "summary", i), self._findings, "a summary"):
                fields = {"type": one_of("summary_text"), "text": text()}
                where = (*at, "summary", i)
                check_fields(part, fields, where, self._findings, required=fields, what="a summary")
        encrypted = item.get("encrypted_content")
        if not item.get("id") and not encrypted:
            reason = "a reasoning item goes back with its id or its encrypted content, and it has neither"
            self._findings.add(at, "reasoning", reason, "take it out")
        elif isinstance(encrypted, str) and not is_signature(encrypted):
            reason = "the encrypted content of a reasoning item is base64, and this can't be read as such"
            self._findings.add((*at, "encrypted_content"), "reasoning", reason, "take the whole item out")
        elif not encrypted and not self._is_stored:
            reason = "store is false, so the vendor keeps no thoughts under an id, and this item has nothing else"
            self._findings.add(at, "reasoning", reason, "take it out, or leave store out")

    def _followed(self, after: Any, at: JsonPath) -> None:
        """Record reasoning that is named by its id without the item that it led to."""
        after = cast("Json", after) if isinstance(after, dict) else {}
        kind = after.get("type", "message")
        is_own = kind != "message" or after.get("role") == "assistant"
        if not after or not is_own or str(kind).endswith("_output"):
            reason = "behind a reasoning item stands the item that it led to, and there is none"
            self._findings.add(at, "reasoning-alone", reason, "take it out, or put the message or call behind it")


def check_input(given: Any, model: ModelInfo, findings: Findings, *, goes_on: bool, is_stored: bool = True) -> None:
    """Record the problems of `input`."""
    if isinstance(given, str):
        return
    if not isinstance(given, list):
        reason = f"the input is a text or an array of items, and this is {shown(given)}"
        findings.add(("input",), "messages", reason, "give a text")
        return
    items = cast("list[Any]", given)
    if not items and not goes_on:
        findings.add(("input",), "messages", f"{findings.vendor} wants at least one item", "give a message of the user")
    goes_on = goes_on or any(isinstance(item, dict) and item.get("type") == "item_reference" for item in items)  # pyright: ignore[reportUnknownMemberType]
    ItemsCheck(model, findings, goes_on=goes_on, is_stored=is_stored).run(items)
