"""Messages through a Jinja template as llama.cpp's server renders them, with the origin of each character.

The server rewrites messages before its template sees them, and itself begins replies that are to be continued. Each
rule here was measured on a real one (PyPI xllamacpp 2026.10.11549, `/apply-template`); docs/what_your_template_does.md
has how often the text is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ctxlab.context import Draft, Origin, Text
from ctxlab.engines.chat_templates.jinja.llama_cpp.abilities import BEGIN, END, Abilities, abilities_of
from ctxlab.engines.chat_templates.jinja.llama_cpp.messages import definition_of, messages_for
from ctxlab.engines.chat_templates.jinja.llama_cpp.thought_marks import common_start
from ctxlab.engines.chat_templates.jinja.messages import Leaf, Leaves
from ctxlab.engines.chat_templates.jinja.rendering import rendering_of
from ctxlab.engines.chat_templates.rendered_text import RenderedText, Stretch, cut, joined
from ctxlab.engines.chat_templates.template import JinjaTemplate
from ctxlab.errors import TemplateRefused

SERVER = Origin("template", "llama.cpp")
"""The origin of what the server writes itself."""
GEMMA_END, GEMMA_TURN = "<turn|>\n", "<|turn>model\n"
RETURN, STOP = "<|return|>", "<|end|>"


def render_for_llama_cpp(
    template: JinjaTemplate,
    drafts: Sequence[Draft],
    *,
    tools: Sequence[Mapping[str, Any]] = (),
    special_tokens: Mapping[str, str] | None = None,
    now: datetime | None = None,
    add_generation_prompt: bool = True,
    continue_final_message: bool = False,
    typed_parts: bool = False,
    variables: Mapping[str, Any] | None = None,
) -> RenderedText:
    """The text that llama.cpp's server makes of messages; one token at the beginning is left to the server.

    A last message of the assistant is continued, whatever is asked for; with `continue_final_message` one of any role
    is. With `typed_parts` each content is a list of parts. `developer` is `system`; the first system text goes in front
    of the next message where the template doesn't read it; parts are joined by line feeds where it doesn't read them;
    definitions of tools are built anew; there is no `tools` without tools; `enable_thinking` is always given. Raises
    TemplateRefused where the template raises an error, or the server takes no such messages.
    """
    leaves = Leaves()
    tokens = special_tokens or {"bos_token": BEGIN, "eos_token": END}
    can = abilities_of(template.source)
    continues = bool(drafts) and (continue_final_message or drafts[-1].role == "assistant")
    if continues:
        _check_continued(drafts)
    messages = messages_for(drafts, leaves, can, template.source, typed_parts=typed_parts)
    given: dict[str, Any] = {
        **{name: leaves.traced(each, Leaf(None, "special", Origin("special", name))) for name, each in tokens.items()},
        "messages": messages[:-1] if continues else messages,
        "enable_thinking": can.thinks,
        "datetime": now.strftime("%b %d %Y") if now is not None else "",
        "date_string": now.strftime("%d %b %Y") if now is not None else "",
        **leaves.tagged(dict(variables or {}), Leaf(None, "template", Origin("template", template.name))),
    }
    if tools:
        own = Leaf(None, "tools", Origin("tools"))
        given["tools"] = leaves.tagged([definition_of(each) for each in tools], own)

    def rendered(*, begins: bool) -> RenderedText:
        more = {"add_generation_prompt": True} if begins else {}
        found = rendering_of(template, given | more, leaves, now, "llama.cpp")
        begin = tokens.get("bos_token", "")
        is_there = begin and str(found.text).startswith(begin)
        return cut(found, len(begin), len(found.text)) if is_there else found

    begins = add_generation_prompt and not continues
    found = _finished(rendered(begins=begins), can, begins=begins)
    if not continues or not (str(drafts[-1].text) or drafts[-1].reasoning):
        return found
    form = can.form
    turn = _written(form.turn, found) if form is not None else _turn(found, rendered(begins=True), can)
    return joined([found, turn, *_reply(drafts, found, can, typed_parts=typed_parts)])


def _check_continued(drafts: Sequence[Draft]) -> None:
    """Refuse last messages that the server doesn't continue."""
    if drafts[-1].calls:
        raise TemplateRefused("llama.cpp's server continues no message with calls of tools; add their results")
    if len(drafts) > 1 and all(each.role == "assistant" for each in drafts[-2:]):
        raise TemplateRefused(
            "llama.cpp's server takes one message of the assistant at the end, not two; "
            "with ensure-alternating or merge-consecutive they are one"
        )


def _finished(found: RenderedText, can: Abilities, *, begins: bool) -> RenderedText:
    """A text as the server changes it behind its template."""
    name, text = can.form.name if can.form is not None else "", str(found.text)
    if name == "gemma4" and begins and text.endswith(GEMMA_END):
        return joined([found, _written(GEMMA_TURN, found)])
    at = text.rfind(RETURN) if name == "gpt-oss" and not begins else -1
    if at < 0:
        return found
    return joined([cut(found, 0, at), _written(STOP, found), cut(found, at + len(RETURN), len(text))])


def _turn(ended: RenderedText, begun: RenderedText, can: Abilities) -> RenderedText:
    """The words that a template writes for a new answer, up to the mark in front of its thoughts."""
    size = common_start(str(ended.text), str(begun.text))
    turn = cut(begun, size, len(begun.text))
    at = str(turn.text).find(can.marks.start) if can.marks.start else -1
    return cut(turn, 0, at) if at >= 0 else turn


def _reply(drafts: Sequence[Draft], found: RenderedText, can: Abilities, *, typed_parts: bool) -> list[RenderedText]:
    """The begun reply: its thoughts, between their marks where it has none too, and its words."""
    last, number, form = drafts[-1], len(drafts) - 1, can.form
    start, end = (form.start, form.end) if form is not None else (can.marks.start, can.marks.end)
    name = form.name if form is not None else ""
    found_parts: list[RenderedText] = []
    if name == "gemma4" and str(found.text).endswith(GEMMA_END):
        found_parts.append(_written(GEMMA_TURN, found))
    if start and (name != "deepseek-v4" or last.reasoning):
        found_parts.append(_written(start, found))
    if start and last.reasoning:
        found_parts.append(_of(Text.of(last.reasoning, last.origin), number, "reasoning", 0, found))
    if str(last.text):
        found_parts += [_written(end if start else "", found), *_words(last, number, found, typed_parts=typed_parts)]
    return found_parts


def _words(last: Draft, number: int, found: RenderedText, *, typed_parts: bool) -> list[RenderedText]:
    """The words of a begun reply; typed parts are joined by empty lines."""
    if not (typed_parts or last.assets):
        return [_of(last.text, number, "content", 0, found)]
    whole, at = str(last.text), 0
    parts: list[RenderedText] = []
    for each in last.body:
        if isinstance(each, Text) and each:
            at = max(at, whole.find(str(each), at))
            parts += [_written("\n\n", found)] if parts else []
            parts.append(_of(each, number, "content", at, found))
            at += len(each)
    return parts


def _written(words: str, like: RenderedText) -> RenderedText:
    """Words of the server's own."""
    stretches = (Stretch(0, len(words), None, "template"),) if words else ()
    return RenderedText(Text.of(words, SERVER), stretches, like.template, like.engine, like.traced)


def _of(text: Text, message: int, field: str, offset: int, like: RenderedText) -> RenderedText:
    """A field of a message as it is."""
    return RenderedText(text, (Stretch(0, len(text), message, field, offset),), like.template, like.engine, like.traced)
