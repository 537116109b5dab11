"""Replies put together from the events of their streams, a file for each wire format."""

from __future__ import annotations

from ctxlab.documents.session.replay_artifacts import WireName
from ctxlab.providers.sending.deltas import Data, Delta, ReplyAssembler


def assembler_of(wire: WireName) -> ReplyAssembler:
    """A new assembler for the streams of a wire format."""
    if wire == "anthropic":
        from ctxlab.providers.sending.assemblers.anthropic import AnthropicAssembler

        return AnthropicAssembler()
    if wire == "gemini":
        from ctxlab.providers.sending.assemblers.gemini import GeminiAssembler

        return GeminiAssembler()
    if wire == "openai-responses":
        from ctxlab.providers.sending.assemblers.openai_responses import ResponsesAssembler

        return ResponsesAssembler()
    from ctxlab.providers.sending.assemblers.openai_chat import ChatAssembler

    return ChatAssembler()


def deltas_of(reply: Data, wire: WireName) -> tuple[Delta, ...]:
    """The readable parts of a reply in one piece: its thoughts, words and calls."""
    if wire == "anthropic":
        from ctxlab.providers.sending.assemblers import anthropic as form
    elif wire == "gemini":
        from ctxlab.providers.sending.assemblers import gemini as form
    elif wire == "openai-responses":
        from ctxlab.providers.sending.assemblers import openai_responses as form
    else:
        from ctxlab.providers.sending.assemblers import openai_chat as form
    return tuple(form.deltas_of(reply))
