"""Macros for resources of the agent: its files, knowledge, tools and styles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import nearest, short
from ctxlab.documents import Agent
from ctxlab.documents.agent.asset_references import DEFAULT_GROUP, SCHEME
from ctxlab.documents.agent.assets import AgentAsset
from ctxlab.documents.agent.knowledge import KnowledgeBinding
from ctxlab.engines.javascript.numbers import leading_integer
from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.registry import macro
from ctxlab.engines.tool_text import definitions_text, usage_text
from ctxlab.lazy_pattern import lazy_pattern

Data = Mapping[str, Any]
REFERENCE = "Reference format: agent-asset://{group}/{id}.{ext}"
OF_PLACEHOLDERS = lazy_pattern(r"[【】\n]|::")
"""Signs that a name in a placeholder can't have."""
NO_ASSETS = "No assets available for this agent."
LONGEST_DESCRIPTION = 300
"""Characters of a file's description that a model is told."""


# --- files


@macro("assets", phase="substitute", arguments="0-1")
def assets(call: MacroCall) -> str:
    """The agent's files, one a line, with the address to show each by; with an argument those of one group."""
    agent = call.env.agent
    every = () if agent is None else _as_listed(agent) if call.run.reference else agent.own_assets()
    group = call.argument(0)
    known = {each.id for each in agent.asset_groups()} if agent else set[str]()
    found = [asset for asset in every if not group or _is_in(asset, group, known)]
    if not found:
        return f'No assets in group "{group}".' if every and group else NO_ASSETS
    head = f'Assets in group "{group}":' if group else "Available Assets:"
    line = _line_of_the_reference if call.run.reference else _line
    return "\n".join([head, REFERENCE, "", *map(line, found)])


def _as_listed(agent: Agent) -> tuple[AgentAsset, ...]:
    return tuple(AgentAsset.of(asset) for asset in agent.assets)


def _is_in(asset: AgentAsset, group: str, known: set[str]) -> bool:
    if group == DEFAULT_GROUP:
        return asset.group == DEFAULT_GROUP or asset.group not in known
    return asset.group == group


def _line(asset: AgentAsset) -> str:
    """A file in one line, whatever its description and its id hold."""
    description = plain(asset.description, LONGEST_DESCRIPTION)
    line = f"- [{asset.type.capitalize()}] {asset.address}"
    return f"{line}: {description}" if description else line


def _line_of_the_reference(asset: AgentAsset) -> str:
    """A file as the reference names it, with its id and its description as they are."""
    name = str(asset.data.get("filename") or "")
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    ending = f".{extension}" if extension else ""
    kind = str(asset.data.get("type") or "file")
    line = f"- [{kind[:1].upper()}{kind[1:]}] {SCHEME}{asset.data.get('group') or DEFAULT_GROUP}/{asset.id}{ending}"
    return f"{line}: {asset.data['description']}" if asset.data.get("description") else line


# --- knowledge


@macro("kb", phase="substitute", arguments="0-2")
def kb(call: MacroCall) -> str:
    """A placeholder for text from the agent's collections, all or the named one; the second argument is a limit."""
    bindings = _bindings(call)
    name, most = call.argument(0), _limit(call)
    if not call.run.reference and (name or not bindings):
        return _placeholder_for(call, name, most, bindings)
    if not bindings:
        return ""
    if not name:
        return "\n".join([binding.placeholder_with(most) for binding in bindings])
    found = next((binding for binding in bindings if binding.kb_name == name), None)
    if found is not None:
        return found.placeholder_with(most)
    hint = nearest(name, [binding.kb_name for binding in bindings])
    call.run.note(f"macro {call.name!r}: no base {short(name)!r} is bound to the agent{hint}", level="info")
    return f"（未找到知识库: {name}）"


def _placeholder_for(call: MacroCall, name: str, most: str | None, bindings: Sequence[KnowledgeBinding]) -> str:
    """The placeholder of the binding of this name or id; of another base the knowledge step says why it isn't searched.

    An agent that says nothing of bases has all that are at hand.
    """
    config = call.env.agent.knowledge_base_config if call.env.agent is not None else None
    if config is not None and not bindings:
        off = "no base is bound to the agent" if config.enabled else "the agent's knowledge is switched off"
        call.run.note(f"macro {call.name!r} is empty: {off}", level="info")
        return ""
    if OF_PLACEHOLDERS.search(name):
        call.run.note(f"macro {call.name!r} is empty: {short(name)!r} is no name of a base", level="info")
        return ""
    if not name and most is None:
        return "【kb】"
    found = next((each for each in bindings if name in (each.kb_name, each.kb_id)), None)
    return (found or KnowledgeBinding(kb_name=name)).placeholder_with(most)


@macro("kb_list", phase="substitute")
def kb_list(call: MacroCall) -> str:
    """The agent's collections, one a line."""
    config = call.env.agent.knowledge_base_config if call.env.agent is not None else None
    if config is None or not config.enabled:
        return "未配置知识库。"
    if not config.bound:
        return "未启用任何知识库。"
    lines = [f"- [{plain(each.shown_name)}] 模式={each.mode or 'always'}" for each in config.bound]
    for i, binding in enumerate(config.bound):
        lines[i] += f", 上限={binding.limit}" if binding.limit else ""
        lines[i] += f", 分组={plain(binding.group)}" if binding.group else ""
    return "\n".join([f"可用知识库 ({len(config.bound)} 个):", *lines])


def _bindings(call: MacroCall) -> tuple[KnowledgeBinding, ...]:
    config = call.env.agent.knowledge_base_config if call.env.agent is not None else None
    return config.bound if config is not None else ()


def _limit(call: MacroCall) -> str | None:
    """The limit of texts as a string; the reference also passes on what is no number."""
    limit_text = call.argument(1)
    found = leading_integer(limit_text) if limit_text else None
    if limit_text and found is None and not call.run.reference:
        raise BadCall(f"{limit_text!r} is not how many texts: a whole number is")
    return None if not limit_text else "NaN" if found is None else str(found)


# --- what services answer


@macro("tools", phase="substitute", arguments="0+")
def tools(call: MacroCall) -> str:
    """Definitions and usage of the tools: of all that are on, or of those that are named."""
    if not _is_on(call, "toolCallConfig") and not _named(call):
        return ""
    told = _told(call, "tools")
    return _service_answer(call, "tools") if told is None else definitions_text(told, _named(call))


@macro("tool_usage", phase="substitute")
def tool_usage(call: MacroCall) -> str:
    """Instructions for calling tools."""
    told = _told(call, "tool_usage")
    return _service_answer(call, "tool_usage") if told is None else usage_text()


@macro("tool_context", phase="substitute", arguments="0+")
def tool_context(call: MacroCall) -> str:
    """Current context of tools and extensions: of all that are on, or of those that are named."""
    on = _is_on(call, "toolCallConfig") or _is_on(call, "extensionConfig") or _named(call)
    return _service_answer(call, "tool_context") if on and _told(call, "tool_context") is None else ""


@macro("cssvar", phase="post", arguments="1")
def cssvar(call: MacroCall) -> str:
    """A value of the application's style sheet; there is none outside of it."""
    return _service_answer(call, "cssvar")


def _told(call: MacroCall, name: str) -> Sequence[Data] | None:
    """The agent's tools where prompts tell of them and no service does; None else."""
    agent = call.env.agent
    return (agent.tools_in_text or None) if agent is not None and name not in call.env.offers else None


def _named(call: MacroCall) -> tuple[str, ...]:
    return tuple(name for name in map(str.strip, call.arguments) if name)


def _service_answer(call: MacroCall, name: str) -> str:
    offer = call.env.offers.get(name)
    if offer is None:
        if call.run.is_new(f"offer {name}"):
            call.run.note(f"macro {call.name!r} is empty: no service answers it", level="info")
        return ""
    return offer(_named(call))


def _is_on(call: MacroCall, setting: str) -> bool:
    found = _setting(call, setting)
    return isinstance(found, Mapping) and bool(cast("Data", found).get("enabled"))


def _setting(call: MacroCall, name: str) -> Any:
    """A field of the agent's file, known to the Agent model or not."""
    agent = call.env.agent
    if agent is None:
        return None
    if name == "toolCallConfig":
        return agent.tool_call_config
    return (agent.model_extra or {}).get(name)
