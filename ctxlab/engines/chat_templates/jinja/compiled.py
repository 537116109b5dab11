"""Templates that are compiled once for all renderings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from ctxlab.engines.chat_templates.jinja.environments import PlainEnvironment, TracedEnvironment
from ctxlab.engines.chat_templates.jinja.llama_cpp.environments import PlainLlamaCpp, TracedLlamaCpp
from ctxlab.engines.chat_templates.rendered_text import Engine

E = TypeVar("E", bound=PlainEnvironment)


class Written(NamedTuple):
    """A text, and what a template wrote that is not in it: each with the line of the tag that lost it."""

    text: str
    lost: tuple[tuple[str, int], ...] = ()


class CompiledTemplate(Generic[E]):
    """A template over an environment, which counts the steps of one rendering at a time."""

    def __init__(self, source: str, environment: E) -> None:
        self.environment = environment
        self._lock = Lock()
        self._template = environment.from_string(source)

    def render(self, given: Mapping[str, Any], now: datetime | None) -> Written:
        """The text; raises whatever the template raises."""
        with self._lock:
            self.environment.reset(now)
            return Written(self._template.render(**given), tuple(self.environment.lost))


@lru_cache(maxsize=64)
def plain_template(source: str, engine: Engine) -> CompiledTemplate[PlainEnvironment]:
    """A template as an engine compiles it."""
    return CompiledTemplate(source, PlainEnvironment() if engine == "transformers" else PlainLlamaCpp())


@lru_cache(maxsize=64)
def traced_template(source: str, engine: Engine) -> CompiledTemplate[TracedEnvironment]:
    """A template over traced strings."""
    return CompiledTemplate(source, TracedEnvironment() if engine == "transformers" else TracedLlamaCpp())
