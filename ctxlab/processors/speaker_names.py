"""The name of who speaks a message of the history, as a chat program shows it."""

from __future__ import annotations

from ctxlab.context import BuildInput, Draft


def speaker_name(draft: Draft, build_input: BuildInput) -> str:
    """The speaker in a group, else the name that the message was written with, else the user's or the agent's.

    Empty where none is known, as for a tool's message.
    """
    key = _WRITTEN.get(draft.role)
    named = draft.speaker or (draft.meta.get(key) if key is not None else None)
    if not named:
        node = build_input.session.nodes.get(draft.origin.ref)
        named = node.name if node is not None else None
    if isinstance(named, str) and named:
        return named
    speaker = build_input.user if draft.role == "user" else build_input.agent if draft.role == "assistant" else None
    return speaker.shown_name if speaker is not None else ""


_WRITTEN = {"user": "userProfileName", "assistant": "agentName"}
