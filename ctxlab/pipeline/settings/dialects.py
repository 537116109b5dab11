"""Dialects: settings of steps that belong together, because one program does all of it so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from ctxlab.context import BuildInput
from ctxlab.documents.frozen_json import FrozenDict, frozen
from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """The way of one program: a name, a title, and settings as `{"<step>.<setting>": value}`.

    It is the lowest layer: a model, an agent, a layout and a call may each say otherwise. Steps that a pipeline is
    without are passed over. `program` is the program whose files bring it with them.
    """

    name: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=FrozenDict)
    program: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", frozen(self.settings))

    def __repr__(self) -> str:
        return f"Dialect({self.name!r}, {len(self.settings)} settings)"


SEED: Final = Dialect("seed", "ctxlab's own way, which is the reference program's")
_EXPANDING: Final = ("session-loader", "injection-assembler", "worldbook-processor", "regex-processor")
"""Steps that expand macros."""
_SETTINGS_1_19: Final[Mapping[str, Any]] = {
    "injection-assembler.macro_engine": "sillytavern",
    "injection-assembler.macros_in_messages": True,
    "injection-assembler.macro_order": "sillytavern",
    "injection-assembler.lore_places": "sillytavern-1.19",
    "injection-assembler.one_message": True,
    "injection-assembler.examples": "fitting",
    "injection-assembler.blank_prompts": True,
    "injection-assembler.cut_with_history": True,
    "injection-assembler.off_without_marker": True,
    "injection-assembler.names": "group",
    "injection-assembler.drop_carriage_returns": True,
    "injection-assembler.continued_is_apart": True,
    "session-loader.blank_messages": True,
    "session-loader.empty_messages": True,
    "session-loader.macro_engine": "sillytavern",
    "continued-reply.enabled": True,  # it stands behind the last instructions, before the nudge
    "worldbook-processor.macro_engine": "sillytavern",
    "worldbook-processor.scan_text": "joined",
    "worldbook-processor.include_names": True,
    "worldbook-processor.zero_percent": "one token",
    "worldbook-processor.budget_count": "together",
    "worldbook-processor.constants_first": False,
    "worldbook-processor.book_settings": False,
    "worldbook-processor.rewrite_lore": True,
    "worldbook-processor.compat": "sillytavern-1.19",
    "regex-processor.macro_engine": "sillytavern",
    "regex-processor.compat": "sillytavern-1.19",
    "merge-system.enabled": False,  # the preset's squash turns it on
    "merge-consecutive.enabled": False,  # processing for a server does
    "token-limiter.overhead_tokens": 5,
    "request-gate.system_first": False,
    "request-gate.drop_empty": False,  # a reply of blanks is sent
    "request-gate.drop_wordless": True,
}
_ENGINES_1_12: Final = {f"{step}.macro_engine": "sillytavern-old" for step in _EXPANDING}
SILLYTAVERN_1_19: Final = Dialect(
    "sillytavern-1.19", "SillyTavern 1.19, chat completion", _SETTINGS_1_19, program="sillytavern"
)
SILLYTAVERN_1_12: Final = Dialect(
    "sillytavern-1.12",
    "SillyTavern 1.12, chat completion: as 1.19 with the older macro engine",
    {**_SETTINGS_1_19, **_ENGINES_1_12},
    program="sillytavern",
)
DIALECTS: Final = (SEED, SILLYTAVERN_1_19, SILLYTAVERN_1_12)
"""All that are known; of several of one program its files bring the first."""


def dialect_named(name: str | Dialect) -> Dialect:
    """The dialect of a name, or one as it is; raises WrongArgument for a name that none has."""
    if isinstance(name, Dialect):
        return name
    found = next((dialect for dialect in DIALECTS if dialect.name == name), None)
    if found is None:
        known = [dialect.name for dialect in DIALECTS]
        raise WrongArgument(f"no dialect is called {name!r}{did_you_mean(name, known)}")
    return found


def dialect_of(build_input: BuildInput) -> Dialect:
    """The dialect that an input brings: its agent's, without an agent its session's, else `seed`.

    An agent's is that of the program whose macros its texts have, a session's that of the program that wrote its file.
    """
    agent = build_input.agent
    carried: Any = (build_input.session.model_extra or {}).get("carried") or ()
    programs = (agent.macro_dialect,) if agent is not None else tuple(carried)
    return next((dialect for dialect in DIALECTS if dialect.program and dialect.program in programs), SEED)
