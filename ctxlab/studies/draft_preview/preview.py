"""The next request with what is being typed, held against the one without it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ctxlab.context import Draft
from ctxlab.context.step_report import PromptLimit
from ctxlab.display.short_texts import counted, short
from ctxlab.engines.worldbook import LoreScan
from ctxlab.engines.worldbook.decision import Decision
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Remedy, Trace, remedies
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.prompt import BuiltMessage, JoinedMessage, Prompt
from ctxlab.prompt.built_message import FILES
from ctxlab.studies.budget_figure import ORDER
from ctxlab.studies.draft_preview.cache_effect import CacheEffect
from ctxlab.studies.draft_preview.draft_marks import DraftMacro, macros_of, typed_span
from ctxlab.studies.run_effect import RunEffect, run_effect

PENDING = "pending"
DRAFT = "draft"
MOST_LINES, MOST_SHOWN = 20, 300
ROOM = frozenset({"free", "reserve"})
CHANCE = "by chance, drawn anew when it is sent"
"""Of an entry with a probability below 100 %."""


@dataclass(frozen=True, slots=True)
class SourceTokens:
    """Tokens of one source of the prompt: its name among the sources, its title for people, its tokens."""

    source: str
    title: str
    tokens: int


@dataclass(frozen=True, slots=True)
class DraftCut:
    """A message that is not sent with the draft and isn't dropped without it, and why, in a sentence.

    `was_sent` is False where it isn't in the request without the draft either, such as an entry that fires only now.
    """

    key: str
    tokens: int
    cause: str
    was_sent: bool


@dataclass(frozen=True, slots=True)
class DraftEntry:
    """A lore entry that fires with the draft and not without it, and by what.

    `start` and `end` are the characters of the typed text that matched; None where it isn't the draft's words that did,
    or where a macro or a rule wrote them. `tokens` are those of the entry as it is sent; 0 where it was cut. An entry
    that fires `by_chance` is drawn anew when the text is sent, and may not fire then.
    """

    key: str
    title: str
    tokens: int
    reason: str
    matched: str = ""
    start: int | None = None
    end: int | None = None
    by_chance: bool = False

    def __str__(self) -> str:
        return f"{self.title} {f'may fire, {CHANCE}' if self.by_chance else 'fires'}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Preview:
    """A typed text before it is sent: `trace` is the run with it, `without` the one that there would be without it.

    `cache` is what it does to the prefix that a vendor has cached; None where there is no request before it on the
    path or nothing is known of the vendor's cache.
    """

    text: str
    trace: Trace
    without: Trace
    cache: CacheEffect | None = None

    def __repr__(self) -> str:
        what = [f"{self.tokens:,} tokens", f"{self.draft_tokens:,} of them typed"]
        what += [f"cuts {counted(len(self.cut), 'message')}"] if self.cut else []
        what += [f"{counted(len(self.fires), 'entry fires', 'entries fire')}"] if self.fires else []
        return f"Preview({', '.join(what)})"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import heading, html_table, lines

        rows = [(each.title, f"{each.tokens:,}") for each in self.sources]
        cuts = [short(f"{each.key} goes: {each.cause}", MOST_SHOWN) for each in self.cut[:MOST_LINES]]
        fires = [short(str(each), MOST_SHOWN) for each in self.fires[:MOST_LINES]]
        sentences = self.cache.sentences if self.cache is not None else ()
        return heading(self) + html_table(("source", "tokens"), rows) + lines([*cuts, *fires, *sentences])

    @property
    def tokens(self) -> int:
        """Tokens of the prompt with the draft."""
        return self.trace.tokens

    @property
    def budget(self) -> int | None:
        """Tokens that the prompt may have; None where nothing limits it."""
        limit = self.trace.result.report(PromptLimit)
        return limit.budget_tokens if limit is not None else None

    @property
    def free(self) -> int | None:
        """Tokens of the budget that are left; None where there is no budget."""
        return None if self.budget is None else self.budget - self.tokens

    @property
    def draft_tokens(self) -> int:
        """Tokens of the typed words in the prompt, without files; 0 where they aren't sent."""
        return next((each.tokens for each in self.sources if each.source == DRAFT), 0)

    @cached_property
    def sources(self) -> tuple[SourceTokens, ...]:
        """Tokens by source in the order of a budget, the typed words last and apart; together they are `tokens`."""
        spent = {name: n for name, n in self._prompt.tokens_by_source.items() if name not in ROOM}
        draft = 0
        own = self._joined.get(PENDING)
        for each in own.parts if own is not None else ():
            if each.source != FILES:
                spent[each.entry] = spent.get(each.entry, 0) - each.tokens
                draft += each.tokens
        found = [SourceTokens(look, title, sum(spent.get(name, 0) for name in names)) for title, look, names in ORDER]
        found = [each for each in found if each.tokens and each.source not in ROOM]
        return (*found, SourceTokens(DRAFT, DRAFT, draft)) if draft else tuple(found)

    @cached_property
    def _prompt(self) -> Prompt[BuiltMessage]:
        return self.trace.prompt

    @cached_property
    def _joined(self) -> Mapping[str, JoinedMessage]:
        return {each.key: each for message in self._prompt.messages for each in message.joined}

    @cached_property
    def cut(self) -> tuple[DraftCut, ...]:
        """The messages that are dropped with the draft and not without it, in the order in which they went."""
        if self.trace is self.without:
            return ()
        before, causes = dropped_of(self.without), cut_causes(self.trace)
        sent = {part.key for draft in self.without.result.drafts for part in (draft, *draft.parts)}
        count = self.trace.services.tokenizer.count_draft
        return tuple(
            DraftCut(key, count(draft), causes.get(key, ""), key in sent)
            for key, draft in dropped_of(self.trace).items()
            if key not in before
        )

    @cached_property
    def remedies(self) -> Mapping[str, Remedy]:
        """By key of each of these, the smallest change of settings that keeps it."""
        return remedies(self.trace, [each.key for each in self.cut])

    @cached_property
    def effect(self) -> RunEffect:
        """The whole difference of what is sent with and without the draft."""
        return run_effect(self.without, self.trace)

    @cached_property
    def fires(self) -> tuple[DraftEntry, ...]:
        """The entries that fire with the draft and not without it."""
        if self.trace is self.without:
            return ()
        before = {decision.key for decision in _fired(self.without)}
        return tuple(self._entry(decision) for decision in _fired(self.trace) if decision.key not in before)

    @cached_property
    def macros(self) -> tuple[DraftMacro, ...]:
        """The macros of the typed text."""
        agent = self.trace.start.input.agent
        return macros_of(self.text, agent.macro_dialect if agent is not None else None)

    def _entry(self, decision: Decision) -> DraftEntry:
        matched, own = decision.matched, self._joined.get(decision.key)
        tokens = self.trace.services.tokenizer.count(str(own.text)) if own is not None else 0
        is_typed = matched is not None and matched.where == PENDING and not matched.in_name
        span = self._typed(matched.start, matched.end) if matched is not None and is_typed else None
        start, end = span if span is not None else (None, None)
        words, lore = matched.key if matched is not None else "", decision.lore.entry
        by_chance = lore.use_probability and lore.probability < 100
        return DraftEntry(decision.key, decision.title, tokens, decision.reason, words, start, end, by_chance)

    def _typed(self, start: int, end: int) -> tuple[int, int] | None:
        """The typed characters behind those of the draft as the scan saw it."""
        for step in self.trace.steps:
            if step.after.report(LoreScan) is not None:
                seen = next((draft for draft in step.before.drafts if draft.key == PENDING), None)
                return typed_span(seen.text, self.text, start, end) if seen is not None else None
        return None

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data, without the runs."""
        return {
            "text": self.text,
            "tokens": self.tokens,
            "budget": self.budget,
            "free": self.free,
            "sources": [[each.source, each.title, each.tokens] for each in self.sources],
            "cut": [{"key": each.key, "tokens": each.tokens, "cause": each.cause} for each in self.cut],
            "fires": [
                {"key": each.key, "title": each.title, "reason": each.reason, "by_chance": each.by_chance}
                for each in self.fires
            ],
            "cache": list(self.cache.sentences) if self.cache is not None else [],
        }


def preview_of(text: str, trace: Trace, without: Trace, cache: CacheEffect | None = None) -> Preview:
    """The preview of a typed text, from the run with it and the one without; they are one run where it is empty."""
    return Preview(text, trace, without, cache)


def dropped_of(trace: Trace) -> dict[str, Draft]:
    """By key, the messages that the steps of a run dropped."""
    return {draft.key: draft for group in trace.result.dropped for draft in group.drafts}


def _fired(trace: Trace) -> tuple[Decision, ...]:
    scan = trace.result.report(LoreScan)
    return scan.fired if scan is not None else ()
