"""The change of a context between two builds: what of it is lost, new, rewritten, fires otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, first_of
from ctxlab.engines.worldbook import LoreScan
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import is_sent_alike
from ctxlab.studies.what_if.sent_pieces import pieces_not_in

NOTHING = "no effect"


@dataclass(frozen=True, slots=True, eq=False)
class ContextChange:
    """Messages that another build sends otherwise, by keys of messages.

    `lost` were sent and no longer are, `gained` are new, `rewritten` are sent with other words or fields.
    `fires_no_more` and `fires_now` are lore entries. With `is_rearranged` what is left of the messages is joined or
    ordered otherwise. An `error` is the sentence of a build that failed, and then nothing else is said.
    """

    before_tokens: int | None
    after_tokens: int | None
    lost: tuple[str, ...] = ()
    lost_tokens: int = 0
    gained: tuple[str, ...] = ()
    gained_tokens: int = 0
    rewritten: tuple[str, ...] = ()
    fires_no_more: tuple[str, ...] = ()
    fires_now: tuple[str, ...] = ()
    is_rearranged: bool = False
    error_before: str | None = None
    error: str | None = None

    def __bool__(self) -> bool:
        """Whether the model gets anything else, or an entry of lore is decided otherwise."""
        return str(self) != NOTHING

    def __repr__(self) -> str:
        return f"ContextChange({self})"

    def __str__(self) -> str:
        return "; ".join(self.clauses()) or NOTHING

    @property
    def tokens(self) -> int | None:
        """Tokens of the second build above those of the first; None where one of them failed."""
        if self.before_tokens is None or self.after_tokens is None:
            return None
        return self.after_tokens - self.before_tokens

    @property
    def messages(self) -> int:
        """Number of messages that are lost, gained or rewritten."""
        return len(self.lost) + len(self.gained) + len(self.rewritten)

    def clauses(self) -> list[str]:
        """The change in words, the worst first; none where there is none."""
        if self.error is not None or self.error_before is not None:
            return _of_errors(self.error_before, self.error)
        found = [
            f"{counted(len(keys), 'message')} {verb}: {named(keys)}"
            for verb, keys in (("lost", self.lost), ("gained", self.gained), ("rewritten", self.rewritten))
            if keys
        ]
        for verb, keys in (("no longer fires", self.fires_no_more), ("now fires", self.fires_now)):
            found += [f"{named(keys)} {verb}"] if keys else []
        found += ["messages are joined or ordered otherwise"] if self.is_rearranged else []
        return found + ([f"{self.tokens:+,} tokens"] if self.tokens else [])


def context_change(before: Trace | str, after: Trace | str) -> ContextChange:
    """The change from one build to another; in place of one that failed is its error, a sentence."""
    if isinstance(before, str) or isinstance(after, str):
        return ContextChange(
            before_tokens=None if isinstance(before, str) else before.tokens,
            after_tokens=None if isinstance(after, str) else after.tokens,
            error_before=before if isinstance(before, str) else None,
            error=after if isinstance(after, str) else None,
        )
    old_drafts, new_drafts = before.result.drafts, after.result.drafts
    shared = {id(draft) for draft in old_drafts} & {id(draft) for draft in new_drafts}
    old, new = pieces_not_in(before, shared), pieces_not_in(after, shared)
    lost = [key for key in old if key not in new]
    gained = [key for key in new if key not in old]
    rewritten = [key for key, piece in new.items() if key in old and old[key].content != piece.content]
    fired_before, fired_after = fired(before), fired(after)
    alike = len(old_drafts) == len(new_drafts) and all(map(is_sent_alike, old_drafts, new_drafts))
    return ContextChange(
        before_tokens=before.tokens,
        after_tokens=after.tokens,
        lost=tuple(lost),
        lost_tokens=sum(old[key].tokens(before.services.tokenizer) for key in lost),
        gained=tuple(gained),
        gained_tokens=sum(new[key].tokens(after.services.tokenizer) for key in gained),
        rewritten=tuple(rewritten),
        fires_no_more=_only(fired_before, fired_after),
        fires_now=_only(fired_after, fired_before),
        is_rearranged=not alike and not (lost or gained or rewritten),
    )


def named(keys: Sequence[str]) -> str:
    """The first of several keys on one line, and how many more there are."""
    return first_of([plain(key, 60) for key in keys[:3]] + list(keys[3:]), 3)


def fired(trace: Trace) -> Sequence[str]:
    """Keys of the lore entries that fire."""
    scan = trace.result.report(LoreScan)
    return () if scan is None else [decision.key for decision in scan.fired]


def _only(keys: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    known = set(others)
    return tuple([key for key in keys if key not in known])


def _of_errors(before: str | None, after: str | None) -> list[str]:
    if before is not None and after is not None:
        return [] if before == after else [f"fails otherwise: {after}"]
    return [f"fails: {after}"] if after is not None else ["no longer fails"]
