"""Abilities of a template, tried with short chats, as llama.cpp's server tries it before its first chat."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ctxlab.engines.chat_templates.jinja.llama_cpp.reply_forms import ReplyForm, reply_form
from ctxlab.engines.chat_templates.jinja.llama_cpp.thought_marks import ThoughtMarks, thought_marks
from ctxlab.engines.chat_templates.jinja.rendering import run_template
from ctxlab.engines.chat_templates.template import JinjaTemplate
from ctxlab.errors import TemplateRefused

BEGIN, END = "<s>", "</s>"
WORD = "zq lighthouse zq"
ASKED: Final[Mapping[str, Any]] = {"role": "user", "content": "User message"}
TOOL: Final[Mapping[str, Any]] = {
    "name": "tool",
    "type": "function",
    "function": {
        "name": "tool1",
        "description": "Tool description",
        "parameters": {
            "type": "object",
            "properties": {"arg": {"type": "string", "description": "Arg description"}},
            "required": ("arg",),  # a template may add to a list
        },
    },
}


class Abilities(NamedTuple):
    """Things that a template reads, and the form of its model's replies, as far as the server's text depends on it.

    `form` is one of the families that the server knows by their templates' words, None of any other.
    """

    reads_system: bool
    reads_text: bool
    reads_parts: bool
    reads_objects: bool
    form: ReplyForm | None
    marks: ThoughtMarks

    @property
    def thinks(self) -> bool:
        """Whether the server switches thoughts on."""
        return self.form.thinks if self.form is not None else self.marks.thinks


class _Watched(dict[Any, Any]):
    """An object that notes which of its members are asked for."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        super().__init__(members)
        self.asked: set[Any] = set()

    def __getitem__(self, name: Any) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)

    def get(self, name: Any, default: Any = None, /) -> Any:
        self.asked.add(name)
        return super().get(name, default)


@lru_cache(maxsize=256)
def abilities_of(source: str) -> Abilities:
    """The abilities of a template, by what it does to short chats."""
    system = _Watched({"role": "system", "content": "System message"})
    _tried(source, {"messages": [system, ASKED], "tools": []})
    as_text = _tried(source, {"messages": [{"role": "user", "content": WORD}], "tools": []})
    parts = [{"type": "text", "text": WORD}]
    as_parts = _tried(source, {"messages": [{"role": "user", "content": parts}], "tools": []})
    is_clean = as_parts is not None and WORD in as_parts and "'type'" not in as_parts and '"type"' not in as_parts
    calls, objects = _with_calls(source)
    form = reply_form(source)
    return Abilities(
        "content" in system.asked,
        as_text is not None and (WORD in as_text or not is_clean),
        is_clean or (as_text is None and as_parts is not None),
        objects,
        form,
        ThoughtMarks() if form is not None else thought_marks(source, lambda given: _tried(source, given), calls=calls),
    )


def _with_calls(source: str) -> tuple[bool, bool]:
    """Whether a template reads calls, and whether it reads their arguments as objects."""
    for arguments in (_Watched({"arg": WORD}), f'{{"arg": "{WORD}"}}'):
        call = {"id": "call00001", "type": "function", "function": {"name": "tool1", "arguments": arguments}}
        calling = _Watched({"role": "assistant", "content": "", "tool_calls": [call]})
        answered = {"role": "tool", "content": "Tool response", "tool_call_id": "call00001"}
        told = {"role": "assistant", "content": "The tool response was 'tool response'"}
        text = _tried(source, {"messages": [ASKED, calling, answered, told, ASKED], "tools": [TOOL]})
        if text is None:
            continue
        is_written = WORD in text and "{'arg': " not in text  # as JSON, not as Python shows an object
        is_object = isinstance(arguments, _Watched) and (is_written or "arg" in arguments.asked)
        if is_object or not isinstance(arguments, _Watched):
            return "tool_calls" in calling.asked, is_object
    return False, False


def _tried(source: str, values: Mapping[str, Any]) -> str | None:
    """The text of a short chat; None where the template refuses it."""
    given = {"bos_token": BEGIN, "eos_token": END, "add_generation_prompt": True, **values}
    if not given["add_generation_prompt"]:
        del given["add_generation_prompt"]
    try:
        return run_template(JinjaTemplate(source), given, None, "llama.cpp")
    except TemplateRefused:
        return None
