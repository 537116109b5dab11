"""What the cases need that isn't built yet, and how to tell that it is.

A pending case fails as soon as its capability is there: then it wants an adapter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.reference import ANCHORS, run


@dataclass(frozen=True)
class Capability:
    name: str
    is_there: Callable[[], bool]


def pending(case: Case) -> Capability | None:
    """The capability that a case needs and that was not there when this was written."""
    if case.file in OF_FILE:
        return OF_FILE[case.file]
    return next((it for files, it, needed in OF_CASE if case.file in files and needed(case.input)), None)


def _module(name: str, *modules: str) -> Capability:
    """A capability that comes with any of these modules of ctxlab."""

    @cache
    def is_there() -> bool:
        return any(_exists(f"ctxlab.{module}") for module in modules)

    return Capability(name, is_there)


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it isn't there
        return False


# --- whole files

ASSETS = _module("assets", "assets", "processors.asset_resolver")
ASYNC_TASKS = _module("asynchronous tasks", "processors.async_tasks", "processors.async_task_processor")
COMPRESSION = _module("compression", "engines.compression", "conversation.compression")
GREETINGS = _module("greetings", "conversation.greetings", "documents.greetings")
KNOWLEDGE = _module("knowledge", "engines.knowledge", "processors.knowledge_processor")
MIGRATIONS = _module("agent migrations", "formats.migrations", "documents.migrations", "documents.migration")
REGEXES = _module("regex engine", "processors.regex_processor", "engines.regexes.rules", "engines.regexes.apply")
REQUESTS = _module("requests", "providers")
SILLYTAVERN = _module("SillyTavern formats", "formats.sillytavern", "formats.tavern", "formats.st", "formats.st_card")
STORAGE = _module("storage and store layout", "storage")
TOPICS = _module("topic naming", "conversation.topics", "conversation.topic_naming", "conversation.naming")
TRANSCRIPTION = _module("transcription", "engines.transcription", "processors.transcription_processor")
VARIABLES = _module("variables", "engines.variables", "processors.variable_processor")
WORLDBOOK = _module("worldbook", "engines.worldbook", "processors.worldbook_processor")


def _all_of(name: str, *needed: Capability) -> Capability:
    return Capability(name, lambda: all(capability.is_there() for capability in needed))


@cache
def _expands_variables() -> bool:
    return _assembled("{{setvar::k::v}}{{getvar::k}}", {}) == ["v"]


@cache
def _offers_tools_as_text() -> bool:
    return bool(_assembled(None, {"toolCallConfig": {"enabled": True, "autoInjectIfMacroMissing": True}}))


def _assembled(preset: str | None, agent: Data) -> list[str]:
    presets = [] if preset is None else [{"id": "p", "role": "system", "content": preset}]
    config = {"id": "ag", "name": "Agent", "presetMessages": presets, **agent}
    data = {"messages": [], "agentConfig": config, "shared": {"anchorDefinitions": ANCHORS}}
    return [form["text"] for form in run(Case("injection_assembler", "probe", data, None))]


MACROS = Capability("macros", _expands_variables)
TOOLS = Capability("tools text protocol", _offers_tools_as_text)
EVERY_STEP = _all_of("all steps", REGEXES, TRANSCRIPTION, WORLDBOOK, KNOWLEDGE, VARIABLES, MACROS, ASSETS)

OF_FILE: dict[str, Capability] = {
    "agent_migration": MIGRATIONS,
    "asset_resolver": ASSETS,
    "async_task_id": ASYNC_TASKS,
    "async_task_processor": ASYNC_TASKS,
    "compression": COMPRESSION,
    "greetings": GREETINGS,
    "kb_placeholder_grammar": KNOWLEDGE,
    "kb_policy": KNOWLEDGE,
    "kb_query_preprocess": KNOWLEDGE,
    "knowledge_placeholders": KNOWLEDGE,
    "knowledge_processor": KNOWLEDGE,
    "knowledge_retrieval_policy": KNOWLEDGE,
    "llm_requests": REQUESTS,
    "macro_datetime": MACROS,
    "macro_engine": MACROS,
    "pipeline_engine_store": STORAGE,
    "pipeline_full": EVERY_STEP,
    "regex_apply": REGEXES,
    "regex_macro_preprocess": REGEXES,
    "regex_parse": REGEXES,
    "regex_processor": REGEXES,
    "regex_resolution_utils": REGEXES,
    "regex_st_import": SILLYTAVERN,
    "session_variables": VARIABLES,
    "st_card": SILLYTAVERN,
    "st_macro_convert": SILLYTAVERN,
    "st_preset": SILLYTAVERN,
    "st_regex": SILLYTAVERN,
    "st_worldbook": SILLYTAVERN,
    "st_worldbook_native": SILLYTAVERN,
    "topic_naming": TOPICS,
    "transcription_processor": TRANSCRIPTION,
    "variable_processor": VARIABLES,
    "worldbook": WORLDBOOK,
}

# --- single cases

KNOWN_MACRO = re.compile(
    r"""(?<!\\)\{\{\s*(
        agent | description | personality | scenario | mesExamples | last(Char|User)?Message | input | model(Id|Name)
        | profile(Id|Name) | provider | agentVersion | visual_guideline | (set|get|inc|dec)(global)?var
        | roll | random(Int)? | pick | repeat | newline | trim | os(Version)? | arch | platform | hostname | locale
        | assets | tools | tool_(usage|context) | kb(_list)? | cssvar | (date|time|datetime|weekday|iso|shichen)\w*
    )\s*(::|\}\})""",
    re.VERBOSE,
)
NESTED = re.compile(r"\{\{[^}]*\{|\{\{\{")


def _needs_macros(data: Data) -> bool:
    """Whether an active preset has a macro besides user, char and persona that the reference knows, or nests them."""
    presets = [preset for preset in _presets(data) if preset.get("isEnabled") is not False]
    texts = [preset.get("content") or "" for preset in presets]
    return any(KNOWN_MACRO.search(text) or NESTED.search(text) for text in texts)


def _needs_tools(data: Data) -> bool:
    tools = (data.get("agentConfig") or {}).get("toolCallConfig") or {}
    return bool(tools.get("enabled") and tools.get("autoInjectIfMacroMissing"))


def _names_no_strategy(data: Data) -> bool:
    """Whether a case is about something else than conflicts of ids."""
    return "strategy" not in data


def _presets(data: Data) -> list[Data]:
    return (data.get("agentConfig") or {}).get("presetMessages") or []


def _needs_lore(data: Data) -> bool:
    return bool((data.get("shared") or {}).get("loadedWorldbooks"))


def _needs_knowledge(data: Data) -> bool:
    config = (data.get("agentConfig") or {}).get("knowledgeBaseConfig") or {}
    return bool(config.get("enabled")) or any("【kb" in (preset.get("content") or "") for preset in _presets(data))


def _needs_variables(data: Data) -> bool:
    return bool(((data.get("agentConfig") or {}).get("variableConfig") or {}).get("enabled"))


def _needs_regexes(data: Data) -> bool:
    agent, user = data.get("agentConfig") or {}, data.get("userProfile") or {}
    return any((of.get("regexConfig") or {}).get("presets") for of in (agent, user, data.get("settings") or {}))


def _needs_assets(data: Data) -> bool:
    nodes = ((data.get("detail") or {}).get("nodes") or {}).values()
    pending = (data.get("shared") or {}).get("pendingInput") or {}
    of_presets = any(preset.get("presetAttachments") for preset in _presets(data))
    return of_presets or any(holder.get("attachments") for holder in (*nodes, pending))


OF_CASE: tuple[tuple[tuple[str, ...], Capability, Callable[[Data], bool]], ...] = (
    (("injection_assembler",), TOOLS, _needs_tools),
    (("injection_assembler",), MACROS, _needs_macros),
    (("preview_builder",), WORLDBOOK, _needs_lore),
    (("preview_builder",), KNOWLEDGE, _needs_knowledge),
    (("preview_builder",), VARIABLES, _needs_variables),
    (("preview_builder",), REGEXES, _needs_regexes),
    (("preview_builder",), ASSETS, _needs_assets),
    (("preview_builder",), TOOLS, _needs_tools),
    (("preview_builder",), MACROS, _needs_macros),
    (("session_import",), STORAGE, _names_no_strategy),
)
