"""What the cases need that isn't built yet, and how to tell that it is.

A pending case fails as soon as its capability is there: then it wants an adapter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from tests.golden.cases import Case
from tests.golden.forms import Data


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

KNOWLEDGE = _module("knowledge", "engines.knowledge", "processors.knowledge_processor")

OF_FILE: dict[str, Capability] = {
    "kb_placeholder_grammar": KNOWLEDGE,
    "kb_policy": KNOWLEDGE,
    "kb_query_preprocess": KNOWLEDGE,
    "knowledge_placeholders": KNOWLEDGE,
    "knowledge_processor": KNOWLEDGE,
    "knowledge_retrieval_policy": KNOWLEDGE,
}

# --- single cases


def _presets(data: Data) -> list[Data]:
    return (data.get("agentConfig") or {}).get("presetMessages") or []


def _needs_knowledge(data: Data) -> bool:
    config = (data.get("agentConfig") or {}).get("knowledgeBaseConfig") or {}
    return bool(config.get("enabled")) or any("【kb" in (preset.get("content") or "") for preset in _presets(data))


OF_CASE: tuple[tuple[tuple[str, ...], Capability, Callable[[Data], bool]], ...] = (
    (("preview_builder", "pipeline_full"), KNOWLEDGE, _needs_knowledge),
)
