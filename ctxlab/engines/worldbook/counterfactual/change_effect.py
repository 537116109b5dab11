"""Everything that a change of lore does to a prompt, as a value and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook.decision import Decision
from ctxlab.lazy_dataclass import dataclass

MOST_NAMED = 6


@dataclass(frozen=True, slots=True, eq=False)
class ChangeEffect:
    """Everything that a change does: tokens of the prompt, or of the lore alone where no run was built with it.

    `own` is the entry's decision where it fires with the change or fired before it; `came` and `went` are the others.
    Their tokens, what stands around `messages` more or fewer of them (`around`), and what the change does to the rest
    of the prompt (`elsewhere`), add up to `tokens`.
    """

    tokens: int
    in_prompt: bool
    own: Decision | None
    came: tuple[Decision, ...]
    went: tuple[Decision, ...]
    more_dropped: int = 0
    keeps_out: bool = False
    messages: int = 0
    around: int = 0
    elsewhere: int = 0

    def as_data(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "of": "prompt" if self.in_prompt else "lore",
            "own": self.own.tokens if self.own else None,
            "fires": {one.key: one.tokens for one in self.came},
            "no_longer": {one.key: one.tokens for one in self.went},
            "more_dropped": self.more_dropped,
            "around": self.around,
            "elsewhere": self.elsewhere,
        }

    def __str__(self) -> str:
        more = counted(abs(self.tokens), "token")
        way = "more" if self.tokens >= 0 else "fewer"
        start = f"{more} {way} in the prompt" if self.in_prompt else f"{more} of lore {way}"
        parts = [f"its own {self.own.tokens:,}"] if self.own is not None and self.own.tokens is not None else []
        with_it = "without" if self.keeps_out else "with"
        parts += [f"{with_it} it {_fire(self.came)} {_named(self.came)}"] if self.came else []
        parts += [f"no longer {_named(self.went)}"] if self.went else []
        if self.around:
            is_own = abs(self.messages) == 1 and not (self.came or self.went)
            whose = "its message" if is_own else counted(abs(self.messages), "message")
            parts.append(f"{abs(self.around):,} around {whose}")
        if self.more_dropped:
            noun = counted(abs(self.more_dropped), "message")
            parts.append(f"{noun} {'more' if self.more_dropped > 0 else 'fewer'} dropped")
        if self.elsewhere:
            way = "more" if self.elsewhere > 0 else "fewer"
            parts.append(f"{abs(self.elsewhere):,} {way} around messages and in the rest of the prompt")
        return f"{start}: {'; '.join(parts)}" if parts else start


def _fire(found: Sequence[Decision]) -> str:
    return "fires" if len(found) == 1 else "fire"


def _named(found: Sequence[Decision]) -> str:
    shown = [f"{one.title} ({one.tokens or 0:,})" for one in found[:MOST_NAMED]]
    more = len(found) - MOST_NAMED
    if more > 0:
        shown.append(f"{more:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
