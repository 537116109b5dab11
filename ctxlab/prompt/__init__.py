"""The prompt that is sent as one value: messages, their parts with source and tokens, and what stands beside them."""

from ctxlab.prompt.prompt import Prompt, PromptMessage, PromptPart, SourceWords
from ctxlab.prompt.token_counter import TokenCounter

__all__ = ["Prompt", "PromptMessage", "PromptPart", "SourceWords", "TokenCounter"]
