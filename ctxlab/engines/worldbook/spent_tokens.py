"""The tokens of lore against its budget: each entry counted alone, or all of them together as in SillyTavern."""

from __future__ import annotations

from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import ScanInput

AROUND_LORE = 6
"""Tokens that SillyTavern counts around a text beside its own: measured with 1.19."""


SHORT = 20
"""Entries whose text is counted anew with each that is added."""
FUSED = 2
"""Tokens by which two neighbours may differ from each alone: a break that ends one fuses with what begins the other."""


class SpentTokens:
    """The tokens of its budget that lore took so far.

    Counted together, the contents of the pass are one text, and those of earlier passes that lore may be called up by
    another, newest pass first; both have 6 tokens more, and their sum stays below the budget.
    """

    def __init__(self, scan_input: ScanInput) -> None:
        self._input = scan_input
        self._budget = scan_input.rules.budget_tokens
        self._together = scan_input.rules.budget_count == "together"
        self._alone = 0
        self._earlier = ""
        self._pass: list[tuple[PreparedEntry, str]] = []
        self._tokens_before = self._tokens = self._each = 0

    @property
    def tokens(self) -> int:
        """The tokens that count against the budget."""
        return self._tokens if self._together else self._alone

    @property
    def left(self) -> int | None:
        """Tokens that are left; None without a budget."""
        if self._budget is None:
            return None
        return max(0, self._budget - self.tokens - (1 if self._together else 0))

    def why_not(self, lore: PreparedEntry, tokens: int) -> str | None:
        """The reason why an entry of so many tokens doesn't fit; None where it does, or there is no budget."""
        if self._budget is None:
            return None
        if self._together:
            needed = self._with(lore)
            if needed < self._budget:
                return None
            return (
                f"with it lore has {counted(needed, 'token')}, {AROUND_LORE} around it counted, "
                f"and has to have fewer than {self._budget:,}"
            )
        left = self._budget - self._alone
        if tokens <= left:
            return None
        return f"it has {counted(tokens, 'token')}, {max(0, left):,} of {self._budget:,} are left"

    def add(self, lore: PreparedEntry, tokens: int) -> None:
        """Count an entry of so many tokens, which gets in."""
        if self._budget is None:
            return
        if self._together:
            self._tokens = self._with(lore)
            self._each += self._input.budget_tokens_of(lore)
            self._pass.append((lore, self._input.words_of(lore)))
        else:
            self._alone += tokens

    def next_pass(self) -> None:
        """Count the entries of this pass as earlier ones; from here on those that call up no others don't count."""
        if self._budget is None or not self._together:
            return
        text = "\n".join([words for lore, words in self._pass if not lore.prevents])
        self._earlier = f"{text}\n{self._earlier}"
        self._pass, self._each = [], 0
        self._tokens = self._tokens_before = self._input.count(self._earlier) + AROUND_LORE

    def _with(self, lore: PreparedEntry) -> int:
        """The tokens with one entry more: of the whole text, but for a long one that is far from the budget."""
        sum_of_each = self._tokens_before + self._each + self._input.budget_tokens_of(lore) + AROUND_LORE
        if len(self._pass) > SHORT and abs(sum_of_each - (self._budget or 0)) > FUSED * len(self._pass):
            return sum_of_each
        text = "".join([f"{words}\n" for _, words in (*self._pass, (lore, self._input.words_of(lore)))])
        return self._tokens_before + self._input.count(text) + AROUND_LORE
