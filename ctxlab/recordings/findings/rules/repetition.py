"""Rules on text that stands twice in a request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ctxlab.context.equal_stretch import equal_after, equal_before
from ctxlab.display.short_texts import counted
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import PromptPart
from ctxlab.recordings.findings.checked_context import CheckedContext, quoted, quoted_name
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.recorded_request import RecordedRequest

FEWEST_TOKENS: Final = 200
"""Tokens of a stretch that counts as standing twice."""
PROBE: Final = 160
"""Characters that are compared first, from the beginning of a line or a sentence."""
PUT_IN: Final = ("reminders", "seams")
"""Sources of words that a program puts between others."""
KEPT: Final = 3
"""Earlier places that are remembered for the same beginning."""
_BEGINNINGS: Final = lazy_pattern(r"\n+|[.!?] +|[。！？；]")
FEWEST_REMINDERS: Final = 3
FEWEST_REMINDED_TOKENS: Final = 100
KINDS: Final = {
    "files": "a file",
    "results": "a tool's result",
    "system": "a system text",
    "summaries": "a summary",
    "presets": "a preset",
    "profile": "the user's profile",
    "lore": "lore",
    "knowledge": "knowledge",
}
Spot = tuple[PromptPart, int]
Heads = dict[int, RecordedRequest]


class _Twice(NamedTuple):
    """A stretch of a part that stands in another one, at `place` of it."""

    other: PromptPart
    place: int
    start: int
    end: int
    tokens: int


@finding_rule(
    "text-twice",
    "Text that stands twice",
    "Speaks of an equal stretch of at least 200 tokens at two places of one request, files read again left out.",
    "warning",
    example_real=True,
)
def text_twice(checked: CheckedContext) -> Iterator[Found]:
    """Stretches are looked up by the words at the beginning of each line or sentence, then made longer."""
    known: dict[str, list[Spot]] = {}
    texts = [part for part in checked.all_parts() if part.start is not None and part.source not in PUT_IN]
    heads = [(part, request) for head, request in checked.heads.values() for part in checked.parts.of_head(head)]
    for part, _ in heads:
        if part.source == "system":
            _remember(part, known)
    in_head = {id(part): place for part, place in heads}
    for part in texts:
        pairs: dict[int, list[_Twice]] = {}
        for twice in _twice_in(part, known, checked, in_head):
            pairs.setdefault(id(twice.other), []).append(twice)
        for stretches in pairs.values():
            yield _found(part, stretches, checked, in_head)
        _remember(part, known)


def _remember(part: PromptPart, known: dict[str, list[Spot]]) -> None:
    for at in _anchors(part.text):
        spots = known.setdefault(part.text[at : at + PROBE], [])
        if len(spots) >= KEPT:
            spots.pop(0)
        spots.append((part, at))


def _anchors(text: str) -> Iterator[int]:
    last = len(text) - PROBE
    if last >= 0:
        yield 0
    for found in _BEGINNINGS.finditer(text):
        if found.end() > last:
            return
        yield found.end()


def _twice_in(
    part: PromptPart, known: dict[str, list[Spot]], checked: CheckedContext, in_head: Heads
) -> Iterator[_Twice]:
    done = 0
    for at in _anchors(part.text):
        if at < done:
            continue
        spots = known.get(part.text[at : at + PROBE], [])
        for other, place in reversed(spots):
            if not _is_sent_with(other, part, checked, in_head) or _is_known_otherwise(other, part, checked):
                continue
            start, end = _stretch(part.text, at, other.text, place, done)
            tokens = checked.tokens(part.text[start:end]) if end - start >= FEWEST_TOKENS else 0
            if tokens >= FEWEST_TOKENS:
                yield _Twice(other, place - (at - start), start, end, tokens)
                done = end
                break


def _is_sent_with(one: PromptPart, other: PromptPart, checked: CheckedContext, in_head: Heads) -> bool:
    """Whether the request that sent a message first has another one too, or a system text."""
    if one.key == other.key:
        return checked.is_sent(one.key)
    if one.key:
        return checked.is_above(one.key, other.key)
    return checked.is_sent(other.key) and checked.request_of(other.key).head is in_head[id(one)].head


def _stretch(text: str, at: int, other: str, place: int, first: int) -> tuple[int, int]:
    """The longest equal stretch around two places, not before `first`."""
    end = at + equal_after(text, other, at, place)
    return at - equal_before(text, other, at, place, first), end


def _is_known_otherwise(one: PromptPart, other: PromptPart, checked: CheckedContext) -> bool:
    """Whether it is a file read twice, or the same call again, of which other rules speak."""
    if one.source == other.source == "files" and one.file == other.file:
        return True
    calls = checked.call_of.get(one.key), checked.call_of.get(other.key)
    return all(calls) and (calls[0].name, calls[0].text) == (calls[1].name, calls[1].text)  # type: ignore[union-attr]


def _found(part: PromptPart, stretches: list[_Twice], checked: CheckedContext, heads: Heads) -> Found:
    """One finding for all stretches that two parts have in common."""
    other, tokens = stretches[0].other, sum(twice.tokens for twice in stretches)
    places: list[FindingPlace] = []
    for twice in stretches:
        length = twice.end - twice.start
        if other.key:
            begin = (other.start or 0) + twice.place
            places.append(checked.place(other.key, begin, begin + length, quoted_name(other.name)))
        else:
            places.append(checked.head_place(heads[id(other)], other, twice.place, twice.place + length))
        begin = (part.start or 0) + twice.start
        places.append(checked.place(part.key, begin, begin + length, quoted_name(part.name)))
    pieces = f" in {len(stretches)} pieces" if len(stretches) > 1 else ""
    words = part.text[stretches[0].start : stretches[0].end]
    return Found(
        f"{counted(tokens, 'token')}{pieces}, beginning {quoted(words)}, stand twice in request "
        f"{checked.request_of(part.key).id}, in {_named(other)} and in {_named(part)}.",
        "Send it at one of the two places, and name that place at the other.",
        tuple(places),
        *checked.cost_of([(part.key, tokens)]),
    )


def _named(part: PromptPart) -> str:
    kind = KINDS.get(part.source) or ("an answer" if part.role == "assistant" else "a message of the user")
    about = part.file or (part.name if part.role == "tool" else "")
    return f"{kind} ({quoted_name(about)})" if about else kind


@finding_rule(
    "reminder-repeated",
    "A reminder in every turn",
    "Speaks of a reminder in tags that stands word for word at least three times in one request.",
    "warning",
)
def reminder_repeated(checked: CheckedContext) -> Iterator[Found]:
    """Words that a program puts into the user's messages and leaves in those that are past."""
    by_text: dict[tuple[str, str], list[PromptPart]] = {}
    for part in checked.all_parts():
        if part.source == "reminders" and checked.is_sent(part.key):
            by_text.setdefault((part.name, part.text.strip()), []).append(part)
    for (tag, text), parts in by_text.items():
        repeated, chain, most = list[PromptPart](), [parts[0]], 1
        for part in parts[1:]:
            if checked.is_above(chain[-1].key, part.key) or chain[-1].key == part.key:
                chain.append(part)
                repeated.append(part)
            else:
                chain = [part]
            most = max(most, len(chain))
        tokens, usd = checked.cost(repeated)
        if most < FEWEST_REMINDERS or tokens < FEWEST_REMINDED_TOKENS:
            continue
        yield Found(
            f"The reminder {quoted(text)} in <{quoted_name(tag)}> stands {most} times in one request.",
            "Put it into the newest message alone, or into the system text.",
            tuple(checked.place_of(part) for part in parts),
            tokens,
            usd,
        )
