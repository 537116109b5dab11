"""Anthropic's requests."""

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.providers.anthropic.body import write_body
from ctxlab.providers.anthropic.check import check_body
from ctxlab.providers.anthropic.rates import RATES
from ctxlab.providers.anthropic.rules import RULES
from ctxlab.providers.cache_rules import OF_ANTHROPIC
from ctxlab.providers.provider import Provider

API_VERSION = "2023-06-01"
"""The version that takes temperature, top_p and top_k; the official clients send 2026-10-21 unless they are told."""
FILES_BETA = FrozenDict({"anthropic-beta": "files-api-2025-04-14"})
"""The header of requests that name files by their ids (platform.claude.com, Files API, 2026-11)."""


def _header(key: str) -> dict[str, str]:
    return {"x-api-key": key}


ANTHROPIC = Provider(
    "anthropic",
    "Anthropic",
    "anthropic",
    write_body,
    check_body,
    "https://api.anthropic.com",
    "/v1/messages",
    auth=_header,
    headers=FrozenDict({"anthropic-version": API_VERSION}),
    default_model="claude-sonnet-4-5",
    features=FrozenDict(api_version=API_VERSION, headers_with_file_ids=FILES_BETA),
    rates=RATES,
    rules=RULES,
    cache=OF_ANTHROPIC,
    window_holds_reply=True,
)
