"""The effect of a change: which messages came, went or changed between two runs, with tokens that add up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.alignment import moved_keys
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.pipeline.explain.message_names import MOST_NAMED
from ctxlab.pipeline.explain.prompt_of_trace import parts_alone
from ctxlab.pipeline.explain.row_keys import row_keys
from ctxlab.pipeline.services import TokenCounter
from ctxlab.prompt.merged_parts import pieces
from ctxlab.studies.titled_names import TitledNames

ROWS = ("came", "went", "changed", "joined", "moved")
WORDS = {"joined": "joined otherwise"}


@dataclass(frozen=True, slots=True)
class MessageEffect:
    """One message that came, went or changed; `tokens` is the difference, `why` a sentence, empty where none is known.

    `key` is the row's key in the two runs, as `Comparison` has it.
    """

    key: str
    name: str
    tokens: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class RunEffect:
    """A run held against another: `came`, `went` and `changed` messages, and how many are the same in both.

    `changed` are sent with other words, another role or another field; `joined` ones are the same, but are sent in one
    message with what stands above them, or no longer, or behind another separator. `moved` are messages with the same
    words at another place among the others; they are counted in `same` too.

    `joins` are the tokens that differ without a message that does: separators, wire overhead, tool definitions, another
    tokenizer. All tokens together, with those of `came`, `went` and `changed`, are `after_tokens - before_tokens`.
    """

    before_tokens: int
    after_tokens: int
    came: tuple[MessageEffect, ...]
    went: tuple[MessageEffect, ...]
    changed: tuple[MessageEffect, ...]
    joined: tuple[MessageEffect, ...]
    moved: tuple[MessageEffect, ...]
    same: int
    joins: int

    def __bool__(self) -> bool:
        return any(getattr(self, kind) for kind in ROWS) or bool(self.tokens)

    @property
    def tokens(self) -> int:
        """Tokens of the second run above those of the first; negative where it is smaller."""
        return self.after_tokens - self.before_tokens

    def __str__(self) -> str:
        named = [f"{WORDS.get(kind, kind)}: {_names(rows)}" for kind in ROWS if (rows := getattr(self, kind))]
        tokens = f"{self.tokens:+,} {'token' if abs(self.tokens) == 1 else 'tokens'}" if self.tokens else "±0 tokens"
        return "; ".join((tokens, *named, "nothing else" if named else "the same messages are sent"))

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data, rows as dicts."""
        rows = {name: [_row(row) for row in getattr(self, name)] for name in ROWS}
        numbers = {name: getattr(self, name) for name in ("before_tokens", "after_tokens", "tokens", "same", "joins")}
        return {**numbers, **rows, "text": str(self)}


@checked_arguments
def run_effect(before: Trace, after: Trace) -> RunEffect:
    """The difference of what two runs send, message by message."""
    keys = row_keys([before.start.input, after.start.input])
    was, now = _Sent(before, keys[0]), _Sent(after, keys[1])
    why_not_before, why_gone = _by_row(cut_causes(before), keys[0]), _by_row(cut_causes(after), keys[1])
    names = TitledNames(before, after)
    came = [
        MessageEffect(key, names.of(draft), now.tokens(draft), why_not_before.get(key, ""))
        for key, draft in now.only(was)
    ]
    went = [
        MessageEffect(key, names.of(draft), -was.tokens(draft), why_gone.get(key, "")) for key, draft in was.only(now)
    ]
    changed: list[MessageEffect] = []
    for key, draft in now.by_key.items():
        old = was.by_key.get(key)
        if old is not None and was.as_sent[key] != now.as_sent[key]:
            changed.append(MessageEffect(key, names.of(draft), now.tokens(draft) - was.tokens(old)))
    here = list(now.by_key)
    lifted = moved_keys([key for key in was.by_key if key in now.by_key], [key for key in here if key in was.by_key])
    moved = [MessageEffect(key, names.of(now.by_key[key]), 0) for key in lifted]
    others = {row.key for row in changed}.union(lifted)
    joints = was.joints({*now.by_key}.difference(lifted)), now.joints({*was.by_key}.difference(lifted))
    joined = [
        MessageEffect(key, names.of(now.by_key[key]), 0)
        for key, joint in joints[1].items()
        if joints[0].get(key) != joint and key not in others
    ]
    named = sum(row.tokens for row in (*came, *went, *changed))
    return RunEffect(
        before_tokens=before.tokens,
        after_tokens=after.tokens,
        came=tuple(came),
        went=tuple(went),
        changed=tuple(changed),
        joined=tuple(joined),
        moved=tuple(moved),
        same=len(now.by_key) - len(came) - len(changed) - len(joined),
        joins=after.tokens - before.tokens - named,
    )


class _Sent:
    """The messages of a result by row, merged ones taken apart; `as_sent` is all that the model gets of each."""

    def __init__(self, trace: Trace, row_key: Callable[[str], str]) -> None:
        self.counter: TokenCounter = trace.services.tokenizer
        self.by_key: dict[str, Draft] = {}
        self.as_sent: dict[str, tuple[object, ...]] = {}
        self._seams: dict[str, tuple[int, str]] = {}
        alone = parts_alone(trace)
        for number, whole in enumerate(trace.result.drafts):
            fields = (whole.speaker, whole.reasoning, whole.result_of)
            for n, piece in enumerate(pieces(whole)):
                key = row_key(piece.part.key)
                self.by_key[key] = alone.get(piece.part.key, whole)
                beside = (whole.calls, whole.assets) if n == 0 and (whole.calls or whole.assets) else ()
                self.as_sent[key] = (whole.role, str(piece.text), *fields, beside)
                self._seams[key] = number, piece.seam if n else ""

    def tokens(self, draft: Draft) -> int:
        return self.counter.count_draft(draft)

    def only(self, other: _Sent) -> list[tuple[str, Draft]]:
        return [(key, draft) for key, draft in self.by_key.items() if key not in other.by_key]

    def joints(self, keys: AbstractSet[str]) -> dict[str, str | None]:
        """By key, the separator to the nearest of these above it; None where that is another message."""
        found: dict[str, str | None] = {}
        last = -1
        for key, (number, seam) in self._seams.items():
            if key in keys:
                found[key] = seam if number == last else None
                last = number
        return found


def _by_row(causes: Mapping[str, str], row_key: Callable[[str], str]) -> dict[str, str]:
    return {row_key(key): why for key, why in causes.items()}


def _names(rows: Sequence[MessageEffect]) -> str:
    shown = rows if len(rows) <= MOST_NAMED + 1 else rows[:MOST_NAMED]
    more = f" and {len(rows) - len(shown):,} more" if len(shown) < len(rows) else ""
    return ", ".join([row.name for row in shown]) + more


def _row(row: MessageEffect) -> dict[str, Any]:
    return {"key": row.key, "name": row.name, "tokens": row.tokens, "why": row.why}
