"""A server with a model of one's own: its program, its context, and the facts of what it does over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal, NamedTuple, get_args

from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

Program = Literal["llama.cpp", "ollama", "koboldcpp", "vllm"]
PAD: Final = 256
"""llama.cpp makes a context a multiple of it."""


class ServerFacts(NamedTuple):
    """Facts of a program as of a version: what it does with a prompt over its context.

    `setting` is its own name of the context, `options` are those of `local_server` that it has; it was read or measured
    at `source`.
    """

    program: Program
    title: str
    version: str
    date: str
    over_context: str
    setting: str
    options: tuple[str, ...]
    source: str


_CACHE: Final = ("sliding_window", "whole_window", "cache_reuse", "memory_cache")
SERVERS: Final[Mapping[Program, ServerFacts]] = {
    each.program: each
    for each in (
        ServerFacts(
            "llama.cpp",
            "llama.cpp",
            "b10775 (xllamacpp 2026.10.11549)",
            "2026-11-30",
            "refuses a prompt that leaves no token for the reply, with context shift too",
            "--ctx-size",
            ("context", "answer", "slots", "shared_context", *_CACHE),
            "measured on a real server",
        ),
        ServerFacts(
            "ollama",
            "Ollama",
            "0.33.0-rc2",
            "2026-08-21",
            "drops the oldest messages but system ones until the rest fits; of a rest that is still too long it keeps "
            "the first num_keep tokens and about half of the context from the end, without a word",
            "num_ctx",
            ("context", "answer", "keep", "truncate", "shift", "own_template", *_CACHE),
            "https://github.com/ollama/ollama/blob/v0.33.0-rc2/llm/llama_server.go and server/prompt.go",
        ),
        ServerFacts(
            "koboldcpp",
            "KoboldCpp",
            "1.76",
            "2024-10-11",
            "drops tokens from the front until prompt and reply fit; the first that is left becomes the token of the "
            "beginning",
            "--contextsize",
            ("context", "answer"),
            "https://github.com/LostRuins/koboldcpp/blob/v1.76/gpttype_adapter.cpp",
        ),
        ServerFacts(
            "vllm",
            "vLLM",
            "0.15",
            "2026-02",
            "refuses a prompt that with its reply is over the context; with truncate_prompt_tokens it reads the last "
            "of them",
            "--max-model-len",
            ("context", "answer", "truncate"),
            "https://github.com/vllm-project/vllm/blob/main/vllm/renderers/params.py",
        ),
    )
}
"""The programs, with what each does, its version and its source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A server with a model. `context` are the tokens that it was started with, None for the model's own.

    `answer` are the tokens asked for the reply. `slots` share the context, unless `shared_context`. `keep` is Ollama's
    num_keep, `shift` and `truncate` its request options, `own_template` whether it writes the prompt by a template of
    its library; for vLLM `truncate` is truncate_prompt_tokens. `sliding_window` are the tokens that the model's layers
    see, None of one that sees all, `whole_window` is --swa-full, `cache_reuse` --cache-reuse, `memory_cache` whether
    prompts that were read before are kept in memory.
    """

    program: Program
    context: int | None = None
    answer: int | None = None
    slots: int = 1
    shared_context: bool = False
    keep: int = 4
    shift: bool = True
    truncate: bool | int = True
    own_template: bool = True
    sliding_window: int | None = None
    whole_window: bool = False
    cache_reuse: int = 0
    memory_cache: bool = True

    def __repr__(self) -> str:
        facts = SERVERS[self.program]
        given = ((each.name, getattr(self, each.name), each.default) for each in fields(self)[1:])
        changed = (
            f", {name}={value!r}" for name, value, default in given if value != default and name in facts.options
        )
        return f"LocalServer({self.program!r}{''.join(changed)})"

    @property
    def facts(self) -> ServerFacts:
        """The row of its program: its ways over the context, with version and source."""
        return SERVERS[self.program]

    def window(self, own: int | None) -> int:
        """Tokens of one slot, of a model whose own context has `own`. Raises WrongArgument where nobody says it."""
        if self.context is None and own is None:
            raise WrongArgument(f"nothing says how long the context of {self.facts.title} is: {_told(self.program)}")
        if self.context is None:
            return own or 0
        if self.program != "llama.cpp":
            return self.context if own is None else min(self.context, own)
        share = self.context if self.shared_context else _padded(_padded(self.context) // self.slots)
        return _padded(share) if own is None else min(_padded(share), own)


def _padded(tokens: int) -> int:
    return max(PAD, -(-tokens // PAD) * PAD)


def _told(program: Program) -> str:
    if program == "ollama":
        return "it takes 4,096, 32,768 or 262,144 tokens by the memory of the card, unless told: give context="
    return "give context="


@checked_arguments
def local_server(
    program: Program, *, context: int | None = None, answer: int | None = None, **options: Any
) -> LocalServer:
    """A server that a model runs on, for `ctxlab.rendered(..., server=)` and `ctxlab.prefix(..., server=)`.

    `context` are its tokens as it was started (n_ctx, num_ctx, contextsize, max_model_len), by default the model's own;
    `answer` those asked for the reply. The other options are those of its row in `LocalServer.facts.options`.

    Raises WrongArgument for an option that the program doesn't have, and for numbers below 1.
    """
    facts = SERVERS[program]
    given: dict[str, Any] = {"context": context, "answer": answer, **options}
    for name, value in given.items():
        if value is None:
            continue
        if name not in facts.options:
            raise WrongArgument(
                f"{facts.title} has no {name}; it has {', '.join(facts.options)}", function="local_server"
            )
        _check(program, name, value)
    return LocalServer(program=program, **{name: value for name, value in given.items() if value is not None})


_NUMBERS: Final = {"context": 1, "answer": 1, "slots": 1, "keep": -1, "sliding_window": 1, "cache_reuse": 0}


def _check(program: Program, name: str, value: object) -> None:
    least = _NUMBERS.get(name)
    if name == "truncate" and program == "vllm":
        least = -1
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if least is None and isinstance(value, bool):
        return
    if least is not None and is_number and value >= least:  # type: ignore[operator]
        return
    wanted = "True or False" if least is None else f"a whole number of {least} or more"
    raise WrongArgument(f"{name} should be {wanted}, not {value!r}", function="local_server")


PROGRAMS: Final = get_args(Program)
