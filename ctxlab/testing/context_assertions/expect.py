"""Expectations of a built context: what is kept, where it stands, what it costs, how steady its beginning is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ctxlab.argument_checks import checked_arguments
from ctxlab.context.tool_pairs import units_newest_first
from ctxlab.display.one_line import plain, visible
from ctxlab.display.short_texts import counted, first_of, nearest, short
from ctxlab.display.source_styles import ROOM
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.diff import smallest_change
from ctxlab.prompt import BuiltMessage, Prompt
from ctxlab.secrets import masked_stretch
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
    sent_texts,
    shown_name,
)
from ctxlab.testing.context_assertions.prefix_stability import least_shared
from ctxlab.testing.context_assertions.price_of_prompt import compare_prices

MOST_NAMED = 3
LARGE = "budget_tokens=100_000"


def size_in_words(trace: Trace) -> str:
    """The largest pieces with their tokens, and the tokens of every source, a line each."""
    prompt = trace.prompt
    largest = sorted(_pieces(prompt, trace), key=lambda each: -each[1])[:MOST_NAMED]
    named = ", ".join([f"{name} ({tokens:,})" for name, tokens in largest])
    sources = sorted(prompt.tokens_by_source.items(), key=lambda each: -each[1])
    by_source = ", ".join([f"{source} {tokens:,}" for source, tokens in sources if tokens and source not in ROOM])
    return f"the largest are {named}\nby source: {by_source}"


def cut_in_words(trace: Trace, tokens: int) -> str:
    """A clause for a run that a limiter cut to no more than these tokens; empty for one of which size can be told."""
    report = trace.result.report(BudgetReport)
    if report is None or report.budget_tokens > tokens or report.overhead_tokens is not None:
        return ""
    if not report.cut and not report.shortened:
        return ""
    gone = [
        f"{counted(n, 'message')} {what}" for n, what in ((report.cut, "cut"), (report.shortened, "shortened")) if n
    ]
    return (
        f"this can't fail: the run's own budget of {report.budget_tokens:,} made it so ({', '.join(gone)})\n"
        f"build it with a larger budget, such as {LARGE}, to see its size"
    )


def _pieces(prompt: Prompt[BuiltMessage], trace: Trace) -> Iterator[tuple[str, int]]:
    for message in prompt.messages:
        alone = len(message.joined) == 1
        for part in message.joined:
            yield shown_name(trace, part.key), message.tokens if alone else part.tokens
    if prompt.tools_tokens:
        yield "tool definitions", prompt.tools_tokens


AROUND = 20
LONGEST = 120


def other_words(name: str, expected: str, sent: str) -> str:
    """Lines that say where the text that is sent begins to differ, with some characters around it.

    >>> print(other_words("main", "Be kind.", "Be kind. Be brief."))
    main says other words, from character 9 on
    expected: 'Be kind.'
    sent:     'Be kind. Be brief.'
    """
    change = smallest_change(expected, sent)
    if change is None:
        return f"{name} says it"
    start, gone, come = change
    macros = "\nit is sent with macros expanded, and the expected text has {{" if "{{" in expected else ""
    return (
        f"{name} says other words, from character {start + 1:,} on\n"
        f"expected: {_around(expected, start, start + len(gone))}\n"
        f"sent:     {_around(sent, start, start + len(come))}{macros}"
    )


def _around(text: str, start: int, end: int) -> str:
    first, last = max(0, start - AROUND), min(len(text), end + AROUND, start + LONGEST)
    return f"{'…' if first else ''}{masked_stretch(text, first, last)!r}{'…' if last < len(text) else ''}"


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
    """These words are in one of the messages, or the pattern behind `re:` matches there.

    Whose words they are, and what stands around them, isn't looked at: `says` compares the text of one message.
    """
    if not text:
        raise WrongArgument("text takes words to look for, or re: and a pattern, got ''", function="has")
    return Expectation(f"has({text!r})", lambda trace: _has(trace, text))


@checked_arguments
def says(name: str, text: str) -> Expectation:
    """The message of this name is sent with exactly this text, character for character, macros expanded.

    `name` is what `kept` takes, but for sources and words. The text is what stands in the prompt at its place, rules
    applied; of a merged message its part alone. Several messages of one name that say different things are a
    failure, also under `not_`.
    """
    if not text:
        raise WrongArgument("text takes the whole text of a message as it is sent, got ''", function="says")
    return Expectation(f"says({name!r}, {short(text)!r})", lambda trace: _says(trace, name, text))


@checked_arguments
def before(first: str, second: str) -> Expectation:
    """All of `first` that is sent stands in front of all of `second`; both are sent.

    Each is what `kept` takes, or a source: `history`, `lore`, `presets`, `summaries`, `tools`, `knowledge`.
    """
    return Expectation(f"before({first!r}, {second!r})", lambda trace: _before(trace, first, second))


@checked_arguments
def under(tokens: int) -> Expectation:
    """The prompt has at most so many tokens, counted as the run counts.

    A run that was cut to a budget of no more than these can't tell: it is a failure, also under `not_`. Built with a
    larger budget it can.
    """
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


def _says(trace: Trace, name: str, text: str) -> Finding:
    ref = reference(trace, name)
    if ref.kind == "unknown":
        return _kept(trace, name)
    if ref.kind != "messages":
        return Finding(None, f"{name!r} is a {ref.kind}, and no name of a message; take a key, or the id of a preset")
    sent = sent_texts(trace, ref)
    if not sent:
        return Finding(False, f"it is not sent\n{_lives(trace, ref.keys)}")
    if len({now for _, now in sent}) > 1:
        keys = first_of([key for key, _ in sent])
        return Finding(None, f"{counted(len(sent), 'message')} of this name say different things, name one: {keys}")
    key, now = sent[0]
    shown = shown_name(trace, key)
    return Finding(True, f"{shown} says it") if now == text else Finding(False, other_words(shown, text, now))


def _under(trace: Trace, tokens: int) -> Finding:
    used = trace.tokens
    size = f"the prompt has {counted(used, 'token')}"
    if used > tokens:
        return Finding(False, f"{size}, {used - tokens:,} too many\n{size_in_words(trace)}")
    cut = cut_in_words(trace, tokens)
    return Finding(None, f"{size}, but {cut}") if cut else Finding(True, size)


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
