"""Macros of what is injected, expanded once, in the order in which it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ctxlab.context import Context, Draft, Origin, Text, Variables
from ctxlab.documents import Note
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.processors.injection.plan import Rank
from ctxlab.processors.injection.read_preset_placement import CARD_TEXTS


@dataclass(slots=True)
class Wording:
    """One pass over the messages; what a macro sets in one is there in the next. `dialects` are by key of a draft."""

    env: MacroEnv
    dialects: Mapping[str, str | None]
    variables: Variables
    notes: list[Note] = field(default_factory=list[Note])
    outlets_of_prompts: bool = False
    """Whether outlets are empty in lore and in the texts of a card."""

    @classmethod
    def of(cls, ctx: Context, dialects: Mapping[str, str | None]) -> Wording:
        return cls(MacroEnv.of(ctx.input, dice=ctx.dice), dialects, ctx.input.variables)

    def expanded(self, draft: Draft) -> Draft:
        """The draft with values in the place of its macros."""
        dialect = self.dialects.get(draft.key.partition("@")[0] if draft.origin.kind == "preset" else draft.key)
        env = self.env.at(draft.key).speaking(dialect)
        if self.outlets_of_prompts and _comes_before_outlets(draft):
            env = env.with_outlets({})
        return draft.edit_text(lambda text: self._expanded_text(text, env))

    def _expanded_text(self, text: Text, env: MacroEnv) -> Text:
        expansion = expand(text, env.with_variables(self.variables))
        self.variables = expansion.variables
        self.notes.extend(expansion.notes)
        return expansion.text

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
        place is not None and place.kind == "template" and place.anchor in CARD_TEXTS
    )
