"""All that a vendor would refuse in a body, without a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxlab.argument_checks import checked_arguments
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.testing.fake_server.anthropic.check import check as check_anthropic
from ctxlab.testing.fake_server.anthropic.rules import RULES as ANTHROPIC
from ctxlab.testing.fake_server.gemini.check import check as check_gemini
from ctxlab.testing.fake_server.gemini.rules import RULES as GEMINI
from ctxlab.testing.fake_server.openai_chat.check import check_compatible, check_deepseek, check_openai
from ctxlab.testing.fake_server.openai_chat.rules import COMPATIBLE_RULES, DEEPSEEK_RULES
from ctxlab.testing.fake_server.openai_chat.rules import RULES as CHAT
from ctxlab.testing.fake_server.openai_responses.check import check as check_responses
from ctxlab.testing.fake_server.openai_responses.rules import RULES as RESPONSES
from ctxlab.testing.fake_server.refusal import NOTHING_SENT, Refusal, Report, Rule, Rules, SentSignatures, Vendor

TABLES: Mapping[Vendor, Rules] = {
    "openai": CHAT,
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "deepseek": DEEPSEEK_RULES,
    "openai-compatible": COMPATIBLE_RULES,
}
MEGABYTE = 1024 * 1024
LARGEST_BYTES: Mapping[Vendor, int] = {
    "anthropic": 32 * MEGABYTE,
    "gemini": 100 * MEGABYTE,
    "openai": 512_000_000,
    "openai-responses": 512_000_000,
    "deepseek": 48 * MEGABYTE,
    "openai-compatible": 512_000_000,
}
MODEL_IN_PATH = lazy_pattern(r"/models/([^/:?]+)")


class VendorRule(NamedTuple):
    """A row of the table of rules."""

    vendor: Vendor
    rule: Rule


def all_rules() -> tuple[VendorRule, ...]:
    """Every rule of every vendor: what is refused, since when that is known, and from where."""
    return tuple(VendorRule(vendor, rule) for vendor, table in TABLES.items() for rule in table.values())


@checked_arguments
def refusals_of(
    body: Any,
    vendor: Vendor,
    *,
    model: str | None = None,
    path: str = "",
    trust_signatures: bool = True,
    api_version: str = "2023-06-01",
) -> tuple[Refusal, ...]:
    """Everything that a vendor would refuse in a body, in its order; nothing where it would be taken.

    `body` is plain JSON, or the bytes of it. `model` is needed for Gemini alone, whose bodies don't name
    one; `path` is the address that it is sent to, where that matters (`/beta` for DeepSeek, `:countTokens` for Gemini).
    Without `trust_signatures` each signature is refused, since none was given here. `api_version` is Anthropic's
    header, the newest where none is said: that is what its SDK sends, from version 2 on.

    >>> [(refusal.rule, refusal.place) for refusal in refusals_of({"model": "gpt-4o", "messages": []}, "openai")]
    [('shape.length', 'messages')]
    """
    sent = NOTHING_SENT if trust_signatures else SentSignatures({}, trust_others=False)
    return found_refusals(body, vendor, model=model, path=path, sent=sent, version=api_version)


def found_refusals(
    body: Any, vendor: Vendor, *, model: str | None, path: str, sent: SentSignatures, version: str
) -> tuple[Refusal, ...]:
    """The refusals of a body, by one who remembers the signatures that were given."""
    report = Report(vendor, TABLES[vendor])
    if isinstance(body, (bytes, bytearray)):
        if len(body) > LARGEST_BYTES[vendor]:
            report.refuse("size", (), f"{len(body)} bytes, at most {LARGEST_BYTES[vendor]} go", status=413)
        body = parsed(bytes(body))
    if not isinstance(body, dict):
        report.refuse("shape.json", (), "the body is no JSON object")
        return tuple(report.refusals)
    if vendor == "anthropic":
        counting = path.partition("?")[0].endswith("/count_tokens")
        check_anthropic(body, report, version=version, counting=counting, sent=sent)
    elif vendor == "gemini":
        named = MODEL_IN_PATH.search(path)
        name = model or (named[1] if named else "")
        check_gemini(body, report, model=name, counting=":countTokens" in path, sent=sent)
    elif vendor == "openai-responses":
        check_responses(body, report, sent=sent)
    elif vendor == "deepseek":
        check_deepseek(body, report, beta="/beta" in path)
    elif vendor == "openai-compatible":
        check_compatible(body, report)
    else:
        check_openai(body, report)
    return tuple(report.refusals)


def parsed(content: bytes) -> Any:
    """The JSON of some bytes; nothing where they are none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
