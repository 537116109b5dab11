"""Expectations of a built context: what is kept, where it stands, what it costs, how steady its beginning is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxlab.argument_checks import checked_arguments
from ctxlab.context.tool_pairs import units_newest_first
from ctxlab.display.one_line import plain, visible
from ctxlab.display.short_texts import counted, nearest
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.testing.context_assertions.expectation import Expectation, Finding
from ctxlab.testing.context_assertions.message_references import (
    MessageReference,
    cut_with,
    entries,
    has_words,
    life_of,
    lore_rows,
    places,
    reference,
)
from ctxlab.testing.context_assertions.prefix_stability import least_shared
from ctxlab.testing.context_assertions.price_of_prompt import compare_prices

MOST_LIVES = 3
"""The lives of so many missing messages are told, the others are counted."""


@checked_arguments
def kept(name: str) -> Expectation:
    """The message is sent, alone or as a part of another one.

    `name` is a key (`node:u5`), an id (`u5`, `preset-rules`), an entry (`lore:Harbour`), or words of a message. An id
    says nothing of the words behind it: a reworded preset is still kept. Of several that go by it one must be sent. A
    name that the run never had is a failure, also under `not_`: a misspelt one would hold for ever.
    """
    return Expectation(f"kept({name!r})", lambda trace: _kept(trace, name))


@checked_arguments
def has(text: str) -> Expectation:
    """These words are in one of the messages, or the pattern behind `re:` matches there."""
    if not text:
        raise WrongArgument("text takes words to look for, or re: and a pattern, got ''", function="has")
    return Expectation(f"has({text!r})", lambda trace: _has(trace, text))


@checked_arguments
def before(first: str, second: str) -> Expectation:
    """All of `first` that is sent stands in front of all of `second`; both are sent.

    Each is what `kept` takes, or a source: `history`, `lore`, `presets`, `summaries`, `tools`, `knowledge`.
    """
    return Expectation(f"before({first!r}, {second!r})", lambda trace: _before(trace, first, second))


@checked_arguments
def under(tokens: int) -> Expectation:
    """The prompt has at most so many tokens, counted as the run counts; at or above the run's budget it can't fail."""
    return Expectation(f"under({tokens:,})", lambda trace: _under(trace, tokens))


@checked_arguments
def fires(entry: str) -> Expectation:
    """The lore entry of this title, key or uid fires; without one, an entry whose title has these words in it."""
    return Expectation(f"fires({entry!r})", lambda trace: _fires(trace, entry))


@checked_arguments
def sound_pairs() -> Expectation:
    """Every tool call of the prompt has its result behind it, and every result its call."""
    return Expectation("sound_pairs()", _sound_pairs)


@checked_arguments
def prefix_stable(turns: int = 10, *, share: float = 0.9) -> Expectation:
    """Over the last turns each prompt begins with at least this share of the tokens of the prompt before it.

    The prompts are built at the last `turns` messages of the path that the model answers; 1 means that a prompt only
    ever grows at its end, which is what a vendor's prompt cache rewards.
    """
    if turns < 2 or not 0 <= share <= 1:
        wrong = f"turns takes 2 or more, got {turns}" if turns < 2 else f"share takes 0 to 1, got {share}"
        raise WrongArgument(wrong, function="prefix_stable")
    name = f"prefix_stable(turns={turns}, share={share:g})"
    return Expectation(name, lambda trace: least_shared(trace, turns).finding(share))


@checked_arguments
def cheaper_than(other: Trace | float, *, provider: str | None = None, model: str | None = None) -> Expectation:
    """The prompt costs less than another run's, or than so many US dollars, uncached.

    The price is that of the run's model, or of `provider` and `model`; model and price are named where it fails. A run
    without a model has no price: it fails, either way. Between two such runs the tokens are compared.
    """
    shown = f"{other:g}" if isinstance(other, int | float) else repr(other)
    named = "".join([f", {key}={value!r}" for key, value in (("provider", provider), ("model", model)) if value])
    return Expectation(
        f"cheaper_than({shown}{named})", lambda trace: compare_prices(trace, other, provider=provider, model=model)
    )


# --- what they find


def _kept(trace: Trace, name: str) -> Finding:
    ref = reference(trace, name)
    if ref.kind == "unknown":
        blocked = entries(trace, name) if name.startswith("lore:") else []
        return Finding(False, _not_fired(blocked)) if blocked else Finding(None, _never_there(ref))
    sent = places(trace, ref)
    if sent:
        at = list(dict.fromkeys([place.message for place in sent]))
        return Finding(True, f"it is sent, in {_messages(trace, at)}")
    if ref.kind == "text":
        cut = cut_with(trace, name)
        told = _lives(trace, cut) if cut else str(trace.where(name))
        return Finding(False, f"no message that is sent has these words\n{told}")
    return Finding(False, f"it is not sent\n{_lives(trace, ref.keys)}")


def _has(trace: Trace, text: str) -> Finding:
    at = has_words(trace, text)
    if at:
        return Finding(True, f"{_messages(trace, at)} has it")
    if text.startswith("re:"):
        return Finding(False, f"none of {counted(len(trace.result.drafts), 'message')} matches")
    return Finding(False, f"no message that is sent has these words\n{trace.where(text)}")


def _before(trace: Trace, first: str, second: str) -> Finding:
    found = {name: reference(trace, name) for name in (first, second)}
    for name, ref in found.items():
        if ref.kind == "unknown":
            return Finding(None, f"{name!r}: {_never_there(ref)}")
    there = {name: places(trace, ref) for name, ref in found.items()}
    for name, ref in found.items():
        if not there[name]:
            told = (
                f"it is not sent\n{_lives(trace, ref.keys)}"
                if ref.keys
                else f"nothing of it is sent\n{trace.where(name)}"
            )
            return Finding(None, f"{name!r}: {told}")
    last, start = max(there[first]), min(there[second])
    holds = (last.message, last.end) <= (start.message, start.start)
    words = f"{first!r} ends in {_messages(trace, [last.message])}"
    return Finding(holds, f"{words}, {second!r} begins in {_messages(trace, [start.message])}")


def _under(trace: Trace, tokens: int) -> Finding:
    used = trace.tokens
    more = f", {used - tokens:,} too many" if used > tokens else ""
    return Finding(used <= tokens, f"the prompt has {counted(used, 'token')}{more}")


def _fires(trace: Trace, entry: str) -> Finding:
    rows = lore_rows(trace)
    if not rows:
        return Finding(None, "no lore entry was looked at in this run")
    mine = entries(trace, entry)
    if not mine:
        return Finding(None, f"the run has no entry of this name{nearest(entry, [str(row['title']) for row in rows])}")
    fired = next((row for row in mine if row["fired"]), None)
    if fired is not None:
        return Finding(True, f"{fired['key']} fires: {fired['reason']}")
    return Finding(False, _not_fired(mine))


def _sound_pairs(trace: Trace) -> Finding:
    drafts = trace.result.drafts
    lines: list[str] = []
    for unit in reversed(list(units_newest_first(drafts))):
        draft = drafts[unit.at[0]]
        if unit.orphan:
            lines.append(f"{draft.key} answers the call {draft.result_of!r}, which is not in front of it")
        calls = [draft.calls[at] for at in unit.unanswered]
        lines += [f"{draft.key} calls {call.name} ({call.id!r}), and no result answers it" for call in calls]
    return Finding(not lines, "\n".join(lines) or "every call has its result, and every result its call")


def _not_fired(rows: Sequence[Mapping[str, object]]) -> str:
    lines = [f"{row['key']} ({row['title']}) does not fire: {row['reason']}" for row in rows[:MOST_LIVES]]
    return visible("\n".join([*lines, *([f"and {len(rows) - MOST_LIVES:,} more"] if len(rows) > MOST_LIVES else [])]))


def _never_there(ref: MessageReference) -> str:
    return f"no step had a message of this name, and none with these words{ref.hint}"


def _lives(trace: Trace, keys: Sequence[str]) -> str:
    """The lives of messages, with the remedy of each; of many the first ones."""
    lives = [life_of(trace, key) for key in keys[:MOST_LIVES]]
    more = len(keys) - len(lives)
    return "\n".join([*lives, *([f"and {more:,} more"] if more > 0 else [])])


def _messages(trace: Trace, at: list[int]) -> str:
    """Messages by their numbers from 1, the first ones of many."""
    drafts = trace.result.drafts
    named = [f"{i + 1} ({drafts[i].role}: {plain(str(drafts[i].text), 40)})" for i in at[:2]]
    more = f" and {len(at) - 2:,} more" if len(at) > 2 else ""
    return f"message {' and '.join(named)}{more} of {len(drafts)}"
