"""OpenAI's chat completions, and the vendors that take their form."""

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.providers.cache_rules import OF_DEEPSEEK as CACHE_OF_DEEPSEEK
from ctxlab.providers.cache_rules import OF_OPENAI as CACHE_OF_OPENAI
from ctxlab.providers.openai_chat.body import write_body
from ctxlab.providers.openai_chat.check import check_body
from ctxlab.providers.openai_chat.profiles import (
    OF_COMPATIBLE,
    OF_DEEPSEEK,
    OF_DEEPSEEK_FIELDS,
    OF_OPENAI,
    PREFIX_PATH,
)
from ctxlab.providers.openai_chat.rates import RATES
from ctxlab.providers.openai_chat.rules import RULES
from ctxlab.providers.provider import Provider

OPENAI = Provider(
    "openai",
    "OpenAI",
    "openai-chat",
    write_body,
    check_body,
    "https://api.openai.com/v1",
    "/chat/completions",
    default_model="gpt-5.2",
    rates=RATES,
    rules=RULES,
    cache=CACHE_OF_OPENAI,
    features=FrozenDict(profile=OF_OPENAI),
)
DEEPSEEK = Provider(
    "deepseek",
    "DeepSeek",
    "openai-chat",
    write_body,
    check_body,
    "https://api.deepseek.com",
    "/chat/completions",
    default_model="deepseek-chat",
    rates=RATES,
    rules=RULES,
    cache=CACHE_OF_DEEPSEEK,
    extra_fields=OF_DEEPSEEK_FIELDS,
    features=FrozenDict(profile=OF_DEEPSEEK, reasoning_content=True, prefix_path=PREFIX_PATH),
)
COMPATIBLE = Provider(
    "openai-compatible",
    "OpenAI-compatible",
    "openai-chat",
    write_body,
    check_body,
    "http://localhost:8000/v1",
    "/chat/completions",
    default_model="local",
    rates=RATES,
    rules=RULES,
    features=FrozenDict(profile=OF_COMPATIBLE, reasoning_content=True),
)
