"""Times between requests, and how long vendors keep a prefix."""

from __future__ import annotations

from typing import Final

from ctxlab.documents.moments import moment_of
from ctxlab.formats.requests.blocks import fields_of
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.cache_rules import OF_ANTHROPIC, OF_DEEPSEEK, OF_OPENAI, UNKNOWN_RULES, CacheRules
from ctxlab.providers.models import model_info
from ctxlab.recordings.cache_marks import all_marks
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.request_price import vendor_in

RULES: Final = {"openai": OF_OPENAI, "anthropic": OF_ANTHROPIC, "deepseek": OF_DEEPSEEK}
HOUR: Final = 3_600
DAY: Final = 86_400
_KEPT_A_DAY = lazy_pattern(r"gpt-(?:5\.[5-9]|[6-9])")
"""Models of OpenAI that keep prefixes for a day at the longest, whatever is asked."""
USUAL_LEAST: Final = {"openai": 1_024}
"""The shortest prefix of models that the table doesn't have, for vendors that name one for all."""


def rules_of(request: RecordedRequest) -> CacheRules:
    """The rules of the vendor's cache."""
    return RULES.get(vendor_in(request), UNKNOWN_RULES)


def least_tokens(request: RecordedRequest) -> int | None:
    """The shortest prefix that the model's vendor keeps; None where it isn't known."""
    found = model_info(request.model).min_cache_tokens if request.model else None
    return found or USUAL_LEAST.get(vendor_in(request))


def asked_lifetime(request: RecordedRequest) -> int | None:
    """The seconds for which a request asked its prefix to be kept, from its marks, its reply or a parameter."""
    marks = all_marks(request)
    if any(fields_of(value).get("ttl") == "1h" for value in marks):
        return HOUR
    created = fields_of(fields_of(fields_of(request.reply).get("usage")).get("cache_creation"))
    if created.get("ephemeral_1h_input_tokens"):
        return HOUR
    if marks or created.get("ephemeral_5m_input_tokens"):
        return OF_ANTHROPIC.lifetime_seconds
    retention = next((value for name, value in request.head.fields if name == "prompt_cache_retention"), None)
    return DAY if retention == "24h" or _KEPT_A_DAY.match(request.model.rpartition("/")[2]) else None


def seconds_between(before: RecordedRequest, now: RecordedRequest) -> float | None:
    """The seconds from one request to the next; None where a time isn't known, or they go backwards."""
    old, new = moment_of(before.time), moment_of(now.time)
    if old is None or new is None:
        return None
    seconds = (new - old).total_seconds()
    return seconds if seconds >= 0 else None
