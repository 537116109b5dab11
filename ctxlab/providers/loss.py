"""Losses of a request: what a vendor's form has no place for."""

from __future__ import annotations

from typing import Any, Literal

from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.place import JsonPath, path_text
from ctxlab.providers.problem import Fix

LossKind = Literal["parameter", "part", "name", "role", "signature", "field"]


@dataclass(frozen=True, slots=True)
class RequestLoss:
    """A parameter, part, name, role, signature or field that isn't in the body as it was asked for.

    `what` names it, `reason` is a sentence that says why and what is sent instead. `key` is the draft that it is of,
    `path` the place in the body where it would have been or what stands there instead.
    """

    kind: LossKind
    what: str
    reason: str
    key: str | None = None
    path: JsonPath | None = None
    fix: Fix | None = None

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}"

    def as_data(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "what": self.what,
            "reason": self.reason,
            "key": self.key,
            "place": path_text(self.path) if self.path is not None else None,
            "path": list(self.path) if self.path is not None else None,
            "fix": self.fix.as_data() if self.fix else None,
        }
