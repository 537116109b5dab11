"""Anthropic's requests."""

from ctxlab.providers.anthropic.body import write_body
from ctxlab.providers.anthropic.check import check_body
from ctxlab.providers.anthropic.rates import RATES
from ctxlab.providers.provider import Provider

ANTHROPIC = Provider(
    "anthropic",
    "Anthropic",
    "anthropic",
    write_body,
    check_body,
    "https://api.anthropic.com",
    "/v1/messages",
    stream_path="",
    auth=lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
    default_model="claude-sonnet-4-5",
    rates=RATES,
)

__all__ = ["ANTHROPIC"]
