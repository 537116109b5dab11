"""The presets of a request: those in force everywhere, the user's, the agent's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ctxlab.context import BuildInput
from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.agent.left_out_presets import why_left_out
from ctxlab.documents.agent.preset_groups import kept_out_presets
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.engines.model_match import model_fits

Level = Literal["global", "user", "agent", "tools"]


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset and whose it is; `index` is its place among theirs. The agent's need no level in their key.

    Level `tools` is for the words about tools that no file holds.
    """

    node: MessageNode
    index: int
    level: Level = "agent"
    silenced: str = ""

    @property
    def key(self) -> str:
        return f"preset:{self.index}" if self.level == "agent" else f"preset:{self.level}/{self.index}"

    @property
    def place(self) -> str:
        """Its name in messages to people."""
        return f"preset {self.index}" if self.level == "agent" else f"preset {self.index} ({self.level})"

    @property
    def ref(self) -> str:
        return self.node.id or self.key.removeprefix("preset:")


def presets_of(build_input: BuildInput) -> tuple[Preset, ...]:
    """In the order in which they are sent where nothing else is said: everyone's, the user's, the agent's."""
    own = build_input.agent.preset_messages if build_input.agent else ()
    off = kept_out_presets(build_input.agent) if build_input.agent else {}
    return (
        *_of_level(build_input.presets, "global"),
        *_of_level(build_input.user.preset_messages if build_input.user else (), "user"),
        *(Preset(node, index, silenced=off.get(index, "")) for index, node in enumerate(own)),
    )


def _of_level(nodes: Sequence[MessageNode], level: Level) -> Iterator[Preset]:
    return (Preset(node, index, level) for index, node in enumerate(nodes))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a preset is not sent: the rule in a word, and the reason."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """`refusal` None means that it is sent; `problems` are patterns of its modelMatch that were left out."""

    refusal: Refusal | None = None
    problems: tuple[str, ...] = ()


def verdict_on(preset: Preset, build_input: BuildInput) -> Verdict:
    """Whether a preset is on, its group too, meant for the model, and has words where SillyTavern wants some."""
    if not preset.node.enabled:
        return Verdict(Refusal(*(why_left_out(preset.node) or ("disabled", "the preset is switched off"))))
    if preset.silenced:
        return Verdict(Refusal("group", preset.silenced))
    if _is_empty_prompt(preset, build_input):
        return Verdict(Refusal("empty", "its text is empty, and SillyTavern sends no empty prompt"))
    fit = model_fits(preset.node.model_match, build_input.model)
    refusal = None if fit.fits else Refusal("model-match", "it is not meant for this model")
    return Verdict(refusal, fit.problems)


def _is_empty_prompt(preset: Preset, build_input: BuildInput) -> bool:
    """Whether it is a prompt of SillyTavern without words; placeholders need none."""
    node, agent = preset.node, build_input.agent
    if preset.level != "agent" or agent is None or agent.macro_dialect != "sillytavern":
        return False
    plain = node.type in (None, "", "message")
    return plain and not node.content.strip() and not node.preset_attachments


TOOL_MACROS = ("{{tools", "{{tool_usage", "{{tool_context")
AUTO_TOOLS = "auto-tool-macro"


def tools_preset(presets: Sequence[Preset], build_input: BuildInput) -> Preset | None:
    """The preset that tells of the tools where the agent wants one and none that is sent does it."""
    agent = build_input.agent
    if agent is None or not agent.tools_in_text:
        return None
    if not ToolCallConfig.of(agent.tool_call_config).auto_inject_if_macro_missing:
        return None
    for preset in presets:
        names_them = any(macro in preset.node.content for macro in TOOL_MACROS)
        if names_them and verdict_on(preset, build_input).refusal is None:
            return None
    strategy = {"type": "anchor", "anchorTarget": "chat_history", "anchorPosition": "before", "order": -100}
    text = "{{tools}}\n{{tool_usage}}\n{{tool_context}}"
    fields = {"id": AUTO_TOOLS, "role": "system", "content": text, "injectionStrategy": strategy}
    return Preset(MessageNode.model_validate(fields), 0, "tools")


def assets_by_id(agent: Agent | None) -> dict[str, dict[str, object]]:
    return {str(asset.get("id")): asset for asset in agent.assets} if agent else {}
