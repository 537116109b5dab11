"""Macros of what is injected, expanded once, in the order in which it is sent or as SillyTavern prepares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Text, Variables
from ctxlab.documents import Note
from ctxlab.documents.agent.card_words import CARD_WORDS, stretches_of_card
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.engines.macros.call import CAUSE
from ctxlab.engines.macros.environment import MacroEngine
from ctxlab.engines.macros.expand import may_have_macros
from ctxlab.engines.macros.left_to_right.names_and_card import without_card
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.processors.injection.plan import Rank
from ctxlab.processors.injection.read_preset_placement import CARD_TEXTS, NOTES

OF_MESSAGES = frozenset({"node", "pending"})
FIRST = {"dialogueExamples": 0, "charDescription": 1, "depthPrompt": 5}
"""Texts of the card, which SillyTavern reads before all else, by their place among them."""
PERSONA = "personaDescription"
AFTER_LORE = ("scenario", "charPersonality")
NEW_CHAT = "newMainChat"
OF_CARD = frozenset({*FIRST, *AFTER_LORE})
RETURNS = lazy_pattern("\r")
TWICE = frozenset({"charDescription", "charPersonality", "scenario", "worldInfoBefore", "worldInfoAfter"})
"""Texts that SillyTavern expands when it reads them and once more when it makes messages of them."""
LORE_RANK = 1
MacroRank = tuple[int, float]


@dataclass(slots=True)
class Wording:
    """One pass over the messages; what a macro sets in one is there in the next. `dialects` are by key of a draft."""

    env: MacroEnv
    dialects: Mapping[str, str | None]
    variables: Variables
    notes: list[Note] = field(default_factory=list[Note])
    outlets_of_prompts: bool = False
    """Whether outlets are empty in lore and in the texts of a card."""
    line_ends: Cause | None = None
    """Signs that carriage returns are taken out of a card's words; None leaves them."""

    @classmethod
    def of(cls, ctx: Context, dialects: Mapping[str, str | None], engine: MacroEngine = "seed") -> Wording:
        return cls(MacroEnv.of(ctx.input, dice=ctx.dice, engine=engine), dialects, ctx.variables)

    def expanded(self, draft: Draft, *, processor: str = CAUSE) -> Draft:
        """The draft with values in the place of its macros; `processor` signs edits of one that was there before."""
        if not any(isinstance(part, Text) and may_have_macros(str(part)) for part in draft.body):
            return draft
        env = self._env(draft)
        return draft.edit_text(lambda text: self._expanded_text(text, env, processor))

    def _env(self, draft: Draft) -> MacroEnv:
        dialect = self.dialects.get(draft.key.partition("@")[0] if draft.origin.kind == "preset" else draft.key)
        env = self.env.at(draft.key).speaking(dialect)
        return env.with_outlets({}) if self.outlets_of_prompts and _comes_before_outlets(draft) else env

    def with_card_words(self, draft: Draft, stretches: Sequence[tuple[int, int]]) -> Draft:
        """The draft with these stretches as SillyTavern reads a card: without its other texts and the persona."""
        if not stretches:
            return draft
        env = without_card(self._env(draft))
        return draft.edit_text(lambda text: self._with_card_words(text, stretches, env))

    def _with_card_words(self, text: Text, stretches: Sequence[tuple[int, int]], env: MacroEnv) -> Text:
        out: list[Text] = []
        done = 0
        for start, end in stretches:
            out += [text.cut(done, start), self._without_returns(self._expanded_text(text.cut(start, end), env, CAUSE))]
            done = end
        out.append(text.cut(done, len(text)))
        filled = [part for part in out if part]
        return filled[0] if len(filled) == 1 else Text([span for part in filled for span in part.spans])

    def _without_returns(self, text: Text) -> Text:
        return text.sub(RETURNS, "", cause=self.line_ends) if self.line_ends and "\r" in str(text) else text

    def _expanded_text(self, text: Text, env: MacroEnv, processor: str) -> Text:
        expansion = expand(text, env.with_variables(self.variables), processor=processor)
        self.variables = expansion.variables
        self.notes.extend(expansion.notes)
        return expansion.text

    def of_text(self, text: Text, place: str) -> Text:
        """A text that is no draft, with values in the place of its macros; `place` is that of its dice."""
        return self._expanded_text(text, self.env.at(place), CAUSE)

    def read(self, text: str) -> None:
        """Take the variables that the macros of a card's text set, which isn't sent itself."""
        env = without_card(self.env.at("card"))
        self.variables = expand(text, env.with_variables(self.variables)).variables

    def fill(self, outlets: Mapping[str, Sequence[tuple[Rank, Draft]]]) -> None:
        """From here on `{{outlet::name}}` shows this lore, whose own macros are expanded first."""
        filled: dict[str, Text] = {}
        for name, lore in outlets.items():
            texts = [self.expanded(draft).text for _, draft in sorted(lore, key=lambda pair: pair[0])]
            filled[name] = Text.join(Text.of("\n", Origin("separator", f"outlet {name}")), texts)
        self.env = self.env.with_outlets(filled)


def _comes_before_outlets(draft: Draft) -> bool:
    """Whether SillyTavern expands its macros before it has filled the outlets."""
    place = draft.placement
    return draft.origin.kind == "lore" or (
        place is not None and place.kind == "template" and place.anchor in CARD_TEXTS.difference(AFTER_LORE)
    )


@dataclass(frozen=True, slots=True)
class AsPrepared:
    """The order in which SillyTavern expands what it sends, whatever order it sends it in.

    Texts of the card come first, then lore, the card's personality and scenario in their formats, the prompts, the note
    where it stands in the chat, and the messages from the newest back. `names` are what presets are in its prompt and
    `lore` the place of each entry among those that fired, by their keys.
    """

    names: Mapping[str, str | None]
    lore: Mapping[str, int]

    def rank(self, draft: Draft, place: int) -> MacroRank:
        """The sort key of a draft; `place` is its place in the request."""
        name = self._name(draft)
        if draft.origin.kind in OF_MESSAGES:
            return 7, -place
        if draft.key in self.lore:
            return LORE_RANK, self.lore[draft.key]
        if name in FIRST:
            return 0, FIRST[name]
        if name in AFTER_LORE:
            return 3, AFTER_LORE.index(name)
        if name in NOTES:
            return (5, 0) if _is_in_chat(draft) else (2, 0)
        if name == PERSONA:
            return 5, 1
        if name == NEW_CHAT:
            return 6, 0
        index = draft.placement.index if draft.placement is not None else None
        is_own = draft.placement is not None and draft.placement.level == "agent"
        return 4, place if index is None or not is_own else index - 1e6

    def card_words(self, draft: Draft) -> tuple[tuple[int, int], ...]:
        """Start and end of each stretch of its text that is the card's own."""
        if draft.origin.kind in OF_MESSAGES or draft.key in self.lore:
            return ()
        if self._is_all_card(draft):
            return ((0, len(draft.text)),)
        return tuple(stretches_of_card(draft.meta, len(draft.text)))

    def times(self, draft: Draft) -> int:
        """Times that its macros are expanded, besides a card's own: what one gives may be a macro again."""
        if draft.origin.kind in OF_MESSAGES:
            return 1
        is_twice = draft.key in self.lore or _is_in_chat(draft) or self._name(draft) in TWICE
        return 1 + is_twice - self._is_all_card(draft)

    def _is_all_card(self, draft: Draft) -> bool:
        return self._name(draft) in OF_CARD and CARD_WORDS not in draft.meta and draft.key not in self.lore

    def _name(self, draft: Draft) -> str | None:
        return self.names.get(draft.key.partition("@")[0])


def _is_in_chat(draft: Draft) -> bool:
    return draft.placement is not None and draft.placement.kind == "depth"


def ranked(drafts: Iterable[Draft], order: AsPrepared) -> list[tuple[MacroRank, int]]:
    """Places of the drafts in the order in which they are expanded."""
    return sorted((order.rank(draft, place), place) for place, draft in enumerate(drafts))


def read_beforehand(build_input: BuildInput) -> Sequence[tuple[MacroRank, str]]:
    """Texts of card and user that SillyTavern expands before all else and once more where they are sent."""
    agent, user = build_input.agent, build_input.user
    texts = [
        agent.personality if agent is not None else "",
        user.content if user is not None else "",
        agent.scenario if agent is not None else "",
    ]
    return [((0, number), text) for number, text in enumerate(texts, 2) if text and "{{" in text]
