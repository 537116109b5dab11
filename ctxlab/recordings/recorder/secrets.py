"""Keys, masked before anything of a request or a reply is written: those that are seen, and what looks like one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast
from urllib.parse import quote, unquote, unquote_plus

from ctxlab.providers.masked import HIDDEN, masked
from ctxlab.providers.sending.key_mask import KeyMask

SHORTEST_LEARNED: Final = 8
"""Characters of a header's or a query's secret from which on it is looked for in texts."""
_SECRET_HEADER: Final = re.compile(r"(?i).*(?:auth|cookie|key|token|secret|password|credential|signature).*")
_NO_SECRETS: Final = ("idempotency-key", "sec-websocket-", "anthropic-ratelimit-", "x-ratelimit-", "x-stainless-")
"""Beginnings of headers that are new with every request, or that count tokens."""
_SECRET_NAME: Final = re.compile(
    r"(?i)(?:.*[-_.])?(?:key|api[-_]?key|(?:access|auth|bearer|refresh|id)?[-_]?token|secret|client[-_]?secret|password"
    r"|passwd|credentials?|sig|signature|code)"
)
_SECRET_FIELD: Final = re.compile(
    r"(?i)(?:.*[-_])?(?:api[-_]?key|(?:access|auth|bearer|refresh|id)[-_]?token|(?:client[-_]?)?secret(?:[-_]?key)?"
    r"|authorization|password)"
)
"""Fields of replies: a plain `token` is none, for log probabilities have one."""
_BEFORE: Final = r"(?<![A-Za-z0-9_+/=-])"
_LOOKS_LIKE_KEY: Final = re.compile(
    rf"{_BEFORE}(?:"
    r"(?P<sk>(?:sk|rk|ek|pk)[-_])(?=[\w-]*\d)[\w-]{16,}"
    r"|(?P<google>AIza)[\w-]{30,}|(?P<oauth>ya29\.)[\w.-]{20,}"
    r"|(?P<github>gh[pousr]_|github_pat_)\w{20,}|(?P<gitlab>glpat-)[\w-]{16,}"
    r"|(?P<slack>xox[abeprs]-)[\w-]{10,}|(?P<aws>AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|(?P<others>hf_|gsk_|xai-|pplx-|r8_|nvapi-|npm_|pypi-)(?=[\w-]*\d)[\w-]{20,}"
    r"|(?P<jwt>eyJ)[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"
    r"|(?P<bearer>(?i:bearer) )(?=[\w.~+/-]*\d)[\w.~+/-]{20,}=*"
    r")"
    r"|(?P<private>-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]{16,}(?:-----END [A-Z ]*PRIVATE KEY-----)?"
)


class SecretMask:
    """Puts `***` in the place of secrets: those that it has learned, and what has the form of a key.

    What has the form of one keeps its beginning (`sk-***`), so that one sees of what kind it was.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: frozenset[str] = frozenset()
        self._mask = KeyMask()
        self.learn(secrets)

    def __repr__(self) -> str:
        return f"SecretMask({len(self._secrets)} learned)"

    def learn(self, secrets: Iterable[str]) -> bool:
        """Look for these from now on; gives whether one of them is new."""
        found = {each for each in map(str.strip, secrets) if len(each) >= SHORTEST_LEARNED} - self._secrets
        if found:
            self._secrets |= found
            self._mask = KeyMask(form for each in self._secrets for form in {each, quote(each), quote(each, safe="")})
        return bool(found)

    def text(self, text: str) -> str:
        """A text that has ended, masked."""
        return _LOOKS_LIKE_KEY.sub(_shortened, self._mask.whole(text))

    def data(self, value: Any) -> Any:
        """JSON data with all its texts and names masked."""
        return _mapped(value, self.text)

    def request_body(self, value: Any) -> Any:
        """The JSON of a request; values of parameters that are named as keys are masked whatever they are."""
        return self.data(masked(cast("dict[str, Any]", value)) if isinstance(value, dict) else value)

    def reply_body(self, value: Any) -> Any:
        """The JSON of a reply; what a field holds that is named as a key is masked whatever it is."""
        return self.data(_without_secret_fields(value))

    def url(self, url: str) -> str:
        """An address, without the values of what its query names as a key."""
        path, mark, query = url.partition("?")
        return self.text(path) + mark + "&".join(self._parameter(each) for each in query.split("&"))

    def _parameter(self, parameter: str) -> str:
        name, mark, value = parameter.partition("=")
        plain = unquote_plus(value)
        if mark and (_is_secret_name(name) or self.text(plain) != plain):
            return f"{self.text(name)}={HIDDEN}"
        return self.text(parameter)

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Headers with their values masked."""
        return {name: self.text(value) for name, value in headers.items()}


def keys_in(text: str) -> Iterator[tuple[int, int, str]]:
    """The places of what has the form of a key, each with what is shown in its place, such as `sk-***`."""
    return ((hit.start(), hit.end(), _shortened(hit)) for hit in _LOOKS_LIKE_KEY.finditer(text))


def secrets_of_request(headers: Iterable[tuple[str, str]], target: str) -> list[str]:
    """The secrets that the headers of a request or a reply and a query hold."""
    found: list[str] = []
    for name, value in headers:
        small = name.lower()
        if small == "cookie":
            found += (each.partition("=")[2] for each in value.split(";"))
        elif small == "set-cookie":
            found.append(value.partition(";")[0].partition("=")[2])
        elif _SECRET_HEADER.fullmatch(small) and not small.startswith(_NO_SECRETS):
            found += (value, value.partition(" ")[2])
    for parameter in target.partition("?")[2].split("&"):
        name, _, value = parameter.partition("=")
        if _is_secret_name(name):
            found += (value, unquote(value), unquote_plus(value))
    return found


def secrets_of_environment(environment: Mapping[str, str]) -> list[str]:
    """The values of variables that are named as keys."""
    return [value for name, value in environment.items() if _SECRET_VARIABLE.fullmatch(name)]


_SECRET_VARIABLE: Final = re.compile(r"(?i).*(?:API_?KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY)")


def _is_secret_name(name: str) -> bool:
    return _SECRET_NAME.fullmatch(unquote_plus(name)) is not None


def _shortened(hit: re.Match[str]) -> str:
    kind = hit.lastgroup
    return f"{hit[kind] if kind else ''}{HIDDEN}"


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {change(name): _mapped(item, change) for name, item in cast("dict[str, Any]", value).items()}
    return value


def _without_secret_fields(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_secret_fields(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {
            name: HIDDEN if isinstance(item, str) and _SECRET_FIELD.fullmatch(name) else _without_secret_fields(item)
            for name, item in fields.items()
        }
    return value
