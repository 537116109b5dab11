"""Facts of models by patterns of their bare names: a dated table of what their vendors publish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.parameters.thinking import Effort
from ctxlab.providers.model_info import ModelInfo

K = 1_000
M = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelRow:
    """Facts of the models whose bare names begin with `pattern`, a regular expression; by names of ModelInfo."""

    pattern: str
    facts: Mapping[str, Any]


def row(pattern: str, facts: ModelInfo, **others: Any) -> ModelRow:
    """A row with all of these facts, some of them replaced."""
    whole = replace(facts, known=True, **others)
    return ModelRow(pattern, FrozenDict({name: getattr(whole, name) for name in ModelInfo.__dataclass_fields__}))


# --- OpenAI

_SAMPLING = frozenset(
    {"temperature", "top_p", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "logit_bias"}
)
_LOW: tuple[Effort, ...] = ("low", "medium", "high")
_OPENAI = ModelInfo(
    thinking=("off",),
    system_inside=True,
    tools=True,
    source="developers.openai.com, Models; Reasoning: limitations; Prompt caching",
    as_of="2026-10",
)
_CHAT = replace(_OPENAI, context_window=128 * K, max_output_tokens=16_384, min_cache_tokens=1_024)
# Reasoning models refuse what steers sampling; from gpt-5.1 on only while they reason.
_O_SERIES = replace(
    _OPENAI,
    context_window=200 * K,
    max_output_tokens=100 * K,
    thinking=("effort",),
    efforts=_LOW,
    thinks_always=True,
    thinks_by_default=True,
    without=_SAMPLING,
    min_cache_tokens=1_024,
)
_GPT_5 = replace(
    _O_SERIES,
    context_window=400 * K,
    max_output_tokens=128 * K,
    efforts=("minimal", *_LOW),
    without=_SAMPLING | {"stop"},
)
_GPT_5_1 = replace(
    _GPT_5,
    thinking=("off", "effort"),
    efforts=("none", *_LOW),
    thinks_always=False,
    thinks_by_default=False,
    without=frozenset({"stop"}),
    without_while_thinking=_SAMPLING,
)
_GPT_5_2 = replace(_GPT_5_1, efforts=("none", *_LOW, "xhigh"))
_GPT_6 = replace(_GPT_5_2, context_window=1_050_000, efforts=("none", *_LOW, "xhigh", "max"), thinks_by_default=True)

_NO_REST: dict[str, Any] = {"thinking": ("effort",), "thinks_always": True, "thinks_by_default": True}

OPENAI_ROWS: tuple[ModelRow, ...] = (
    row(r"gpt-oss", _O_SERIES, context_window=131_072, max_output_tokens=131_072, without=frozenset(), tools=True),
    row(r"gpt-6|gpt-5\.[6-9]", _GPT_6),
    row(r"gpt-5[.\d]*-(?:chat|search)", _CHAT),
    row(r"gpt-5\.5-pro", _GPT_5_2, context_window=M, efforts=("medium", "high", "xhigh"), **_NO_REST),
    row(r"gpt-5\.4-pro", _GPT_5_2, context_window=1_050_000, efforts=("medium", "high", "xhigh"), **_NO_REST),
    row(r"gpt-5(?:\.\d+)?-pro", _GPT_5, max_output_tokens=272 * K, efforts=("high",)),
    row(r"gpt-5\.5", _GPT_5_2, context_window=M),
    row(r"gpt-5\.4-(?:mini|nano)", _GPT_5_2),
    row(r"gpt-5\.4", _GPT_5_2, context_window=1_050_000),
    row(r"gpt-5\.[23]", _GPT_5_2),
    row(r"gpt-5\.1", _GPT_5_1),
    row(r"gpt-5(?![.\d])", _GPT_5),
    row(r"o1-mini", _O_SERIES, context_window=128 * K, max_output_tokens=65_536, efforts=(), tools=False),
    row(r"o1-preview", _O_SERIES, context_window=128 * K, max_output_tokens=32_768, efforts=(), tools=False),
    row(r"o1(?![a-z0-9])", _O_SERIES),
    row(r"o3(?![a-z0-9])|o4-mini|codex-mini", _O_SERIES, without=_SAMPLING | {"stop"}),
    row(r"gpt-4\.1", _CHAT, context_window=M, max_output_tokens=32_768),
    row(r"gpt-4\.5", _CHAT),
    row(r"gpt-4o|chatgpt-4o", _CHAT),
    row(r"gpt-4-(?:turbo|1106|0125|vision)", _OPENAI, context_window=128 * K, max_output_tokens=4_096),
    row(r"gpt-4-32k", _OPENAI, context_window=32 * K, max_output_tokens=32 * K),
    row(r"gpt-4", _OPENAI, context_window=8_192, max_output_tokens=8_192),
    row(r"gpt-3\.?5", _OPENAI, context_window=16_385, max_output_tokens=4_096),
)

# --- Anthropic

_CLAUDE = ModelInfo(
    context_window=200 * K,
    max_output_tokens=64 * K,
    thinking=("off", "budget"),
    min_thinking_budget=1_024,
    without_while_thinking=frozenset({"temperature", "top_k"}),
    min_top_p_while_thinking=0.95,
    system_inside=False,
    tools=True,
    min_cache_tokens=1_024,
    prefill=True,
    source="platform.claude.com, Models overview; Extended and adaptive thinking; Effort; Prompt caching",
    as_of="2026-10",
)
_ONE_OF = (("temperature", "top_p"),)
_CLAUDE_4_6 = replace(
    _CLAUDE,
    max_output_tokens=128 * K,
    thinking=("off", "budget", "adaptive"),
    efforts=(*_LOW, "max"),
    prefill=False,
    context_window=M,
    not_both=_ONE_OF,
)
# Values other than the default of what steers sampling are refused.
_CLAUDE_4_7 = replace(
    _CLAUDE_4_6,
    thinking=("off", "adaptive"),
    efforts=(*_LOW, "xhigh", "max"),
    without=frozenset({"temperature", "top_p", "top_k"}),
    without_while_thinking=frozenset(),
    min_thinking_budget=None,
    min_top_p_while_thinking=None,
    not_both=(),
)
_CLAUDE_5 = replace(_CLAUDE_4_7, thinks_by_default=True, system_inside=True)
_ALWAYS = replace(_CLAUDE_5, thinking=("adaptive",), thinks_always=True, min_cache_tokens=512)

ANTHROPIC_ROWS: tuple[ModelRow, ...] = (
    row(r"claude-(?:fable|mythos)", _ALWAYS),
    row(r"claude-opus-5[.-]5", _ALWAYS),
    row(r"claude-sonnet-5[.-]5", _ALWAYS, min_cache_tokens=1_024),  # it can leave out only what comes before calls
    row(r"claude-opus-5", _CLAUDE_5, min_cache_tokens=512),
    row(r"claude-(?:sonnet|haiku)-5", _CLAUDE_5),
    row(r"claude-opus-4[.-]8", _CLAUDE_4_7, system_inside=True),
    row(r"claude-opus-4[.-]7", _CLAUDE_4_7, min_cache_tokens=2_048),
    row(r"claude-opus-4[.-]6", _CLAUDE_4_6, min_cache_tokens=4_096),
    row(r"claude-sonnet-4[.-]6", _CLAUDE_4_6, max_output_tokens=64 * K),
    row(r"claude-opus-4[.-]5", _CLAUDE, min_cache_tokens=4_096, not_both=_ONE_OF),
    row(r"claude-haiku-4[.-]5", _CLAUDE, min_cache_tokens=4_096, not_both=_ONE_OF),
    row(r"claude-sonnet-4[.-]5", _CLAUDE, not_both=_ONE_OF),
    row(r"claude-opus-4[.-]1", _CLAUDE, max_output_tokens=32 * K, not_both=_ONE_OF),
    row(r"claude-(?:opus-4|4-opus)", _CLAUDE, max_output_tokens=32 * K),
    row(r"claude-(?:sonnet-4|4-sonnet|3[.-]7-sonnet)", _CLAUDE),
    row(r"claude-3[.-]5-haiku", _CLAUDE, max_output_tokens=8_192, thinking=("off",), min_cache_tokens=2_048),
    row(r"claude-3[.-]5", _CLAUDE, max_output_tokens=8_192, thinking=("off",)),
    row(r"claude-3-haiku", _CLAUDE, max_output_tokens=4_096, thinking=("off",), min_cache_tokens=2_048),
    row(r"claude-3", _CLAUDE, max_output_tokens=4_096, thinking=("off",)),
)

# --- Google

_GEMINI = ModelInfo(
    context_window=1_048_576,
    max_output_tokens=65_536,
    system_inside=False,
    tools=True,
    min_cache_tokens=4_096,
    source="ai.google.dev, Models; Thinking; Caching",
    as_of="2026-10",
)
_GEMINI_3 = replace(
    _GEMINI, thinking=("on", "effort"), efforts=_LOW, thinks_always=True, thinks_by_default=True, context_window=M
)
_GEMINI_2_5 = replace(
    _GEMINI,
    thinking=("off", "on", "budget", "adaptive"),
    min_thinking_budget=1,
    max_thinking_budget=24_576,
    thinks_by_default=True,
    min_cache_tokens=2_048,
)
_LEVELS: tuple[Effort, ...] = ("minimal", *_LOW)

GEMINI_ROWS: tuple[ModelRow, ...] = (
    row(r"gemini-4", _GEMINI_3, context_window=1_048_576),
    row(r"gemini-3\.[78]", _GEMINI_3),
    row(r"gemini-3\.\d-flash|gemini-3-flash", _GEMINI_3, efforts=_LEVELS),
    row(r"gemini-3-pro", _GEMINI_3, efforts=("low", "high"), context_window=1_048_576),
    row(r"gemini-3", _GEMINI_3, context_window=1_048_576),
    row(
        r"gemini-2\.5-pro",
        _GEMINI_2_5,
        thinking=("on", "budget", "adaptive"),
        thinks_always=True,
        min_thinking_budget=128,
        max_thinking_budget=32_768,
    ),
    row(r"gemini-2\.5-flash-lite", _GEMINI_2_5, min_thinking_budget=512, thinks_by_default=False, context_window=M),
    row(r"gemini-2\.5-flash", _GEMINI_2_5),
    row(r"gemini-2\.0", _GEMINI, max_output_tokens=8_192, thinking=("off",), context_window=M),
    row(r"gemini-1\.5-pro", _GEMINI, context_window=2 * M, max_output_tokens=8_192, thinking=("off",)),
    row(r"gemini-1\.5", _GEMINI, context_window=M, max_output_tokens=8_192, thinking=("off",)),
)

# --- DeepSeek

_IGNORED = frozenset({"temperature", "top_p", "frequency_penalty", "presence_penalty"})
_DEEPSEEK = ModelInfo(
    context_window=128 * K,
    max_output_tokens=8_192,
    thinking=("off",),
    system_inside=True,
    tools=True,
    min_cache_tokens=64,
    source="api-docs.deepseek.com, Models and pricing; Thinking mode; Context caching",
    as_of="2026-10",
)
# What steers sampling is taken and has no effect while it thinks.
_DEEPSEEK_4 = replace(
    _DEEPSEEK,
    context_window=M,
    max_output_tokens=393_216,
    thinking=("off", "on", "effort"),
    efforts=("high", "max"),
    thinks_by_default=True,
    without_while_thinking=_IGNORED,
)

DEEPSEEK_ROWS: tuple[ModelRow, ...] = (
    row(r"deepseek-(?:v4|flash|pro)", _DEEPSEEK_4),
    row(
        r"deepseek-(?:reasoner|r1)",
        _DEEPSEEK,
        max_output_tokens=64 * K,
        thinking=("on",),
        thinks_always=True,
        thinks_by_default=True,
        without=_IGNORED | {"logprobs", "top_logprobs"},
    ),
    row(r"deepseek-chat", _DEEPSEEK, thinking=("off", "on"), without_while_thinking=_IGNORED),
    row(r"deepseek-v3", _DEEPSEEK),
)

ModelTable = tuple[ModelRow, ...]

TABLE: ModelTable = (*OPENAI_ROWS, *ANTHROPIC_ROWS, *GEMINI_ROWS, *DEEPSEEK_ROWS)
"""The first row that fits a model's bare name counts."""
