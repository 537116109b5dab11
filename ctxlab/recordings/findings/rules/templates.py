"""Rules on the text that a chat template makes of a run: what it loses, adds, doubles and lets be forged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from ctxlab.context import Draft
from ctxlab.display.short_texts import counted
from ctxlab.prompt.merged_parts import pieces
from ctxlab.recordings.findings.checked_context import CheckedContext, listed_names, quoted, quoted_name
from ctxlab.recordings.findings.finding_rule import RENDERED, Found, finding_rule
from ctxlab.rendering import RenderedPrompt, TemplateEffect
from ctxlab.rendering.text_of_run import text_of_run, time_of

LATER: Final = timedelta(days=40, hours=5, minutes=7)
"""So much later every part of a date is another one."""
SOME_DAY: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
DATES: Final = ("date_string", "current_date", "today")
"""Variables by which templates take a date."""


@finding_rule(
    "template-loses-messages",
    "Messages that the template loses",
    "Speaks of messages that the model's chat template refuses, drops or moves.",
    "warning",
    RENDERED,
)
def template_loses_messages(checked: CheckedContext) -> Iterator[Found]:
    """Messages that are sent, and that the model doesn't read where they were put."""
    found = checked.rendered
    if found is None:
        return
    lost = [each for each in found.effects if each.kind in ("refused", "dropped", "moved") and each.thing == "words"]
    if not lost:
        return
    name = quoted_name(found.model.name)
    if lost[0].kind == "refused":
        text = f"The chat template of {name} refuses these messages: {quoted(str(found.refusal), 120)}."
    else:
        verbs = ((kind, [each for each in lost if each.kind == kind]) for kind in ("dropped", "moved"))
        did = " and ".join(f"{'drops' if kind == 'dropped' else 'moves'} {len(each)}" for kind, each in verbs if each)
        text = (
            f"The chat template of {name} {did} of {counted(len(found.trace.result.drafts), 'message')} in silence: "
            f"{listed_names(each.key for each in lost)}."
        )
    dropped = [each for each in lost if each.kind == "dropped"]
    tokens = [(holder.key, checked.tokens(words)) for each in dropped for holder, words in _words(found, each.key)]
    places = tuple(checked.place(holder.key) for each in lost for holder, _ in _words(found, each.key))
    yield Found(text, _remedy(found, lost[0]), places, *checked.cost_of(tokens))


def _words(found: RenderedPrompt, key: str) -> Iterator[tuple[Draft, str]]:
    """The message that has a part, and the words of that part."""
    for draft in found.trace.result.drafts:
        for piece in pieces(draft):
            if piece.part.key == key:
                yield draft, str(piece.text)


def _remedy(found: RenderedPrompt, first: TemplateEffect) -> str:
    remedy = found.remedy or first.remedy
    if remedy is None:
        return first.advice
    settings = ", ".join(f"{name}={value}" for name, value in remedy.settings.items())
    return f"{remedy.sentence.rstrip('.')} ({settings}), which was tried."


@finding_rule(
    "template-writes-date",
    "A date from the template",
    "Speaks of a chat template that writes the date, from which on no cached prefix is good another day.",
    "note",
    RENDERED,
)
def template_writes_date(checked: CheckedContext) -> Iterator[Found]:
    """The place from which on the text is another one some weeks later."""
    found = checked.rendered
    if found is None or found.rendered is None:
        return
    now = time_of(found.trace) or SOME_DAY
    at = _differs_at(found, now, {})
    if at is None:
        return
    text = f"The chat template of {quoted_name(found.model.name)} writes the date at character {at:,} of "
    text += f"{len(found.text):,}: on another day no cached prefix is good from there on."
    fixed = next((name for name in DATES if _differs_at(found, now, {name: "1 March 2026"}) is None), None)
    remedy = (
        f'Give the template a date of your own, variables={{"{fixed}": "1 March 2026"}}, which was tried.'
        if fixed is not None
        else "Take the date out of the template, or let it stand behind what should stay cached."
    )
    yield Found(text, remedy)


def _differs_at(found: RenderedPrompt, now: datetime, variables: dict[str, str]) -> int | None:
    """The first character that is another one some weeks later; None where the text stays."""
    options = {**found.options, "variables": {**found.options["variables"], **variables}}
    texts = [
        str(made.rendered.text) if made.rendered is not None else ""
        for made in (text_of_run(found.trace, found.model, found.template, options, now=t) for t in (now, now + LATER))
    ]
    one, other = texts
    if one == other:
        return None
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(map(len, texts)))


@finding_rule(
    "beginning-twice",
    "A beginning token twice",
    "Speaks of a text for a model that begins with its token for the beginning twice.",
    "warning",
    RENDERED,
)
def beginning_twice(checked: CheckedContext) -> Iterator[Found]:
    """A token more than a model was trained with."""
    for effect in checked.rendered.effects if checked.rendered is not None else ():
        if effect.kind == "doubled" and not effect.key:
            yield Found(effect.sentence, effect.remedy.sentence if effect.remedy is not None else effect.advice)


@finding_rule(
    "markup-in-words",
    "Special tokens in words",
    "Speaks of words of a message that have the model's own markup, which a server may take for the template's.",
    "warning",
    RENDERED,
)
def markup_in_words(checked: CheckedContext) -> Iterator[Found]:
    """Words with which a message could end itself and speak as another."""
    found = checked.rendered
    forged = [each for each in found.effects if each.kind == "forged"] if found is not None else []
    if found is None or not forged:
        return
    holders = [holder for each in forged for holder, _ in _words(found, each.key)]
    keys = dict.fromkeys(each.key for each in forged)
    yield Found(
        f"{counted(len(keys), 'message')} {'has' if len(keys) == 1 else 'have'} markup of the model in "
        f"{'its' if len(keys) == 1 else 'their'} words ({listed_names(keys)}): a server that reads special tokens in "
        "messages takes it for the template's own.",
        _mended(forged[0]),
        tuple(checked.place(holder.key) for holder in holders),
    )


def _mended(effect: TemplateEffect) -> str:
    remedy = effect.remedy
    if remedy is None:
        return effect.advice
    return f"{remedy.sentence.rstrip('.')} ({', '.join(name for name in remedy.settings)}), which was tried."
