"""A chat template in Jinja as a value."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class JinjaTemplate:
    """The source of a template, the name under which its model keeps it, and the place from which it was read."""

    source: str
    name: str = "default"
    place: str = ""
