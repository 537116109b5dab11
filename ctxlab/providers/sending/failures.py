"""Why a request got no answer, in one sentence for people, with what to do. No sentence has a key."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Final
from urllib.parse import urlsplit

from ctxlab.errors import SendFailed
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.key_mask import KeyMask
from ctxlab.providers.sending.keys import Key
from ctxlab.providers.sending.server_events import object_of
from ctxlab.providers.sending.stream_errors import NO_CREDIT, PASSING, VendorError, one_line, vendor_error


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After, which is a number or a date; a date is counted from the answer's own Date.

    >>> retry_after_seconds({"retry-after": "2"})
    2.0
    """
    milliseconds = _milliseconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds
    stored = headers.get("retry-after", "").strip()
    seconds = _number(stored)
    return seconds if seconds is not None else _until(stored, headers.get("date", ""))


def _milliseconds(stored: str) -> float | None:
    found = _number(stored.strip())
    return None if found is None else found / 1000


def _number(stored: str) -> float | None:
    try:
        found = float(stored)
    except ValueError:
        return None
    return found if isfinite(found) and found >= 0 else None


def _until(stored: str, date: str) -> float | None:
    """Seconds from one HTTP date to another; the server's own clock says both, so that ours may be wrong."""
    try:
        then, now = (parsedate_to_datetime(each) for each in (stored, date))
    except (ValueError, TypeError):
        return None
    seconds = (then.replace(tzinfo=then.tzinfo or UTC) - now.replace(tzinfo=now.tzinfo or UTC)).total_seconds()
    return max(seconds, 0.0)


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as sentences about its failure name it: vendor, address and model."""

    title: str
    model: str
    url: str
    size: int
    key: Key | None = None

    @property
    def address(self) -> str:
        """The address without path and query."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or self.url


def sent_request(payload: Payload, key: Key | None, url: str) -> SentRequest:
    return SentRequest(payload.provider.title, payload.model.name, url, payload.size or 0, key)


def failed_answer(status: int, headers: Any, body: bytes, request: SentRequest) -> SendFailed:
    """The failure that an answer with a status of an error is."""
    mask = KeyMask.of(request.key)
    content = mask.data(object_of(body))  # before a sentence cuts it: half a key is one too
    error = vendor_error(content) if content is not None else VendorError()
    code = error.code
    sentence = f"{request.title} {_refusal(status, code, request)}"
    words = error.words or _plain_words(mask.text(body[:4000].decode("utf-8", "replace")), content)
    wait = retry_after_seconds(headers)
    if wait is not None and status in PASSING:
        sentence += f"; it asks to wait {wait:g} s"
    return SendFailed(
        masked(f"{sentence}{f'; it says: {words}' if words else ''}", request),
        status=status,
        retry_after_seconds=wait,
        may_pass=status in PASSING and code not in NO_CREDIT,
    )


def _refusal(status: int, code: str, request: SentRequest) -> str:
    source = request.key.source if request.key else None
    match status:
        case 401:
            check = f"check {source}" if source else "give one as key="
            return f"doesn't take the key (401): {check}" if source else f"wants a key (401): {check}"
        case 402:
            return "wants to be paid (402): see the account's billing"
        case 403:
            return "doesn't allow this (403): see what the key and its account may do"
        case 404:
            return (
                f"has no model {one_line(request.model)!r}, or nothing at this address (404): check model and base_url"
            )
        case 408 | 504:
            return f"took too long ({status}): try again, or ask for a stream"
        case 413:
            return f"doesn't take a request as large as {request.size:,} bytes (413): send fewer or smaller files"
        case 429 if code in NO_CREDIT:
            return "has no credit left for this key (429): see the account's billing"
        case 429:
            return "takes no more requests for now (429): try again later"
        case 503 | 529:
            return f"is overloaded or down ({status}): try again later"
        case _ if status >= 500:
            return f"failed inside ({status}): try again"
        case _ if 300 <= status < 400:
            return f"sends the request on to another address ({status}), which is not followed: check base_url"
        case _:
            return f"refused the request ({status})"


def _plain_words(text: str, content: dict[str, Any] | None) -> str:
    """The words of an answer that is no JSON; of a web page nothing."""
    text = text.strip()
    return "" if content is not None or text.startswith("<") else one_line(text)


def no_reply(content_type: str, request: SentRequest) -> SendFailed:
    """The failure that an answer without an error but also without a reply is, such as a web page."""
    kind = one_line(content_type.partition(";")[0]) or "something"
    return SendFailed(
        masked(f"{request.address} answered with {kind}, which is no reply of a model: check base_url", request)
    )


def failed_connection(error: BaseException, request: SentRequest, *, answered: bool) -> SendFailed:
    """The failure that an exception of a client is; `answered`: the answer had begun."""
    names = {type(cause).__name__ for cause in causes_of(error)}
    kinds = tuple(causes_of(error))
    sentence, may_pass = _sentence(names, kinds, request, answered=answered)
    return SendFailed(masked(sentence, request), may_pass=may_pass)


def _sentence(
    names: set[str], kinds: tuple[BaseException, ...], request: SentRequest, *, answered: bool
) -> tuple[str, bool]:
    where = request.address
    if answered and "ReadTimeout" in names:
        return f"{where} stopped in the middle of the reply: try again", True
    if "DecodingError" in names:
        return f"{where} says that its answer is compressed, and it can't be unpacked: check what stands between", False
    if answered and "RemoteProtocolError" in names and _is_no_http(kinds):
        return f"{where} broke the rules of HTTP in the middle of the reply: check base_url", False
    if answered:
        return f"the connection to {where} broke off before the reply ended", True
    if any(isinstance(cause, ssl.SSLError) for cause in kinds):
        why = next((cause.reason for cause in kinds if isinstance(cause, ssl.SSLError) and cause.reason), "")
        return f"no secure connection to {request.host} can be made{f' ({why})' if why else ''}: check base_url", False
    if any(isinstance(cause, socket.gaierror) for cause in kinds):
        return f"no address was found on the way to {where}: check base_url and the network", True
    if any(isinstance(cause, ConnectionRefusedError) for cause in kinds):
        return f"the connection to {where} was refused: check base_url, and whether the server runs", True
    if "ConnectTimeout" in names:
        return f"no connection to {where} was made in time: check base_url and the network", True
    if names & {"ReadTimeout", "WriteTimeout", "PoolTimeout"}:
        return f"{where} sent no answer in time: try again", True
    if "ConnectError" in names or "ProxyError" in names:
        return f"no connection to {where} can be made: check base_url and the network", True
    if "RemoteProtocolError" in names and _is_no_http(kinds):
        return f"{where} answered with bytes that are no HTTP: check base_url", False
    if names & {"RemoteProtocolError", "ReadError", "WriteError", "ConnectionResetError"}:
        return f"{where} hung up before its answer began: try again", True
    kind = type(kinds[-1]).__name__
    return f"the request to {where} failed ({kind})", False


def _is_no_http(kinds: tuple[BaseException, ...]) -> bool:
    """Whether the bytes of an answer were read and make no sense; else it ended without any, or before its end."""
    package = type(kinds[-1]).__module__.partition(".")[0]
    return package in ("h11", "h2") and not UNFINISHED.search(str(kinds[-1]))


UNFINISHED: Final = lazy_pattern("without (?:sending|completing)|closed connection|incomplete", re.IGNORECASE)


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that it came from, the last cause last."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def masked(text: str, request: SentRequest) -> str:
    return request.key.masked(text) if request.key else text
