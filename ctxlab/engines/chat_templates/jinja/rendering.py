"""One rendering of a template with traced strings; a plain one beside it where both might differ."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ctxlab.context import Origin, Span, Text
from ctxlab.engines.chat_templates.jinja.limits import MOST_SOURCE, TemplateTooLarge
from ctxlab.engines.chat_templates.jinja.messages import Leaf, Leaves, copied, plain
from ctxlab.engines.chat_templates.jinja.traced_string import Run, TracedString, runs_of
from ctxlab.engines.chat_templates.rendered_text import Engine, LostText, RenderedText, Stretch
from ctxlab.engines.chat_templates.template import JinjaTemplate
from ctxlab.errors import TemplateRefused

if TYPE_CHECKING:
    from ctxlab.engines.chat_templates.jinja.compiled import Written


def rendering_of(
    template: JinjaTemplate, given: Mapping[str, Any], leaves: Leaves, now: datetime | None, engine: Engine
) -> RenderedText:
    """The text of a template for traced values; untraced where following them gives another text than plain values."""
    try:
        found, is_exact = _traced(template, given, now, engine)
    except (TemplateRefused, ValueError, TypeError):
        found = None
    else:
        if is_exact or str.__eq__(found.text, run_template(template, plain(given), now, engine)) is True:
            return _as_rendered(found, leaves, template, engine)
    wanted = run_template(template, plain(given), now, engine)
    stretch = (Stretch(0, len(wanted), None, "template"),) if wanted else ()
    return RenderedText(
        Text.of(wanted, Origin("template", template.name)), stretch, template.name, engine, traced=False
    )


def _traced(
    template: JinjaTemplate, given: Mapping[str, Any], now: datetime | None, engine: Engine
) -> tuple[Written, bool]:
    """The text that a template writes of traced values, and whether its characters are surely those of plain ones."""
    from ctxlab.engines.chat_templates.jinja.compiled import traced_template

    changes = engine == "llama.cpp" and (".append(" in template.source or ".pop(" in template.source)
    found = _run(template, copied(given) if changes else given, now, engine, is_traced=True)
    is_traced = isinstance(found.text, TracedString)
    if not is_traced:
        raise TypeError("the template lets no trace through")
    return found, traced_template(template.source, engine).environment.is_exact


def run_template(template: JinjaTemplate, given: Mapping[str, Any], now: datetime | None, engine: Engine) -> str:
    """The text for plain values; raises TemplateRefused for whatever the template raises."""
    return _run(template, given, now, engine, is_traced=False).text


def _run(
    template: JinjaTemplate, given: Mapping[str, Any], now: datetime | None, engine: Engine, *, is_traced: bool
) -> Written:
    import jinja2

    from ctxlab.engines.chat_templates.jinja.compiled import plain_template, traced_template

    if len(template.source) > MOST_SOURCE:
        raise TemplateRefused(f"the template has {len(template.source):,} characters; {MOST_SOURCE:,} are the most")
    try:
        compiled = traced_template(template.source, engine) if is_traced else plain_template(template.source, engine)
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


def _as_rendered(found: Written, leaves: Leaves, template: JinjaTemplate, engine: Engine) -> RenderedText:
    from ctxlab.engines.chat_templates.jinja.compiled import traced_template

    lines = traced_template(template.source, engine).environment.lines
    own = [Origin("template", f"{template.name}:{line}") for line in lines]
    unknown = Origin("template", template.name)
    spans: list[Span] = []
    stretches: list[Stretch] = []
    of_constants: dict[tuple[int, str], Span] = {}
    text = str.__str__(found.text)
    at = 0
    last_message: int | None = None
    last_field = ""
    for run in runs_of(found.text):
        length, number, start, _ = run
        end = at + length
        words = text[at:end]
        if number < 0:
            span = of_constants.get((number, words))
            if span is None:
                span = Span(words, own[-2 - number] if number < -1 else unknown)
                of_constants[number, words] = span
            spans.append(span)
            message, field, offset = None, "template", 0
        else:
            leaf = leaves.rows[number]
            message, field, offset = leaf.message, leaf.field, leaf.base + start
            if leaf.text is None:
                spans.append(Span(words, leaf.origin))
            else:
                spans += _spans(words, run, leaf)
        if stretches and message == last_message and field == last_field and _goes_on(stretches[-1], offset):
            last = stretches[-1]
            stretches[-1] = Stretch(last.start, end, message, field, last.offset)
        else:
            stretches.append(Stretch(at, end, message, field, offset))
        last_message, last_field, at = message, field, end
    lost = tuple(_lost(words, line, leaves) for words, line in found.lost)
    return RenderedText(Text(spans), tuple(stretches), template.name, engine, lost=lost)


def _lost(words: str, line: int, leaves: Leaves) -> LostText:
    """A text that the engine has lost, with the messages that it has words of."""
    of = (leaves.rows[run.leaf].message for run in runs_of(words) if run.leaf >= 0)
    return LostText(str.__str__(words), line, tuple(sorted({each for each in of if each is not None})))


def _goes_on(last: Stretch, offset: int) -> bool:
    """Whether a stretch of one field goes on with the last one; of a template's own text there is no place to go on."""
    return last.message is None or last.offset + last.end - last.start == offset


def _spans(words: str, run: Run, leaf: Leaf) -> Sequence[Span]:
    """The spans of a leaf's characters, with the words as they stand in the result."""
    assert leaf.text is not None
    if run.whole:
        own = leaf.text.at(run.start)
        return [Span(words, own.origin, own.cause)]
    if run.length == len(words) == len(leaf.text) and str(leaf.text) == words:
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
