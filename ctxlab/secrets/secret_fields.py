"""JSON of requests and replies without the values of fields that are named as secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from ctxlab.secrets.find_secrets import HIDDEN
from ctxlab.secrets.masked_texts import masked_url
from ctxlab.secrets.secret_names import is_secret_field, is_secret_variable

SAID: Final = frozenset({"messages", "contents", "input", "system", "systemInstruction", "instructions"})
"""Fields of a body that hold what was said; a word of a call's arguments is no key."""
_HEADERS: Final = frozenset({"headers", "http_headers", "extra_headers", "httpHeaders", "requestHeaders"})
_OPEN_HEADERS: Final = ("accept", "content-", "user-agent", "anthropic-version", "anthropic-beta", "openai-beta")
"""Beginnings of headers that are the same for everybody; any other that a body names may open a door."""
_ENVIRONMENTS: Final = frozenset({"env", "environment"})
_ADDRESS: Final = ("url", "uri", "endpoint", "referer", "address", "host")


def without_secret_fields(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request's body with `***` for the value of each field whose name is one of secrets', such as `api_key`.

    What was said is left as it is; of headers that are sent on, as to a server of tools, no value is shown, of
    addresses neither passwords nor keys.
    """
    return {name: value if name in SAID else _field(value, name, is_request=True) for name, value in body.items()}


def without_secret_fields_at(value: object, path: Sequence[str | int]) -> Any:
    """A value of a body as it is shown: `***` where the field that holds it, or one inside it, is one of secrets'."""
    if path and path[0] in SAID:
        return value
    names = [step for step in path if isinstance(step, str)]
    if len(names) > 1 and names[-2] in _HEADERS:
        return _of_header(value, names[-1])
    return _field(value, names[-1] if names else "", is_request=True)


def without_secret_fields_of_reply(value: Any) -> Any:
    """A reply's JSON with `***` for the texts of fields that are named as secrets."""
    return _field(value, "", is_request=False)


def _field(value: Any, name: str, *, is_request: bool) -> Any:
    if isinstance(value, Mapping):
        fields = {str(each): item for each, item in cast("Mapping[Any, Any]", value).items()}
        if name in _HEADERS:
            return {each: _of_header(item, each) for each, item in fields.items()}
        if name in _ENVIRONMENTS:
            return {each: HIDDEN if is_secret_variable(each) else item for each, item in fields.items()}
        is_secret = isinstance(fields.get("value"), str) and is_secret_field(name, is_request=is_request)
        hidden = {"value": HIDDEN} if is_secret else {}
        return {each: _field(item, each, is_request=is_request) for each, item in fields.items()} | hidden
    if isinstance(value, list | tuple):
        return [_field(item, name, is_request=is_request) for item in cast("list[Any]", value)]
    if isinstance(value, bool) or not isinstance(value, str | int if is_request else str):
        return value
    if is_secret_field(name, is_request=is_request):
        return HIDDEN
    if isinstance(value, str) and "://" in value and name.lower().endswith(_ADDRESS):
        return masked_url(value)
    return value


def _of_header(value: Any, name: str) -> Any:
    return value if name.lower().startswith(_OPEN_HEADERS) else HIDDEN
