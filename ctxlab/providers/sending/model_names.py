"""Names of models that nobody is known to serve, found before a request goes out under one."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from ctxlab.display.short_texts import short
from ctxlab.documents import ModelProfile
from ctxlab.engines.tokens.model_encodings import OFTEN_MEANT, read_model_name
from ctxlab.errors import WrongArgument
from ctxlab.providers.payload import Payload

NAMES: Final = (
    *OFTEN_MEANT,
    *("claude-opus-4-8", "claude-opus-4-6", "claude-opus-4-5", "claude-opus-4-1", "claude-opus-4", "claude-opus-5"),
    *("claude-sonnet-5", "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4", "claude-3-7-sonnet-latest"),
    *("claude-haiku-5", "claude-haiku-4-5", "claude-3-5-haiku-latest", "claude-3-haiku-20240307"),
    *("gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"),
    *("gemini-2.0-flash", "deepseek-chat", "deepseek-reasoner", "deepseek-v3"),
)
"""Names of models to which one that is not known may be near."""
OTHER_WORDS: Final = ("instant", "thinking", "instruct", "codex", "nano", "audio", "image", "search", "realtime")
"""Words that stand in names of models too."""
NEAR: Final = 0.6
ALMOST: Final = 0.8
"""Similarity from which a word is another one with a letter too many, too few or a wrong one."""


def check_model_name(request: Payload) -> None:
    """Raise WrongArgument for a request whose vendor goes by the model's name, where no vendor is known by it.

    So is a name of a vendor's with a word that is nearly one of its models' words, unless a profile says more of the
    model than its name. Where a provider, an address or a client is given, names are free and nobody asks here.
    """
    name = request.model.name
    free = "provider= says who serves a model, base_url= at which address"
    if request.provider.name == "openai-compatible":
        raise WrongArgument(f"no vendor is known to serve the model {short(name)!r}{_near(name)}; {free}")
    if request.model.known or _is_described(request.asked_model) or _is_described(request.trace.start.input.model):
        return
    if meant := _without_misspelling(name):
        raise WrongArgument(
            f"{request.provider.title} has no model {short(name)!r} that is known{_near(meant)}; {free}"
        )


def _is_described(model: str | ModelProfile | None) -> bool:
    return isinstance(model, ModelProfile) and bool(model.model_fields_set - {"id", "name"})


def _near(name: str) -> str:
    bare = read_model_name(name).bare[:60]
    near = get_close_matches(bare, NAMES, n=3, cutoff=NEAR)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def _without_misspelling(name: str) -> str | None:
    """The name with each word that is nearly a known one replaced by it; None where there is none."""
    known = [*dict.fromkeys(word for each in NAMES for word in _words(each)), *OTHER_WORDS]
    bare = read_model_name(name).bare[:60]
    meant = bare
    for word in _words(bare):
        near = get_close_matches(word, known, n=1, cutoff=ALMOST)
        if near and near[0] != word:
            meant = meant.replace(word, near[0])
    return meant if meant != bare else None


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]{4,}", name)
