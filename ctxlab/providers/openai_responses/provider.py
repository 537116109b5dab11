"""OpenAI Responses's requests."""

from ctxlab.providers.cache_rules import OF_OPENAI
from ctxlab.providers.openai_chat.rates import RATES
from ctxlab.providers.openai_responses.body import write_body
from ctxlab.providers.openai_responses.check import check_body
from ctxlab.providers.openai_responses.rules import RULES
from ctxlab.providers.provider import Provider

RESPONSES = Provider(
    "openai-responses",
    "OpenAI Responses",
    "openai-responses",
    write_body,
    check_body,
    "https://api.openai.com/v1",
    "/responses",
    default_model="gpt-5.2",
    rates=RATES,
    rules=RULES,
    cache=OF_OPENAI,
)
