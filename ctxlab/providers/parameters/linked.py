"""Thinking budget and reply limit of a form, each giving way to the one that was changed last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ctxlab.providers.model_info import ModelInfo

ROOM = 4_096
"""Tokens that a reply gets beside a new budget."""
LEAST_ROOM = 1_024
LEAST_BUDGET = 1_024
FIRST_BUDGET = 4_096
"""The budget of thinking that is switched on without one."""
NO_LIMIT = 131_072
"""The highest reply limit where nothing is known of the model."""


def linked(
    values: Mapping[str, Any],
    changed: Literal["thinking_budget", "max_tokens", "thinking_enabled"],
    model: ModelInfo,
) -> dict[str, Any]:
    """The values with the other one of budget and limit moved where it has to; the changed one stays if it can.

    >>> linked({"thinking_enabled": True, "thinking_budget": 8000, "max_tokens": 5000}, "max_tokens", ModelInfo())
    {'thinking_enabled': True, 'thinking_budget': 3976, 'max_tokens': 5000}
    """
    found = dict(values)
    if not found.get("thinking_enabled"):
        return found
    highest = model.max_output_tokens or model.context_window or NO_LIMIT
    least = model.min_thinking_budget or LEAST_BUDGET
    budget, limit = found.get("thinking_budget"), found.get("max_tokens")
    if changed == "max_tokens":
        if budget is not None and limit is not None and limit < budget + LEAST_ROOM:
            found["thinking_budget"] = max(least, limit - LEAST_ROOM)
        return found
    if budget is None:
        if changed != "thinking_enabled":
            return found
        budget = FIRST_BUDGET
    most = min(highest - 1, model.max_thinking_budget or highest)
    found["thinking_budget"] = budget = max(min(budget, most), min(least, most))
    if limit is not None and limit < budget + ROOM:
        found["max_tokens"] = max(limit, min(budget + ROOM, highest))
    return found
