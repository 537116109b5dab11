"""Problems in the macros of a text of SillyTavern's newer engine, found before it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ctxlab.engines.macros.left_to_right.evaluation import LISTS, grammar_of
from ctxlab.engines.macros.left_to_right.grammar import DEEPEST, Part
from ctxlab.engines.macros.lint import MOST_PROBLEMS, MacroProblem, arguments_problem, nearest, unclosed, unknown_name
from ctxlab.engines.macros.parser import Lines
from ctxlab.engines.macros.registry import NEWER, find


def problems(text: str) -> tuple[MacroProblem, ...]:
    """Unknown names, wrong numbers of arguments, macros that aren't closed, ends of nothing; of many the first."""
    found, lines = grammar_of(text), Lines(text)
    out = [*islice(_of(found.whole, lines), MOST_PROBLEMS)]
    out += [problem for at in found.unclosed if (problem := unclosed(at, text, lines, NEWER)) is not None]
    if found.too_deep is not None:
        out.append(MacroProblem(*lines.place(found.too_deep), "", f"macros are nested more than {DEEPEST} deep"))
    return tuple(sorted(out, key=lambda problem: (problem.line, problem.column)))[:MOST_PROBLEMS]


def _of(part: Part, lines: Lines) -> Iterator[MacroProblem]:
    ended = {call.partner for call in part.calls if call.partner is not None}
    for number, call in enumerate(part.calls):
        for argument in call.arguments:
            yield from _of(argument, lines)
        if call.variable:
            continue
        if call.closes:
            if number not in ended:
                yield MacroProblem(*lines.place(call.start), call.name, f"{{{{/{call.name}}}}} ends nothing and stays")
            continue
        macro = find(call.name, NEWER)
        if macro is None:
            words = unknown_name(call.name, NEWER)
            yield MacroProblem(*lines.place(call.start), call.name, words, nearest(call.name, NEWER))
            continue
        problem = arguments_problem(macro, len(call.arguments) + (call.partner is not None))
        if problem is None and call.partner is not None and call.name.lower() in LISTS:
            problem = "takes its options inside its braces"
        if problem is not None:
            may_end = call.partner is None and macro.most is not None and len(call.arguments) + 1 == macro.least
            more = f", or the last one before {{{{/{call.name}}}}}" if may_end else ""
            yield MacroProblem(*lines.place(call.start), call.name, f"macro {call.name!r} {problem}{more}")
