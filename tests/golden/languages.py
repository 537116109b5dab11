"""Macros: the cases through ctxlab's public API.

What only the program around the reference answers is answered by the same stand-ins as when the cases were made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ctxlab.context import BuildInput, Variables
from ctxlab.documents import Agent, ModelProfile, Session, UserProfile
from ctxlab.engines.macros import Expansion, MacroEnv, expand
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.materials import stored

COMPLAINT = re.compile(r"\[错误: [^\]]*\]|\[error: [^\]]*\]")
GUIDELINE = re.compile(r"\{\{\s*visual_guideline\s*\}\}")


@dataclass
class Dice:
    """Numbers in the order of a case; when they are used up, the last one again."""

    numbers: Sequence[float]
    used: int = field(default=0)

    def __call__(self, id: str) -> float:
        self.used += 1
        return self.numbers[min(self.used, len(self.numbers)) - 1]


@dataclass
class Said:
    """The newest messages as a case states them."""

    context: Data

    def newest(self, role: str | None = None) -> str:
        name = {None: "lastMessage", "user": "lastUserMessage", "assistant": "lastCharMessage"}[role]
        return self.context.get(name) or ""

    def count(self) -> int:
        return 0

    def user_times(self) -> Iterator[str | None]:
        return iter(())

    def swipes(self) -> tuple[int, int] | None:
        return None


def _expand_by_phases(data: Data) -> Any:
    """The text after each phase too, which only the cases of this file say."""
    result, expansion = _expanded(data)
    return {**result, "phases": [_plain(data, text) for text in expansion.phases]}


def _expected_by_phases(case: Case) -> Any:
    phases = case.expected.get("phases") or {}
    return {**_expected(case), "phases": [_plain(case.input, text) for text in phases.values()]}


def _expand(data: Data) -> Any:
    return _expanded(data)[0]


def _expanded(data: Data) -> tuple[Data, Expansion]:
    if "context" not in data:
        expansion = expand(data["text"], _env_of_session(data), compat="reference")
        return {"output": _plain(data, str(expansion.text))}, replace(expansion, phases=())
    dice = Dice(data["random_sequence"] or [0])
    transform = _escaped if data.get("valueTransformer") else None
    expansion = expand(data["text"], _env(data, dice), compat="reference", transform=transform)
    result = {
        "output": _plain(data, str(expansion.text)),
        "count": expansion.count,
        "has_macros": bool(expansion.phases),
        "variables": {scope: _numbers(values) for scope, values in expansion.variables.as_data().items()},
        "failed": _failed(expansion),
        "rolls": dice.used,
    }
    return result, expansion


def _expected(case: Case) -> Any:
    data, said = case.input, case.expected
    output = {"output": _plain(data, said["output"])}
    if "context" not in data:
        return output
    return {
        **output,
        "count": said["macroCount"],
        "has_macros": said["hasMacros"],
        "variables": {"session": said["variables"], "everywhere": said["globalVariables"]},
        "failed": bool(said["errors"]),
        "rolls": data["random_used"],
    }


def _plain(data: Data, text: str) -> str:
    """Without the wording of complaints and of the built-in guideline, which are everybody's own."""
    built_in = GUIDELINE.search(data["text"]) and not _agent_of(data).get("visualGuideline")
    return "" if built_in else COMPLAINT.sub("[error]", text)


def _numbers(values: Data) -> Data:
    """With numbers without end as the cases write them."""
    written = {float("inf"): "__num__:Infinity", float("-inf"): "__num__:-Infinity"}
    return {name: written.get(value, value) if isinstance(value, float) else value for name, value in values.items()}


def _failed(expansion: Expansion) -> bool:
    return any(" stays: " in note.text for note in expansion.notes)


def _escaped(value: str) -> str:
    """The transformer of the cases: a backslash before what means something in a regular expression."""
    return re.sub(r"[.*+?^${}()|\[\]\\]", r"\\\g<0>", value)


def _agent_of(data: Data) -> Data:
    return data.get("context", data).get("agent") or {}


def _env(data: Data, dice: Dice) -> MacroEnv:
    context = data["context"]
    model = stored(ModelProfile, {"id": context.get("modelId") or "", "name": context.get("modelName")})
    moment = context.get("timestamp") or data["timestamp_ms"]
    build_input = BuildInput(
        Session(id=(context.get("detail") or {}).get("id") or ""),
        agent=stored(Agent, _agent_of(data)),
        user=stored(UserProfile, context.get("userProfile") or {}),
        model=model,
        variables=Variables(data["variables"], data["globalVariables"]),
        timestamp=datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="milliseconds"),
        zone=data["tz"],
    )
    env = MacroEnv.of(build_input, dice=dice)
    return replace(
        env,
        user=context.get("userName") or env.user,
        char=context.get("charName") or env.char,
        personality=context.get("charPersonality") or "",
        scenario=context.get("scenario") or "",
        mes_examples=context.get("mesExamples") or "",
        profile_id=context.get("profileId") or env.profile_id,
        profile_name=context.get("profileName") or context.get("profileId") or "",
        provider=context.get("providerType") or "",
        input=context.get("input") or "",
        messages=Said(context),
        offers=_offers(data),
    )


def _offers(data: Data) -> dict[str, Callable[[tuple[str, ...]], str]]:
    protocol = (_agent_of(data).get("toolCallConfig") or {}).get("protocol") or "vcp"
    return {
        "tools": lambda ids: f"[TOOLS protocol={protocol} ids={','.join(ids)}]",
        "tool_context": lambda ids: f"[CTX ids={','.join(ids)}]",
    }


def _env_of_session(data: Data) -> MacroEnv:
    session = stored(Session, {**data["detail"], "name": ""})
    agent, user = stored(Agent, data.get("agent") or {}), stored(UserProfile, data.get("userProfile") or {})
    return MacroEnv.of(BuildInput(session, agent=agent, user=user))


ADAPTERS: dict[str, Adapter] = {
    "macro_engine": Adapter(_expand_by_phases, _expected_by_phases),
    "macro_datetime": Adapter(_expand, _expected),
}
