"""Tokens and characters of the prompt by source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from ctxlab.context import Draft, PromptLimit
from ctxlab.context.file_words import FROM_FILES
from ctxlab.display.source_styles import BY_NAME, OF_KIND, OVERHEAD, PARTS, ROOM
from ctxlab.pipeline.services import TokenCounter

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens and characters by source, in the order in which a budget is read; what is not there has no entry."""

    tokens: dict[str, int]
    characters: dict[str, int]
    budget: int | None

    @property
    def total(self) -> int:
        """Tokens of the prompt; equals `trace.tokens`."""
        return sum(n for source, n in self.tokens.items() if source not in ROOM)


PERSONAS = ("user_profile", "personaDescription")
"""Anchors whose placeholders show the user's profile."""
FILES = "attachments"
"""The entry of files, whether they go as files or as text."""


def spending(trace: Trace) -> Spending:
    """Tokens and characters of the result by source.

    A merged message is split into its parts, a message with the text of files into its own words and theirs; what
    joining them costs is `seams`.
    """
    counter = trace.services.tokenizer
    found, characters = dict.fromkeys(PARTS, 0), dict.fromkeys(PARTS, 0)
    agent = trace.start.input.agent
    found["tools"] += counter.count_tools(agent.sent_tools) if agent and agent.sent_tools else 0
    found["overhead"] += counter.request_tokens
    alone = parts_alone(trace)
    for draft in trace.result.drafts:
        found["overhead"] += counter.message_tokens
        found["seams"] += counter.count_draft(draft) - counter.message_tokens
        characters["seams"] += len(draft.text)
        for part in made_of(draft, alone):
            for source, words in words_by_source(part):
                characters[source] += len(words)
            characters["seams"] -= len(part.text)
            for source, tokens in tokens_by_source(part, counter):
                found[source] += tokens
                found["seams"] -= tokens
    limit = trace.result.report(PromptLimit)
    budget = limit.budget_tokens if limit is not None else None
    if limit is not None:
        found["reserve"] = limit.reserve_tokens
        found["free"] = limit.budget_tokens - sum(n for source, n in found.items() if source != "reserve")
    return Spending(_present(found), _present(characters), budget)


def parts_alone(trace: Trace) -> dict[str, Draft]:
    """By key, the parts of merged messages, sent or dropped, as they last stood alone."""
    dropped = [draft for group in trace.result.dropped for draft in group.drafts]
    wanted = {part.key for draft in (*trace.result.drafts, *dropped) for part in draft.merged}
    alone: dict[str, Draft] = {}
    for step in reversed(trace.steps):
        if not wanted:
            break
        for draft in step.before.drafts:
            if draft.key in wanted and not draft.merged:
                alone[draft.key] = draft
                wanted.discard(draft.key)
    return alone


def made_of(draft: Draft, alone: Mapping[str, Draft]) -> Sequence[Draft]:
    """The messages that a merged one was made of; itself where it is not merged, or never was in parts."""
    return [alone[part.key] for part in draft.merged if part.key in alone] or [draft]


def _present(found: Mapping[str, int]) -> dict[str, int]:
    return {source: n for source, n in found.items() if n}


def tokens_by_source(draft: Draft, counter: TokenCounter) -> Iterable[tuple[str, int]]:
    """Tokens of one message by source: its words, then calls and files; without the wire format's overhead.

    The text of its files is counted apart; `seams` is what is more or less where it meets the message's own words.
    """
    words = counter.count(str(draft.text))
    beside = counter.count_draft(draft) - counter.message_tokens - words
    source = source_of(draft)
    for part, text in words_by_source(draft):
        tokens = counter.count(text)
        words -= tokens
        yield part, tokens
    if words:
        yield "seams", words
    if draft.calls:
        yield "tools", beside
    else:
        yield (FILES if draft.assets else source), beside


def words_by_source(draft: Draft) -> Sequence[tuple[str, str]]:
    """The words of a message in stretches: its own, and those of files, which are `attachments`."""
    own = source_of(draft)
    if not any(span.origin.kind in FROM_FILES for span in draft.text.spans):
        return ((own, str(draft.text)),)
    stretches = groupby(draft.text.spans, lambda span: FILES if span.origin.kind in FROM_FILES else own)
    return [(source, "".join([span.text for span in spans])) for source, spans in stretches]


def source_of(draft: Draft) -> str:
    """The source under which the words of a message are counted."""
    if draft.role == "tool":
        return "tools"
    if draft.origin.kind == "preset":
        place = draft.placement
        if place is not None and place.kind == "template" and place.anchor in PERSONAS:
            return "profile"
        return "system" if draft.role == "system" else "presets"
    source = BY_NAME[OF_KIND.get(draft.origin.kind, OVERHEAD)]
    return source.parts[0] if source.parts else OVERHEAD
