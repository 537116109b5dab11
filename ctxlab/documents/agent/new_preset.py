"""A preset of a text and a place."""

from __future__ import annotations

from typing import Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.agent.place_preset import placed
from ctxlab.documents.session.message import MessageNode
from ctxlab.errors import Refused


@checked_arguments
def preset(
    text: str,
    *,
    depth: float | str | None = None,
    order: float | None = None,
    anchor: str | None = None,
    position: Literal["before", "after"] | None = None,
    role: Literal["system", "user", "assistant"] = "system",
    id: str = "note",
    name: str = "",
) -> MessageNode:
    """A preset of one's own for `build(..., presets=[...])`, or for an agent's `preset_messages`.

    `depth` counts messages from the newest one, 0 is after it; a text such as `"3, 10~5"` names several. `anchor` is
    the id of a placeholder, and `position` before or after it. Without a place it stands before the agent's own
    presets. Its macros are expanded like theirs. Raises Refused for an empty text and for a place that doesn't exist.

    >>> preset("Answer in two sentences.", depth=4).injection_strategy.depth
    4.0
    """
    if not text.strip():
        raise Refused("a preset needs words, and this text is empty")
    fields = {"id": id, "name": name or None, "role": role, "content": text}
    made = MessageNode.model_validate({key: value for key, value in fields.items() if value})
    return placed(made, depth=depth, order=order, anchor=anchor, position=position)
