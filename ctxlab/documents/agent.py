"""Who speaks to whom: agent, user, model."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ctxlab.documents.message import MessageNode
from ctxlab.documents.stored import Stored


class ProcessorEntry(Stored):
    """What an agent or a model says of one step."""

    id: str = ""
    enabled: bool | None = None
    settings: dict[str, Any] = Field(default_factory=dict)


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
    parameters: dict[str, Any] | None = None
    processors: tuple[ProcessorEntry, ...] = ()
    tool_call_config: dict[str, Any] | None = None
    tools: tuple[dict[str, Any], ...] = Field(
        (), description="Tool definitions in OpenAI's form; counted by the limiter."
    )
    assets: tuple[dict[str, Any], ...] = ()
    llm_think_rules: tuple[dict[str, Any], ...] = ()

    @property
    def shown_name(self) -> str:
        return self.display_name or self.name


class UserProfile(Stored):
    """Who the user is; `content` is the persona."""

    id: str = ""
    name: str = ""
    display_name: str | None = None
    content: str = ""

    @property
    def shown_name(self) -> str:
        return self.display_name or self.name


class ModelProfile(Stored):
    """What is known of a model. Windows and limits are in tokens; None means not known."""

    id: str = ""
    name: str | None = None
    profile_name: str | None = None
    wire: str = Field(default="openai", description="Wire format: openai, anthropic or google.")
    tokenizer: str | None = Field(default=None, description="Encoding name; None picks it by the model's name.")
    context_window: int | None = None
    max_output_tokens: int | None = None
    vision_token_cost: dict[str, Any] | None = None
    capabilities: dict[str, Any] | None = None
    default_post_processing_rules: tuple[Any, ...] = ()
    processors: tuple[ProcessorEntry, ...] = ()
