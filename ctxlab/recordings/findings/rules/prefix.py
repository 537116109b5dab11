"""Rules on what keeps a vendor's cache from reading the beginning of a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ctxlab.context.equal_stretch import equal_after
from ctxlab.display.short_texts import counted
from ctxlab.recordings.cache_marks import all_marks
from ctxlab.recordings.findings.checked_context import CheckedContext, Cost, RequestStep, quoted
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.findings.moving_words import around, without_moving
from ctxlab.recordings.findings.rules.next_request import moving_part
from ctxlab.recordings.request_head import RequestHead

MOST_MARKS: Final = 4
"""Marks that Anthropic takes in one request."""
LEAST_CACHED: Final = 1_024
"""Tokens of the shortest prefix that is cached, where the model's own number isn't known."""


class _Moved(NamedTuple):
    step: RequestStep
    place: FindingPlace
    old: str
    new: str
    tokens: int


class _MovedText(NamedTuple):
    """A system text by its number, from which on the two differ, both, and the tokens behind that place."""

    number: int
    start: int
    old: str
    new: str
    behind: int


@finding_rule(
    "moving-prefix",
    "A moving part in the prefix",
    "Speaks of a system text or an early message that differs from that of the request before in numbers, dates or ids "
    "alone, or would a minute later.",
    "warning",
    example_real=True,
)
def moving_prefix(checked: CheckedContext) -> Iterator[Found]:
    """Clocks, counters and ids before the messages that stay the same."""
    if checked.trace is not None:
        yield from moving_part(checked, checked.trace)
        return
    by_kind: dict[str, list[_Moved]] = {}
    heads: dict[tuple[str, str], _MovedText | None] = {}
    for step in checked.steps:
        moved = _moved_head(checked, step, heads)
        if moved is not None:
            by_kind.setdefault("system text", []).append(moved)
        elif (moved := _moved_message(checked, step)) is not None:
            by_kind.setdefault("message", []).append(moved)
    for kind, all_moved in by_kind.items():
        first = all_moved[0]
        old, new = around(first.old, first.new)
        prices = [(moved.tokens, checked.prices(moved.step.request)) for moved in all_moved]
        usd = [tokens * (price[0] - price[1]) for tokens, price in prices if price is not None]
        yield Found(
            f"In {counted(len(all_moved), 'request')} a {kind} differs from that of the request before in numbers, "
            f"dates or ids alone ({quoted(old, 40)} became {quoted(new, 40)}), which ends the cached prefix there.",
            "Move what changes into the newest message, or leave it out.",
            tuple(moved.place for moved in all_moved),
            sum(tokens for tokens, _ in prices),
            sum(usd) if len(usd) == len(prices) else None,
        )


def _moved_head(
    checked: CheckedContext, step: RequestStep, known: dict[tuple[str, str], _MovedText | None]
) -> _Moved | None:
    """The system text that moved from one request to the next; each pair of heads is compared once."""
    old, new = step.before.head, step.request.head
    if old is new:
        return None
    if (old.id, new.id) not in known:
        known[old.id, new.id] = _moved_text(checked, old, new)
    found = known[old.id, new.id]
    if found is None:
        return None
    place = FindingPlace(step.request.id, "", found.start, len(found.new), f"system text {found.number}")
    return _Moved(step, place, found.old, found.new, found.behind + checked.parts.tree.tokens[step.shared])


def _moved_text(checked: CheckedContext, old: RequestHead, new: RequestHead) -> _MovedText | None:
    before, after = old.system, new.system
    if len(before) != len(after):
        return None
    changed = [(number, a, b) for number, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if not changed or any(without_moving(a) != without_moving(b) for _, a, b in changed):
        return None
    number, a, b = changed[0]
    start = equal_after(a, b)
    parts = [part for part in checked.parts.of_head(new) if part.source == "system"]
    behind = sum(part.tokens for part in parts[number:]) - checked.tokens(b[:start])
    return _MovedText(number + 1, start, a, b, max(0, behind))


def _moved_message(checked: CheckedContext, step: RequestStep) -> _Moved | None:
    tree, before, request = checked.parts.tree, step.before, step.request
    depth = tree.depth[step.shared] + 1
    if tree.depth[before.leaf] <= depth or tree.depth[request.leaf] <= depth:
        return None
    ids = [tree.at_depth(leaf, depth) for leaf in (before.leaf, request.leaf)]
    following = [checked.sent[tree.at_depth(leaf, depth + 1)] for leaf in (before.leaf, request.leaf)]
    old, new = (checked.sent[id] for id in ids)
    if following[0].hash != following[1].hash or len(old.nodes) != 1 or len(new.nodes) != 1:
        return None
    a, b = (checked.node(id) for id in ids)
    if a.role != b.role or a.role not in ("user", "system") or a.content == b.content:
        return None
    if without_moving(a.content) != without_moving(b.content):
        return None
    start = equal_after(a.content, b.content)
    stood = min(tree.tokens[before.leaf], tree.tokens[request.leaf])  # what is new in this one isn't read anew
    tokens = stood - tree.tokens[step.shared] - checked.tokens(b.content[:start])
    return _Moved(step, checked.place(ids[1], start, len(b.content)), a.content, b.content, max(0, tokens))


@finding_rule(
    "no-cache-marks",
    "A prefix without cache marks",
    "Speaks of requests to Anthropic that begin with enough of the request before to be cached, and have no mark.",
    "warning",
    ("recording",),
)
def no_cache_marks(checked: CheckedContext) -> Iterator[Found]:
    """Anthropic caches what is marked, and nothing else."""
    found: list[tuple[RequestStep, int]] = []
    for step in checked.steps:
        request = step.request
        whole = request.whole and step.before.whole and request.wire == "anthropic"
        if not whole or step.before.head is not request.head or request.usage.cached:
            continue
        if all_marks(request) or all_marks(step.before):
            continue
        tokens = sum(part.tokens for part in checked.parts.of_head(request.head))
        tokens += checked.parts.tree.tokens[step.shared]
        if tokens >= _least_cached(request.model):
            found.append((step, tokens))
    if found:
        prices = [(tokens, checked.prices(step.request)) for step, tokens in found]
        usd = [tokens * (price[0] - price[1]) for tokens, price in prices if price is not None]
        yield Found(
            f"{counted(len(found), 'request')} to Anthropic {'begins' if len(found) == 1 else 'begin'} with what "
            "the one before began with, long enough to be cached, and no cache_control marks it.",
            "Mark the last system text or tool, and the newest message, with cache_control.",
            tuple(FindingPlace(step.request.id) for step, _ in found),
            sum(tokens for tokens, _ in prices),
            sum(usd) if len(usd) == len(prices) else None,
        )


@finding_rule(
    "too-many-cache-marks",
    "More than four cache marks",
    "Speaks of requests to Anthropic with more than four marks, which it refuses.",
    "error",
    ("recording",),
)
def too_many_cache_marks(checked: CheckedContext) -> Iterator[Found]:
    """Marks in tools, system texts and messages, counted together."""
    for request in checked.requests:
        count = len(all_marks(request)) if request.wire == "anthropic" else 0
        if count > MOST_MARKS:
            yield Found(
                f"Request {request.id} has {count} cache marks, and Anthropic takes {MOST_MARKS} at most.",
                "Keep the marks of the tools, the system text and the two newest messages.",
                (FindingPlace(request.id),),
            )


def _least_cached(model: str) -> int:
    from ctxlab.providers.models import model_info

    return (model_info(model).min_cache_tokens if model else None) or LEAST_CACHED


@finding_rule(
    "model-changed",
    "Another model in mid-session",
    "Speaks of a request that goes to another model than the one before, with at least 1,024 tokens of its messages.",
    "note",
    ("recording",),
    example_real=True,
)
def model_changed(checked: CheckedContext) -> Iterator[Found]:
    """A cache belongs to a model."""
    changes: dict[tuple[str, str], list[RequestStep]] = {}
    for step in checked.steps:
        names = step.before.model, step.request.model
        if not all(names) or names[0] == names[1] or any(name.startswith("<") for name in names):
            continue
        if checked.parts.tree.tokens[step.shared] >= LEAST_CACHED:
            changes.setdefault(names, []).append(step)
    for (old, new), steps in changes.items():
        tokens, usd = cost_of_breaks(checked, steps)
        first = steps[0]
        also = f"; {counted(len(steps) - 1, 'other request')} changed so too" if len(steps) > 1 else ""
        yield Found(
            f"Request {first.request.id} goes to {quoted(new)} and {first.before.id} went to {quoted(old)}; both begin "
            f"with the same {counted(checked.parts.tree.tokens[first.shared], 'token')} of messages, and a cache "
            f"belongs to one model{also}.",
            "Stay with one model in a conversation, or change it where the context is compressed anyway.",
            tuple(FindingPlace(step.request.id) for step in steps),
            tokens,
            usd,
        )


def cost_of_breaks(checked: CheckedContext, steps: Sequence[RequestStep]) -> Cost:
    """Tokens of messages that requests share with the ones before, and what these cost more when not cached."""
    prices = [(checked.parts.tree.tokens[step.shared], checked.prices(step.request)) for step in steps]
    usd = [tokens * (price[0] - price[1]) for tokens, price in prices if price is not None]
    return sum(tokens for tokens, _ in prices), sum(usd) if len(usd) == len(prices) else None
