"""The places of secrets in a text: keys by their form, values by the name in front of them, passwords of addresses.

Anchors are found in one pass for all forms; only where one stands is a pattern tried, so that a long text costs little.
Each pattern looks at a bounded stretch, or at one that no other will look at again.
"""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets.forms import FORMS, RUN, Form
from ctxlab.secrets.secret_names import is_secret_parameter, names_no_secret

HIDDEN: Final = "***"
SHORTEST: Final = 6
"""Characters of the shortest text that can hold a secret."""


class FoundSecret(NamedTuple):
    """A secret from `start` to `end`, in code points, and the words to show in its place, such as `sk-***`."""

    start: int
    end: int
    shown: str = HIDDEN


def secrets_in(text: str) -> list[FoundSecret]:
    """All secrets in a text, in order, none over another."""
    if len(text) < SHORTEST:
        return []
    places = _anchors(text)
    return _apart(_found(text, places)) if places else []


def _found(text: str, places: list[tuple[int, int, int]]) -> Iterator[FoundSecret]:
    key_end = value_end = 0  # of the newest key and value: what begins inside one belongs to it
    looked = 0  # up to here stand names that begin as keys do: what begins inside one is no key either
    for number, start, end in sorted(places, key=lambda place: place[1:]):
        kind = _KINDS[number]
        if isinstance(kind, Form):
            if start < key_end or (kind.mixed and start < looked):
                continue
            hit, looked = _by_form(text, start, kind, looked, key_end)
            key_end = hit.end if hit is not None else key_end
        elif start < value_end:
            continue
        else:
            hit = _by_place(text, start, end, kind)
            value_end = hit.end if hit is not None else value_end
        if hit is not None:
            yield hit


def _by_place(text: str, start: int, end: int, kind: str) -> FoundSecret | None:
    match kind:
        case "jwt":
            return _token_of_three(text, start)
        case "basic":
            return _credentials(text, start, end)
        case "userinfo":
            return _password_of_address(text, end)
        case "parameter":
            return _parameter(text, start, end)
        case _:
            return _named(text, start, end, kind)


def _apart(found: Iterator[FoundSecret]) -> list[FoundSecret]:
    """Hits that overlap as one; of two that begin at one place the one that shows its kind counts."""
    apart: list[FoundSecret] = []
    for hit in sorted(found, key=lambda hit: (hit.start, hit.shown == HIDDEN)):
        if apart and hit.start < apart[-1].end:
            apart[-1] = apart[-1]._replace(end=max(apart[-1].end, hit.end))
        else:
            apart.append(hit)
    return apart


# --- anchors

_PASSWORDS: Final = (
    "password",
    "Password",
    "PASSWORD",
    "passwd",
    "Passwd",
    "PASSWD",
    "passphrase",
    "Passphrase",
    "PASSPHRASE",
    "_PWD",
)
_NAMES: Final = (
    "api_key",
    "apikey",
    "api-key",
    "apiKey",
    "ApiKey",
    "Api-Key",
    "API-Key",
    "API_Key",
    "APIKey",
    "API_KEY",
    "APIKEY",
    "access_key",
    "access-key",
    "accessKey",
    "AccessKey",
    "secret_key",
    "secret-key",
    "secretKey",
    "SecretKey",
    "subscription-key",
    "Subscription-Key",
    "_KEY",
    "-KEY",
    "access_token",
    "access-token",
    "accessToken",
    "AccessToken",
    "auth_token",
    "auth-token",
    "authToken",
    "AuthToken",
    "auth_key",
    "bearer_token",
    "refresh_token",
    "refreshToken",
    "session_token",
    "sessionToken",
    "SessionToken",
    "api_token",
    "api-token",
    "apiToken",
    "id_token",
    "-Token",
    "_TOKEN",
    "-token",
    "secret",
    "Secret",
    "SECRET",
    "uthorization",
    "UTHORIZATION",
    "credential",
    "CREDENTIAL",
)
_PARAMETERS: Final = (
    "key=",
    "token=",
    "sig=",
    "signature=",
    "Signature=",
    "secret=",
    "auth=",
    "code=",
    "Token=",
    "Credential=",
    "password=",
)
_BASICS: Final = ("Basic", "basic", "BASIC")
_KINDS: Final[tuple[Form | str, ...]] = (
    *FORMS,
    *("basic" for _ in _BASICS),
    *("password" for _ in _PASSWORDS),
    *("name" for _ in _NAMES),
    *("parameter" for _ in _PARAMETERS),
    "jwt",
    "userinfo",
)
_ANCHORS: Final = (*(form.anchor for form in FORMS), *_BASICS, *_PASSWORDS, *_NAMES, *_PARAMETERS, ".eyJ", "://")
_HALF: Final = lazy_pattern("[\ud800-\udfff]")


@cache
def _automaton() -> Any:
    import ahocorasick_rs

    return ahocorasick_rs.AhoCorasick(_ANCHORS, matchkind=ahocorasick_rs.MatchKind.Standard, store_patterns=False)


def _anchors(text: str) -> list[tuple[int, int, int]]:
    try:
        return _automaton().find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:  # half a pair of UTF-16, which is no part of a key
        return _automaton().find_matches_as_indexes(_HALF.sub("?", text), overlapping=True)


# --- by form

_BORDER: Final = lazy_pattern(
    r"(?:\A|[^A-Za-z0-9_]|(?:\A|[^A-Za-z0-9_])_{1,3}|\\[abefnrtv]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}"
    r"|\x1b\[[0-9;]{0,12}m)\Z"
)
"""The end of what may stand before a key: no letter, digit or `_`, but those of an escape, and of Markdown's marks."""
_BASE64: Final = lazy_pattern(r"[A-Za-z0-9+/_-]*")
_BLOB: Final = 96
"""Characters of base64 before a place by which it is inside encoded bytes."""


def _by_form(text: str, start: int, form: Form, looked: int, key_end: int) -> tuple[FoundSecret | None, int]:
    """A key that begins at an anchor, and up to which place nothing else that must look drawn by lot begins."""
    if not form.free and not _is_bordered(text, start, key_end):
        return None, looked
    match = form.pattern.match(text, start)
    if match is None:
        return None, looked
    end = match.end()
    behind = start + len(form.anchor)
    if form.mixed and not _is_mixed(text[behind:end]):
        return None, max(looked, end)
    run = RUN.match(text, end) if form.mixed else None
    return FoundSecret(start, run.end() if run else end, form.shown + HIDDEN), looked


def _is_bordered(text: str, start: int, key_end: int) -> bool:
    before = text[max(0, start - 20) : start]
    if _BORDER.search(before) is None:
        return False
    if before[-1:] not in ("-", "/", "+", "_"):
        return True
    return not _is_blob(text[max(key_end, start - _BLOB) : start])


def _is_blob(before: str) -> bool:
    """Whether a stretch is of encoded bytes: base64 throughout, of all its kinds of characters."""
    if len(before) < _BLOB or _BASE64.fullmatch(before) is None:
        return False
    digits = sum(map(str.isdigit, before))
    upper, lower = sum(map(str.isupper, before)), sum(map(str.islower, before))
    return digits >= 6 and upper >= 20 and lower >= 20


_APART: Final = lazy_pattern(r"[^A-Za-z0-9]+")


def _is_mixed(text: str) -> bool:
    """Whether a text looks drawn by lot: a piece of it has letters and digits, or is long with a digit or two cases."""
    for piece in _APART.split(text):
        has_digit = not piece.isalpha()
        if len(piece) >= 8 and has_digit and not piece.isdigit():
            return True
        if len(piece) >= 16 and (has_digit or not (piece.islower() or piece.isupper() or piece.istitle())):
            return True
    return False


_WORDS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_REST_OF_TOKEN: Final = lazy_pattern(r"\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,})?")


def _token_of_three(text: str, dot: int) -> FoundSecret | None:
    """A JSON Web Token, by the dot between its first two parts."""
    before = text[max(0, dot - 1_500) : dot]
    run = before[len(before.rstrip(_WORDS)) :]
    at = run.find("eyJ")
    rest = _REST_OF_TOKEN.match(text, dot) if at >= 0 and len(run) - at >= 10 else None
    return FoundSecret(dot - len(run) + at, rest.end(), f"eyJ{HIDDEN}") if rest else None


_AFTER_BASIC: Final = lazy_pattern(
    r"(?:[ \t]|%20|\\t){1,4}(?P<value>[A-Za-z0-9+/_-]{4,2000}(?:=|%3[Dd]|\\u003[Dd]){0,2})"
)


def _credentials(text: str, start: int, end: int) -> FoundSecret | None:
    """The Base64 of `user:password` that stands behind `Basic`, told from a word by what it is the Base64 of."""
    if text[max(0, start - 1) : start].isalnum():
        return None
    match = _AFTER_BASIC.match(text, end)
    return FoundSecret(*match.span("value")) if match is not None and _is_pair(match["value"]) else None


def _is_pair(value: str) -> bool:
    """Whether it is the Base64 of a text with a colon in it; of one that is cut, by what is there of it."""
    body = re.match(r"[A-Za-z0-9+/_-]*", value)
    letters = body[0].replace("-", "+").replace("_", "/") if body else ""
    rest = len(letters) % 4
    plain = base64.b64decode(letters[:-1] if rest == 1 else letters + "=" * (-rest % 4))
    if b":" not in plain:
        return False
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(plain).isprintable()
    except UnicodeDecodeError:  # the older encoding, in which any bytes are a text
        foreign = sum(byte > 127 for byte in plain)
        return plain.decode("latin-1").isprintable() and 5 * foreign < len(plain)


# --- by name

_VALUE: Final = r"(?P<value>(?![$<{*%])[^\s\"'`<>(){}\[\],;&|\\]{6,400})"
_ASSIGNED: Final = lazy_pattern(
    rf"[A-Za-z_]{{0,12}}[\\\"']{{0,6}}\]?[ \t]{{0,8}}(?:=>|[:=>]|%3[DA])[ \t]{{0,8}}[\\\"'`]{{0,6}}"
    rf"(?:(?i:bearer|basic|token|bot|apikey)[ \t=]{{1,4}})?{_VALUE}"
)
_OPTION: Final = lazy_pattern(rf"[A-Za-z_-]{{0,12}}[ \t]{{1,8}}[\\\"']{{0,6}}{_VALUE}")
_IS_OPTION: Final = lazy_pattern(r"(?:\A|[\s\"'])--?[A-Za-z][A-Za-z_-]{0,30}\Z")
_NAME_BEFORE: Final = lazy_pattern(r"[A-Za-z0-9_.-]{0,40}\Z")
_NO_VALUE: Final = lazy_pattern(r"[./~]{1,2}/|/|~|[A-Za-z][A-Za-z0-9+.-]*://|@")
"""Beginnings of paths and addresses, which name where a secret is."""
_DIGIT: Final = lazy_pattern("[0-9]")
_SIGNS: Final = lazy_pattern(r"[0-9!@#%^+=~?]")


def _named(text: str, start: int, end: int, kind: str) -> FoundSecret | None:
    """The value that stands behind a name of secrets, as in `DB_PASSWORD=...` and `"api_key": "..."`."""
    before = text[max(0, start - 40) : end]
    name = _NAME_BEFORE.search(before)
    if kind == "name" and name is not None and names_no_secret(_without_last_word(name[0])):
        return None
    match = _ASSIGNED.match(text, end)
    if match is None and _IS_OPTION.search(before):
        match = _OPTION.match(text, end)
    if match is None:
        return None
    value = match["value"]
    if HIDDEN in value or _NO_VALUE.match(value) or text.startswith("(", match.end()):
        return None
    if kind == "password":
        is_secret = _SIGNS.search(value) is not None
    else:
        is_secret = len(value) >= 16 and not value.isdigit() and _DIGIT.search(value) is not None and _is_mixed(value)
    return FoundSecret(match.start("value"), match.end("value")) if is_secret else None


def _without_last_word(name: str) -> str:
    return re.sub(r"(?i)[-_]?(?:key|token|secret)\Z", "", name)


_PARAMETER_NAME: Final = lazy_pattern(r"(?:[?&;#]|%3F|%26)(?P<name>[A-Za-z0-9_.%-]{0,40}=)\Z")
_PARAMETER_VALUE: Final = lazy_pattern(r"[^\s&?\"'`<>\\#)\]};,]{8,2000}")


def _parameter(text: str, start: int, end: int) -> FoundSecret | None:
    """The value of a parameter that is named as a secret in an address within a text."""
    name = _PARAMETER_NAME.search(text[max(0, start - 40) : end])
    value = _PARAMETER_VALUE.match(text, end)
    if name is None or value is None or not is_secret_parameter(name["name"][:-1]):
        return None
    return FoundSecret(*value.span()) if HIDDEN not in value[0] and _is_mixed(value[0]) else None


_USER_INFO: Final = lazy_pattern(
    r"(?P<user>[^\s/?#\"'<>\\:@]{0,100})(?P<password>:[^\s/?#\"'<>\\]{0,300})?@(?=[A-Za-z0-9\[])"
)


def _password_of_address(text: str, start: int) -> FoundSecret | None:
    """The password in front of a host, or a key that stands there alone."""
    match = _USER_INFO.match(text, start)
    if match is None:
        return None
    password = (match["password"] or "")[1:]
    if password:
        is_place = password[0] in "$<{*%" or HIDDEN in password
        return None if is_place else FoundSecret(match.start("password") + 1, match.end("password"))
    user = match["user"]
    return FoundSecret(*match.span("user")) if len(user) >= 16 and _is_mixed(user) else None
