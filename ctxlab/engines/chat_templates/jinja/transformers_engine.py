"""Messages through a Jinja template as transformers renders them, with the origin of each character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ctxlab.context import Draft, Origin
from ctxlab.engines.chat_templates.jinja.messages import Leaf, Leaves, messages_of, plain
from ctxlab.engines.chat_templates.jinja.rendering import rendering_of, run_template
from ctxlab.engines.chat_templates.rendered_text import RenderedText
from ctxlab.engines.chat_templates.template import JinjaTemplate
from ctxlab.errors import TemplateRefused

SPECIAL = "special"


def render(
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
    """The text that transformers makes of messages, byte for byte.

    `special_tokens` are those of the model by name, `now` the time that a template may write, `variables` what it gets
    besides, such as `enable_thinking`. With `typed_parts` each content is a list of parts. With
    `continue_final_message` the text ends with the last message's words. Raises TemplateRefused where the template
    raises an error, or can't be read.
    """
    leaves = Leaves()
    given = {
        **_given(drafts, leaves, tools, special_tokens or {}, typed_parts=typed_parts),
        "add_generation_prompt": add_generation_prompt and not continue_final_message,
        **leaves.tagged(dict(variables or {}), Leaf(None, "template", Origin("template", template.name))),
    }
    whole = rendering_of(template, given, leaves, now, "transformers")
    return _continued(whole, drafts) if continue_final_message else whole


def plain_text(
    template: JinjaTemplate,
    drafts: Sequence[Draft],
    *,
    tools: Sequence[Mapping[str, Any]] = (),
    special_tokens: Mapping[str, str] | None = None,
    now: datetime | None = None,
    add_generation_prompt: bool = True,
) -> str:
    """The text of `render` alone, without origins, in less than half its time. Raises TemplateRefused as it does."""
    given = _given(drafts, Leaves(), tools, special_tokens or {}, typed_parts=False)
    return run_template(template, plain({**given, "add_generation_prompt": add_generation_prompt}), now, "transformers")


def _given(
    drafts: Sequence[Draft],
    leaves: Leaves,
    tools: Sequence[Mapping[str, Any]],
    special_tokens: Mapping[str, str],
    *,
    typed_parts: bool,
) -> dict[str, Any]:
    return {
        **{
            name: leaves.traced(each, Leaf(None, SPECIAL, Origin(SPECIAL, name)))
            for name, each in special_tokens.items()
        },
        "messages": messages_of(drafts, leaves, typed_parts=typed_parts),
        "tools": leaves.tagged([*tools], Leaf(None, "tools", Origin("tools"))) if tools else None,
        "documents": None,
    }


def _continued(rendered: RenderedText, drafts: Sequence[Draft]) -> RenderedText:
    """The text up to the end of the last message's words, as transformers cuts it."""
    text, last = str(rendered.text), str(drafts[-1].text) if drafts else ""
    bare = last.strip()
    at = text.rfind(bare)
    if not bare or at < 0:
        raise TemplateRefused(
            "the last message can't be continued: the template doesn't write its words as they are; "
            "ask for a new message instead"
        )
    whole = last.lstrip()
    end = at + len(whole if text[at : at + len(whole)] == last else bare)
    kept = [each._replace(end=min(each.end, end)) for each in rendered.stretches if each.start < end]
    return replace(rendered, text=rendered.text.cut(0, end), stretches=tuple(kept))
