"""The vendors' doors for files: bytes are posted once, and requests then name them by the id that came back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, Final

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import SendFailed
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.anthropic import FILES_BETA
from ctxlab.providers.anthropic.blocks import PICTURES as PICTURES_OF_ANTHROPIC
from ctxlab.providers.anthropic.parameter_rules import MAX_REQUEST
from ctxlab.providers.openai_chat.file_parts import PICTURES as PICTURES_OF_OPENAI
from ctxlab.providers.openai_chat.profiles import OF_OPENAI
from ctxlab.providers.payload import Payload
from ctxlab.providers.provider import Provider
from ctxlab.providers.sending.failures import failed_answer, failed_connection, sent_request
from ctxlab.providers.sending.keys import Key
from ctxlab.providers.sending.made_clients import announce
from ctxlab.providers.sending.server_events import object_of
from ctxlab.providers.sending.time_limits import TimeLimits
from ctxlab.wires import RESPONSES, WIRES


@dataclass(frozen=True, slots=True)
class FileDoor:
    """The address for files of a vendor, behind its base URL.

    `takes` are the types that its requests name by an id, `largest_request` the bytes above which it refuses one with
    the files inside. Vendors with one `account` know each other's ids.
    """

    account: str
    path: str
    takes: frozenset[str]
    largest_request: int
    fields: Mapping[str, str] = field(default_factory=FrozenDict)
    headers: Mapping[str, str] = field(default_factory=FrozenDict)


@dataclass(frozen=True, slots=True)
class GivenId:
    """The id that a vendor gave a file, and when it forgets it, as ISO 8601; None: it doesn't by itself."""

    file_id: str
    expires: str | None = None


PDF: Final = frozenset({"application/pdf"})
USER_DATA: Final = FrozenDict({"purpose": "user_data"})
DOORS: Final[Mapping[str, FileDoor]] = {
    "openai": FileDoor("openai", "/files", PDF, OF_OPENAI.max_bytes, USER_DATA),
    RESPONSES.name: FileDoor("openai", "/files", PDF | PICTURES_OF_OPENAI, OF_OPENAI.max_bytes, USER_DATA),
    "anthropic": FileDoor(
        "anthropic",
        "/v1/files",
        PDF | PICTURES_OF_ANTHROPIC,
        MAX_REQUEST,
        headers=FILES_BETA,
    ),
}
"""By provider (platform.openai.com, Files; platform.claude.com, Files API: 2026-11)."""


def file_door(provider: Provider) -> FileDoor | None:
    """The door of a provider; None where it has none that is known."""
    return DOORS.get(provider.name)


def upload_file(
    payload: Payload,
    data: bytes,
    *,
    name: str,
    mime_type: str,
    key: Key | None = None,
    client: Any = None,
    limits: TimeLimits | None = None,
) -> GivenId:
    """The id under which the vendor of a request keeps these bytes from now on. Raises SendFailed where it doesn't."""
    door = DOORS[payload.provider.name]
    base_url = (payload.base_url or payload.provider.base_url).rstrip("/")
    request = sent_request(payload, key, f"{base_url}{door.path}")
    file = (name or "file", data, mime_type)
    try:
        send = _by_sdk if client is not None and hasattr(client, "max_retries") else _plainly
        status, headers, body = send(payload, door, file, request.url, key, client, limits or TimeLimits())
    except Exception as error:  # whatever a client raises is a failure to send
        raise failed_connection(error, request, answered=False) from None
    if not 200 <= status < 300:
        raise failed_answer(status, headers, body, request)
    answer = object_of(body) or {}
    file_id, expires = answer.get("id"), answer.get("expires_at")
    if not isinstance(file_id, str) or not file_id:
        raise SendFailed(f"{request.title} took the file {name!r} and gave no id for it")
    return GivenId(file_id, _iso(expires))


Answer = tuple[int, Mapping[str, str], bytes]
File = tuple[str, bytes, str]
Send = Callable[[Payload, FileDoor, File, str, Key | None, Any, TimeLimits], Answer]


def _plainly(
    payload: Payload, door: FileDoor, file: File, url: str, key: Key | None, client: Any, limits: TimeLimits
) -> Answer:
    import httpx2

    headers = {**payload.provider.headers, **door.headers, **(payload.provider.auth(key.reveal()) if key else {})}
    using = client
    if using is None:
        using = httpx2.Client(timeout=httpx2.Timeout(limits.of_socket, connect=limits.connect_seconds))
        announce(using)
    try:
        found = using.post(url, data=dict(door.fields), files={"file": file}, headers=headers, follow_redirects=False)
        return found.status_code, found.headers, found.content
    finally:
        if client is None:
            using.close()


def _by_sdk(
    payload: Payload, door: FileDoor, file: File, url: str, key: Key | None, client: Any, limits: TimeLimits
) -> Answer:
    """The answer to a client of the vendor's own, which brings its address and key."""
    import importlib

    sdk: Any = importlib.import_module(WIRES[payload.provider.wire].module)
    own = client.with_options(max_retries=0, **({"api_key": key.reveal()} if key else {}))
    try:
        if payload.provider.wire == "anthropic":
            found = own.beta.files.with_raw_response.upload(file=file, extra_headers=dict(door.headers))
        else:
            found = own.files.with_raw_response.create(file=file, **door.fields)
    except sdk.APIStatusError as error:
        return error.response.status_code, error.response.headers, error.response.content
    return found.http_response.status_code, found.headers, found.http_response.content


def _iso(seconds: object) -> str | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1e11:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat()
