"""Gemini's requests."""

from ctxlab.providers.gemini.body import write_body
from ctxlab.providers.gemini.check import check_body
from ctxlab.providers.gemini.rates import RATES
from ctxlab.providers.gemini.rules import RULES
from ctxlab.providers.provider import Provider


def _header(key: str) -> dict[str, str]:
    return {"x-goog-api-key": key}


GEMINI = Provider(
    "gemini",
    "Gemini",
    "gemini",
    write_body,
    check_body,
    "https://generativelanguage.googleapis.com",
    "/v1beta/models/{model}:generateContent",
    stream_path="/v1beta/models/{model}:streamGenerateContent?alt=sse",
    auth=_header,
    default_model="gemini-2.5-pro",
    rates=RATES,
    rules=RULES,
    schema_types="gemini",
)
