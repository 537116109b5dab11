"""The outcome of every message in one run, by key: sent, alone or as a part of another, or taken out."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from ctxlab.context import Cause, Context, Draft, Span, Text
from ctxlab.engines.truncation import SHORTENED
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.alignment import moved_keys
from ctxlab.pipeline.explain.prompt_of_trace import parts_alone
from ctxlab.pipeline.explain.text_versions import TAKEN_OUT_BY_HAND


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """One message in one run, before it was merged; `whole` is the message that it was sent in, None if it wasn't."""

    draft: Draft
    whole: Draft | None
    cause: Cause | None = None

    @property
    def is_sent(self) -> bool:
        return self.whole is not None

    @property
    def shortening(self) -> Cause | None:
        """The cause for which only a part of its words is sent, if there is one."""
        return next((s.cause for s in self.draft.text.spans if s.cause and _shortens(s.cause)), None)


def _shortens(cause: Cause) -> bool:
    return cause.rule == SHORTENED


class Move(NamedTuple):
    """The unusual place of a message in words, and the key of the message right above it."""

    sentence: str
    above: str | None


class Outcomes:
    """All messages of a run. `before` are keys in order before anything was cut or joined, `sent` as they are sent.

    All keys are those of rows: `row_key` gives the row of a message.
    """

    def __init__(self, trace: Trace, row_key: Callable[[str], str]) -> None:
        alone = parts_alone(trace)
        before = before_cutting(trace).drafts
        self.trace = trace
        self.row_key = row_key
        self.before = self._keys(before)
        self.sent = self._keys(trace.result.drafts)
        outcomes = {part.key: Outcome(draft, None, TAKEN_OUT_BY_HAND) for draft in before for part in draft.parts}
        for group in trace.result.dropped:
            for draft in group.drafts:
                for part in draft.parts:
                    outcomes[part.key] = Outcome(alone.get(part.key, draft), None, group.cause)
        for draft in trace.result.drafts:
            for part in draft.parts:
                outcomes[part.key] = Outcome(alone.get(part.key, draft), draft)
        self.by_key = {row_key(key): outcome for key, outcome in outcomes.items()}

    def _keys(self, drafts: Iterable[Draft]) -> list[str]:
        return list(dict.fromkeys(self.row_key(part.key) for draft in drafts for part in draft.parts))

    def moved(self, order: Sequence[str]) -> dict[str, Move]:
        """Messages sent at another place than `order` gives: the fewest whose removal leaves the others in order."""
        there = set(self.sent)
        usual = [key for key in order if key in there]
        lifted = moved_keys(usual, self.sent)
        if not lifted:
            return {}
        lifted_from, here = _above_each(usual, set(lifted)), _above_each(self.sent, set(lifted))
        right_above = dict(zip(self.sent[1:], self.sent, strict=False))
        return {key: Move(_sentence(here[key], lifted_from[key]), right_above.get(key)) for key in lifted}


def _above_each(keys: Sequence[str], lifted: Container[str]) -> dict[str, str | None]:
    """By key, the nearest message above that did not move."""
    found: dict[str, str | None] = {}
    above: str | None = None
    for key in keys:
        found[key] = above
        if key not in lifted:
            above = key
    return found


def _sentence(here: str | None, lifted_from: str | None) -> str:
    now = "stands first" if here is None else f"stands after {here}"
    if here == lifted_from:
        return now
    return f"{now}, elsewhere {'first' if lifted_from is None else f'after {lifted_from}'}"


def before_cutting(trace: Trace) -> Context:
    """The context before the first step that took out or joined messages that were there."""
    for step in trace.steps:
        if step.after.drafts is step.before.drafts:
            continue
        there = {draft.key for draft in step.after.drafts}
        if any(draft.key not in there for draft in step.before.drafts):
            return step.before
    return trace.result


def in_one_order(rows: Iterable[Sequence[str]]) -> list[str]:
    """All keys of several rows: the longest row's order, other keys before what follows them in their own row."""
    given = list(rows)
    if not given:
        return []
    longest = max(given, key=len)
    order = list(longest)
    for row in given:
        order = _woven(order, row)
    return order


def _woven(order: list[str], row: Sequence[str]) -> list[str]:
    known = set(order)
    waiting: list[str] = []
    ahead: dict[str, list[str]] = {}
    for key in row:
        if key not in known:
            waiting.append(key)
        elif waiting:
            ahead[key] = waiting
            waiting = []
    if not ahead and not waiting:
        return order
    return [*(key for known in order for key in (*ahead.get(known, ()), known)), *waiting]


def typed(text: Text) -> str:
    """The text before any step replaced some of it.

    >>> from ctxlab.context import Edit, Origin
    >>> typed(Text.of("hello Bob", Origin("node", "n1")).splice([Edit(6, 9, "Ann", Cause("regex", "names"))]))
    'hello Bob'
    """
    out: list[str] = []
    stack: list[Span] = list(reversed(text.spans))
    reported: set[int] = set()  # parts of one span share what they replaced
    while stack:
        span = stack.pop()
        if span.cause is None:
            out.append(span.text)
        elif span.was and id(span.was) not in reported:
            reported.add(id(span.was))
            stack.extend(reversed(span.was))
    return "".join(out)
