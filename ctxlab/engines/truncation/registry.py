"""Which strategies there are: our own, and those that other packages bring by entry point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic.fields import FieldInfo

from ctxlab.engines.truncation.adaptive import Adaptive
from ctxlab.engines.truncation.by_priority import ByPriority
from ctxlab.engines.truncation.head_and_tail import HeadAndTail
from ctxlab.engines.truncation.middle_out import MiddleOut
from ctxlab.engines.truncation.recent_and_relevant import RecentAndRelevant
from ctxlab.engines.truncation.relevant import ByMeaning, ByWords, ByWordsAndMeaning, Relevant
from ctxlab.engines.truncation.sliding import Sliding
from ctxlab.engines.truncation.steady_block_cut import Block
from ctxlab.engines.truncation.strategy import Strategy, Traits
from ctxlab.engines.truncation.summary_and_relevant import SummaryAndRelevant
from ctxlab.engines.truncation.whole_exchanges import WholeExchanges
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced, raised

STRATEGIES: tuple[type[Strategy], ...] = (
    Sliding,
    HeadAndTail,
    WholeExchanges,
    ByPriority,
    MiddleOut,
    Block,
    ByWords,
    ByMeaning,
    ByWordsAndMeaning,
    RecentAndRelevant,
    SummaryAndRelevant,
    Adaptive,
    Relevant,
)
"""Our own, in the order in which they are offered; the first is the default."""
GROUP = "ctxlab.strategies"
METHODS = ("cut", "kept", "describe")


@dataclass(frozen=True, slots=True, eq=False)
class Strategies:
    """Strategies by name, with their settings by name, and why some that other packages announce can't be used.

    `packages` are those that brought a strategy, by its name.
    """

    by_name: Mapping[str, type[Strategy]]
    settings: Mapping[str, tuple[Any, Any]]
    problems: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict[str, str])


@cache
def strategies() -> Strategies:
    """Our own strategies and those under the entry point group `ctxlab.strategies`; scanned once per process."""
    by_name = {strategy.name: strategy for strategy in STRATEGIES}
    settings = {name: setting for strategy in STRATEGIES for name, setting in settings_of(strategy).items()}
    problems: list[str] = []
    packages: dict[str, str] = {}
    for plugin in announced(GROUP, problems):
        try:
            problem = _problem(plugin.value, by_name, settings)
            own = settings_of(plugin.value) if problem is None else {}
        except Exception as error:  # somebody else's class may raise anything when it is looked at
            problem, own = raised(error), dict[str, tuple[Any, Any]]()
        if problem is not None:
            problems.append(plugin.left_out(problem))
            continue
        by_name[plugin.value.name] = plugin.value
        packages[plugin.value.name] = plugin.package
        settings |= own
    return Strategies(by_name, settings, tuple(problems), packages)


@cache
def settings_of(strategy: type[Strategy]) -> Mapping[str, tuple[Any, Any]]:
    """The settings of a strategy by name: each the type with its title and bounds, and the default."""
    if not is_dataclass(strategy):
        return {}
    hints = get_type_hints(strategy, include_extras=True)
    return {each.name: (hints[each.name], each.default) for each in fields(strategy)}


def _problem(loaded: Any, taken: Mapping[str, object], settings: Mapping[str, object]) -> str | None:
    """Why something that was loaded is no strategy; None when it is one."""
    if not (isinstance(loaded, type) and all(callable(getattr(loaded, name, None)) for name in METHODS)):
        return f"it is no class with {', '.join(METHODS)}"
    name = getattr(loaded, "name", None)
    if not isinstance(name, str) or not name:
        return f"{loaded.__name__} has no name"
    if name in taken:
        return f"there is a strategy {name!r} already; names are unique"
    if not isinstance(getattr(loaded, "traits", None), Traits):
        return f"{loaded.__name__} has no traits"
    for setting, (annotation, default) in settings_of(loaded).items():
        if setting in settings:
            return f"there is a setting {setting!r} already; names are unique"
        if default is MISSING:
            return f"its setting {setting!r} has no default"
        if not _has_title(annotation):
            return f"its setting {setting!r} has no title and description"
    loaded()
    return None


def _has_title(annotation: Any) -> bool:
    extras = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return any(isinstance(each, FieldInfo) and each.title and each.description for each in extras)
