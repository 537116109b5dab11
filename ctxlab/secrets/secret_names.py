"""Names that say of their values that they are secrets: of headers, parameters of addresses, fields, variables."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote_plus

from ctxlab.lazy_pattern import lazy_pattern

_KEY: Final = r"(?:api|access|secret|private|subscription|account|master|encryption|signing|auth|license)[-_]?key"
_TOKEN: Final = r"(?:access|auth|authorization|bearer|refresh|id|session|security|api)[-_]?token"
_PASSWORD: Final = r"passwords?|passwd|pwd|passphrase|credentials?|client[-_]?secret|secret"
_BEFORE: Final = r"(?:.*[-_.])?"

_HEADER: Final = lazy_pattern(
    r"(?i).*(?:auth|cookie|key|token|secret|passw|passphrase|credential|signature|session-id$).*"
)
_NO_SECRETS: Final = (
    *("idempotency-key", "sec-websocket-", "anthropic-ratelimit-", "x-ratelimit-", "x-stainless-"),
    *("x-session-id", "session-id", "x-claude-code-session-id"),
)
"""Beginnings of headers that are new with every request, that count tokens, or that name a session for people."""
_PARAMETER: Final = lazy_pattern(rf"(?i){_BEFORE}(?:key|{_KEY}|(?:\w*[-_]?)?token|{_PASSWORD}|sig|signature|auth|code)")
_FIELD: Final = lazy_pattern(
    rf"(?i)(?:.*[-_.])?(?:{_KEY}|{_TOKEN}|{_PASSWORD}|authorization)(?:[-_](?:key|value))?|\w+ApiKey"
)
_BODY_FIELD: Final = lazy_pattern(rf"(?i){_FIELD.pattern[4:]}|(?:.*[-_])?token")
_VARIABLE: Final = lazy_pattern(
    r"(?i)(?:.*[-_.])?(?:\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|COOKIE|AUTH|DSN))"
    r"|.*(?:PASSWORD|SECRET|API_?KEY|CREDENTIAL|TOKEN).*"
)
_NO_VARIABLES: Final = lazy_pattern(
    r"(?i).*(?:_MAX_|^MAX_|TOKENS$|TOKENIZERS?_|^PWD$|^OLDPWD$|KEYBOARD|MONKEY|KEYRING|SOCK$)"
)
_NO_KEYS: Final = lazy_pattern(
    r"(?i)(?:cache|idempotency|primary|sort|partition|public|publishable|foreign|dedup\w*|page|next|cursor|sync|unique|hash"
    r"|row|lookup|group|continuation|pagination|csrf\w*)[-_]?$"
)


def is_secret_header(name: str) -> bool:
    """Whether a header's value is a secret, such as that of `x-api-key` or `cookie`."""
    return _HEADER.fullmatch(name) is not None and not name.lower().startswith(_NO_SECRETS)


def is_secret_parameter(name: str) -> bool:
    """Whether a parameter of an address holds a secret, such as `key`, `access_token` or `sig`; it may be escaped."""
    return _PARAMETER.fullmatch(unquote_plus(name)) is not None


def is_secret_field(name: str, *, is_request: bool = False) -> bool:
    """Whether a field of JSON holds a secret, such as `api_key`.

    A plain `token` is one in the parameters of a request alone, for log probabilities in replies have one.
    """
    return (_BODY_FIELD if is_request else _FIELD).fullmatch(name) is not None


def is_secret_variable(name: str) -> bool:
    """Whether a variable of the environment holds a secret, such as `OPENAI_API_KEY` or `DB_PASSWORD`."""
    return _VARIABLE.fullmatch(name) is not None and _NO_VARIABLES.match(name) is None


def names_no_secret(before: str) -> bool:
    """Whether the words in front of `key` or `token` say that it is none, as in `cache_key`."""
    return _NO_KEYS.search(before) is not None
