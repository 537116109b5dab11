"""Whether a placeholder searches at all, by its mode, and the nearest change where it doesn't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ctxlab.display.short_texts import counted, short
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.javascript.numbers import leading_integer
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Activation:
    """Whether a placeholder is active, and why; where it isn't, `change` would make it so, `remedy` in words.

    `change` names values of the placeholder (`mode`, `params`) or of the step (`gate_scan_depth`).
    """

    active: bool
    reason: str
    change: Mapping[str, Any] = field(default_factory=FrozenDict)
    remedy: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that modes look at: the conversation's texts, oldest first, and how often the user has spoken."""

    texts: tuple[str, ...] = ()
    user_messages: int = 0
    gate_scan_depth: int = 3


def activation_of(mode: str, params: Sequence[str] | None, about: Conversation) -> Activation:
    """Whether a placeholder of this mode is active.

    `turn` is, when the number of the user's messages is a multiple of its parameter; `gate`, when one of its words is
    in the newest messages, upper and lower case told apart; any other mode always.
    """
    if mode == "turn":
        return _by_turn(params, about.user_messages)
    if mode == "gate":
        return _by_words([word for word in params or () if word], about)
    return Activation(True, f"mode {mode}")


def _by_turn(params: Sequence[str] | None, spoken: int) -> Activation:
    written = params[0] if params else "1"
    every = leading_integer(written) if written else 1
    if not every:
        problem = f"{short(written)!r} is no number of turns: it is never active"
        return Activation(False, problem, FrozenDict(mode="always"), "mode turn → always", problem)
    words = counted(spoken, "message")
    if spoken and spoken % every == 0:
        return Activation(True, f"the user has sent {words}, a multiple of {every}")
    reason = f"the user has sent {words}, which is no multiple of {every}" if spoken else "the user has sent nothing"
    if not spoken:
        return Activation(False, reason, FrozenDict(mode="always"), "mode turn → always")
    near = min((n for n in range(1, spoken + 1) if spoken % n == 0), key=lambda n: (abs(n - abs(every)), n))
    return Activation(False, reason, FrozenDict(params=[str(near)]), f"every {every} → every {near} messages")


def _by_words(words: Sequence[str], about: Conversation) -> Activation:
    if not words:
        return Activation(True, "a gate without words is open", problem="its gate names no words: it is always open")
    newest = about.texts[max(len(about.texts) - about.gate_scan_depth, 0) :]
    found = next((word for word in words for text in newest if word in text), None)
    where = f"the newest {counted(about.gate_scan_depth, 'message')}"
    if found is not None:
        return Activation(True, f"{short(found)!r} is in {where}")
    named = " or ".join([repr(short(word)) for word in words[:3]]) + (" or …" if len(words) > 3 else "")
    reason = f"{named} isn't in {where}"
    depth = next(
        (n for n, text in enumerate(reversed(about.texts), start=1) if any(word in text for word in words)), None
    )
    if depth is None:
        remedy = f"one of its words in {where}, or mode gate → always"
        return Activation(False, reason, FrozenDict(mode="always"), remedy)
    remedy = f"messages that a gate looks at {about.gate_scan_depth} → {depth}"
    return Activation(False, reason, FrozenDict(gate_scan_depth=depth), remedy)
