"""Messages through a Jinja template as llama.cpp's server renders them, with the origin of each character.

The server rewrites messages before its template sees them. Each rule here was measured on a real one (PyPI xllamacpp
2026.10.11549, `/apply-template`); docs/what_your_template_does.md has how often the text is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ctxlab.context import Draft, Origin
from ctxlab.engines.chat_templates.jinja.messages import Leaf, Leaves, messages_of
from ctxlab.engines.chat_templates.jinja.rendering import rendering_of, run_template
from ctxlab.engines.chat_templates.rendered_text import RenderedText
from ctxlab.engines.chat_templates.template import JinjaTemplate
from ctxlab.errors import TemplateRefused

BEGIN, END = "<s>", "</s>"
USER, SYSTEM, WORD = "user", "system", "lighthouse"


class Abilities(NamedTuple):
    """Abilities of a template, tried with short chats, as the server tries it before the first one."""

    reads_system: bool
    reads_parts: bool
    wants_parts: bool
    thinks: bool


def render_for_llama_cpp(
    template: JinjaTemplate,
    drafts: Sequence[Draft],
    *,
    tools: Sequence[Mapping[str, Any]] = (),
    special_tokens: Mapping[str, str] | None = None,
    now: datetime | None = None,
    add_generation_prompt: bool = True,
    variables: Mapping[str, Any] | None = None,
) -> RenderedText:
    """The text that llama.cpp's server makes of messages; one token at the beginning is left to the server.

    `developer` is `system`; a system text that the template doesn't write goes in front of the next message; parts are
    joined by line feeds where the template doesn't read them; definitions of tools are built anew; there is no `tools`
    without tools; `enable_thinking` is always given. Raises TemplateRefused where the template raises an error.
    """
    leaves = Leaves()
    tokens = special_tokens or {"bos_token": BEGIN, "eos_token": END}
    can = abilities_of(template.source)
    given: dict[str, Any] = {
        **{name: leaves.traced(each, Leaf(None, "special", Origin("special", name))) for name, each in tokens.items()},
        "messages": _messages(drafts, leaves, can),
        "add_generation_prompt": add_generation_prompt,
        "enable_thinking": can.thinks,
        "date_string": now.strftime("%d %b %Y") if now is not None else "",
        **leaves.tagged(dict(variables or {}), Leaf(None, "template", Origin("template", template.name))),
    }
    if tools:
        own = Leaf(None, "tools", Origin("tools"))
        given["tools"] = leaves.tagged([_definition(each) for each in tools], own)
    found = rendering_of(template, given, leaves, now, "llama.cpp")
    begin = tokens.get("bos_token", "")
    return _without_beginning(found, len(begin)) if begin and str(found.text).startswith(begin) else found


def _without_beginning(found: RenderedText, size: int) -> RenderedText:
    """A text without its first characters, which the server takes off and puts back as a token."""
    kept = [
        each._replace(
            start=max(0, each.start - size),
            end=each.end - size,
            offset=each.offset + max(0, size - each.start),
        )
        for each in found.stretches
        if each.end > size
    ]
    text = found.text.cut(size, len(found.text))
    return RenderedText(text, tuple(kept), found.template, found.engine, found.traced)


def _messages(drafts: Sequence[Draft], leaves: Leaves, can: Abilities) -> list[dict[str, Any]]:
    found = messages_of(drafts, leaves, typed_parts=can.wants_parts)
    for message in found:
        message.pop("thinking", None)
        content = message["content"]
        if isinstance(content, list) and not can.reads_parts:
            message["content"] = leaves.together([part.get("text", "") for part in cast("list[Any]", content)], "\n")
    if can.reads_system or can.wants_parts:
        return found
    kept: list[dict[str, Any]] = []
    waiting: list[Any] = []
    for message in found:
        if message["role"] == SYSTEM:
            waiting.append(message["content"])
        elif waiting and isinstance(message["content"], str):
            kept.append({**message, "content": leaves.together([*waiting, message["content"]], "\n")})
            waiting = []
        else:
            kept.append(message)
    return kept


def _definition(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as the server builds it anew: a description and parameters are always there, all else is left out."""
    function = tool.get("function")
    own: Mapping[str, Any] = cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else {}
    described = {"name": own.get("name", ""), "description": own.get("description") or ""}
    return {"type": "function", "function": {**described, "parameters": own.get("parameters") or {}}}


@lru_cache(maxsize=256)
def abilities_of(source: str) -> Abilities:
    """The abilities of a template, by what it writes of short chats."""
    user = {"role": USER, "content": WORD}
    parts = {"role": USER, "content": [{"type": "text", "text": WORD}]}
    as_text, as_parts = _tried(source, [user]), _tried(source, [parts])
    in_parts = WORD in as_parts and "'type'" not in as_parts and '"type"' not in as_parts
    with_system = _tried(source, [{"role": SYSTEM, "content": WORD}, {"role": USER, "content": "tide"}])
    thinking, silent = (_tried(source, [user], enable_thinking=each) for each in (True, False))
    # Inferred: the server finds out how a model thinks by what the template makes of thoughts in a history.
    has_thoughts = "reasoning_content" in source or source.count("</think>") > 1
    return Abilities(
        WORD in with_system, in_parts, in_parts and WORD not in as_text, thinking != silent and has_thoughts
    )


def _tried(source: str, messages: list[dict[str, Any]], **more: Any) -> str:
    """The text of a short chat; "" where the template refuses it."""
    given = {"messages": messages, "bos_token": BEGIN, "eos_token": END, "add_generation_prompt": True, **more}
    try:
        return run_template(JinjaTemplate(source), given, None, "llama.cpp")
    except TemplateRefused:
        return ""
