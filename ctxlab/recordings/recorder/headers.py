"""Headers: which are written down, and which belong to one line only and are not passed on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

KEPT_OF_REQUESTS: Final = frozenset(
    {
        *("accept", "content-type", "content-encoding", "user-agent"),
        *("anthropic-version", "anthropic-beta", "openai-beta", "x-goog-api-client", "x-goog-request-params"),
        *("x-app", "originator", "version", "x-claude-code-session-id", "session_id", "session-id", "conversation_id"),
        *("x-openai-subagent", "x-session-id", "x-title", "http-referer"),
    }
)
KEPT_OF_REPLIES: Final = frozenset(
    {
        *("content-type", "content-encoding", "content-length", "date", "retry-after", "retry-after-ms", "location"),
        *("request-id", "x-request-id", "x-goog-request-id", "x-should-retry"),
        *("openai-model", "openai-processing-ms", "openai-version", "server-timing", "x-envoy-upstream-service-time"),
    }
)
KEPT_BEGINNINGS: Final = ("x-stainless-", "anthropic-ratelimit-", "x-ratelimit-")
HOP_BY_HOP: Final = frozenset(
    {
        *("connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    }
)
"""Headers of one line between two programs (RFC 9110, 7.6.1)."""
Pairs = list[tuple[str, str]]


def kept(headers: Iterable[tuple[str, str]], names: frozenset[str]) -> dict[str, str]:
    """The headers of a white list, in small letters; one that comes several times has its values with commas."""
    found: dict[str, str] = {}
    for name, value in headers:
        small = name.lower()
        if small in names or small.startswith(KEPT_BEGINNINGS):
            found[small] = f"{found[small]}, {value}" if small in found else value
    return found


def end_to_end(headers: Iterable[tuple[str, str]]) -> Pairs:
    """The headers that are passed on: neither hop-by-hop nor named by `Connection`."""
    pairs = list(headers)
    named = {each.strip().lower() for name, value in pairs if name.lower() == "connection" for each in value.split(",")}
    return [(name, value) for name, value in pairs if name.lower() not in HOP_BY_HOP | named]
