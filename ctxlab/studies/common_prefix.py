"""The longest beginning that the prompts of two runs have in common, in tokens."""

from __future__ import annotations

from ctxlab.pipeline import Trace
from ctxlab.pipeline.common_prefix import prefix_tokens


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
