"""The place that an injected message asked for."""

from __future__ import annotations

from typing import Any, Literal

from ctxlab.lazy_dataclass import dataclass

PlacementKind = Literal["skeleton", "template", "anchor", "depth", "lore", "outlet", "none"]


@dataclass(frozen=True, slots=True)
class Placement:
    """The place that a preset or a lore entry asked for; None on every message of the history.

    `kind`: `skeleton` in the order of the presets, `template` the words of the placeholder of `anchor`, `anchor` before
    or after it, `depth` inside the history at `depth` or at insertion point `point`, `lore` at `depth` or before or
    after `anchor` (char, an, em), `outlet` where that macro is, `none` for a preset that is not sent. `index` is the
    number of a preset among those of its `level`. `block` is the number of the block of examples that a message is
    part of; a block is kept or cut as a whole.
    """

    kind: PlacementKind
    depth: float | None = None
    anchor: str | None = None
    before: bool = False
    index: int | None = None
    level: str = ""
    point: int | None = None
    block: int | None = None

    def __str__(self) -> str:
        """For example `depth 3`, `at user_profile`, `before char`; empty for `skeleton` and `none`.

        >>> str(Placement("anchor", anchor="scenario", before=True))
        'before scenario'
        """
        if self.depth is not None:
            return f"depth {self.depth:g}"
        if self.point is not None:
            return f"insertion point {self.point}"
        if self.anchor is None:
            return "unknown" if self.kind == "lore" else ""
        if self.kind == "outlet":
            return f"outlet {self.anchor}"
        side = "at" if self.kind == "template" else "before" if self.before else "after"
        return f"{side} {self.anchor}"

    @property
    def is_in_history(self) -> bool:
        """Whether it counts messages of the history."""
        return self.depth is not None or self.point is not None

    def as_data(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "depth": self.depth,
            "anchor": self.anchor,
            "before": self.before,
            "index": self.index,
            "level": self.level,
            "point": self.point,
            **({"block": self.block} if self.block is not None else {}),
        }
