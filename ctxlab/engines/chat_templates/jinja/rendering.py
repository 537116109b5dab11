"""One rendering of a template: as it is, and once more with traced strings, so that both can be compared."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ctxlab.context import Origin, Span, Text
from ctxlab.engines.chat_templates.jinja.limits import MOST_SOURCE, TemplateTooLarge
from ctxlab.engines.chat_templates.jinja.messages import Leaf, Leaves, plain
from ctxlab.engines.chat_templates.jinja.traced_string import Run, TracedString, runs_of
from ctxlab.engines.chat_templates.rendered_text import Engine, RenderedText, Stretch
from ctxlab.engines.chat_templates.template import JinjaTemplate
from ctxlab.errors import TemplateRefused


def rendering_of(
    template: JinjaTemplate, given: Mapping[str, Any], leaves: Leaves, now: datetime | None, engine: Engine
) -> RenderedText:
    """The text of a template for traced values; untraced where following them gives another text than plain values."""
    wanted = run_template(template, plain(given), now, engine)
    try:
        found = run_template(template, given, now, engine, traced=True)
    except (TemplateRefused, ValueError, TypeError):
        found = ""
    if str.__str__(found) != wanted or not isinstance(found, TracedString):
        own = Origin("template", template.name)
        stretch = (Stretch(0, len(wanted), None, "template"),) if wanted else ()
        return RenderedText(Text.of(wanted, own), stretch, template.name, engine, traced=False)
    text, stretches = _as_text(found, leaves, template, engine)
    return RenderedText(text, stretches, template.name, engine)


def run_template(
    template: JinjaTemplate, given: Mapping[str, Any], now: datetime | None, engine: Engine, *, traced: bool = False
) -> str:
    """The text; raises TemplateRefused for whatever the template raises."""
    import jinja2

    from ctxlab.engines.chat_templates.jinja.environments import plain_template, traced_template

    if len(template.source) > MOST_SOURCE:
        raise TemplateRefused(f"the template has {len(template.source):,} characters; {MOST_SOURCE:,} are the most")
    try:
        compiled = traced_template(template.source, engine)[0] if traced else plain_template(template.source, engine)
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


def _as_text(
    found: TracedString, leaves: Leaves, template: JinjaTemplate, engine: Engine
) -> tuple[Text, tuple[Stretch, ...]]:
    from ctxlab.engines.chat_templates.jinja.environments import traced_template

    lines = traced_template(template.source, engine)[1]
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
