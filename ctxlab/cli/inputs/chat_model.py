"""The model that answers in a terminal: a vendor's, or an echo where nobody named one that can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ctxlab.chat.echo import ECHO, echo
from ctxlab.errors import CtxlabError, MissingKey, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace

NO_MODEL = "no model is named: --model or /model names one"


@dataclass(frozen=True, slots=True)
class Answerer:
    """A model: `title` for people, `options` for a turn, and `why` it is an echo where nobody asked for one."""

    title: str
    options: Mapping[str, Any] = field(repr=False)
    model: str | None = None
    why: str = ""

    @property
    def is_echo(self) -> bool:
        """Whether no model is asked."""
        return self.options.get("model") is echo


def answerer_of(
    trace: Trace, model: str | None, *, provider: str | None = None, base_url: str | None = None
) -> Answerer:
    """The model that is named, else the agent's, else an echo; raises CtxlabError for a named one that can't be asked.

    Where the agent's own can't be asked, for it has no key or nobody is known to serve it, it is an echo that says so.
    """
    from ctxlab.providers import payload
    from ctxlab.providers.sending.clients import check_client
    from ctxlab.providers.sending.keys import key_for
    from ctxlab.providers.sending.model_names import check_model_name

    if model == ECHO:
        if provider is not None or base_url is not None:
            raise CtxlabError("the model echo asks nobody: it takes no --provider and no --base-url")
        return _echo()
    unnamed = model is None and trace.start.input.model is None
    if unnamed and provider is None and base_url is None:
        return _echo(NO_MODEL)
    request = payload(trace, provider, model=model, base_url=base_url)
    if request.model.name == ECHO and provider is None and base_url is None:
        return _echo()
    check_client(request, None)
    is_asked_for = not (model is None and provider is None and base_url is None)
    try:
        if provider is None and base_url is None:
            check_model_name(request)
        key_for(request.provider)
    except (MissingKey, WrongArgument) as error:
        if is_asked_for:
            raise
        return _echo(str(error))
    options = {"model": model, "provider": provider, "base_url": base_url}
    given = {name: value for name, value in options.items() if value is not None}
    name = request.model.name or "the model that it serves"
    return Answerer(f"{name} of {request.provider.title}", given, model)


def _echo(why: str = "") -> Answerer:
    return Answerer("an echo, no model is asked", {"model": echo}, why=why)
