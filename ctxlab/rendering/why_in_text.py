"""Why a message or some words are in a rendered text, or why they aren't: the pipeline's answer and the template's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.context import Draft, Span
from ctxlab.display.html_table import heading, lines
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.explain.provenance_text import span_provenance
from ctxlab.rendering.template_effect import LOSSES, TemplateEffect
from ctxlab.rendering.text_places import TextPlace, TextPlaces, place_at, places_of, quoted
from ctxlab.secrets import masked

if TYPE_CHECKING:
    from ctxlab.pipeline.explain.message_life import Life
    from ctxlab.pipeline.explain.where import Occurrence
    from ctxlab.rendering.rendered_prompt import RenderedPrompt
    from ctxlab.rendering.template_remedies import TemplateRemedy

MOST = 6
"""So many places are told, the rest are counted."""

NOWHERE = TextPlaces()


@dataclass(frozen=True, slots=True, eq=False)
class TextAnswer:
    """Why a message or some words are in a text, or aren't: a sentence a line, what the pipeline did first.

    `places` are those in the text. `effects` are what the template does to the messages that have them; `life` is what
    the pipeline did to a message that was asked for by its key. `is_known` is False of words that no message had.
    """

    asked: str
    sentences: tuple[str, ...]
    places: TextPlaces = NOWHERE
    effects: tuple[TemplateEffect, ...] = ()
    life: Life | None = None
    is_known: bool = True

    def __repr__(self) -> str:
        return f"TextAnswer({quoted(self.asked)}, {counted(len(self.sentences), 'sentence')})"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        return heading(self) + lines(self.sentences, cells=400, most=40)

    @property
    def remedy(self) -> TemplateRemedy | None:
        """The remedy of the first loss that has one."""
        return next((each.remedy for each in self.effects if each.remedy is not None), None)

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "asked": masked(self.asked),
            "sentences": [*self.sentences],
            "places": [[part.as_data() for part in place.parts] for place in self.places],
            "effects": [each.as_data() for each in self.effects],
        }


def why_in_text(found: RenderedPrompt, asked: str) -> TextAnswer:
    """The answer for a message's key, else for words, else for an id of a message. Raises CtxlabError for "" alone."""
    if not asked:
        raise CtxlabError("give a message's key, such as node:u5, or words to look for")
    trace = found.trace
    keys = {key for draft in _all_drafts(found) for key in (draft.key, *(part.key for part in draft.parts))}
    if asked in keys:
        return _of_message(found, asked, trace.why(asked))
    answer = _of_words(found, asked)
    if answer is not None:
        return answer
    try:
        life = trace.why(asked)
    except CtxlabError:
        sentence = f"{quoted(asked)} stands nowhere in the text, and no step had it in the words of a message."
        return TextAnswer(asked, (sentence,), is_known=False)
    return _of_message(found, life.key, life)


def _all_drafts(found: RenderedPrompt) -> Iterator[Draft]:
    for ctx in (found.trace.start, *(step.after for step in found.trace.steps)):
        yield from ctx.drafts
    for group in found.trace.result.dropped:
        yield from group.drafts


# --- a message


def _of_message(found: RenderedPrompt, key: str, life: Life) -> TextAnswer:
    told = [str(line).strip() for line in str(life).split("\n")]
    if life.draft is None:
        return TextAnswer(key, tuple(told), life=life)
    effects = _effects_on(found, (key, life.draft.key))
    if found.rendered is None:
        return TextAnswer(key, (*told[:-1], *_losses(effects)), effects=effects, life=life)
    places = _places_of_message(found, key, life.draft)
    here = [f"It is in the text: {_shown(place)}." for place in places[:MOST]]
    return TextAnswer(key, (*told[:-1], *here, *_losses(effects)), TextPlaces(places), effects, life)


def _places_of_message(found: RenderedPrompt, key: str, draft: Draft) -> list[TextPlace]:
    """The stretches of a text that a message has, neighbours as one place."""
    assert found.rendered is not None
    drafts = found.trace.result.drafts
    number = next(n for n, each in enumerate(drafts) if each is draft)
    spots = [each for each in found.rendered.stretches if each.message == number and each.field != "role"]
    parts = [part for each in spots for part in place_at(found.rendered, drafts, each.start, each.end).parts]
    own = [part for part in parts if not draft.merged or key in (part.part, draft.key)]
    return [TextPlace(part.start, part.end, (part,)) for part in own]


def _shown(place: TextPlace) -> str:
    return f"characters {place.start}-{place.end}, {', '.join(dict.fromkeys(part.whose for part in place.parts))}"


# --- words


def _of_words(found: RenderedPrompt, words: str) -> TextAnswer | None:
    """The answer for words; None where neither the text nor a message has or had them."""
    drafts, told = found.trace.result.drafts, list[str]()
    places = places_of(found.rendered, drafts, words) if found.rendered is not None else TextPlaces()
    for place in places[:MOST]:
        told += _written(place)
    if len(places) > MOST:
        told.append(f"and at {counted(len(places) - MOST, 'more place')}")
    occurrences = found.trace.where(words)
    if places:
        keys = {key for place in places for part in place.parts for key in (part.key, part.part) if key}
        effects = tuple(each for each in _effects_on(found, keys) if each.kind not in ("dropped", "cut"))
        return TextAnswer(words, (*told, *_losses(effects)), places, effects)
    effects = list[TemplateEffect]()
    for each in occurrences:
        if each.state == "sent":
            more, its = _of_sent(found, each)
            told += more
            effects += its
        else:
            head, *_ = str(each).split("\n")
            told += [head, *_provenance(each.spans), *_outcome(found, each)]
    beside = [(draft, thing) for draft in drafts for thing, text in _beside(draft) if words in text]
    for draft, thing in beside:
        its = [each for each in _effects_on(found, (draft.key,)) if each.thing == thing or each.kind == "refused"]
        told.append(f"{quoted(words)} is in the {_NAMES[thing]} of {draft.key} ({draft.role}).")
        told += _losses(its) or ["The template writes them otherwise."]
        effects += its
    if not told:
        return None
    return TextAnswer(words, tuple(dict.fromkeys(told)), places, tuple(dict.fromkeys(effects)))


def _written(place: TextPlace) -> Iterator[str]:
    """The writers of a place, part by part; of the template's own characters its line is enough."""
    for part in place.parts:
        yield f"characters {part.start}-{part.end}: {part.whose}"
        yield from _provenance(part.spans if part.key else ())


def _provenance(spans: Iterable[Span]) -> Iterator[str]:
    for span in spans:
        for row in span_provenance(span, depth=1):
            yield f"{'  ' * row.depth}{row.lead}{' ' if row.lead else ''}{quoted(row.text)} {row.words}"


_NAMES = {"reasoning": "thoughts", "calls": "calls", "name": "speaker's name"}


def _of_sent(found: RenderedPrompt, each: Occurrence) -> tuple[list[str], list[TemplateEffect]]:
    """Sentences on words of a message that don't stand in the text as they are."""
    number, draft = next((n, d) for n, d in enumerate(found.trace.result.drafts) if d.key == each.key)
    named = (
        f"{quoted(str(each.version.text)[each.start : each.end])} is in message {number + 1} ({draft.role}, {each.key})"
    )
    if found.rendered is None or not found.rendered.traced:
        effects = [effect for effect in found.effects if effect.kind in ("refused", "not traced")]
        return [f"{named}, as the pipeline sends it.", *_losses(effects)], effects
    there = [
        (max(s.start, s.start + each.start - s.offset), min(s.end, s.start + each.end - s.offset))
        for s in found.rendered.stretches
        if s.message == number
        and s.field == "content"
        and s.offset < each.end
        and s.offset + s.end - s.start > each.start
    ]
    if there:
        text = found.text
        shown = ", ".join(f"{quoted(text[start:end])} at characters {start}-{end}" for start, end in there[:MOST])
        return [f"{named}; the text has it otherwise or in part: {shown}."], []
    effects = [e for e in _effects_on(found, (each.part or each.key,)) if e.kind in ("dropped", "cut", "shortened")]
    effects = [effect for effect in effects if effect.thing == "words"]
    if effects:
        return [f"{named}, and not in the text.", *_losses(effects)], effects
    return [f"{named}; the template leaves out blanks at the ends of messages."], []


def _outcome(found: RenderedPrompt, each: Occurrence) -> list[str]:
    """The life's last line of a message that was dropped: what would have kept it."""
    if each.state != "dropped":
        return []
    return [found.trace.why(each.part or each.key).outcome]


def _beside(draft: Draft) -> Iterator[tuple[str, str]]:
    yield "reasoning", draft.reasoning or ""
    yield "name", draft.speaker or ""
    for call in draft.calls:
        yield "calls", f"{call.name} {call.arguments}"


# --- effects


def _effects_on(found: RenderedPrompt, keys: Sequence[str] | set[str]) -> tuple[TemplateEffect, ...]:
    """The losses of some messages, or the refusal of all."""
    of_all = ("refused", "not traced")
    return tuple(each for each in found.effects if each.kind in LOSSES and (each.key in keys or each.kind in of_all))


def _losses(effects: Sequence[TemplateEffect]) -> list[str]:
    """A sentence for each loss and one for what mends it."""
    told: list[str] = []
    for each in effects:
        by = "" if each.kind in ("refused", "cut", "not traced") else "By the template: "
        told.append(f"{by}{each.sentence}")
        if each.remedy is not None:
            told.append(f"Mended, as was tried, with {_listed(each.remedy.settings)}: {each.remedy.sentence}")
        elif each.advice:
            told.append(each.advice)
    return told


def _listed(settings: Mapping[str, Any]) -> str:
    return " ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in settings.items()
    )
