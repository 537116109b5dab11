"""Agents, user profiles and models as they are stored, with greetings, preset groups and settings of steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from ctxlab.display.short_texts import called, counted, short
from ctxlab.documents.agent import assets as own_files
from ctxlab.documents.agent import place_preset as places
from ctxlab.documents.agent import preset_groups as groups
from ctxlab.documents.agent.knowledge import KnowledgeBaseConfig, KnowledgeSettings
from ctxlab.documents.agent.tool_call_config import ToolCallConfig, tool_name
from ctxlab.documents.frozen_json import FreezeData, FrozenDict, JsonObject
from ctxlab.documents.lore import WorldbookSettings
from ctxlab.documents.rules import RegexConfig, ThinkRule
from ctxlab.documents.session.message import Asset, MessageNode, Role
from ctxlab.documents.stored import Note, Stored

CATEGORIES = ("assistant", "character", "expert", "creative", "workflow", "other")
"""Categories that programs know; a file may name others."""
PRIVATE = "appdata://"
USED = ("createdAt", "lastUsedAt")
"""When an agent was made and used: not so of a copy."""


class ProcessorEntry(Stored):
    """Stored settings of one step, of an agent or a model."""

    id: str = ""
    enabled: bool | None = None
    settings: JsonObject = Field(default_factory=FrozenDict)


class Greeting(Stored):
    """A first message that a conversation can begin with; its macros are expanded once, when it begins."""

    id: str = ""
    name: str | None = None
    content: str = ""
    role: Role = "assistant"
    attachments: tuple[Asset, ...] | None = None

    def _repr_parts(self) -> Iterator[str]:
        yield from (*called(self.id, self.name or ""), self.role, repr(short(self.content)))


class PresetGroup(Stored):
    """Presets that are switched together; of a radio group at most one is sent, the first that is on."""

    id: str = ""
    name: str = ""
    description: str | None = None
    selection_mode: str = "checkbox"
    enabled: bool = True


class VirtualTime(Stored):
    """A clock of its own: `virtual_base_time` was when it was `real_base_time`; `time_scale` 0 stops, -1 goes back."""

    virtual_base_time: str = ""
    real_base_time: str = ""
    time_scale: float = 1


def copy_agent(agent: Agent, *, id: str, name: str) -> tuple[Agent, tuple[Note, ...]]:
    """A copy of the agent under another id and name, and notes on files that both now refer to.

    Files are named, not held, by an agent: who keeps them makes copies of them and changes the names.
    """
    copy = agent.with_(id=id, name=name).without("display_name", *USED)
    shared = tuple(private_files_of(agent))
    if not shared:
        return copy, ()
    named = ", ".join(shared[:3]) + (f" and {len(shared) - 3} more" if len(shared) > 3 else "")
    text = f"agent {id!r} refers to the files of {agent.id!r}: {named}; copy them and change the references"
    return copy, (Note("info", text, details={"files": shared}),)


def private_files_of(agent: Agent) -> Iterator[str]:
    """Paths of an agent's own files: its icon where it is private, its assets and their thumbnails."""
    found: list[object] = [agent.icon if agent.icon and agent.icon.startswith((PRIVATE, "assets/")) else None]
    found += [asset.get(name) for asset in agent.assets for name in ("path", "thumbnailPath")]
    return iter(dict.fromkeys([path for path in found if isinstance(path, str) and path]))


class Agent(Stored):
    """A reusable set of presets and parameters."""

    id: str = ""
    name: str = ""
    display_name: str | None = None
    description: str | None = None
    profile_id: str | None = None
    model_id: str | None = None
    user_profile_id: str | None = None
    preset_messages: tuple[MessageNode, ...] = ()
    parameters: JsonObject | None = None
    processors: tuple[ProcessorEntry, ...] = ()
    tool_call_config: JsonObject | None = None
    tools: tuple[JsonObject, ...] = Field((), description="Tool definitions in OpenAI's form; counted by the limiter.")
    assets: tuple[JsonObject, ...] = ()
    llm_think_rules: tuple[ThinkRule, ...] = ()
    version: int | None = Field(None, description="Of the file's form; see formats.migrations.")
    agent_version: str | None = None
    icon: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = Field(None, description="One of CATEGORIES, or any other.")
    preset_groups: tuple[PresetGroup, ...] = ()
    greetings: tuple[Greeting, ...] = ()
    default_greeting_id: str | None = None
    display_preset_count: int | None = Field(None, description="A hint for programs that show the first presets.")
    regex_config: RegexConfig | None = None
    worldbook_ids: tuple[str, ...] = ()
    quick_action_set_ids: tuple[str, ...] = ()
    worldbook_settings: WorldbookSettings | None = None
    virtual_time_config: VirtualTime | None = None
    variable_config: JsonObject | None = None
    knowledge_base_config: KnowledgeBaseConfig | None = None
    knowledge_settings: KnowledgeSettings | None = None
    visual_guideline: str | None = None
    character_description: str | None = Field(None, description="Who the character is; `description` is about it.")
    personality: str | None = None
    scenario: str | None = None
    mes_examples: str | None = None
    depth_prompt: str | None = Field(
        None, description="The character's words for a depth of the history, as lore scans them; a preset sends them."
    )
    creator_notes: str | None = Field(None, description="Notes of the card's author, as lore scans them; not sent.")
    macro_dialect: str | None = Field(None, description="Spelling of macros in its texts: sillytavern, else ours.")
    carried: JsonObject | None = Field(None, description="What another program's file said, to write it back.")

    @property
    def sent_tools(self) -> tuple[JsonObject, ...]:
        """The definitions that go with a request: those that are switched on, none where prompts tell of the tools."""
        if not self.tools or not self.tool_call_config:
            return self.tools
        config = ToolCallConfig.of(self.tool_call_config)
        is_off = self.tool_call_config.get("enabled") is False
        return () if is_off or config.in_text else self._switched_on(config)

    @property
    def tools_in_text(self) -> tuple[JsonObject, ...]:
        """The definitions that prompts tell of: those that are switched on, with the protocol `vcp`."""
        config = ToolCallConfig.of(self.tool_call_config)
        return self._switched_on(config) if config.in_text else ()

    def _switched_on(self, config: ToolCallConfig) -> tuple[JsonObject, ...]:
        return tuple(tool for tool in self.tools if config.is_on(tool_name(tool)))

    def _repr_parts(self) -> Iterator[str]:
        rules = self.regex_config.presets if self.regex_config else ()
        yield from called(self.id, self.shown_name)
        yield counted(len(self.preset_messages), "preset")
        for values, one, many in (
            (self.preset_groups, "group of presets", "groups of presets"),
            (self.greetings, "greeting", "greetings"),
            (rules, "set of rules", "sets of rules"),
            (self.worldbook_ids, "book", "books"),
            (self.tools, "tool", "tools"),
        ):
            if values:
                yield counted(len(values), one, many)

    def _repr_html_(self) -> str:
        from ctxlab.documents.agent.html import agent_html

        return agent_html(self)

    @property
    def shown_name(self) -> str:
        return self.display_name or self.name

    copied = copy_agent
    private_files = private_files_of

    asset = own_files.asset
    own_assets = own_files.own_assets
    asset_groups = own_files.asset_groups
    files_missing = own_files.files_missing
    files_shared = own_files.files_shared

    silenced = groups.kept_out_presets

    choose_preset = groups.choose_preset
    disable_group = groups.disable_group
    enable_group = groups.enable_group
    place_preset = places.place_preset


class UserProfile(Stored):
    """A user; `content` is the persona."""

    id: str = ""
    name: str = ""
    display_name: str | None = None
    content: str = ""
    preset_messages: tuple[MessageNode, ...] = ()
    regex_config: RegexConfig | None = None
    worldbook_ids: tuple[str, ...] = ()
    quick_action_set_ids: tuple[str, ...] = ()

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.id, self.shown_name)
        if self.content:
            yield f"{len(self.content):,} characters of persona"
        if self.preset_messages:
            yield counted(len(self.preset_messages), "preset")

    def _repr_html_(self) -> str:
        from ctxlab.documents.agent.html import user_html

        return user_html(self)

    @property
    def shown_name(self) -> str:
        return self.display_name or self.name

    place_preset = places.place_preset


class ModelProfile(Stored):
    """A model as it is known. Windows and limits are in tokens; None means not known."""

    id: str = ""
    name: str | None = None
    profile_name: str | None = None
    wire: str = Field(default="openai", description="Wire format: openai, anthropic or google.")
    tokenizer: str | None = Field(default=None, description="Encoding name; None picks it by the model's name.")
    context_window: int | None = None
    max_output_tokens: int | None = None
    vision_token_cost: JsonObject | None = None
    capabilities: JsonObject | None = None
    default_post_processing_rules: Annotated[tuple[Any, ...], FreezeData] = ()
    processors: tuple[ProcessorEntry, ...] = ()

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.id, self.profile_name or self.name or "")
        yield self.wire
        if self.context_window is not None:
            yield f"{self.context_window:,} tokens"
