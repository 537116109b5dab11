"""Profiles of the vendors that take OpenAI's chat form: their parameters, their parts, fields of their own."""

from __future__ import annotations

from typing import Literal

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.provider import Provider

PartType = Literal["image_url", "input_audio", "file"]

PREFIX_PATH = "/beta"
"""DeepSeek takes the beginning of a reply below this path of its base URL alone."""

_SAMPLING = frozenset({"temperature", "top_p", "frequency_penalty", "presence_penalty", "stop"})
_TOOLS = frozenset({"tool_choice", "response_format", "logprobs", "top_logprobs"})
_MORE = frozenset(
    {"seed", "n", "logit_bias", "parallel_tool_calls", "modalities", "audio", "prediction"}
    | {"user", "service_tier", "store", "metadata"}
)


@dataclass(frozen=True, slots=True)
class ChatProfile:
    """A vendor's own way with OpenAI's chat form.

    `parameters` are names of `RequestParameters` that are fields of its body under the same name; `parts` the types of
    parts that its user's messages hold besides text. `joins_texts`: its messages are texts, so that several are put
    together. `message_fields` and `call_fields` are fields beyond OpenAI's of an assistant's message and of a call,
    None for any. `no_roles` are roles of OpenAI's that it refuses; with `unique_tools` it refuses two tools of a name.
    `lenient`: it is not known what exactly it takes, so that a strange field is only a warning.
    """

    parameters: frozenset[str]
    parts: frozenset[PartType]
    thinking: Literal["effort", "switch"]
    max_stops: int
    max_call_id: int = 40
    max_tool_name: int = 64
    joins_texts: bool = False
    json_schema: bool = True
    any_document: bool = False
    prefix: bool = False
    lenient: bool = False
    no_roles: frozenset[str] = frozenset()
    unique_tools: bool = False
    max_bytes: int = 512_000_000
    max_pictures: int | None = None
    message_fields: frozenset[str] | None = frozenset()
    call_fields: frozenset[str] | None = frozenset()


OF_OPENAI = ChatProfile(
    _SAMPLING | _TOOLS | _MORE,
    frozenset({"image_url", "input_audio", "file"}),
    thinking="effort",
    max_stops=4,
    max_pictures=1_500,
)
OF_DEEPSEEK = ChatProfile(
    _SAMPLING | _TOOLS,
    frozenset(),
    thinking="switch",
    max_stops=16,
    joins_texts=True,
    json_schema=False,
    prefix=True,
    no_roles=frozenset({"developer", "function"}),
    unique_tools=True,
    max_bytes=48 * 1024 * 1024,
    message_fields=frozenset({"reasoning_content", "prefix"}),
)
OF_DEEPSEEK_FIELDS = frozenset({"thinking", "user_id"})
OF_COMPATIBLE = ChatProfile(
    _SAMPLING | _TOOLS | _MORE | {"top_k"},
    frozenset({"image_url", "input_audio", "file"}),
    thinking="switch",
    max_stops=16,
    any_document=True,
    prefix=True,
    lenient=True,
    message_fields=None,
    call_fields=None,
)

_OLD = lazy_pattern(r"(?:gpt-(?:3|4)|chatgpt-4o|davinci|babbage)")


def profile_of(provider: Provider) -> ChatProfile:
    """The profile of a provider; of one that names none that of the many that take OpenAI's form."""
    found = provider.features.get("profile")
    return found if isinstance(found, ChatProfile) else OF_COMPATIBLE


def wants_completion_tokens(model: ModelInfo, profile: ChatProfile) -> bool:
    """Whether the reply's limit is `max_completion_tokens`: OpenAI's models that think refuse `max_tokens`.

    >>> [wants_completion_tokens(ModelInfo(name), OF_OPENAI) for name in ("o3-mini", "gpt-4o")]
    [True, False]
    """
    name = model.family
    if profile is OF_OPENAI:
        return _OLD.match(name.bare) is None
    return name.encoding is not None and _OLD.match(name.bare) is None and not name.bare.startswith("gpt-oss")
