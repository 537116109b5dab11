"""The presets of a request: those in force everywhere, the user's, the agent's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, cast

from ctxlab.context import BuildInput
from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.agent.left_out_presets import why_left_out
from ctxlab.documents.agent.preset_groups import kept_out_presets
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.engines.model_match import model_fits
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.injection.read_preset_placement import AUTHORS_NOTE, INTERVAL, TRIGGERS, role_in_prompt

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


def verdict_on(preset: Preset, build_input: BuildInput, *, sends_blanks: bool = False) -> Verdict:
    """Whether a preset is on, its group too, meant for the model and the turn, and has words where they are wanted."""
    if not preset.node.enabled:
        return Verdict(Refusal(*(why_left_out(preset.node) or ("disabled", "the preset is switched off"))))
    if preset.silenced:
        return Verdict(Refusal("group", preset.silenced))
    refusal = _not_in_this_turn(preset.node, build_input.turn) or _not_at_this_interval(preset.node, build_input)
    if refusal is not None:
        return Verdict(refusal)
    if _is_empty_prompt(preset, build_input, sends_blanks=sends_blanks):
        return Verdict(Refusal("empty", "its text is empty, and SillyTavern sends no empty prompt"))
    fit = model_fits(preset.node.model_match, build_input.model)
    refusal = None if fit.fits else Refusal("model-match", "it is not meant for this model")
    return Verdict(refusal, fit.problems)


def _not_in_this_turn(node: MessageNode, turn: str) -> Refusal | None:
    """A refusal where it is meant for other kinds of turns only; without kinds it is meant for all."""
    kinds = node.meta(TRIGGERS)
    if not isinstance(kinds, list) or not kinds or turn in cast("list[object]", kinds):
        return None
    return Refusal(
        "turn", f"it is meant for {', '.join(map(str, cast('list[object]', kinds)))} turns, and this is {turn}"
    )


def _not_at_this_interval(node: MessageNode, build_input: BuildInput) -> Refusal | None:
    """A refusal for a note that goes with every n-th message of the user, where this isn't one of them."""
    interval = node.meta(INTERVAL)
    if not isinstance(interval, int) or isinstance(interval, bool):
        return None
    if interval == 1:  # also before the user has written anything
        return None
    if interval <= 0:
        return Refusal("interval", "its interval is 0, which is never")
    written = messages_of_user(build_input)
    if not written:
        return Refusal("interval", "the user hasn't written anything yet")
    if written % interval:
        return Refusal("interval", f"it goes with every {interval}. message of the user, and there are {written}")
    return None


def is_due(node: MessageNode, build_input: BuildInput) -> bool:
    """Whether a note's interval lets it into this turn."""
    return _not_at_this_interval(node, build_input) is None


def messages_of_user(build_input: BuildInput) -> int:
    """Messages of the user on the path, those that are switched off too, and the one that is typed."""
    leaf = build_input.leaf_id
    path = build_input.session.walk(leaf).nodes if leaf is not None else ()
    return sum(node.role == "user" and not node.is_empty_root for node in path) + (build_input.pending is not None)


def _is_empty_prompt(preset: Preset, build_input: BuildInput, *, sends_blanks: bool) -> bool:
    """Whether it is a prompt of SillyTavern without words; placeholders need none."""
    node, agent = preset.node, build_input.agent
    if preset.level != "agent" or agent is None or agent.macro_dialect != "sillytavern":
        return False
    plain = node.type in (None, "", "message")
    words = node.content if sends_blanks else node.content.strip()
    return plain and not words and not node.preset_attachments and role_in_prompt(node) != AUTHORS_NOTE


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
