"""Texts of the preset that belong to a kind of turn or to a group: nudges, and the prompt of an impersonation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.agent.continued_reply import CONTINUE_NUDGE
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern.card_fields import PROMPT_NAME
from ctxlab.formats.sillytavern.presets.prompt_order import HISTORY, MARKERS

GROUP_NUDGE, IMPERSONATE, QUIET, BIAS = "groupNudge", "impersonate", "quietPrompt", "bias"
EXAMPLES: Final = "dialogueExamples"
AT_THE_END: Final = -100
"""Order of what comes first of all that stands after the history."""


def with_turn_prompts(
    agent: Agent, preset: Mapping[str, Any], *, kind: str, text: str | None, is_group: bool, bias: str
) -> Agent:
    """The agent with what a turn of this kind sends besides; `text` is the prompt of a quiet one.

    `bias` are the words with which replies are to begin.
    """
    nudge = _group_nudge(preset) if is_group and kind != "impersonate" else ()
    return agent.with_(preset_messages=(*agent.preset_messages, *nudge, *_last(preset, kind, text, bias)))


def lost_nudges(agent: Agent, preset: Mapping[str, Any], *, kind: str, is_pinned: bool) -> Iterator[Loss]:
    """A loss where the program puts the examples in the place of what it goes on with, and of the nudge.

    It does where they are listed last and aren't pinned.
    """
    listed = [node for node in agent.preset_messages if node.is_enabled and node.injection_strategy is None]
    if kind != "continue" or preset.get("continue_prefill") or is_pinned or not listed:
        return
    if listed[-1].meta(PROMPT_NAME) == EXAMPLES:
        there = "with the examples listed last the program sends neither the message that is gone on with"
        yield Loss("the continue nudge", f"{there} nor the words that ask for it; here both are sent")


def _last(preset: Mapping[str, Any], kind: str, text: str | None, bias: str) -> Iterator[MessageNode]:
    """Presets that stand after everything else."""
    if kind not in ("continue", "impersonate") and bias.strip():
        yield from _prompt(BIAS, "Start of the reply", bias, role="assistant")
    if kind == "continue" and not preset.get("continue_prefill"):
        nudge = _text(preset, "continue_nudge_prompt")
        yield from _prompt(CONTINUE_NUDGE, "Continue nudge", nudge)
    elif kind == "impersonate":
        yield from _prompt(IMPERSONATE, "Impersonation", _text(preset, "impersonation_prompt"))
    elif kind == "quiet":
        yield from _prompt(QUIET, "Quiet prompt", text or "")


def _group_nudge(preset: Mapping[str, Any]) -> Iterator[MessageNode]:
    place = {"anchor_target": MARKERS[HISTORY], "anchor_position": "after", "order": AT_THE_END}
    for prompt in _prompt(GROUP_NUDGE, "Group nudge", _text(preset, "group_nudge_prompt")):
        yield MessageNode.model_validate({**prompt.model_dump(exclude_unset=True), "injection_strategy": place})


def _prompt(name: str, title: str, text: str, *, role: str = "system") -> Iterator[MessageNode]:
    """A preset of this text; none of an empty one."""
    if text:
        fields = {"id": name, "name": title, "role": role, "content": text, "metadata": {PROMPT_NAME: name}}
        yield MessageNode.model_validate({**fields, "type": "message", "is_enabled": True})


def _text(preset: Mapping[str, Any], key: str) -> str:
    value = preset.get(key)
    return value if isinstance(value, str) else ""
