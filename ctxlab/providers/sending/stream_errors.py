"""Errors that a vendor sends inside a stream or as the body of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ctxlab.display.short_texts import short
from ctxlab.errors import SendFailed
from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked_beginning

MOST_WORDS = 300
STATUS_OF: Final[Mapping[str, int]] = {
    # https://docs.anthropic.com/en/api/errors
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    # https://platform.openai.com/docs/api-reference/responses/object#responses/object-error
    "server_error": 500,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "invalid_prompt": 400,
    "invalid_api_key": 401,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    # https://ai.google.dev/gemini-api/docs/troubleshooting
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may do better later."""
NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_error", "billing_hard_limit_reached"})
"""Codes under which waiting doesn't help, whatever the status."""


@dataclass(frozen=True, slots=True)
class VendorError:
    """An error in a vendor's words: its text, its code, the HTTP status that goes with it.

    `told` is the status that the vendor named, None where it goes by the code alone.
    """

    words: str = ""
    code: str = ""
    status: int | None = None
    told: int | None = None

    @property
    def may_pass(self) -> bool:
        return self.status in PASSING and self.code not in NO_CREDIT


def vendor_error(stored: Any) -> VendorError:
    """The words of an error of any vendor: an object with `message`, `code` or `type`, or a plain text."""
    if not isinstance(stored, dict):
        return VendorError(one_line(stored) if isinstance(stored, str) else "")
    fields = cast("dict[str, Any]", stored)
    inner = fields.get("error")
    if isinstance(inner, dict | str) and inner:
        return vendor_error(inner)
    names = [fields.get(name) for name in ("code", "type", "status")]
    codes = [name for name in names if isinstance(name, str) and name]
    numbers = [name for name in names if isinstance(name, int) and not isinstance(name, bool)]
    numbers += [int(code) for code in codes if code.isascii() and code.isdecimal() and len(code) == 3]
    told = next((number for number in numbers if 400 <= number <= 599), None)
    status = told or next((STATUS_OF[code] for code in codes if code in STATUS_OF), None)
    words = next((fields[name] for name in ("message", "detail") if isinstance(fields.get(name), str)), "")
    code = next((code for code in codes if code in NO_CREDIT or code in STATUS_OF), codes[0] if codes else "")
    return VendorError(one_line(words), one_line(code), status, told)


def failed_stream(stored: Any) -> SendFailed:
    """The failure that an error inside a stream is."""
    error = vendor_error(stored)
    facts = dict.fromkeys(str(fact) for fact in (error.code, error.told) if fact)
    about = ", ".join(facts)
    words = f": {error.words}" if error.words else ""
    return SendFailed(
        f"the server ended the reply with an error{f' ({about})' if about else ''}{words}",
        status=error.status,
        may_pass=error.may_pass,
    )


def one_line(text: str) -> str:
    """A text of somebody else on one line, without what a terminal obeys, and not too long."""
    printable = "".join(each if each.isprintable() else " " for each in masked_beginning(text, 4 * MOST_WORDS))
    return short(" ".join(printable.split()), MOST_WORDS)
