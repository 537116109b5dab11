"""Find and replace, as users keep it: a rule, presets of rules, and what hangs on an agent or a user."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ctxlab.documents.message import ModelMatch, Role
from ctxlab.documents.stored import Stored

Flavor = Literal["javascript", "python"]
Substitution = Literal["NONE", "RAW", "ESCAPED"]


class AppliesTo(Stored):
    """The stages of a rule: what is shown, what is sent."""

    render: bool = True
    request: bool = False


class DepthRange(Stored):
    """Messages between these depths, both included; 0 is the newest, None is no bound."""

    min: int | None = None
    max: int | None = None


class RegexRule(Stored):
    """One find and replace. Patterns are JavaScript's unless `flavor` says otherwise."""

    id: str = ""
    enabled: bool = True
    name: str | None = None
    regex: str = ""
    replacement: str = ""
    flags: str | None = Field(
        default=None, description="JavaScript flags; None or empty: those of /body/flags, else gm."
    )
    flavor: Flavor = "javascript"
    apply_to: AppliesTo = Field(default_factory=AppliesTo)
    target_roles: tuple[Role, ...] = ("system", "user", "assistant")
    depth_range: DepthRange | None = None
    replacement_type: Literal["regex", "script"] = "regex"
    script_content: str | None = None
    apply_in_streaming: bool | None = Field(
        default=None, description="Whether it runs while a message comes in; None: yes."
    )
    substitution_mode: Substitution = Field(
        "NONE", description="Whether macros are filled in, and their values escaped."
    )
    macros_in_replacement: bool | None = Field(
        default=None, description="None: as the substitution mode says of the pattern."
    )
    trim_strings: tuple[str, ...] | None = None
    order: float | None = None
    test_input: str | None = None
    carried: dict[str, Any] | None = Field(
        default=None, description="What another program's file said, to write it back."
    )

    @property
    def shown_name(self) -> str:
        return self.name or self.id


class RegexPreset(Stored):
    """Rules that belong together; presets run by `priority`, smaller first."""

    id: str = ""
    name: str = ""
    description: str | None = None
    author: str | None = None
    version: str | None = None
    enabled: bool = True
    rules: tuple[RegexRule, ...] = ()
    order: float | None = None
    priority: float = 100
    model_match: ModelMatch | None = None
    carried: dict[str, Any] | None = Field(
        default=None, description="What another program's file said, to write it back."
    )


class RegexConfig(Stored):
    """The presets of an agent, a user, or everywhere.

    With `binding_mode` message, a message is treated by the rules of the agent and the user that wrote it, where they
    are at hand; with session, by those of the request.
    """

    presets: tuple[RegexPreset, ...] = ()
    binding_mode: Literal["message", "session"] = "message"


class ThinkRule(Stored):
    """How an agent's model marks its reasoning inside its text."""

    id: str = ""
    kind: str = "xml_tag"
    tag_name: str = ""
    display_name: str = ""
    collapsed_by_default: bool = True
