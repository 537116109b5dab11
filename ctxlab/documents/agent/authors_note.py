"""An author's note: a preset with lore around it, sent with every n-th message of the user."""

from __future__ import annotations

from typing import Final, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.session.message import InjectionStrategy, MessageNode
from ctxlab.errors import Refused

PROMPT_NAME: Final = "stPromptName"
AUTHORS_NOTE, MAIN = "authorsNote", "main"
INTERVAL: Final = "stInterval"
"""Metadata of a note: with every n-th message of the user it is sent; 0 is never."""


@checked_arguments
def authors_note(
    text: str,
    *,
    position: Literal["in_chat", "before_main", "after_main"] = "in_chat",
    depth: int = 4,
    role: Literal["system", "user", "assistant"] = "system",
    interval: int = 1,
    id: str = "authors-note",
) -> MessageNode:
    """An author's note for `build(..., presets=[...])`, or for an agent's `preset_messages`.

    In the chat it goes to `depth`, else before or after the agent's main prompt. It is sent where the number of the
    user's messages is a multiple of `interval`; 0 never sends it. Lore for the place above or below the note goes along
    with it, also where the text is empty. Raises Refused for a depth or an interval below 0.

    >>> authors_note("Keep it short.", depth=2).injection_strategy.depth
    2.0
    """
    for name, value in (("depth", depth), ("interval", interval)):
        if value < 0:
            raise Refused(f"{name} is {value}; it is 0 or more")
    if position == "in_chat":
        strategy = InjectionStrategy(type="depth", depth=depth)
    else:
        strategy = InjectionStrategy(type="anchor", anchor_target=MAIN, anchor_position=position.removesuffix("_main"))
    fields = {"id": id, "role": role, "content": text, "injection_strategy": strategy}
    return MessageNode.model_validate({**fields, "metadata": {PROMPT_NAME: AUTHORS_NOTE, INTERVAL: interval}})
