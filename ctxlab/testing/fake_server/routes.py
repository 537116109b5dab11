"""Addresses of the fake server: which vendor is spoken to at each, and the headers that its requests have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.testing.fake_server.refusal import Refusal, Vendor

ROUTES: tuple[tuple[re.Pattern[str], Vendor], ...] = (
    (lazy_pattern(r"(/v1)?/chat/completions"), "openai"),
    (lazy_pattern(r"/deepseek(/v1|/beta)?/chat/completions"), "deepseek"),
    (lazy_pattern(r"/compatible(/v1)?/chat/completions"), "openai-compatible"),
    (lazy_pattern(r"(/v1)?/responses"), "openai-responses"),
    (lazy_pattern(r"/v1/messages(/count_tokens)?"), "anthropic"),
    (lazy_pattern(r"/v1(beta|alpha)?/models/[^/:]+:(generateContent|streamGenerateContent|countTokens)"), "gemini"),
)
BASES: Mapping[Vendor, str] = {
    "openai": "/v1",
    "openai-responses": "/v1",
    "anthropic": "",
    "gemini": "",
    "deepseek": "/deepseek",
    "openai-compatible": "/compatible/v1",
}
"""By vendor, the path of the base address that its clients take."""
ANTHROPIC_VERSIONS = ("2023-06-01", "2026-10-21")
SECRET_HEADERS = ("authorization", "key", "token", "cookie", "secret")
"""Words in the names of headers that are not kept."""
SECRET_FIELDS = {"key", "access_token", "api_key"}


class Address(NamedTuple):
    """The address of a request: the vendor, the path without secrets, and whether it asks for a stream or a count."""

    vendor: Vendor | None
    path: str
    streamed: bool
    counting: bool
    has_key: bool


def address_of(target: str) -> Address:
    """The address of a request line, with the keys in it left out."""
    split = urlsplit(target)
    vendor: Vendor | None = next((name for pattern, name in ROUTES if pattern.fullmatch(split.path)), None)
    query = [(name, value) for name, value in parse_qsl(split.query) if name not in SECRET_FIELDS]
    path = split.path + (f"?{urlencode(query)}" if query else "")
    key = any(value for name in SECRET_FIELDS for value in parse_qs(split.query).get(name, ()))
    counting = split.path.endswith(("/count_tokens", ":countTokens"))
    return Address(vendor, path, ":streamGenerateContent" in split.path, counting, key)


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers by their names in small letters, without those that may hold a secret."""
    small = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in small.items() if not any(word in name for word in SECRET_HEADERS)}


def header_refusals(vendor: Vendor, address: Address, headers: Mapping[str, str]) -> Iterator[Refusal]:
    """A missing key, or a missing version of Anthropic's; any key that isn't empty passes."""
    small = {name.lower(): value.strip() for name, value in headers.items()}
    bearer = small.get("authorization", "").removeprefix("Bearer").strip()
    if vendor == "gemini":
        given, status = small.get("x-goog-api-key") or bearer or address.has_key, 403
    elif vendor == "anthropic":
        given, status = small.get("x-api-key") or bearer, 401
    else:
        given, status = bearer, 401
    if not given:
        yield Refusal(vendor, "key", (), "the request has no key", status)
    if vendor == "anthropic" and small.get("anthropic-version") not in ANTHROPIC_VERSIONS:
        allowed = " or ".join(ANTHROPIC_VERSIONS)
        yield Refusal(vendor, "version", (), f"the header anthropic-version has to say {allowed}")
