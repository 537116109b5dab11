"""The beginning that two prompts have in common, in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from ctxlab.context import Draft, Text
from ctxlab.context.equal_stretch import equal_after
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import TokenCounter

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace

_LETTER = r"[^\W\u2e80-\uffff]"
_LAST_WORD = lazy_pattern(rf"{_LETTER}+\Z")
_GOES_ON = lazy_pattern(_LETTER)


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
            return total + (counter.count(_common_words(_first_words(a), _first_words(b))) if _begin_alike(a, b) else 0)
        total += counter.count_draft(b)
    return total


def _begin_alike(a: Draft, b: Draft) -> bool:
    """Whether what stands in front of the words of a message is the same: role, name, thoughts, what it answers."""
    return (a.role, a.speaker, a.reasoning, a.result_of) == (b.role, b.speaker, b.reasoning, b.result_of)


def _first_words(draft: Draft) -> str:
    """The words of a message up to its first file."""
    return "".join(str(part) for part in takewhile(lambda part: isinstance(part, Text), draft.body))


def _common_words(a: str, b: str) -> str:
    """The words with which both texts begin; one that goes on differently is no common one."""
    end = equal_after(a, b)
    head = a[:end]
    return _LAST_WORD.sub("", head) if any(_GOES_ON.match(each, end) for each in (a, b)) else head


def common_prefix_tokens(old: Trace, new: Trace) -> int:
    """Tokens of a prompt that begin as in the one before: whole messages, then the beginning of the next.

    Tool definitions stand in front of the messages: where they differ nothing is the same.
    """
    if tools_of(old) != tools_of(new):
        return 0
    tokens = prefix_tokens(old.result.drafts, new.result.drafts, new.services.tokenizer)
    return min(new.tokens, new.request_tokens + tokens)


def tools_of(trace: Trace) -> object:
    """The tools that a run sends, to be compared."""
    agent = trace.start.input.agent
    return agent.sent_tools if agent else ()
