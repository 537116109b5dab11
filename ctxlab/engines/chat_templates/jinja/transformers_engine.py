"""Messages through a Jinja template as transformers renders them, with the origin of each character."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ctxlab.context import Draft, Origin, Span, Text
from ctxlab.engines.chat_templates.jinja.limits import MOST_SOURCE, TemplateTooLarge
from ctxlab.engines.chat_templates.jinja.messages import Leaf, Leaves, messages_of, plain
from ctxlab.engines.chat_templates.jinja.traced_string import Run, TracedString, runs_of
from ctxlab.engines.chat_templates.rendered_text import RenderedText, Stretch
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
    given: dict[str, Any] = {
        **{
            name: leaves.traced(each, Leaf(None, SPECIAL, Origin(SPECIAL, name)))
            for name, each in (special_tokens or {}).items()
        },
        "messages": messages_of(drafts, leaves, typed_parts=typed_parts),
        "tools": leaves.tagged([*tools], Leaf(None, "tools", Origin("tools"))) if tools else None,
        "documents": None,
        "add_generation_prompt": add_generation_prompt and not continue_final_message,
        **leaves.tagged(dict(variables or {}), Leaf(None, "template", Origin("template", template.name))),
    }
    wanted = _run(template, plain(given), now)
    try:
        found = _run(template, given, now, traced=True)
    except (TemplateRefused, ValueError, TypeError):
        found = ""
    if str.__str__(found) != wanted or not isinstance(found, TracedString):
        own = Origin("template", template.name)
        stretch = (Stretch(0, len(wanted), None, "template"),) if wanted else ()
        whole = RenderedText(Text.of(wanted, own), stretch, template.name, "transformers", traced=False)
        return _continued(whole, drafts) if continue_final_message else whole
    text, stretches = _as_text(found, leaves, template)
    whole = RenderedText(text, stretches, template.name, "transformers")
    return _continued(whole, drafts) if continue_final_message else whole


def _run(template: JinjaTemplate, given: Mapping[str, Any], now: datetime | None, *, traced: bool = False) -> str:
    import jinja2

    from ctxlab.engines.chat_templates.jinja.environments import plain_template, traced_template

    if len(template.source) > MOST_SOURCE:
        raise TemplateRefused(f"the template has {len(template.source):,} characters; {MOST_SOURCE:,} are the most")
    try:
        compiled = traced_template(template.source)[0] if traced else plain_template(template.source)
        return compiled.render(given, now)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateRefused(
            f"the template can't be read: line {error.lineno}: {error.message}", error.lineno
        ) from error
    except (TemplateTooLarge, RecursionError, MemoryError) as error:
        why = str(error) if isinstance(error, TemplateTooLarge) else "it calls itself too often"
        raise TemplateRefused(f"the template is stopped: {why}") from error
    except Exception as error:  # a template may raise anything
        line = _line_of(error)
        at = f" (line {line})" if line else ""
        raise TemplateRefused(f"{_words(error)}{at}", line) from error


def _words(error: Exception) -> str:
    import jinja2

    text = str(error)
    return text if type(error) is jinja2.TemplateError else f"{type(error).__name__}: {text}"


def _line_of(error: Exception) -> int | None:
    """The line of the template at which it raised an error."""
    frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
    return frames[-1] if frames else None


# --- runs as a text with origins


def _as_text(found: TracedString, leaves: Leaves, template: JinjaTemplate) -> tuple[Text, tuple[Stretch, ...]]:
    from ctxlab.engines.chat_templates.jinja.environments import traced_template

    lines = traced_template(template.source)[1]
    own = [Origin("template", f"{template.name}:{line}") for line in lines]
    unknown = Origin("template", template.name)
    spans: list[Span] = []
    stretches: list[Stretch] = []
    plain_text = str.__str__(found)
    at = 0
    for run in runs_of(found):
        end = at + run.length
        if run.leaf < 0:
            spans.append(Span(plain_text[at:end], own[-2 - run.leaf] if run.leaf < -1 else unknown))
            now = Stretch(at, end, None, "template")
        else:
            leaf = leaves.rows[run.leaf]
            spans += _spans(plain_text[at:end], run, leaf)
            now = Stretch(at, end, leaf.message, leaf.field, leaf.base + run.start)
        last = stretches[-1] if stretches else None
        if last is not None and last[2:4] == now[2:4] and _goes_on(last, now):
            stretches[-1] = Stretch(last.start, end, *last[2:])
        else:
            stretches.append(now)
        at = end
    return Text(spans), tuple(stretches)


def _goes_on(last: Stretch, now: Stretch) -> bool:
    """Whether a stretch of one field goes on with the last one; of a template's own text there is no place to go on."""
    return last.message is None or last.offset + last.end - last.start == now.offset


def _spans(words: str, run: Run, leaf: Leaf) -> Sequence[Span]:
    """The spans of a leaf's characters, with the words as they stand in the result."""
    if leaf.text is None:
        return [Span(words, leaf.origin)]
    if run.whole:
        own = leaf.text.at(run.start)
        return [Span(words, own.origin, own.cause)]
    if run.length == len(leaf.text) and str(leaf.text) == words:
        return leaf.text.spans
    found: list[Span] = []
    at = 0
    for own in leaf.text.cut(run.start, run.start + run.length).spans:
        size = len(own.text)
        part = words[at : at + size]
        if part:
            found.append(own if part == own.text else Span(part, own.origin, own.cause, own.was))
        at += size
    return found


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
