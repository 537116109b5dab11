"""Effects of a template on messages: it refuses, drops, moves, shortens, joins, adds, or lets be forged."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ctxlab.context import Draft
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.engines.chat_templates import LostText, RenderedText
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.rendering.carried import Carried, carried_in
from ctxlab.rendering.template_effect import TemplateEffect, Thing

FEWEST_WORDS: Final = 4
"""Words of a template's own that count as a text which it adds."""
MARKUP: Final = lazy_pattern(r"<[|｜]?[^<>\s]{1,60}[|｜]?>|\[/?[A-Z][A-Z_]{1,40}\]|<start_of_turn>|<end_of_turn>")
"""Texts that a vocabulary has as one token, by their form."""
_WORDS: Final = lazy_pattern(r"[^\W\d_]{2,}")
SHOWN: Final = 60
BESIDE: Final[dict[Thing, str]] = {"calls": "calls of tools", "reasoning": "thoughts", "name": "speaker's name"}


def effects_of(
    rendered: RenderedText, drafts: Sequence[Draft], special_tokens: Mapping[str, str], cut: Collection[int] = ()
) -> Iterator[TemplateEffect]:
    """The effects of a template on messages, losses first; `cut` are positions of those that were left out for room."""
    text = str(rendered.text)
    if not rendered.traced:
        yield TemplateEffect("not traced", "", "The text could not be traced, so nothing is said of what it carries.")
        return
    carried = carried_in(rendered, drafts)
    for each in carried:
        if each.message in cut:
            yield TemplateEffect("cut", each.key, f"{_named(each)} is cut by SillyTavern's text completion.")
        elif each.is_dropped:
            lost = next((lost for lost in rendered.lost if each.message in lost.messages), None)
            sentence = f"{_named(each)} is not in the text{_lost(lost)}."
            yield TemplateEffect("dropped", each.key, sentence, line=lost and lost.line)
    told = {each.message for each in carried if each.is_dropped}
    for lost in rendered.lost:
        if lost.text.strip() and told.isdisjoint(lost.messages):
            sentence = f"“{plain(lost.text.strip(), SHOWN)}” is not in the text{_lost(lost)}."
            yield TemplateEffect("dropped", "", sentence, line=lost.line)
    there = [each for each in carried if each.at is not None]
    for each in (there[number] for number in _moved([each.at or 0 for each in there])):
        sentence = f"{_named(each)} stands elsewhere in the text than it was sent."
        yield TemplateEffect("moved", each.key, sentence, each.at, each.end)
    yield from _beside(rendered, drafts, carried)
    for each in carried:
        if each.is_shortened:
            left = counted(each.characters - each.carried, "character")
            sentence = f"{_named(each)} is in the text without {left} of its words."
            yield TemplateEffect("shortened", each.key, sentence, each.at, each.end)
        if each.times > 1:
            sentence = f"Words of {_named(each, small=True)} are in the text {each.times} times."
            yield TemplateEffect("doubled", each.key, sentence, each.at, each.end)
    yield from _joined(text, carried)
    yield from _doubled_beginning(rendered, special_tokens.get("bos_token", ""))
    yield from _forged(text, carried, {*special_tokens.values(), *_own_markup(rendered)})
    yield from _added(rendered)


def _moved(places: Sequence[int]) -> list[int]:
    """The numbers of the fewest places that have to go so that the others are in order."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, place in enumerate(places):
        at = bisect_left(tails, place)
        before.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(place)
            ends.append(number)
        else:
            tails[at], ends[at] = place, number
    kept: set[int] = set()
    number = ends[-1] if ends else -1
    while number >= 0:
        kept.add(number)
        number = before[number]
    return [number for number in range(len(places)) if number not in kept]


def over_the_room(over: tuple[int, int] | None) -> Iterator[TemplateEffect]:
    """The effect where what text completion always sends is more than its room."""
    if over is not None:
        sentence = (
            f"What is always sent takes {over[0]:,} tokens with the padding, more than the {over[1]:,} there are."
        )
        yield TemplateEffect("cut", "", sentence)


def _lost(lost: LostText | None) -> str:
    """The cause of a loss that is the engine's."""
    if lost is None:
        return ""
    return (
        f": the template writes it and llama.cpp loses it, as all that an {{% if %}} has written before "
        f"{{% continue %}} or {{% break %}} leaves it (line {lost.line})"
    )


def _named(each: Carried, *, small: bool = False) -> str:
    words = plain(each.text, SHOWN)
    name = f"message {each.message + 1} ({each.role}, {each.key}: “{words}”)"
    return name if small else name[0].upper() + name[1:]


def _beside(rendered: RenderedText, drafts: Sequence[Draft], carried: Sequence[Carried]) -> Iterator[TemplateEffect]:
    """Calls, thoughts and names of messages that the text has nothing of."""
    there = Beside(rendered, drafts, carried)
    for number, draft in enumerate(drafts):
        for thing in things_beside(draft):
            if not there.has(draft.key, thing, draft.speaker):
                words = BESIDE[thing]
                sentence = (
                    f"The {words} of message {number + 1} ({draft.role}, {draft.key}) {_are(words)} not in the text."
                )
                yield TemplateEffect("dropped", draft.key, sentence, thing=thing)


def things_beside(draft: Draft) -> Iterator[Thing]:
    """The things that a message has beside its words."""
    if draft.calls:
        yield "calls"
    if draft.reasoning:
        yield "reasoning"
    if draft.speaker:
        yield "name"


class Beside:
    """The things beside the words of messages that a text has something of, by key of a message or of its parts."""

    def __init__(self, rendered: RenderedText, drafts: Sequence[Draft], carried: Sequence[Carried]) -> None:
        self._there = {(each.message, each.field) for each in rendered.stretches}
        self._number = {key: n for n, each in enumerate(drafts) for key in (each.key, *(p.key for p in each.parts))}
        self._words = {each.key: each for each in carried}

    def has(self, key: str, thing: Thing, speaker: str | None) -> bool:
        """Whether the text has something of it; of a name also where it stands before the message's words."""
        if (self._number.get(key), thing) in self._there:
            return True
        words = self._words.get(key)
        is_named = thing == "name" and words is not None and words.text.startswith(f"{speaker}: ")
        return is_named and words is not None and not words.is_dropped


def _are(words: str) -> str:
    return "is" if words.endswith("name") else "are"


def _joined(text: str, carried: Sequence[Carried]) -> Iterator[TemplateEffect]:
    """Messages of two turns between which the text has nothing but blanks."""
    there = sorted((each for each in carried if each.at is not None), key=lambda each: each.at or 0)
    for one, other in pairwise(there):
        between = text[one.end : other.at]
        if one.message != other.message and (one.end or 0) <= (other.at or 0) and not between.strip():
            sentence = (
                f"{_named(other)} follows message {one.message + 1} ({one.role}, {one.key}) without a mark "
                "between them: the model reads both as one."
            )
            yield TemplateEffect("merged", other.key, sentence, other.at, other.end)


def _doubled_beginning(rendered: RenderedText, begin: str) -> Iterator[TemplateEffect]:
    by_server = rendered.engine == "llama.cpp"  # the server took one off, and puts it back
    size = len(begin) if by_server else 2 * len(begin)
    if begin and str(rendered.text).startswith(begin if by_server else begin * 2):
        more = ", once by the server" if by_server else ""
        yield TemplateEffect("doubled", "", f"The text begins with {begin} twice{more}.", 0, size)


def markup_in(rendered: RenderedText | None, source: str = "") -> set[str]:
    """The markup that a template writes itself, and that which stands in its source."""
    found = {mark[0] for mark in MARKUP.finditer(source)}
    return found | _own_markup(rendered) if rendered is not None else found


def _own_markup(rendered: RenderedText) -> set[str]:
    text = str(rendered.text)
    own = (text[each.start : each.end] for each in rendered.stretches if each.message is None and each.field != "tools")
    return {found[0] for words in own for found in MARKUP.finditer(words)}


def _forged(text: str, carried: Sequence[Carried], markup: set[str]) -> Iterator[TemplateEffect]:
    """Markup of the model in the words of messages."""
    for each in carried:
        words = text[each.at : each.end] if each.at is not None else ""
        found = sorted(mark for mark in markup if mark and mark in each.text and mark in words)
        if found:
            listed = ", ".join(found[:4])
            sentence = (
                f"{_named(each)} has {listed} in its words, which a server that reads special tokens in "
                "messages takes for the template's own."
            )
            yield TemplateEffect("forged", each.key, sentence, each.at, each.end)


def _added(rendered: RenderedText) -> Iterator[TemplateEffect]:
    """Words of the template's own."""
    text = str(rendered.text)
    for each in rendered.stretches:
        if each.message is None and each.field == "template":
            bare = MARKUP.sub(" ", text[each.start : each.end])
            if len(_WORDS.findall(bare)) >= FEWEST_WORDS:
                line = rendered.text.at(each.start).origin.ref.rpartition(":")[2]
                sentence = f"The template adds words of its own: “{plain(bare.strip(), SHOWN)}”."
                number = int(line) if line.isdecimal() else None
                yield TemplateEffect("added", "", sentence, each.start, each.end, number)
