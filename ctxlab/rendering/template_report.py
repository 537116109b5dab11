"""Effects of a template on messages: it refuses, drops, moves, shortens, joins, adds, or lets be forged."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, get_args

from ctxlab.context import Draft
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.engines.chat_templates import LostText, RenderedText
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.rendering.carried import Carried, carried_in
from ctxlab.rendering.template_remedies import TemplateRemedy

EffectKind = Literal["refused", "dropped", "moved", "shortened", "doubled", "merged", "forged", "added", "not traced"]
EFFECTS: Final[tuple[EffectKind, ...]] = get_args(EffectKind)
LOSSES: Final[tuple[EffectKind, ...]] = ("refused", "dropped", "moved")
"""Effects for which remedies are searched."""
FEWEST_WORDS: Final = 4
"""Words of a template's own that count as a text which it adds."""
_MARKUP: Final = lazy_pattern(r"<[|｜]?[^<>\s]{1,60}[|｜]?>|\[/?[A-Z][A-Z_]{1,40}\]|<start_of_turn>|<end_of_turn>")
"""Texts that a vocabulary has as one token, by their form."""
_WORDS: Final = lazy_pattern(r"[^\W\d_]{2,}")
SHOWN: Final = 60


@dataclass(frozen=True, slots=True, eq=False)
class TemplateEffect:
    """Something that a template does to a message or with its own words; `sentence` says it.

    `key` is the message, "" where it is none's. `start` and `end` are characters of the text, None where it has none;
    `line` is that of the template, None where it isn't known. `remedy` is the smallest change of formatter steps that
    mends it, tried; None where none of them does, or where nothing is lost.
    """

    kind: EffectKind
    key: str
    sentence: str
    start: int | None = None
    end: int | None = None
    line: int | None = None
    _remedy: Callable[[], TemplateRemedy | None] = field(default=lambda: None, repr=False)

    @property
    def remedy(self) -> TemplateRemedy | None:
        """The smallest change that mends it; found at first use."""
        return self._remedy()

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data."""
        names = ("kind", "key", "sentence", "start", "end", "line")
        remedy = self.remedy
        return {**{name: getattr(self, name) for name in names}, "remedy": remedy and remedy.as_data()}


def losses_in(rendered: RenderedText, drafts: Sequence[Draft]) -> list[tuple[EffectKind, Carried]]:
    """The messages that a text drops, and the fewest that can have moved."""
    carried = carried_in(rendered, drafts)
    there = [each for each in carried if each.at is not None]
    moved = _moved([each.at or 0 for each in there])
    found: list[tuple[EffectKind, Carried]] = [("dropped", each) for each in carried if each.is_dropped]
    return [*found, *(("moved", there[number]) for number in moved)]


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


def effects_of(
    rendered: RenderedText,
    drafts: Sequence[Draft],
    special_tokens: Mapping[str, str],
    remedy_of: Callable[[EffectKind, str], TemplateRemedy | None],
) -> Iterator[TemplateEffect]:
    """The effects of a template on messages, losses first."""
    text = str(rendered.text)
    if not rendered.traced:
        yield TemplateEffect("not traced", "", "The text could not be traced, so nothing is said of what it carries.")
        return
    carried = carried_in(rendered, drafts)
    losses = losses_in(rendered, drafts)
    for kind, each in losses:
        words = "is not in the text" if kind == "dropped" else "stands elsewhere in the text than it was sent"
        lost = next((lost for lost in rendered.lost if kind == "dropped" and each.message in lost.messages), None)
        yield TemplateEffect(
            kind,
            each.key,
            f"{_named(each)} {words}{_lost(lost)}.",
            each.at,
            each.end,
            lost and lost.line,
            _remedy=lambda kind=kind, key=each.key: remedy_of(kind, key),
        )
    told = {each.message for kind, each in losses if kind == "dropped"}
    for lost in rendered.lost:
        if lost.text.strip() and told.isdisjoint(lost.messages):
            sentence = f"“{plain(lost.text.strip(), SHOWN)}” is not in the text{_lost(lost)}."
            yield TemplateEffect("dropped", "", sentence, line=lost.line)
    yield from _beside(rendered, drafts)
    for each in carried:
        if each.is_shortened:
            left = counted(each.characters - each.carried, "character")
            sentence = f"{_named(each)} is in the text without {left} of its words."
            yield TemplateEffect("shortened", each.key, sentence, each.at, each.end)
        if each.times > 1:
            sentence = f"Words of {_named(each, small=True)} are in the text {each.times} times."
            yield TemplateEffect("doubled", each.key, sentence, each.at, each.end)
    yield from _joined(text, carried)
    yield from _doubled_beginning(text, special_tokens)
    yield from _forged(text, carried, {*special_tokens.values(), *_markup(rendered)})
    yield from _added(rendered)


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


def _beside(rendered: RenderedText, drafts: Sequence[Draft]) -> Iterator[TemplateEffect]:
    """Calls, thoughts and names of messages that the text has nothing of."""
    there = {(each.message, each.field) for each in rendered.stretches}
    for number, draft in enumerate(drafts):
        for name, words, is_there in (
            ("calls", "calls of tools", bool(draft.calls)),
            ("reasoning", "thoughts", bool(draft.reasoning)),
            ("name", "speaker's name", bool(draft.speaker)),
        ):
            if is_there and (number, name) not in there:
                sentence = (
                    f"The {words} of message {number + 1} ({draft.role}, {draft.key}) {_are(words)} not in the text."
                )
                yield TemplateEffect("dropped", draft.key, sentence)


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


def _doubled_beginning(text: str, special_tokens: Mapping[str, str]) -> Iterator[TemplateEffect]:
    begin = special_tokens.get("bos_token", "")
    if begin and text.startswith(begin * 2):
        yield TemplateEffect("doubled", "", f"The text begins with {begin} twice.", 0, 2 * len(begin))


def _markup(rendered: RenderedText) -> set[str]:
    """The markup that a template writes itself."""
    text = str(rendered.text)
    own = (text[each.start : each.end] for each in rendered.stretches if each.message is None and each.field != "tools")
    return {found[0] for words in own for found in _MARKUP.finditer(words)}


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
            bare = _MARKUP.sub(" ", text[each.start : each.end])
            if len(_WORDS.findall(bare)) >= FEWEST_WORDS:
                line = rendered.text.at(each.start).origin.ref.rpartition(":")[2]
                sentence = f"The template adds words of its own: “{plain(bare.strip(), SHOWN)}”."
                number = int(line) if line.isdecimal() else None
                yield TemplateEffect("added", "", sentence, each.start, each.end, number)
