"""Facts of a study's frame, in its `attrs`: units of its scores, tokenizer, what was left out, and what made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any, cast, get_args

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.scorer import Better, ScoreColumn, Unit

ATTRS = "ctxlab study"
"""Key of the facts in a frame's `attrs`."""
PANDAS_ATTRS = b"PANDAS_ATTRS"
"""Key of the metadata of a Parquet file that pandas reads as `attrs`."""
LONGEST = 400


@dataclass(frozen=True, slots=True)
class FrameFacts:
    """Scores with their units, the name of the tokenizer, and sentences on cases that were left out.

    `made_of` is JSON that says what made the cells, as `study_record` gives it; empty where nobody knows.
    """

    columns: tuple[ScoreColumn, ...] = ()
    tokenizer: str = ""
    left_out: tuple[str, ...] = ()
    made_of: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def as_attrs(self) -> dict[str, Any]:
        """The facts as values of JSON, as a frame's `attrs` hold them."""
        columns = [asdict(column) for column in self.columns]
        facts = {"scores": columns, "tokenizer": self.tokenizer, "left_out": list(self.left_out)}
        return {ATTRS: {**facts, **({"made_of": dict(self.made_of)} if self.made_of else {})}}

    @classmethod
    def of_attrs(cls, attrs: Mapping[Any, Any]) -> FrameFacts:
        """The facts in a frame's `attrs`; what isn't of the right form isn't there."""
        data: Any = attrs.get(ATTRS)
        if not isinstance(data, dict):
            return cls()
        facts = cast("dict[str, Any]", data)
        tokenizer, made_of = facts.get("tokenizer"), facts.get("made_of")
        return cls(
            tuple([column for each in _items(facts, "scores") if (column := _column(each)) is not None]),
            tokenizer[:LONGEST] if isinstance(tokenizer, str) else "",
            tuple([each[:LONGEST] for each in _items(facts, "left_out") if isinstance(each, str)]),
            cast("dict[str, Any]", made_of) if isinstance(made_of, dict) else {},
        )


def left_out_lines(left_out: Mapping[str, int]) -> tuple[str, ...]:
    """Numbers of cases by why they were left out, as sentences."""
    return tuple([f"{count:,} {reason}" for reason, count in left_out.items()])


def _items(facts: Mapping[str, Any], name: str) -> list[Any]:
    found = facts.get(name)
    return cast("list[Any]", found) if isinstance(found, list) else []


def _column(data: Any) -> ScoreColumn | None:
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    name, title, better = (fields.get(key) for key in ("name", "title", "better"))
    unit: Any = fields.get("unit")
    if not isinstance(name, str) or unit not in get_args(Unit) or better not in (None, *get_args(Better)):
        return None
    return ScoreColumn(name, title if isinstance(title, str) else name, unit, better)
