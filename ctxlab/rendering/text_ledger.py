"""The rows that the last step adds to a run's ledger: what a template keeps, drops and writes itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from ctxlab.context import Draft
from ctxlab.engines.chat_templates import RenderedText
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.ledger import LEDGER_COLUMNS, OVERHEAD, TOOLS, Account, LedgerRow
from ctxlab.rendering.text_sources import TEMPLATE, UNTRACED, SourcedStretch

STEP: Final = "template"
COLUMNS: Final = (*LEDGER_COLUMNS, "characters_in", "characters_out")


class Sizes(NamedTuple):
    """Characters and tokens of a text that are of one thing; no tokens where no vocabulary counts them."""

    characters: int = 0
    tokens: int | None = 0


def ledger_rows_of_text(
    trace: Trace, rendered: RenderedText | None, found: Sequence[SourcedStretch], tokens: Sequence[int] | None
) -> Iterator[dict[str, Any]]:
    """A row for the messages that the text has, for those that it hasn't, and for what isn't of a message."""
    counter, drafts = trace.services.tokenizer, trace.result.drafts
    if rendered is not None and not rendered.traced:
        characters = [sum(map(_characters, drafts)), len(rendered.text)]
        yield _row(UNTRACED, _account(trace.tokens, sum(tokens or ())), characters, known=tokens is not None)
        return
    by_message = _by_message(found, tokens)
    kept, lost = Account(), Account()
    characters = {"": [0, 0], "dropped": [0, 0]}
    for number, draft in enumerate(drafts):
        size = by_message.get(number, Sizes(0, None if tokens is None else 0))
        words = counter.count_draft(draft) - counter.message_tokens
        is_there = size.characters > 0 or not _characters(draft)
        own = size.tokens or 0
        (kept if is_there else lost).add(_account(words, own) if is_there else Account(came_in=words, cut=words))
        mine = characters["" if is_there else "dropped"]
        mine[0] += _characters(draft)
        mine[1] += size.characters
    rule = "dropped" if rendered is not None else "refused"
    agent = trace.start.input.agent
    offered = counter.count_tools(agent.sent_tools) if agent is not None and agent.sent_tools else 0
    once = counter.message_tokens * len(drafts) + counter.request_tokens
    tools = by_message.get("tools", Sizes(0, None if tokens is None else 0))
    own = by_message.get(TEMPLATE, Sizes(0, None if tokens is None else 0))
    known = tokens is not None
    yield _row("", kept, characters[""], known=known)
    if lost.came_in or characters["dropped"][0]:
        yield _row(rule, lost, characters["dropped"], known=known)
    if offered or tools.characters:
        yield _row(TOOLS, _account(offered, tools.tokens or 0), [None, tools.characters], known=known)
    yield _row(OVERHEAD, Account(came_in=once, rewritten=once), [0, 0], known=known)
    yield _row(TEMPLATE, Account(added=own.tokens or 0, kept=own.tokens or 0), [0, own.characters], known=known)


def _account(before: int, after: int) -> Account:
    return Account(came_in=before, kept=after, rewritten=before - after)


def _by_message(found: Sequence[SourcedStretch], tokens: Sequence[int] | None) -> dict[int | str, Sizes]:
    """Sizes by number of a message, of definitions of tools, and of the template's own."""
    sums: dict[int | str, Sizes] = {}
    for number, each in enumerate(found):
        name = each.message if each.message is not None else each.entry
        before = sums.get(name, Sizes())
        count = None if tokens is None else (before.tokens or 0) + tokens[number]
        sums[name] = Sizes(before.characters + each.end - each.start, count)
    return sums


def _characters(draft: Draft) -> int:
    """Characters of a message: its words, thoughts, name and calls."""
    calls = sum(len(call.name) + len(call.arguments) for call in draft.calls)
    return len(draft.text) + len(draft.reasoning or "") + len(draft.speaker or "") + calls


def _row(rule: str, account: Account, characters: Sequence[int | None], *, known: bool) -> dict[str, Any]:
    own = LedgerRow(STEP, rule, account).as_data()
    if not known:
        own = {name: value if isinstance(value, str) or name == "in" else None for name, value in own.items()}
    return {**own, "characters_in": characters[0], "characters_out": characters[1]}
