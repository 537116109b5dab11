"""The longest beginning that two prompts have in common, in tokens."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.context import Draft
from ctxlab.pipeline import Trace
from ctxlab.pipeline.services import TokenCounter


def common_prefix_tokens(old: Trace, new: Trace) -> int:
    """Tokens of a prompt that begin as in the one before: whole messages, then the beginning of the next.

    Tool definitions stand in front of the messages: where they differ nothing is the same.
    """
    if _tools(old) != _tools(new):
        return 0
    tokens = prefix_tokens(old.result.drafts, new.result.drafts, new.services.tokenizer)
    return min(new.tokens, new.request_tokens + tokens)


def _tools(trace: Trace) -> object:
    agent = trace.start.input.agent
    return agent.sent_tools if agent else ()


def is_sent_alike(a: Draft, b: Draft) -> bool:
    """Whether a model gets the same of both."""
    return a is b or (
        str(a.text) == str(b.text)
        and (a.role, a.speaker, a.reasoning, a.result_of, a.calls)
        == (b.role, b.speaker, b.reasoning, b.result_of, b.calls)
        and [file.as_data() for file in a.assets] == [file.as_data() for file in b.assets]
    )


def prefix_tokens(earlier: Sequence[Draft], later: Sequence[Draft], counter: TokenCounter) -> int:
    """Tokens with which an earlier prompt began too: those of equal messages, and of the words shared by the next."""
    total = 0
    for a, b in zip(earlier, later, strict=False):
        if not is_sent_alike(a, b):
            return total + (counter.count(_common_head(str(a.text), str(b.text))) if a.role == b.role else 0)
        total += counter.count_draft(b)
    return total


def _common_head(a: str, b: str) -> str:
    """The characters with which both texts begin, found by halving."""
    same, end = 0, min(len(a), len(b))
    while same < end:
        middle = (same + end + 1) // 2
        if a[same:middle] == b[same:middle]:
            same = middle
        else:
            end = middle - 1
    return a[:same]
