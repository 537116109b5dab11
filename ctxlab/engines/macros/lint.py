"""Problems in the macros of a text, found before it is sent: unknown names, wrong arguments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from operator import itemgetter

from ctxlab.engines.macros.parser import DEEPEST, Lines, Node, Parsed, parsed
from ctxlab.engines.macros.registry import NEWER, OLDER, SILLYTAVERN, Macro, find, macro_names
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

MOST_PROBLEMS = 200
THEIRS = (SILLYTAVERN, NEWER, OLDER)
BEGUN = lazy_pattern(r"\s*([^\W\d]\w*)(::?|\s|\}|$)")
"""The name of a macro that is begun, and what may follow it."""
NAME = lazy_pattern(r"[^\W\d][\w .-]{0,40}")


@dataclass(frozen=True, slots=True)
class MacroProblem:
    """A problem with a macro and its place; line and column count from 1, `nearest` is a similar known name."""

    line: int
    column: int
    name: str
    text: str
    nearest: str | None = None

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.text}"


def problems(text: str, dialect: str | None = None) -> tuple[MacroProblem, ...]:
    """Macros of a text that would stay as they are, or not do what they look like: unknown names, wrong arguments,
    known ones that are not closed.

    Of many, the first 200.

    >>> print(problems("{{usr}} and {{random}}")[0])
    1:1: macro 'usr' is not known and stays; did you mean 'user'?
    """
    if dialect == NEWER:
        from ctxlab.engines.macros.left_to_right.lint import problems as of_newer_engine

        return of_newer_engine(text)
    found, lines = parsed(text, SILLYTAVERN if dialect == OLDER else dialect), Lines(text)
    out = list(islice(_in_order(found, text, lines, dialect), MOST_PROBLEMS))
    if found.too_deep is not None:
        out.append(MacroProblem(*lines.place(found.too_deep), "", f"macros are nested more than {DEEPEST} deep"))
    return tuple(out)


def _in_order(found: Parsed, text: str, lines: Lines, dialect: str | None) -> Iterator[MacroProblem]:
    places: list[tuple[int, Node | None]] = [(node.start, node) for node in found.nodes]
    places += [(at, None) for at in found.unclosed]
    for at, node in sorted(places, key=itemgetter(0)):
        problem = _problem(node, lines, dialect) if node is not None else unclosed(at, text, lines, dialect)
        if problem is not None:
            yield problem


def unclosed(at: int, text: str, lines: Lines, dialect: str | None) -> MacroProblem | None:
    """The problem of a brace pair that nothing closes, where a known macro's name follows; code and JSON have none."""
    match = BEGUN.match(text, at + 2)
    name = match.group(1) if match is not None else ""
    if match is None or find(name, dialect) is None or (match.group(2) == ":" and dialect not in THEIRS):
        return None
    return MacroProblem(*lines.place(at), name, f"macro {name!r} is not closed and stays; end it with }}}}")


def _problem(node: Node, lines: Lines, dialect: str | None) -> MacroProblem | None:
    if node.is_escape or not node.name:
        return None
    macro = find(node.name, dialect)
    if macro is None:
        if not is_name(node.name):
            return None
        return MacroProblem(
            *lines.place(node.start), node.name, unknown_name(node.name, dialect), nearest(node.name, dialect)
        )
    wrong_count = arguments_problem(macro, len(node.parts) - 1)
    return (
        MacroProblem(*lines.place(node.start), node.name, f"macro {node.name!r} {wrong_count}") if wrong_count else None
    )


def is_name(text: str) -> bool:
    """Whether the text between braces looks like a macro's name, in either dialect."""
    return NAME.fullmatch(text) is not None or _tavern_name(text) is not None


def _tavern_name(text: str) -> str | None:
    """The name before a single colon, where SillyTavern has a macro that is written so."""
    name, colon, _ = text.partition(":")
    known = find(name.strip(), SILLYTAVERN) if colon else None
    return known.name if known is not None and known.most != 0 else None


def arguments_problem(macro: Macro, given: int) -> str | None:
    """The problem with a number of arguments, in words; None when it is allowed."""
    if given < macro.least or (macro.most is not None and given > macro.most and not macro.rest):
        takes = "no" if macro.most == 0 else macro.arguments
        return f"takes {takes} argument{'' if takes == '1' else 's'}, not {given or 'none'}"
    return None


def unknown_name(name: str, dialect: str | None) -> str:
    tavern = _tavern_name(name) if dialect not in THEIRS else None
    if tavern is not None:
        return f"macro {name!r} stays: single colons are SillyTavern's spelling; write {tavern}::, or use its dialect"
    near = nearest(name, dialect)
    return f"macro {name!r} is not known and stays" + (f"; did you mean {near!r}?" if near else "")


def nearest(name: str, dialect: str | None) -> str | None:
    """The known name that is spelled most like this one."""
    from difflib import get_close_matches

    known = {known.lower(): known for known in macro_names(dialect)}
    near = get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return known[near[0]] if near else None
