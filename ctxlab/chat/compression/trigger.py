"""Whether it is time to compress: by tokens of the whole prompt, by messages, or either."""

from __future__ import annotations

from typing import Literal

from ctxlab.chat.compression.settings import CompressionSettings
from ctxlab.chat.compression.uncut_prompt import uncut_tokens
from ctxlab.chat.compression.visible_path import VisiblePath
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace

Moment = Literal["before request", "after request", "manual"]


@dataclass(frozen=True, slots=True)
class PromptSize:
    """Tokens of a whole prompt, tools and system included, before any budget cuts it, and messages of its history."""

    tokens: int
    messages: int

    @classmethod
    def of_run(cls, trace: Trace, path: VisiblePath) -> PromptSize:
        """The size of a run's prompt with what a budget cut out of it: the history is as long as if it had all fit."""
        return cls.of(uncut_tokens(trace), path)

    @classmethod
    def of(cls, tokens: int, path: VisiblePath) -> PromptSize:
        """The size of a build; of its history those messages count that aren't hidden, summaries included."""
        return cls(tokens, len(path.nodes))

    @classmethod
    def remembered(cls, path: VisiblePath) -> PromptSize:
        """The size as files remember it, without a build: the nodes' `tokenCount`, and all nodes, the root included."""
        counts = [node.meta("tokenCount") for node in path.nodes]
        roots = sum(node.is_empty_root for node in path.whole)
        return cls(sum(count for count in counts if type(count) is int), len(path.nodes) + roots)


@dataclass(frozen=True, slots=True)
class TriggerDecision:
    """Whether to compress, whether any gain will do (`hard`), and why, in one sentence."""

    fires: bool
    reason: str
    hard: bool = False

    def __bool__(self) -> bool:
        return self.fires


def should_compress(size: PromptSize, settings: CompressionSettings) -> TriggerDecision:
    """Whether a prompt of this size is over the thresholds; that compression is enabled isn't asked here.

    >>> bool(should_compress(PromptSize(tokens=80_000, messages=20), CompressionSettings()))
    False
    """
    hard = settings.hard_token_threshold
    if hard is not None and size.tokens > hard:
        reason = f"{counted(size.tokens, 'token')} are more than the hard threshold of {hard:,}"
        return TriggerDecision(True, reason, hard=True)
    if size.messages < settings.min_history_count:
        messages = counted(size.messages, "message")
        text = f"fewer messages than min_history_count: {messages}, not {settings.min_history_count:,}"
        return TriggerDecision(False, text)
    tokens = f"{counted(size.tokens, 'token')}, threshold {settings.token_threshold:,}"
    count = f"{counted(size.messages, 'message')}, threshold {settings.count_threshold:,}"
    by_tokens = settings.trigger_mode != "count" and size.tokens > settings.token_threshold
    by_count = settings.trigger_mode != "token" and size.messages > settings.count_threshold
    if by_tokens or by_count:
        passed = [text for text, over in ((tokens, by_tokens), (count, by_count)) if over]
        return TriggerDecision(True, "over the threshold: " + " and ".join(passed))
    asked = {"token": (tokens,), "count": (count,), "both": (tokens, count)}[settings.trigger_mode]
    return TriggerDecision(False, "not over the threshold: " + " and ".join(asked))


def wants_compression(size: PromptSize, settings: CompressionSettings) -> TriggerDecision:
    """Whether to compress without being asked: nothing is while compression or its trigger is switched off."""
    if not settings.enabled:
        return TriggerDecision(False, "compression is switched off (contextCompression.enabled)")
    if not settings.auto_trigger:
        return TriggerDecision(False, "the automatic trigger is switched off (contextCompression.autoTrigger)")
    return should_compress(size, settings)
