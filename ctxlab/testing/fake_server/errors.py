"""Errors in the vendors' shapes; the sentences are ours."""

from __future__ import annotations

from typing import Any

from ctxlab.testing.fake_server.refusal import Refusal, Vendor

ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
GEMINI_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
OPENAI_TYPES = {429: "requests", 401: "invalid_request_error"}
OPENAI_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
REFUSED_CODES = {
    "shape.missing": "missing_required_parameter",
    "shape.unknown": "unknown_parameter",
    "shape.type": "invalid_type",
    "shape.choice": "invalid_value",
}
WORDS = {
    400: "the request is not one that is taken",
    401: "the key is missing or wrong",
    403: "the key is missing or may not do this",
    404: "there is nothing at this address",
    413: "the request is too large",
    429: "too many requests; try again later",
    529: "the service is overloaded; try again later",
}


def error_body(
    vendor: Vendor,
    status: int,
    message: str,
    *,
    number: int,
    refusal: Refusal | None = None,
    retry: float | None = None,
) -> dict[str, Any]:
    """The JSON of an error as the vendor words it; with a refusal, the place is in it."""
    message = message or WORDS.get(status, "something went wrong here")
    place = refusal.place if refusal is not None else ""
    if vendor == "anthropic":
        kind = ANTHROPIC_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
        written = f"{place}: {message}" if place else message
        return {"type": "error", "error": {"type": kind, "message": written}, "request_id": f"req_{number:024d}"}
    if vendor == "gemini":
        return _gemini(status, message, place, retry)
    kind = OPENAI_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    code = REFUSED_CODES.get(refusal.rule, "invalid_value") if refusal is not None else OPENAI_CODES.get(status)
    written = f"Invalid '{place}': {message}" if place else message
    return {"error": {"message": written, "type": kind, "param": place or None, "code": OPENAI_CODES.get(status, code)}}


def _gemini(status: int, message: str, place: str, retry: float | None) -> dict[str, Any]:
    details: list[dict[str, Any]] = []
    if place:
        violation = {"field": place, "description": message}
        details.append({"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]})
    if retry is not None:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry:g}s"})
    word = GEMINI_STATUS.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")
    written = f"{place}: {message}" if place else message
    error: dict[str, Any] = {"code": status, "message": written, "status": word}
    return {"error": error | ({"details": details} if details else {})}
