"""The providers by name: those that come with ctxlab, and those of other packages."""

from __future__ import annotations

from functools import cache

from ctxlab.display.short_texts import short
from ctxlab.documents import ModelProfile
from ctxlab.errors import CtxlabError, WrongArgument, did_you_mean
from ctxlab.plugins import announced
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.provider import Provider
from ctxlab.wires import LOCAL_SERVERS, OF_WIRE

GROUP = "ctxlab.providers"
"""Entry points of other packages' providers."""


@cache
def built_in() -> dict[str, Provider]:
    """The providers that come with ctxlab, by name, in the order in which they are offered."""
    from ctxlab.providers.anthropic import ANTHROPIC
    from ctxlab.providers.gemini import GEMINI
    from ctxlab.providers.openai_chat import COMPATIBLE, DEEPSEEK, OPENAI
    from ctxlab.providers.openai_responses import RESPONSES

    return {each.name: each for each in (OPENAI, RESPONSES, ANTHROPIC, GEMINI, DEEPSEEK, COMPATIBLE)}


def provider_named(name: str) -> Provider:
    """The provider of this name, the compatible one for a local server; raises WrongArgument with the nearest one."""
    if name in LOCAL_SERVERS:
        return built_in()["openai-compatible"]
    found = built_in().get(name) or _brought(name)
    if found is None:
        known = [*built_in(), *LOCAL_SERVERS, *(plugin.name for plugin in announced(GROUP, []))]
        raise WrongArgument(f"there is no provider {short(name)!r}{did_you_mean(name, known)}")
    return found


def provider_for(wanted: str | Provider | None, model: ModelInfo) -> Provider:
    """The provider that is wanted, else the one of the model: by its profile's wire or its name, OpenAI's for none."""
    if isinstance(wanted, Provider):
        return wanted
    if wanted is not None:
        return provider_named(wanted)
    wire = model.wire or model.family.wire
    if wire in OF_WIRE:
        return built_in()[OF_WIRE[wire]]
    if model.wire in built_in():  # a name that says nothing has OpenAI's form too, so that only what is said counts
        return built_in()[model.wire]
    if model.vendor == "deepseek":
        return built_in()["deepseek"]
    return built_in()["openai" if model.vendor == "openai" or not model.name else "openai-compatible"]


def provider_of_model(model: str | ModelProfile | None) -> Provider:
    """The provider of a model; OpenAI's chat for no model."""
    from ctxlab.providers.models import model_info

    return provider_for(None, model_info(model))


def _brought(name: str) -> Provider | None:
    problems: list[str] = []
    plugin = next(announced(GROUP, problems, name=name), None)
    if problems:
        raise CtxlabError(problems[0])
    if plugin is None:
        return None
    if not isinstance(plugin.value, Provider):
        raise CtxlabError(plugin.left_out(f"it is no Provider but {type(plugin.value).__name__}"))
    return plugin.value
