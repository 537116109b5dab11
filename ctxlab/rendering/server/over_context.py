"""The fate of a prompt of so many tokens on each server: it is read whole, refused, or read in part."""

from __future__ import annotations

from typing import Literal

from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.rendering.server.local_server import LocalServer

Outcome = Literal["whole", "cut", "refused"]
KOBOLD_ANSWER = 400
"""Tokens of a reply that KoboldCpp reserves for a chat that asks for none."""
KOBOLD_LEAST = 16
"""Tokens that it leaves a prompt where the reply asks for all."""


@dataclass(frozen=True, slots=True)
class Fate:
    """The fate of a prompt: `kept` are the ranges of its tokens that are read, in order.

    `room` are the tokens left for the reply; `sentence` says it in words.
    """

    outcome: Outcome
    kept: tuple[tuple[int, int], ...]
    window: int
    room: int
    sentence: str

    @property
    def tokens(self) -> int:
        """Tokens that are read."""
        return sum(end - start for start, end in self.kept)


def fate_of(server: LocalServer, tokens: int, *, own: int | None = None, adds_begin: bool = False) -> Fate:
    """The fate of a prompt of `tokens` on a server, by its row of facts.

    `own` is the context of the model, None where it isn't known; `adds_begin` is whether its vocabulary puts a token
    at the beginning. Raises WrongArgument where nothing says how long the context is.
    """
    window = server.window(own)
    if server.program == "ollama":
        return _ollama(server, tokens, window, adds_begin=adds_begin)
    if server.program == "koboldcpp":
        return _koboldcpp(server, tokens, window, adds_begin=adds_begin)
    if server.program == "vllm":
        return _vllm(server, tokens, window)
    return _llama_cpp(server, tokens, window)


def _whole(server: LocalServer, tokens: int, window: int) -> Fate:
    room = window - tokens
    sentence = f"The prompt is read whole: {tokens:,} of {counted(window, 'token')}; {room:,} are left for the reply."
    if server.answer is not None and server.answer > room:
        sentence += f" It asks for {server.answer:,}, so that the reply may end before."
    return Fate("whole", ((0, tokens),), window, room, sentence)


def _refused(window: int, why: str) -> Fate:
    return Fate("refused", (), window, 0, why)


def _llama_cpp(server: LocalServer, tokens: int, window: int) -> Fate:
    if tokens < window:
        return _whole(server, tokens, window)
    takes = f"a context of {window:,} takes {window - 1:,}"
    return _refused(window, f"llama.cpp refuses the prompt: it has {counted(tokens, 'token')}, and {takes}.")


def _ollama(server: LocalServer, tokens: int, window: int, *, adds_begin: bool) -> Fate:
    if tokens < window:
        return _whole(server, tokens, window)
    if not server.own_template or not server.truncate:
        return _refused(
            window,
            f"The llama.cpp in Ollama refuses the prompt: it has {counted(tokens, 'token')}, and a num_ctx of "
            f"{window:,} takes {window - 1:,}.",
        )
    if not server.shift:
        return _refused(
            window,
            f"Ollama refuses the prompt: it has {counted(tokens, 'token')}, a num_ctx of {window:,} takes "
            f"{window - 1:,}, and shift is off.",
        )
    keep = tokens if server.keep < 0 else server.keep
    keep = min(keep + adds_begin, window - 1)
    limit = window - max((window - keep) // 2, 1)
    gone = tokens - limit
    return Fate(
        "cut",
        ((0, keep), (keep + gone, tokens)),
        window,
        window - limit,
        f"Ollama reads {limit:,} of {counted(tokens, 'token')} without a word: the first {keep:,} and the last "
        f"{limit - keep:,}, so that half of a num_ctx of {window:,} is free for the reply.",
    )


def _koboldcpp(server: LocalServer, tokens: int, window: int, *, adds_begin: bool) -> Fate:
    answer = min(server.answer or KOBOLD_ANSWER, window - min(window - 4, KOBOLD_LEAST))
    if tokens + answer <= window:
        return _whole(server, tokens, window)
    kept = window - answer
    return Fate(
        "cut",
        ((0, 1), (tokens - kept + 1, tokens)) if adds_begin else ((tokens - kept, tokens),),
        window,
        answer,
        f"KoboldCpp reads the last {kept:,} of {counted(tokens, 'token')} without a word: a context of {window:,} less "
        f"{answer:,} for the reply.",
    )


def _vllm(server: LocalServer, tokens: int, window: int) -> Fate:
    answer = server.answer or 0
    if server.truncate is not True and server.truncate is not False:
        most = window - answer if server.truncate < 0 else server.truncate
        if most > window - answer:
            left = counted(window - answer, "token")
            why = f"vLLM refuses truncate_prompt_tokens={most:,}: {left} are left for the prompt."
            return _refused(window, why)
        if most < tokens and window - most >= max(answer, 1):
            said = f"vLLM reads the last {most:,} of {counted(tokens, 'token')}, as truncate_prompt_tokens asks."
            return Fate("cut", ((tokens - most, tokens),), window, window - most, said)
    if tokens + max(answer, 1) <= window:
        return _whole(server, tokens, window)
    with_reply = f" with {answer:,} for the reply" if answer else ""
    has = f"it has {counted(tokens, 'token')}{with_reply}"
    why = f"vLLM refuses the prompt: {has}, and the model's context has {window:,}."
    return _refused(window, why)
