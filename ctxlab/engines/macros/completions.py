"""Names of macros that go on from what is being typed: `{{us` becomes `{{user}}`."""

from __future__ import annotations

from ctxlab.argument_checks import checked_arguments
from ctxlab.engines.macros.registry import Dialect, Macro, plugins, table_of
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

_TYPED = lazy_pattern(r"\{\{[ \t]*(\w*)\Z")
_REST = lazy_pattern(r"\w*(?:[ \t]*\}\})?")
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class MacroCompletion:
    """A macro that what is typed may become: `text` goes in the place of the characters from `start` up to `end`.

    `cursor` is where one goes on typing: in the first argument where it takes some, else behind the macro.
    """

    name: str
    text: str
    start: int
    end: int
    cursor: int
    description: str
    arguments: str

    def applied(self, text: str) -> str:
        """The typed text with the macro in it."""
        return text[: self.start] + self.text + text[self.end :]


@checked_arguments
def macro_completions(
    text: str, cursor: int | None = None, *, dialect: Dialect | None = None
) -> tuple[MacroCompletion, ...]:
    """The macros whose names begin with what stands between an open `{{` and the cursor, by name.

    `cursor` counts characters, by default the end of the text. A name may be typed in any case; what is left of it
    behind the cursor is replaced too. Empty where no macro is being typed. Nothing is asked of anybody.

    >>> [found.text for found in macro_completions("Hello, {{us")]
    ['{{user}}']
    """
    at = len(text) if cursor is None else cursor
    if not 0 <= at <= len(text):
        raise WrongArgument(f"cursor is from 0 to {len(text)}, the end of the text, got {at}")
    typed = _TYPED.search(text, max(0, at - LONGEST_NAME), at)
    if typed is None:
        return ()
    rest = _REST.match(text, at)
    end = rest.end() if rest is not None else at
    table = table_of(dialect)
    known = {macro.name: macro for macro in (*table.values(), *plugins().macros.values())}
    wanted = typed[1].lower()
    found = [macro for name, macro in sorted(known.items(), key=_in_order) if name.lower().startswith(wanted)]
    return tuple(_completion(macro, typed.start(), end) for macro in found)


def _in_order(item: tuple[str, Macro]) -> tuple[str, str]:
    return item[0].lower(), item[0]


def _completion(macro: Macro, start: int, end: int) -> MacroCompletion:
    head = f"{{{{{macro.name}::" if macro.least else f"{{{{{macro.name}"
    text = f"{head}}}}}"
    cursor = start + (len(head) if macro.least else len(text))
    return MacroCompletion(macro.name, text, start, end, cursor, macro.description, macro.arguments)
