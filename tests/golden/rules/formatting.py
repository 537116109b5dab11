"""What merging keeps, and what it keeps apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data, Form
from tests.golden.materials import utf16_length
from tests.golden.rules.rule import Rule

FILES = ("message_format_functions", "message_formatter_processor")


def _mending(mended: Callable[[Case, list[Form]], list[Form]]) -> Callable[[Case], Any]:
    """The result with its messages mended, in either file's form."""

    def ours(case: Case) -> Any:
        if case.file == "message_format_functions":
            return mended(case, case.expected)
        messages = mended(case, case.expected["messages"])
        grown = _length(messages) - _length(case.expected["messages"])
        return {"messages": messages, "added": case.expected["added"] + grown}

    return ours


def _length(messages: list[Form]) -> int:
    return sum(utf16_length(form["text"]) for form in messages)


def _messages(case: Case) -> list[Data]:
    return case.input["messages"]


# --- tool results stay apart


def _split(case: Case, messages: list[Form]) -> list[Form]:
    native = any(message["role"] == "tool" for message in _messages(case))
    return [piece for form in messages for piece in _pieces(form, native)]


def _pieces(form: Form, native: bool) -> list[Form]:
    """A merged message as what may be merged of it."""
    parts = form.get("parts")
    if not parts:
        return [form]
    runs = [[parts[0]]]
    for part in parts[1:]:
        if _go_together(runs[-1][-1], part, native):
            runs[-1].append(part)
        else:
            runs.append([part])
    return [form] if len(runs) == 1 else [_joined(form, run) for run in runs]


def _go_together(first: Form, second: Form, native: bool) -> bool:
    return not (_is_result(first) or _is_result(second) or (native and _calls(first)))


def _calls(form: Form) -> bool:
    return form["role"] == "assistant" and bool(form.get("metadata", {}).get("toolCallsRequested"))


def _is_result(form: Form) -> bool:
    """Whether a message answers a call, under the role tool or as the user's words."""
    metadata = form.get("metadata", {})
    return form["role"] == "tool" or (
        form["role"] == "user" and bool(metadata.get("toolCall") or metadata.get("toolCalls"))
    )


def _joined(form: Form, run: list[Form]) -> Form:
    if len(run) == 1:
        return {**run[0], "role": form["role"]}
    texts = [part["text"] for part in form["parts"]]
    length = (len(form["text"]) - sum(map(len, texts))) // (len(texts) - 1)
    separator = form["text"][len(texts[0]) : len(texts[0]) + length]
    files = [file for part in run for file in part.get("files", ())]
    joined = {"role": form["role"], "text": separator.join(part["text"] for part in run), "parts": run}
    return {**joined, "files": files} if files else joined


def _has_tool_messages(case: Case) -> bool:
    return any(
        message["role"] == "tool" or (message.get("metadata") or {}).get("toolCall") for message in _messages(case)
    )


# --- nothing is lost


def _filled(case: Case, messages: list[Form]) -> list[Form]:
    return [_with_all_fields(form) if form.get("parts") else form for form in messages]


def _with_all_fields(form: Form) -> Form:
    """A merged message with what its parts had besides words; of equal fields the first counts."""
    parts = form["parts"]
    metadata: Data = {}
    for part in reversed(parts):
        metadata |= part.get("metadata", {})
    kept = {
        "files": _files(form),
        "reasoning": "\n".join(part["reasoning"] for part in parts if "reasoning" in part),
        "artifacts": next((part["artifacts"] for part in parts if "artifacts" in part), None),
        "metadata": metadata,
    }
    return {**form, **{name: value for name, value in kept.items() if value}}


def _files(form: Form) -> list[Data]:
    """Those of the parts, behind what a part that was merged before has of its own."""
    files = [file for part in form["parts"] for file in part.get("files", ())]
    return [*(file for file in form.get("files", ()) if file not in files), *files]


def _has_more_than_words(case: Case) -> bool:
    fields = ("reasoningContent", "reasoningArtifacts", "metadata")
    return any(
        any(message.get(field) for field in fields) or not isinstance(message.get("content") or "", str)
        for message in _messages(case)
    )


# --- every system message at the head


def _hoisted(case: Case, messages: list[Form]) -> list[Form]:
    (alone,) = [form for form in messages if form["role"] == "system" and "artifacts" not in form]
    return [alone, *(form for form in messages if form is not alone)]


def _has_one_later_system_message(case: Case) -> bool:
    messages = _messages(case) if case.input["fn"] == "handleMergeSystemToHead" else []
    places = [n for n, message in enumerate(messages) if message["role"] == "system"]
    mergeable = [n for n in places if not messages[n].get("reasoningArtifacts")]
    return len(mergeable) == 1 and places[: mergeable[0] + 1] != list(range(mergeable[0] + 1))


RULES = (
    Rule(
        "decisions, Injection",
        "With hoist=all every system message goes to the head, a single one too.",
        FILES[:1],
        _has_one_later_system_message,
        _mending(_hoisted),
    ),
    Rule(
        "D34",
        "A tool result answers one call by its id: glued to another result, or to the user's words, it answers none.",
        FILES,
        _has_tool_messages,
        _mending(_split),
    ),
    Rule(
        "decisions, Formatting",
        "Merging keeps every field: reasoning, metadata and pictures of the parts are still there.",
        FILES,
        _has_more_than_words,
        _mending(_filled),
    ),
)
