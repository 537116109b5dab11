"""A prompt as one value: messages, their parts with source and tokens, and what stands beside them."""

from ctxlab.prompt.built_message import BuiltMessage, JoinedMessage, RunFacts
from ctxlab.prompt.part import SOURCES, PromptPart, Source
from ctxlab.prompt.prompt import Prompt, PromptMessage
from ctxlab.prompt.token_counter import TokenCounter

__all__ = [
    "SOURCES",
    "BuiltMessage",
    "JoinedMessage",
    "Prompt",
    "PromptMessage",
    "PromptPart",
    "RunFacts",
    "Source",
    "TokenCounter",
]
