"""The model that is asked beside a conversation: that of the settings, else the one of the chat."""

from __future__ import annotations

from typing import Any

from ctxlab.chat.aside.settings import ModelName, model_named
from ctxlab.errors import CtxlabError
from ctxlab.providers.models import name_of, vendor_of
from ctxlab.providers.registry import built_in
from ctxlab_widgets.chat_panel.setup import ChatSetup

OF_SENDING = ("time_limits", "retries", "rate_limit")
OF_ONE_VENDOR = ("provider", "key", "base_url", "client")


class NoModel(CtxlabError):
    """There is nobody to ask but the echo."""


def options_beside(setup: ChatSetup, identifier: str, own_model: Any = None) -> dict[str, Any]:
    """The options with which a model is asked: its own, else that of settings, else the one that answers in the chat.

    Key, address and client of the chat go with its own vendor alone. Raises NoModel where there is only the echo.
    """
    sending = {name: setup.options[name] for name in OF_SENDING if setup.options.get(name) is not None}
    own = {name: setup.options[name] for name in OF_ONE_VENDOR if setup.options.get(name) is not None}
    if callable(own_model):
        return {"model": own_model}
    if own_model is not None:
        its = ModelName("", name_of(own_model))
        return {"model": own_model, **sending, **(own if _is_of_the_chats_vendor(its, setup) else {})}
    named = model_named(identifier)
    if named is not None:
        return {**sending, **(own if _is_of_the_chats_vendor(named, setup) else {})}
    if setup.model is None:
        raise NoModel("there is no model to ask, only the echo, which says back what it gets: choose a model first")
    if callable(setup.model):
        return {"model": setup.model}
    asked = setup.named_model
    profile = next((each for each in setup.library.models if each.id == asked), asked)
    return {"model": profile, **own, **sending}


def _is_of_the_chats_vendor(named: ModelName, setup: ChatSetup) -> bool:
    if setup.asks_nobody:
        return False
    provider = setup.provider
    own = provider if isinstance(provider, str) else getattr(provider, "name", None)
    mine = own or vendor_of(name_of(setup.named_model))
    theirs = named.profile if named.profile in built_in() else vendor_of(named.model)
    return theirs is None or theirs == mine
