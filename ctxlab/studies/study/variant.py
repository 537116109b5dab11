"""A variant of a study: one way of building a context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, cast

from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.one_line import plain
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.case import Case, is_sound, refuse_no_text, refuse_wrong_labels

STRATEGY = "token-limiter.strategy"


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One way of building: settings of steps, and further options of `ctxlab.build`, in place of the case's own.

    `change` makes another case of a case, where settings can't say it: a preset moved, an entry taken out.
    `labels` are further columns of the frame.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    change: Callable[[Case], Case] | None = None
    labels: Mapping[str, str | int | float] = field(default_factory=dict[str, str | int | float])

    def __post_init__(self) -> None:
        refuse_no_text(self.name, "name of a variant")
        if not is_sound(self.name):
            raise WrongArgument(
                f"a variant is named {self.name!r:.60}; half surrogates have no place in a file of cells"
            )
        refuse_wrong_labels(self.labels, f"variant {plain(self.name)!r}")

    def __repr__(self) -> str:
        return f"Variant({plain(self.name)!r})"

    def _repr_html_(self) -> str:
        change = {"change": getattr(self.change, "__name__", "a function")} if self.change is not None else {}
        return heading(self) + fields_table({**self.settings, **self.options, **change})


VariantSource = Variant | str | Mapping[str, Any]
"""A variant, the name of a truncation strategy, or settings of steps."""


def variants_of(sources: Iterable[VariantSource] | Mapping[str, Mapping[str, Any]]) -> tuple[Variant, ...]:
    """Variants from variants, names of strategies and settings, each with a name of its own.

    >>> variants_of(["sliding", {"token-limiter.strategy": "middle-out"}])
    (Variant('sliding'), Variant('token-limiter.strategy=middle-out'))
    """
    if isinstance(sources, Mapping):
        named = cast("Mapping[str, Mapping[str, Any]]", sources)
        found = tuple([Variant(name, settings) for name, settings in named.items()])
    else:
        found = tuple(map(_variant, sources))
    names = [variant.name for variant in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise WrongArgument(f"two variants are named {twice!r}; each needs a name of its own")
    return found


def _variant(source: VariantSource) -> Variant:
    if isinstance(source, Variant):
        return source
    if isinstance(source, str):
        return Variant(source, {STRATEGY: source})
    return Variant(", ".join([f"{name}={value}" for name, value in source.items()]) or "as it is", source)
