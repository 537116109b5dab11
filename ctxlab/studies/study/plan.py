"""The plan of a study: variants, budgets, seeds, scorers and how tokens are counted; everything but the cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from ctxlab.engines.tokens import tokenizer_named
from ctxlab.engines.truncation.registry import strategies
from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.services import TokenCounter
from ctxlab.studies.study.build_function import BuildFunction
from ctxlab.studies.study.case import WHOLE_NUMBERS, is_storable
from ctxlab.studies.study.scorer import ScoreColumn, Scorer
from ctxlab.studies.study.variant import STRATEGY, Variant, VariantSource, variants_of

BudgetOf = Literal["prompt", "history"]
OWN_OPTIONS = ("session", "leaf", "pending", "budget_tokens", "seed")
"""Options of a build that a study sets itself."""
OWN_COLUMNS = (
    "case",
    "conversation",
    "kind",
    "variant",
    "settings",
    "budget",
    "seed",
    "tokens",
    "messages",
    "cut_messages",
    "error",
)
"""Columns that every study has."""
KEY = "cell_key"
"""The column of files with the keys of cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One variant at one budget with one seed, to be built for a case."""

    variant: Variant
    budget: int | None
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class StudyPlan:
    """Variants, budgets, seeds and scorers of a study, and its tokenizer; it pickles with cloudpickle.

    With `budget_of="history"` a budget is for the history alone: what must stay comes on top. `tokenizer` counts in
    place of each model's own. `options` are those of every build; a case's and a variant's own take their place.
    `code_version` is that of the code in every build, `installed` that with every plugin, which processes share, and
    `stamp` that of the files which these are of.
    `results` is the file of rankings and vectors that a run shares with those before it; no cell depends on it.
    """

    build: BuildFunction
    variants: tuple[Variant, ...]
    budgets: tuple[int | None, ...] = (None,)
    seeds: tuple[int, ...] = (0,)
    scorers: tuple[Scorer, ...] = ()
    tokenizer: TokenCounter | None = None
    budget_of: BudgetOf = "prompt"
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    code_version: str = ""
    installed: str = ""
    stamp: str = ""
    results: Path | None = None

    @classmethod
    def of(
        cls,
        build: BuildFunction,
        variants: Any,
        *,
        budgets: Sequence[int | None] = (None,),
        seeds: Sequence[int] = (0,),
        scorers: Sequence[Scorer | str | Callable[..., Any]] = (),
        tokenizer: str | TokenCounter | None = None,
        budget_of: BudgetOf = "prompt",
        options: Mapping[str, Any] | None = None,
    ) -> StudyPlan:
        """The plan of variants, names of strategies or of scorers; raises WrongArgument for what is there twice."""
        from ctxlab.studies.scorers.registry import scorers_of
        from ctxlab.studies.study.code_version import code_version, installed_stamp, installed_version

        sources: Sequence[VariantSource] | Any = [variants] if isinstance(variants, str | Variant) else variants
        found = variants_of(sources)
        for what, values in (("variants", found), ("budgets", budgets), ("seeds", seeds)):
            if not values:
                raise WrongArgument(f"{what} is empty; a study needs one at least")
        known = strategies().by_name
        for variant in found:
            strategy = variant.settings.get(STRATEGY)
            if isinstance(strategy, str) and strategy not in known:
                near = did_you_mean(strategy, list(known))
                raise WrongArgument(f"variant {variant.name!r}: there is no strategy {strategy!r}{near}")
            refuse_own_options(variant.options, f"variant {variant.name!r}")
        refuse_own_options(options or {}, "options")
        for what, numbers in (("budgets", budgets), ("seeds", seeds)):
            if not all(each is None or is_storable(each) for each in numbers):
                raise WrongArgument(f"{what} has a number beyond 64 bits; {WHOLE_NUMBERS}")
        _refuse_twice("budgets", budgets)
        _refuse_twice("seeds", seeds)
        wrong = next((budget for budget in budgets if budget is not None and budget < 1), None)
        if wrong is not None:
            raise WrongArgument(f"budgets takes tokens from 1 on, or None for no budget; got {wrong}")
        chosen = scorers_of(scorers)
        _refuse_shared_columns(chosen, found)
        counter = tokenizer_named(tokenizer) if isinstance(tokenizer, str) else tokenizer
        given, installed = dict(options or {}), installed_version()
        return cls(
            *(build, found, tuple(budgets), tuple(seeds), chosen, counter, budget_of, given),
            *(code_version(), installed, installed_stamp(installed)),
        )

    def cells(self) -> Iterator[Cell]:
        """The cells of one case: every variant at every budget with every seed."""
        for variant in self.variants:
            for seed in self.seeds:
                for budget in self.budgets:
                    yield Cell(variant, budget, seed)

    def groups(self) -> dict[str, str]:
        """For each variant the first that builds up to its settings as it does: with the same options."""
        return {each.name: self._first_like(each, lambda variant: (variant.options,)) for each in self.variants}

    def rooms(self) -> dict[str, str]:
        """For each variant the first in whose builds as much must stay: one that differs by its strategy at most."""
        return {each.name: self._first_like(each, _but_strategy) for each in self.variants}

    def _first_like(self, variant: Variant, compared: Callable[[Variant], tuple[Mapping[str, Any], ...]]) -> str:
        if variant.change is not None:
            return variant.name
        mine = compared(variant)
        others = (each for each in self.variants if each.change is None)
        return next((each for each in others if all(map(_are_equal, compared(each), mine))), variant).name

    @property
    def tokenizer_name(self) -> str:
        """The name of the tokenizer, or that each model's own counts."""
        return self.tokenizer.name if self.tokenizer is not None else "each model's tokenizer"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        """The columns that the scorers fill."""
        return tuple(column for scorer in self.scorers for column in scorer.columns)


def refuse_own_options(options: Any, place: str) -> None:
    """Raise WrongArgument where options of a build have one that the study sets."""
    named = next((name for name in OWN_OPTIONS if name in options), None)
    if named is not None:
        raise WrongArgument(
            f"{place} has the option {named!r}, which a study sets itself, by its cases, budgets and seeds"
        )


def _but_strategy(variant: Variant) -> tuple[Mapping[str, Any], ...]:
    return (variant.options, {name: value for name, value in variant.settings.items() if name != STRATEGY})


def _are_equal(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether options have the same values; those that can't be compared are alike only where they are one object."""
    return a.keys() == b.keys() and all(a[name] is b[name] or _is_equal(a[name], b[name]) for name in a)


def _is_equal(a: object, b: object) -> bool:
    try:
        return bool(a == b)
    except Exception:  # values of anybody's may compare in any way
        return False


def _refuse_twice(name: str, values: Sequence[object]) -> None:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise WrongArgument(f"{name} names {twice} twice; name each once")


def _refuse_shared_columns(scorers: Sequence[Scorer], variants: Sequence[Variant]) -> None:
    taken = {**dict.fromkeys(OWN_COLUMNS, "every study"), KEY: "every study"}
    for scorer in scorers:
        for column in scorer.columns:
            if column.name in taken:
                raise WrongArgument(
                    f"scorer {scorer.name!r} fills {column.name!r}, which {taken[column.name]} fills too"
                )
            taken[column.name] = f"scorer {scorer.name!r}"
    for variant in variants:
        label = next((name for name in variant.labels if name in taken), None)
        if label is not None:
            raise WrongArgument(f"variant {variant.name!r} has a label {label!r}, which {taken[label]} fills too")
