"""The formats that there are, and the first that recognises what is in a file; each is loaded when it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Final

from ctxlab.formats.format import Format
from ctxlab.plugins import announced

GROUP: Final = "ctxlab.formats"
_HOMES: Final = (
    ("native.agents", "AGENTS"),
    ("native.format", "NATIVE"),
    ("native.branch", "BRANCH"),
    ("corpora.tau_bench", "TAU_BENCH"),
    ("corpora.swe_agent", "SWE_AGENT"),
    ("corpora.oasst", "OASST"),
    ("apps.chatgpt", "CHATGPT"),
    ("apps.claude_code", "CLAUDE_CODE"),
    ("apps.open_webui", "OPEN_WEBUI"),
    ("apps.librechat", "LIBRECHAT"),
    ("apps.claude_ai", "CLAUDE_AI"),
    ("apps.chatbot_ui", "CHATBOT_UI"),
    ("apps.loom", "LOOM"),
    ("corpora.beam", "BEAM"),
    ("corpora.locomo", "LOCOMO"),
    ("corpora.sharegpt", "SHAREGPT"),
    ("corpora.memorybank", "MEMORYBANK"),
    ("native.knowledge_bases", "KNOWLEDGE"),
    ("native.worldbooks", "WORLDBOOK"),
    ("sillytavern.lorebooks.format", "LOREBOOK"),
    ("sillytavern.cards.format", "CARD"),
    ("sillytavern.presets.format", "PRESET TEXT_PRESET"),
    ("sillytavern.chats.format", "CHAT"),
    ("sillytavern.regex_scripts", "REGEX_SCRIPTS"),
    ("native.rules", "RULES"),
    ("sillytavern.quick_replies", "QUICK_REPLIES"),
    ("native.quick_actions", "QUICK_ACTIONS"),
    ("requests.anthropic", "ANTHROPIC"),
    ("requests.responses", "RESPONSES"),
    ("requests.gemini", "GEMINI"),
    ("requests.recordings", "RECORDINGS"),
    ("openai.format", "OPENAI"),
    ("native.agent_zip", "AGENTS_ZIP"),
    ("sillytavern.cards.charx", "CHARX"),
    ("native.sessions_zip", "ZIP"),
    ("native.quick_actions", "QUICK_ACTIONS_ZIP"),
    ("native.agents", "AGENTS_YAML"),
    ("sillytavern.cards.format", "CARD_PNG"),
    ("sillytavern.lorebooks.format", "CHARACTER_BOOK"),
    ("markdown.format", "MARKDOWN MARKDOWN_PATH MARKDOWN_TREE"),
)
"""Modules of formats with their names there. Data is read by the first that recognises it, so the one with the most
telling keys comes first."""


def known_formats() -> Iterator[Format]:
    """All formats that come with ctxlab, in the order in which they are asked."""
    for module, names in _HOMES:
        loaded = import_module(f"ctxlab.formats.{module}")
        yield from (getattr(loaded, name) for name in names.split())


def names() -> tuple[str, ...]:
    """Names of the formats that are read."""
    return tuple(form.name for form in known_formats() if form.read is not None)


def recognised(formats: Iterable[Format], data: Any) -> Format | None:
    """The first of these formats that reads the data."""
    return next(
        (form for form in formats if form.read is not None and form.sniff is not None and form.sniff(data)), None
    )


def plugins(problems: list[str]) -> Iterator[Format]:
    """Formats of other packages, by entry point; `problems` gets a line for each that can't be loaded."""
    for plugin in announced(GROUP, problems):
        if isinstance(plugin.value, Format):
            yield plugin.value
        else:
            problems.append(plugin.left_out(f"it is {type(plugin.value).__name__}, not a Format"))
