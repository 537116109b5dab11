"""The vendors' side without HTTP: a request comes in, is judged and remembered, and its answer goes out."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.testing.fake_server.anthropic import reply as anthropic
from ctxlab.testing.fake_server.errors import error_body
from ctxlab.testing.fake_server.files import (
    PATH,
    FakeUpload,
    file_refusals,
    read_upload,
    upload_answer,
    vendor_of_upload,
)
from ctxlab.testing.fake_server.gemini import reply as gemini
from ctxlab.testing.fake_server.openai_chat import reply as chat
from ctxlab.testing.fake_server.openai_responses import reply as responses
from ctxlab.testing.fake_server.prompt_cache import CacheUse, PromptCache
from ctxlab.testing.fake_server.refusal import Refusal, SentSignatures, Vendor
from ctxlab.testing.fake_server.refusals import MODEL_IN_PATH, found_refusals, parsed
from ctxlab.testing.fake_server.routes import Address, address_of, header_refusals, kept_headers
from ctxlab.testing.fake_server.script import Answer, FakeReply, FakeRequest
from ctxlab.testing.fake_server.sending import Sending


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a request: a body, or the events of a stream; the reply says how slowly, and where it breaks."""

    status: int
    body: bytes
    reply: FakeReply
    events: Iterable[bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Exchange:
    """All that a server remembers: requests, the signatures that it gave, and the cache of prompts."""

    answer: Answer
    strict: bool = True
    record: bool = True
    trust_signatures: bool = True
    signatures: dict[str, str] = field(default_factory=dict[str, str])
    requests: list[FakeRequest] = field(default_factory=list[FakeRequest])
    refusals: list[Refusal] = field(default_factory=list[Refusal])
    cache: PromptCache = field(default_factory=PromptCache)
    uploads: dict[str, FakeUpload] = field(default_factory=dict[str, FakeUpload])
    number: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> tuple[str, Answered]:
        """A line for the log, and the answer."""
        with self.lock:
            self.number += 1
            number = self.number
        address = address_of(target)
        if method == "POST" and PATH.fullmatch(address.path):
            return self._took_file(address, headers, content, number)
        if address.vendor is None or method != "POST":
            status = 404 if address.vendor is None else 405
            vendor = address.vendor or _guessed(address.path)
            body = error_body(vendor, status, "there is nothing at this address for this method", number=number)
            return f"{method} {address.path} -> {status}", Answered(status, _json(body), FakeReply())
        request = self._request(address, address.vendor, headers, content)
        with self.lock:
            self.refusals += request.refusals
            if self.record:
                self.requests.append(request)
        answered = self._answered(request, address, number)
        return _log_line(method, request, answered), answered

    def _took_file(
        self, address: Address, headers: Mapping[str, str], content: bytes, number: int
    ) -> tuple[str, Answered]:
        vendor = vendor_of_upload(headers)
        upload, found = read_upload(vendor, headers, content, number)
        refusals = (*header_refusals(vendor, address, headers), *found)
        with self.lock:
            self.refusals += refusals
            if not refusals:
                self.uploads[upload.id] = upload
        status = refusals[0].status if refusals else 200
        body = error_body(vendor, status, refusals[0].message, number=number) if refusals else upload_answer(upload)
        answered = Answered(status, _json(body), FakeReply(), headers=_headers(vendor, number))
        return f"POST {address.path} -> {status}", answered

    def _request(self, address: Address, vendor: Vendor, headers: Mapping[str, str], content: bytes) -> FakeRequest:
        body = parsed(content)
        fields: dict[str, Any] = body if isinstance(body, dict) else {}
        named = MODEL_IN_PATH.search(address.path)
        model = named[1] if named else fields.get("model")
        sent = SentSignatures(self.signatures, trust_others=self.trust_signatures)
        kept = kept_headers(headers)
        version = kept.get("anthropic-version", "")
        found = found_refusals(content, vendor, model=None, path=address.path, sent=sent, version=version)
        return FakeRequest(
            vendor,
            address.path,
            model if isinstance(model, str) else "",
            body,
            content,
            kept,
            address.streamed or fields.get("stream") is True,
            (
                *header_refusals(vendor, address, headers),
                *file_refusals(vendor, fields, kept, self.uploads),
                *found,
            ),
        )

    def _answered(self, request: FakeRequest, address: Address, number: int) -> Answered:
        vendor = request.vendor
        keyless = [refusal for refusal in request.refusals if refusal.rule in {"key", "shape.json"}]
        refused = request.refusals[:1] if self.strict else keyless[:1]
        if refused:
            first = refused[0]
            body = error_body(vendor, first.status, first.message, number=number, refusal=first)
            return Answered(first.status, _json(body), FakeReply(), headers=_headers(vendor, number))
        body = request.body
        with self.lock:
            # What is broken and passes all the same has no counts.
            tokens = CacheUse(0) if request.refusals else self.cache.use(vendor, request.model, body)
        if address.counting:
            sending = Sending(FakeReply(), number, request.model, tokens, body)
            count = anthropic.counted(sending) if vendor == "anthropic" else gemini.counted(sending)
            return Answered(200, _json(count), FakeReply(), headers=_headers(vendor, number))
        reply = self.answer(request)
        if reply.status != 200:
            return _scripted_error(vendor, reply, number)
        sending = Sending(reply, number, request.model, tokens, body)
        if reply.thinking:
            self.signatures[sending.signature] = reply.thinking
        if request.streamed:
            return Answered(200, b"", reply, _events(vendor, sending), _headers(vendor, number))
        return Answered(200, _json(_whole(vendor, sending)), reply, headers=_headers(vendor, number))


def _events(vendor: Vendor, sending: Sending) -> Iterable[bytes]:
    if vendor == "anthropic":
        return anthropic.events(sending)
    if vendor == "gemini":
        return gemini.events(sending)
    if vendor == "openai-responses":
        return responses.events(sending)
    return chat.events(sending, deepseek=vendor != "openai")


def _whole(vendor: Vendor, sending: Sending) -> dict[str, Any]:
    if vendor == "anthropic":
        return anthropic.whole(sending)
    if vendor == "gemini":
        return gemini.whole(sending)
    if vendor == "openai-responses":
        return responses.whole(sending)
    return chat.whole(sending, deepseek=vendor != "openai")


def _scripted_error(vendor: Vendor, reply: FakeReply, number: int) -> Answered:
    headers = _headers(vendor, number)
    if reply.retry_after_seconds is not None:
        headers["retry-after"] = f"{reply.retry_after_seconds:g}"
    body = error_body(vendor, reply.status, reply.message, number=number, retry=reply.retry_after_seconds)
    return Answered(reply.status, _json(body), reply, headers=headers)


def _headers(vendor: Vendor, number: int) -> dict[str, str]:
    return {("request-id" if vendor == "anthropic" else "x-request-id"): f"req_{number:024d}"}


def _guessed(path: str) -> Vendor:
    return "gemini" if path.startswith(("/v1beta", "/v1alpha")) else "anthropic" if "/messages" in path else "openai"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _log_line(method: str, request: FakeRequest, answered: Answered) -> str:
    wrong = request.refusals[0] if request.refusals and answered.status != 200 else None
    why = f" {wrong.rule} at {wrong.place or 'the request'}: {wrong.message}" if wrong is not None else ""
    streamed = ", streamed" if answered.events is not None else ""
    size = f"{len(request.content):,} bytes"
    return f"{method} {request.path} {request.vendor} {request.model} {size} -> {answered.status}{streamed}{why}"
