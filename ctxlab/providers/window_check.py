"""Whether a request and its reply fit into the model's window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.providers.problem import Fix, Problem

if TYPE_CHECKING:
    from ctxlab.providers.payload import Payload

LEFT_FOR_REPLY = 1024
"""Tokens that are left for the reply where the request names no limit."""


def window_problems(payload: Payload) -> Iterator[Problem]:
    """The problem of a prompt that is longer than the model's window, or leaves no room for its reply."""
    window, tokens = payload.model.context_window, payload.tokens
    if window is None:
        return
    reply = payload.parameters.max_output_tokens or 0
    if tokens <= window:
        if not payload.provider.window_holds_reply or tokens + reply <= window:
            return
        what = f"the prompt's {_about(payload)} and the reply's {reply:,} are more than"
    else:
        what = f"the prompt's {_about(payload)} are more than"
    budget = window - (reply or LEFT_FOR_REPLY)
    fixes = (Fix(f"Budget {budget:,}", settings=FrozenDict({"token-limiter.budget_tokens": budget})),)
    reason = f"{what} the {window:,} tokens of {payload.model.name}'s window"
    yield Problem(
        (), "context-window", reason, "set a budget, or choose a longer window", fixes=fixes if budget > 0 else ()
    )


def _about(payload: Payload) -> str:
    return f"{'about ' if payload.trace.estimated else ''}{payload.tokens:,} tokens"
