"""Problems of a request: what the vendor would refuse, where, why, and what mends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.place import JsonPath, path_text


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that mends a problem or a loss: other parameters of the call, or other settings of steps.

    `label` are a few words for a button.
    """

    label: str
    parameters: Mapping[str, Any] = field(default_factory=FrozenDict)
    settings: Mapping[str, Any] = field(default_factory=FrozenDict)

    def as_data(self) -> dict[str, Any]:
        return {"label": self.label, "parameters": dict(self.parameters), "settings": dict(self.settings)}


@dataclass(frozen=True, slots=True)
class Problem:
    """A place in the body that the vendor refuses. `rule` is a row of the table of vendors' rules.

    `reason` and `mend` are sentences: why it is refused, and what would be taken.
    """

    path: JsonPath
    rule: str
    reason: str
    mend: str
    level: Literal["error", "warning"] = "error"
    fixes: tuple[Fix, ...] = ()

    @property
    def place(self) -> str:
        """The path as people write it; "" is the whole body."""
        return path_text(self.path)

    def __str__(self) -> str:
        return f"{self.place or 'the request'}: {self.reason}; {self.mend}"

    def as_data(self) -> dict[str, Any]:
        return {
            "path": list(self.path),
            "place": self.place,
            "rule": self.rule,
            "reason": self.reason,
            "mend": self.mend,
            "level": self.level,
            "fixes": [fix.as_data() for fix in self.fixes],
        }
