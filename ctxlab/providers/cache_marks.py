"""Cache marks of a request: the prefix that stayed the same since the request before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab.pipeline import Trace
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.model_facts import ModelFacts
from ctxlab.providers.place import JsonPath, path_text
from ctxlab.providers.provider import Prompt, Provider

if TYPE_CHECKING:
    from ctxlab.providers.payload import Payload


@dataclass(frozen=True, slots=True)
class CacheMark:
    """A place up to which the request is cached; `tokens` are those before it. `reason` says why it is here."""

    path: JsonPath
    key: str
    tokens: int
    effective: bool
    reason: str

    def as_data(self) -> dict[str, Any]:
        return {
            "path": list(self.path),
            "place": path_text(self.path),
            "key": self.key,
            "tokens": self.tokens,
            "effective": self.effective,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """A message before the first new one that is no longer as it was; `step` is the one that changed it."""

    key: str
    step: str
    reason: str

    def as_data(self) -> dict[str, Any]:
        return {"key": self.key, "step": self.step, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class CacheMarks:
    """The marks of a request, what stayed the same since the one before, and what broke it.

    `automatic` is a vendor that needs no marks: it caches by itself what begins alike.
    """

    marks: tuple[CacheMark, ...] = ()
    same_messages: int = 0
    same_tokens: int = 0
    breaks: tuple[PrefixBreak, ...] = ()
    automatic: bool = False

    def as_data(self) -> dict[str, Any]:
        return {
            "marks": [mark.as_data() for mark in self.marks],
            "sameMessages": self.same_messages,
            "sameTokens": self.same_tokens,
            "breaks": [each.as_data() for each in self.breaks],
            "automatic": self.automatic,
        }


def put_marks(
    out: BodyWriter, prompt: Prompt, model: ModelFacts, provider: Provider, trace: Trace, after: Payload | None
) -> CacheMarks | None:
    """The marks of a body, put into it where the vendor wants them."""
    return None
