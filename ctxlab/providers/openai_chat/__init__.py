"""OpenAI's chat completions, and the vendors that take their form."""

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.providers.openai_chat.body import write_body
from ctxlab.providers.openai_chat.check import check_body
from ctxlab.providers.openai_chat.rates import RATES
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
    features=FrozenDict(reasoning_content=True),
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
)

__all__ = ["COMPATIBLE", "DEEPSEEK", "OPENAI"]
