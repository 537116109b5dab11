"""Secrets of requests and replies: those that their headers, addresses and environment hold, and what looks so."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast
from urllib.parse import quote, unquote, unquote_plus, urlsplit

from ctxlab.secrets.known_secrets import KnownSecrets
from ctxlab.secrets.masked_texts import masked, masked_data, masked_url
from ctxlab.secrets.secret_fields import without_secret_fields, without_secret_fields_of_reply
from ctxlab.secrets.secret_names import is_secret_header, is_secret_parameter, is_secret_variable

SHORTEST_LEARNED: Final = 8
"""Characters of a header's or a query's secret from which on it is looked for in texts."""


class SecretMask:
    """Puts `***` in the place of secrets: those that it has learned, and what has the form of a key.

    What has the form of one keeps its beginning (`sk-***`), so that one sees of what kind it was.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: frozenset[str] = frozenset()
        self._known = KnownSecrets()
        self.learn(secrets)

    def __repr__(self) -> str:
        return f"SecretMask({len(self._secrets)} learned)"

    def learn(self, secrets: Iterable[str]) -> bool:
        """Look for these from now on; gives whether one of them is new."""
        found = {each for each in map(str.strip, secrets) if len(each) >= SHORTEST_LEARNED} - self._secrets
        if found:
            self._secrets |= found
            forms = (form for each in self._secrets for form in {each, quote(each), quote(each, safe="")})
            self._known = KnownSecrets(forms)
        return bool(found)

    def text(self, text: str) -> str:
        """A text that has ended, masked."""
        return masked(self._known.whole(text))

    def data(self, value: Any) -> Any:
        """JSON data with all its texts and names masked."""
        return masked_data(value, self.text)

    def request_body(self, value: Any) -> Any:
        """The JSON of a request; values of parameters that are named as keys are masked whatever they are."""
        return self.data(without_secret_fields(cast("dict[str, Any]", value)) if isinstance(value, dict) else value)

    def reply_body(self, value: Any) -> Any:
        """The JSON of a reply; what a field holds that is named as a key is masked whatever it is."""
        return self.data(without_secret_fields_of_reply(value))

    def url(self, url: str) -> str:
        """An address, without its password and the values of what its query names as a key."""
        return masked_url(url, self.text)

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Headers with their values masked; one that is an address, such as `referer`, as such."""
        return {name: self.url(value) if "://" in value else self.text(value) for name, value in headers.items()}


def secrets_of_request(headers: Iterable[tuple[str, str]], target: str) -> list[str]:
    """The secrets that the headers of a request or a reply and its address hold."""
    found: list[str] = [*_secrets_of_address(target)]
    for name, value in headers:
        small = name.lower()
        if small == "cookie":
            found += (each.partition("=")[2] for each in value.split(";"))
        elif small == "set-cookie":
            found.append(value.partition(";")[0].partition("=")[2])
        elif is_secret_header(small):
            scheme, _, rest = value.partition(" ")
            found += (value, rest, *(_of_pair(rest) if scheme.lower() == "basic" else ()))
        elif "://" in value:
            found += _secrets_of_address(value)
    return found


def _of_pair(encoded: str) -> Iterator[str]:
    """The password of Basic credentials; a key that stands there as the user's name without one."""
    try:
        user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except ValueError:  # no Base64, or of no text
        return
    yield password or user


def _secrets_of_address(address: str) -> Iterator[str]:
    try:
        password = urlsplit(address).password
    except ValueError:  # a bracket that is no address of IPv6
        password = None
    if password:
        yield from (password, unquote(password))
    for parameter in address.partition("?")[2].split("&"):
        name, _, value = parameter.partition("=")
        if is_secret_parameter(name):
            yield from (value, unquote(value), unquote_plus(value))


def secrets_of_environment(environment: Mapping[str, str]) -> list[str]:
    """The values of variables that are named as keys, and passwords of addresses in the others."""
    named = [value for name, value in environment.items() if is_secret_variable(name)]
    return [*named, *(each for value in environment.values() if "://" in value for each in _secrets_of_address(value))]
