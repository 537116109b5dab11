"""The Macro type, the tables of macros by dialect, and those of plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from ctxlab.context import Text
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced

if TYPE_CHECKING:
    from ctxlab.engines.macros.call import MacroCall

Phase = Literal["pre", "substitute", "post"]
Dialect = Literal["ctxlab", "sillytavern", "sillytavern-1.19", "sillytavern-1.12"]
PHASES: tuple[Phase, ...] = ("pre", "substitute", "post")
PHASE_NAMES: Mapping[Phase, str] = {"pre": "pre-process", "substitute": "substitute", "post": "post-process"}
GROUP = "ctxlab.macros"
SILLYTAVERN: Dialect = "sillytavern"
NEWER: Dialect = "sillytavern-1.19"
"""SillyTavern's own engine as it is since 1.16, strictly left to right."""
OLDER: Dialect = "sillytavern-1.12"
"""SillyTavern's engine before, which replaces one name after another in the whole text."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: name, phase, number of arguments (`most` None: any number), and the function that gives its value.

    With `rest`, the last argument takes everything that is left, `::` included. What a `template` gives is read like
    the text around it, macros and all; what any other macro gives is data.
    """

    name: str
    phase: Phase
    run: Callable[[MacroCall], str | Text]
    description: str
    least: int = 0
    most: int | None = 0
    rest: bool = False
    template: bool = False
    dialect: Dialect = "ctxlab"

    @property
    def arguments(self) -> str:
        """The number of arguments in words: `none`, `2`, `0 or 1`, `1 or more`."""
        if self.most is None:
            return f"{self.least} or more"
        if self.least == self.most:
            return str(self.most or "none")
        return f"{self.least} {'or' if self.most == self.least + 1 else 'to'} {self.most}"

    def __call__(self, call: MacroCall) -> str | Text:
        return self.run(call)


@dataclass(frozen=True, slots=True)
class MacroFamily:
    """Macros that one definition makes, such as a function under several names."""

    macros: tuple[Macro, ...]


Decorated = Callable[[Callable[["MacroCall"], str | Text]], MacroFamily]


def macro(
    *names: str,
    phase: Phase,
    arguments: str = "0",
    rest: bool = False,
    template: bool = False,
    dialect: Dialect = "ctxlab",
) -> Decorated:
    """A function of a `MacroCall` becomes a macro under these names; its docstring is the description.

    `arguments` is `2`, `0-1`, or `1+`.

        @macro("shout", phase="post", arguments="1")
        def shout(call: MacroCall) -> str:
            '''The argument in capitals.'''
            return call.arguments[0].upper()
    """
    least, most = _bounds(arguments)

    def made(run: Callable[[MacroCall], str | Text]) -> MacroFamily:
        summary = " ".join((run.__doc__ or "").split("\n\n")[0].split())
        return MacroFamily(
            tuple(Macro(name, phase, run, summary, least, most, rest, template, dialect) for name in names)
        )

    return made


def _bounds(arguments: str) -> tuple[int, int | None]:
    if arguments.endswith("+"):
        return int(arguments[:-1]), None
    least, _, most = arguments.partition("-")
    return int(least), int(most or least)


def _of(modules: Iterable[ModuleType], dialect: Dialect | None = None) -> dict[str, Macro]:
    """The macros of modules by name, of one dialect or, with None, of both."""
    found = [value for module in modules for value in vars(module).values() if isinstance(value, MacroFamily)]
    macros = [macro for family in found for macro in family.macros]
    return {macro.name: macro for macro in macros if dialect in (None, macro.dialect)}


@cache
def own_macros() -> Mapping[str, Macro]:
    """The macros of our own dialect, by name."""
    from ctxlab.engines.macros import (
        agent_resources,
        dates,
        dates_by_language,
        dates_chinese_calendar,
        dice,
        identity,
        last_message,
        machine_facts,
        variables,
        whitespace,
    )

    modules = (
        identity,
        variables,
        dice,
        whitespace,
        last_message,
        dates,
        dates_by_language,
        dates_chinese_calendar,
        agent_resources,
        machine_facts,
    )
    return _of(modules, "ctxlab")


@cache
def sillytavern_macros() -> Mapping[str, Macro]:
    """The macros of SillyTavern's dialect, by name in lower case: its own, and ours where it has none of that name."""
    from ctxlab.engines.macros import sillytavern, sillytavern_time, variables

    theirs = _of((sillytavern, sillytavern_time, variables), SILLYTAVERN)
    return {name.lower(): macro for name, macro in {**own_macros(), **theirs}.items()}


@cache
def newer_macros() -> Mapping[str, Macro]:
    """The macros of SillyTavern's newer engine, by name in lower case."""
    from ctxlab.engines.macros.left_to_right import (
        dates_and_times,
        names_and_card,
        settings_of_program,
        variables_by_name,
        words_and_chance,
    )

    modules = (names_and_card, settings_of_program, variables_by_name, words_and_chance, dates_and_times)
    return {name.lower(): macro for name, macro in _of(modules, NEWER).items()}


def table_of(dialect: str | None) -> Mapping[str, Macro]:
    """The macros of a dialect; in SillyTavern's their names are in lower case."""
    if dialect == NEWER:
        return newer_macros()
    if dialect == OLDER:
        from ctxlab.engines.macros.one_after_another import older_macros

        return older_macros()
    return sillytavern_macros() if dialect == SILLYTAVERN else own_macros()


@dataclass(frozen=True, slots=True)
class Plugins:
    """Macros of other packages, and why some can't be loaded."""

    macros: Mapping[str, Macro]
    problems: tuple[str, ...] = ()


@cache
def plugins() -> Plugins:
    """Macros announced under the entry point group `ctxlab.macros`: modules, or functions under `@macro`.

    They are looked for when a name is not known.
    """
    found: dict[str, Macro] = {}
    problems: list[str] = []
    for plugin in announced(GROUP, problems):
        loaded = plugin.value
        if isinstance(loaded, ModuleType):
            found |= _of((loaded,))
        elif isinstance(loaded, MacroFamily):
            found |= {macro.name: macro for macro in loaded.macros}
        else:
            problems.append(plugin.left_out(f"it is {type(loaded).__name__}, not made by @macro"))
    return Plugins(found, tuple(problems))


def find(name: str, dialect: str | None) -> Macro | None:
    """The macro of a name; SillyTavern's names may be written in any case."""
    known = table_of(dialect).get(name.lower() if dialect in (SILLYTAVERN, NEWER, OLDER) else name)
    return known or plugins().macros.get(name)


def macro_names(dialect: str | None = None) -> tuple[str, ...]:
    """All names that are known in a dialect, sorted."""
    return tuple(sorted({macro.name for macro in table_of(dialect).values()} | set(plugins().macros)))
