"""The tokens that lore may take, and what its share is a share of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ctxlab.context import BuildInput
from ctxlab.documents import Agent, Note
from ctxlab.pipeline import Services
from ctxlab.processors.token_limiter import TokenLimiter

NO_BUDGET: Final = "no_lore_budget"
"""Detail of a note that says that no budget limits lore, for nothing is known that it could be a share of."""


class LoreBudget(NamedTuple):
    """Tokens that lore may take, None for any number; `share_of` are those of which it gets a share, None unknown.

    `source` says in words what limits it, such as "25 % of 3,795".
    """

    tokens: int | None
    share_of: int | None
    source: str = ""


def lore_budget(build_input: BuildInput, services: Services, *, percent: float, cap_tokens: int) -> LoreBudget:
    """The budget of lore: a share of the room for the prompt, and a cap; 0 is none of either.

    The room is the agent's own, as SillyTavern's context setting is; else the window of the model.
    """
    room = prompt_tokens_of(build_input.agent) or _window(build_input, services)
    share = max(1, round(room * percent / 100)) if room and percent else None
    if share is None or not room or 0 < cap_tokens < share:
        return LoreBudget(cap_tokens or None, room, "its cap" if cap_tokens else "")
    return LoreBudget(share, room, f"{percent:g} % of {room:,}")


def prompt_tokens_of(agent: Agent | None) -> int | None:
    """Tokens that an agent's own settings leave for the prompt; None where they don't say."""
    if agent is None:
        return None
    own = next((entry for entry in reversed(agent.processors) if entry.id in _NAMES), None)
    entry = own or TokenLimiter.settings_from(agent)
    if entry is None or entry.enabled is False:
        return None
    settings: Mapping[str, Any] = entry.settings
    found = settings.get("budget_tokens")
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None


def no_budget_note(step: str, percent: float, *, is_asked_for: bool) -> Note:
    """A note that nothing limits lore; a warning where somebody set the share."""
    text = (
        f"no budget limits lore: it would be {percent:g} % of the tokens that a prompt may have, and neither the agent "
        f"nor the model says how many these are; {step}.budget_cap_tokens sets a budget in tokens"
    )
    return Note("warning" if is_asked_for else "info", text, step, details={NO_BUDGET: True})


_NAMES: Final = (TokenLimiter.id, *TokenLimiter.aliases)


def _window(build_input: BuildInput, services: Services) -> int | None:
    model = build_input.model
    if model is None or model.context_window is not None or services.window_of is None:
        return model.context_window if model is not None else None
    return services.window_of(model)
