"""The values that macros stand for: names, persona, model, messages, time, variables, services."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Literal

from ctxlab.context import Context, GroupChat, Text, Variables
from ctxlab.context.context import BuildInput
from ctxlab.documents import Agent, UserProfile
from ctxlab.documents.agent.agent import VirtualTime
from ctxlab.engines.macros.last_message import NO_MESSAGES, Messages, PathMessages
from ctxlab.engines.macros.registry import NEWER, OLDER, Dialect
from ctxlab.lazy_dataclass import dataclass

NO_USER, NO_AGENT = "User", "Assistant"
MacroEngine = Literal["seed", "sillytavern", "sillytavern-old"]
"""The engine: ctxlab's, for each text in its own dialect, or SillyTavern's of today or the one before."""
SPOKEN: Mapping[MacroEngine, Dialect] = {"sillytavern": NEWER, "sillytavern-old": OLDER}
Offer = Callable[[tuple[str, ...]], str]


def _no_dice(id: str) -> float:
    return 0.0


def _nothing() -> Mapping[str, str]:
    return {}


def _no_outlets() -> Mapping[str, Text]:
    return {}


def _no_offers() -> Mapping[str, Offer]:
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class MacroEnv:
    """The values that macros stand for: stored names of agent and user, not display names.

    `place` names the text that is being expanded (a draft's key): dice fall differently at each. `outlets` are the
    texts that `{{outlet::name}}` shows. `engine` says who expands; `turn`, `group` and `muted` are for SillyTavern's
    names, so are `facts`, texts of its settings by the macro's name. `host` are facts of the machine (os, hostname,
    ...), none by default. `offers` are what services of an application answer to `tools`, `tool_usage`, `tool_context`
    and `cssvar`.
    """

    user: str = NO_USER
    char: str = NO_AGENT
    persona: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    mes_examples: str = ""
    input: str = ""
    model_id: str = ""
    model_name: str = ""
    profile_id: str = ""
    profile_name: str = ""
    provider: str = ""
    max_prompt_tokens: int | None = None
    agent: Agent | None = None
    messages: Messages = NO_MESSAGES
    session_id: str = ""
    timestamp: str | None = None
    zone: str | None = None
    virtual_time: VirtualTime | None = None
    variables: Variables = field(default_factory=Variables)
    dice: Callable[[str], float] = _no_dice
    place: str = ""
    dialect: str | None = None
    original: str = ""
    engine: MacroEngine = "seed"
    context_tokens: int | None = None
    reply_tokens: int | None = None
    turn: str = "normal"
    group: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=_nothing)
    outlets: Mapping[str, Text] = field(default_factory=_no_outlets)
    host: Mapping[str, str] = field(default_factory=_nothing)
    offers: Mapping[str, Offer] = field(default_factory=_no_offers)

    def __repr__(self) -> str:
        return f"MacroEnv({self.user!r} to {self.char!r}, at {self.place!r}, {self.timestamp})"

    @classmethod
    def of(
        cls, build_input: BuildInput, *, dice: Callable[[str], float] | None = None, engine: MacroEngine = "seed"
    ) -> MacroEnv:
        """The environment of a request. Messages are read when a macro needs them."""
        agent, model = build_input.agent or Agent.model_validate({}), build_input.model
        user, group = build_input.user or UserProfile(), build_input.group or GroupChat()
        return cls(
            user=user.name or NO_USER,
            char=agent.name or build_input.facts.get("char") or NO_AGENT,
            persona=user.content,
            description=agent.character_description or agent.description or "",
            personality=agent.personality or "",
            scenario=agent.scenario or "",
            mes_examples=agent.mes_examples or "",
            input=str(build_input.pending.text) if build_input.pending else "",
            model_id=(model.id if model else "") or agent.model_id or "",
            model_name=((model.name or model.id) if model else "") or agent.model_id or "",
            profile_id=agent.profile_id or "",
            profile_name=(model.profile_name if model else None) or agent.profile_id or "",
            provider=model.wire if model and "wire" in model.model_fields_set else "",
            max_prompt_tokens=model.context_window if model else None,
            agent=build_input.agent,
            messages=PathMessages(build_input),
            session_id=build_input.session.id,
            timestamp=build_input.timestamp,
            zone=build_input.zone,
            virtual_time=agent.virtual_time_config,
            variables=build_input.variables,
            dice=dice or Context(build_input).dice,
            dialect=agent.macro_dialect,
            engine=engine,
            turn=build_input.turn,
            group=group.members,
            muted=group.muted,
            facts=build_input.facts,
            context_tokens=_number(agent, "contextManagement", "maxContextTokens")
            or (model.context_window if model else None),
            reply_tokens=_number(agent, "maxTokens"),
        )

    @property
    def spoken(self) -> str | None:
        """The dialect in which a text is read: that of the engine, else the text's own."""
        return SPOKEN.get(self.engine, self.dialect)

    def at(self, place: str) -> MacroEnv:
        """The environment for the text of this name, such as a draft's key."""
        return replace(self, place=place)

    def with_variables(self, variables: Variables) -> MacroEnv:
        return replace(self, variables=variables)

    def with_outlets(self, outlets: Mapping[str, Text]) -> MacroEnv:
        """The environment with these texts for `{{outlet::name}}`."""
        return replace(self, outlets=outlets)

    def speaking(self, dialect: str | None) -> MacroEnv:
        """The environment for a text in this dialect: `sillytavern`, or None for ours."""
        return self if dialect == self.dialect else replace(self, dialect=dialect)


def _number(agent: Agent, *path: str) -> int | None:
    """A number in the agent's parameters."""
    found: Any = agent.parameters
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None
