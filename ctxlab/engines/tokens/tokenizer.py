"""Token counts of texts, messages and tool definitions for a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ctxlab.context import Draft, Text
from ctxlab.context.portable_pickles import portable, unwrapped
from ctxlab.context.tool_pairs import NO_ID, NO_NAME
from ctxlab.documents.session.replay_artifacts import ARTIFACTS
from ctxlab.engines.tokens.bpe_counter import CountCache, exact_counter
from ctxlab.engines.tokens.estimate import estimate_tokens
from ctxlab.engines.tokens.estimate_by_kind import mean_by_kind, safe_by_kind
from ctxlab.engines.tokens.estimated_range import estimated_range
from ctxlab.engines.tokens.media_rules import DEFAULT_RULES, MediaRules, media_tokens
from ctxlab.engines.tokens.model_encodings import BY_KIND, BY_KIND_SAFE, ENCODINGS, ESTIMATES
from ctxlab.engines.tokens.overhead import Costs, Overhead
from ctxlab.errors import WrongSetting, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt.token_range import TokenRange

SAFE_OF_ESTIMATOR = "estimator-safe"
# Two spans shorter than this are encoded together faster than apart.
_WORTH_JOINING = 800


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tokenizer:
    """Counts texts, messages and tool definitions as one model does.

    Counts are exact for OpenAI's encodings and estimates for all else (`estimated`). Each text is counted once per
    process, and a count never depends on what was counted before. The overheads are by wire format: `message_tokens`
    per message, `name_tokens` per name, `call_tokens` per tool call, `request_tokens` once.

    >>> Tokenizer.of_encoding("o200k_base").count("hello world")
    2
    """

    name: str
    estimated: bool
    message_tokens: int
    name_tokens: int
    call_tokens: int
    request_tokens: int
    media: MediaRules
    counts: CountCache
    joined: Callable[[Sequence[str]], int] | None = None  # None: counts of parts don't add up

    @classmethod
    def counting(
        cls,
        name: str,
        count: Callable[[str], int],
        *,
        estimated: bool = False,
        message_tokens: int = 0,
        name_tokens: int = 0,
        call_tokens: int = 0,
        request_tokens: int = 0,
        media: MediaRules = DEFAULT_RULES,
    ) -> Tokenizer:
        """A tokenizer around any count function. What it counts is remembered by this tokenizer alone.

        >>> Tokenizer.counting("words", lambda text: len(text.split())).count("three little words")
        3
        """
        return cls(
            name,
            estimated,
            message_tokens,
            name_tokens,
            call_tokens,
            request_tokens,
            media=media,
            counts=CountCache(count),
        )

    @classmethod
    def of_encoding(cls, name: str, overhead: Overhead | None = None, media: MediaRules = DEFAULT_RULES) -> Tokenizer:
        """The tokenizer of an encoding or an estimate, with the overhead of a wire format; None adds nothing.

        Estimates are "estimator", "by-kind" and "by-kind-safe".
        Raises WrongSetting for an encoding that doesn't exist.
        """
        if name not in ESTIMATES and name not in ENCODINGS:
            raise WrongSetting(f"there is no tokenizer {name!r}{did_you_mean(name, [*sorted(ENCODINGS), *ESTIMATES])}")
        return _named(name, overhead.costs if overhead else (0, 0, 0, 0), media)

    def __repr__(self) -> str:
        return f"Tokenizer({self.name!r}, {'estimated' if self.estimated else 'exact'})"

    def __reduce__(self) -> tuple[Any, ...]:
        """By name, without ranks and counts; around a function of the caller's own, with that function."""
        costs = (self.message_tokens, self.name_tokens, self.call_tokens, self.request_tokens)
        if self.counts is _counts_of(self.name):
            return _named, (self.name, costs, self.media)
        count, joined = portable(self.counts.count), portable(self.joined)
        return _unpickled, (self.name, self.estimated, costs, self.media, count, joined)

    def count(self, text: str) -> int:
        """Tokens of a string; "" has none, and the name of a special token is plain text."""
        return self.counts(text)

    def count_text(self, text: Text) -> int:
        """Tokens of `str(text)`; spans that were counted before are not encoded again where counts add up."""
        spans = text.spans
        if len(spans) == 1:
            return self.counts(spans[0].text)
        whole = str(text)
        if self.joined is None or len(whole) < _WORTH_JOINING:
            return self.counts(whole)
        tokens = self.counts.known(whole)
        if tokens is None:
            tokens = self.joined([span.text for span in spans])
            self.counts.keep(whole, tokens)
        return tokens

    def count_draft(self, draft: Draft) -> int:
        """Tokens of a message with what its wire format adds."""
        tokens = self.content_tokens(draft) + self.message_tokens
        return tokens + self.name_tokens if draft.speaker else tokens

    def content_tokens(self, draft: Draft) -> int:
        """Tokens of a message's content: text, name, calls, the id it answers, reasoning, attachments.

        Thoughts that a vendor gets back count as reasoning does; a call without an id or a name counts as with the one
        that it is sent with.
        """
        body = draft.body
        if len(body) == 1 and isinstance(text := body[0], Text):
            spans = text.spans
            tokens = self.count_text(text) if len(spans) != 1 else self.counts.recent.get(spans[0].text)
            if tokens is None:
                tokens = self.counts(spans[0].text)
        else:
            tokens = self.count_text(draft.text)
            for asset in draft.assets:
                tokens += media_tokens(asset, self.media).tokens
        if draft.calls or draft.speaker or draft.result_of or draft.reasoning or draft.role == "tool":
            tokens += self._asides(draft)
        for artifact in draft.replayed if draft.meta and ARTIFACTS in draft.meta else ():
            if not (draft.reasoning and artifact.text in draft.reasoning):
                tokens += self.counts(artifact.text)
        return tokens

    def draft_is_estimated(self, draft: Draft) -> bool:
        """Whether any part of the count is a guess: the text's, or that of a file whose size isn't known."""
        if self.estimated or not (assets := draft.assets):
            return self.estimated
        return any(media_tokens(asset, self.media).estimated for asset in assets)

    @property
    def estimates_texts(self) -> bool:
        """Whether it counts texts by one of the estimates that come with ctxlab."""
        return self.name in ESTIMATES and self.counts is _estimates(self.name)

    @property
    def safe(self) -> Tokenizer:
        """This tokenizer by the safe side of its estimate, never below it; itself where it is none."""
        if not self.estimates_texts or self.name == BY_KIND_SAFE:
            return self
        return self.counting_by(_estimates(BY_KIND_SAFE if self.name == BY_KIND else SAFE_OF_ESTIMATOR))

    def counting_by(self, counts: CountCache) -> Tokenizer:
        """This tokenizer with counts of texts from elsewhere."""
        return replace(self, counts=counts, joined=None)

    def token_range(self, drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]] = ()) -> TokenRange | None:
        """The range of a prompt's tokens by open vocabularies; None where it isn't one of ctxlab's estimates."""
        return estimated_range(self.counting_by, drafts, tools) if self.estimates_texts else None

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        """Tokens of tool definitions, as their JSON text: an approximation.

        Vendors write definitions out in forms of their own, which they don't publish. OpenAI's is shorter than the
        JSON; Anthropic's is longer by a few hundred tokens, once per request.
        """
        return sum(self.counts(_json(tool)) for tool in tools)

    def _asides(self, draft: Draft) -> int:
        tokens = sum(map(self.counts, filter(None, (draft.speaker, draft.reasoning))))
        if draft.role == "tool":  # under another role it isn't sent
            tokens += self.counts(draft.result_of if draft.result_of and draft.result_of.strip() else NO_ID)
        for call in draft.calls:
            tokens += (
                self.counts(call.name if call.name.strip() else NO_NAME)
                + self.counts(call.arguments)
                + self.call_tokens
            )
        return tokens


def _named(name: str, costs: Costs, media: MediaRules) -> Tokenizer:
    """A tokenizer that shares its counts with all of this name; the ranks are loaded when it first counts."""
    ranks = exact_counter(ENCODINGS[name]) if name in ENCODINGS else None
    return Tokenizer(
        name,
        ranks is None,
        *costs,
        media=media,
        counts=ranks.counts if ranks else _estimates(name),
        joined=ranks.joined if ranks else None,
    )


def _unpickled(name: str, estimated: bool, costs: Costs, media: MediaRules, count: Any, joined: Any) -> Tokenizer:  # noqa: FBT001
    """A tokenizer around a caller's own count function."""
    return Tokenizer(
        name, estimated, *costs, media=media, counts=CountCache(unwrapped(count)), joined=unwrapped(joined)
    )


@cache
def _estimates(name: str) -> CountCache:
    counts = {BY_KIND: mean_by_kind, BY_KIND_SAFE: safe_by_kind, SAFE_OF_ESTIMATOR: _safe_estimate}
    return CountCache(counts.get(name, estimate_tokens))


def _safe_estimate(text: str) -> int:
    """The safe side of `estimator`, which is far over the truth for some scripts."""
    return max(estimate_tokens(text), safe_by_kind(text))


def _counts_of(name: str) -> CountCache | None:
    """The counts that all tokenizers of this name share."""
    return (
        _estimates(name) if name in ESTIMATES else exact_counter(ENCODINGS[name]).counts if name in ENCODINGS else None
    )


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
