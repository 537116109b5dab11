"""Evaluates macros innermost first, phase by phase."""

from __future__ import annotations

from collections.abc import Callable

from ctxlab.context import Text
from ctxlab.engines.macros.call import MOST_CHARACTERS, BadCall, ExpansionState, MacroCall, NoRoom
from ctxlab.engines.macros.lint import arguments_problem, is_name, unknown_name
from ctxlab.engines.macros.parser import DEEPEST, NEWLINES, WHITE, Lines, Node, inner_text, parsed, stripped
from ctxlab.engines.macros.registry import PHASES, SILLYTAVERN, Macro, find, plugins

Order = tuple[int, ...]
LATEST: Order = (len(PHASES) - 1,)
# SillyTavern goes through a text line by line and through each line name by name.
LINE_ORDER = {
    name: rank
    for rank, name in enumerate(
        f"{verb}{scope}var" for scope in ("", "global") for verb in ("get", "set", "add", "inc", "dec")
    )
}
AT_LAST = {"random": 1, "pick": 2}


class Evaluation:
    """The macros of one text and their values."""

    def __init__(self, source: str, run: ExpansionState) -> None:
        self.source = source
        self.run = run
        self.dialect = run.env.dialect
        self.lines = Lines(source)
        found = parsed(source, self.dialect)
        self.nodes = found.nodes
        if found.too_deep is not None:
            run.note(
                f"macros nested more than {DEEPEST} deep stay as they are, the first at {self._at(found.too_deep)}"
            )
        self._resolve()

    def _at(self, at: int) -> str:
        return "{}:{}".format(*self.lines.place(at))

    def _resolve(self) -> None:
        """Find each macro and its order: that of its phase, or earlier if a macro around it needs its value."""
        order_of = sillytavern_order(self.lines) if self.dialect == SILLYTAVERN else own_order
        for node in reversed(self.nodes):
            if node.is_escape:
                continue
            if node.name:
                node.macro = find(node.name, self.dialect)
            own = order_of(node, node.macro) if node.macro else LATEST if node.name is None else None
            above = node.parent.order if node.parent else None
            node.order = min((order for order in (own, above) if order is not None), default=None)

    def evaluate(self) -> tuple[str, ...]:
        """Every macro once; gives the text as it is after each phase."""
        waiting = [(node.order, node) for node in self.nodes if node.order is not None]
        waiting.sort(key=lambda pair: pair[0])  # stable, so inner ones come before those around them
        texts: list[str] = []
        done = 0
        for phase in range(len(PHASES)):
            before = done
            while done < len(waiting) and waiting[done][0][0] <= phase:
                self._evaluate(waiting[done][1], phase)
                done += 1
            texts.append(self._shown() if done > before or not texts else texts[-1])
        for node in self.nodes:
            name = node.name if node.macro is None and not node.is_escape else None
            if name and is_name(name) and self.run.is_new(f"unknown {name}"):
                self.run.note(f"{self._at(node.start)}: {unknown_name(name, self.dialect)}", name=name)
                for problem in plugins().problems:
                    if self.run.is_new(problem):
                        self.run.note(problem)
        return tuple(texts)

    def _evaluate(self, node: Node, phase: int) -> None:
        if node.name is None:  # it is made by a macro inside
            node.name = self._inner_text(node, 0).strip()
            node.macro = find(node.name, self.dialect)
        if node.macro is None:
            return
        node.phase = PHASES[phase]
        node.value = self._value(node, node.macro)

    def template(self, node: Node) -> str | None:
        """The text of a template macro; None where it can't be evaluated."""
        node.phase = PHASES[0]
        value = self._value(node, node.macro, included=True) if node.macro else None
        return None if value is None else str(value)

    def _value(self, node: Node, macro: Macro, *, included: bool = False) -> str | Text | None:
        """The value of a macro; None, and a note, where it stays in the text."""
        try:
            if macro.template and not included:
                raise BadCall("a template stands inside itself, or too deep inside others")
            value = macro(self._call(node, macro))
        except NoRoom:
            self._too_long(node)
        except BadCall as problem:
            if self.run.is_new(problem.key or f"{node.name}: {problem}"):
                self.run.note(f"{self._at(node.start)}: macro {node.name!r} stays: {problem}", name=node.name)
        else:
            if len(value) <= self.run.room:
                self.run.room -= len(value)
                return value
            self._too_long(node)
        return None

    def _too_long(self, node: Node) -> None:
        if self.run.is_new("too long"):
            why = f"all that macros give would be longer than {MOST_CHARACTERS:,} characters"
            self.run.note(f"{self._at(node.start)}: macro {node.name!r} stays: {why}", name=node.name)

    def _call(self, node: Node, macro: Macro) -> MacroCall:
        given = len(node.parts) - 1
        problem = arguments_problem(macro, given)
        if problem and given < macro.least:
            raise BadCall(problem)
        if problem and self.run.is_new(f"{node.name}: {problem}"):
            text = f"macro {node.name!r} {problem}; what is too many has no effect"
            self.run.note(f"{self._at(node.start)}: {text}", name=node.name)
        arguments = [self._inner_text(node, i) for i in range(1, given + 1)]
        if macro.rest and macro.most is not None and given > macro.most:
            kept = macro.most - 1
            arguments = [*arguments[:kept], "::".join(arguments[kept:])]
        return MacroCall(
            node.name or "", tuple(arguments), self.run.env, self.run, node.start, self.source, node.single
        )

    def _inner_text(self, node: Node, part: int) -> str:
        pieces = node.parts[part]
        if self.dialect == SILLYTAVERN:
            return inner_text(pieces, self.value_of, NEWLINES)
        return inner_text(stripped(pieces), self.value_of, WHITE)

    def value_of(self, node: Node) -> str:
        """The text of a nested macro: its value, or its source with the values of macros inside it."""
        if node.is_escape:
            return "{{"
        if node.value is not None:
            return str(node.value)
        out: list[str] = []
        done = node.start
        for child in node.children:
            out += [self.source[done : child.start], self.value_of(child)]
            done = child.end
        return "".join([*out, self.source[done : node.end]])

    def _shown(self) -> str:
        """The text with all values found so far."""
        out: list[str] = []
        edge = len(self.source)
        for node in reversed(self.nodes):
            if node.end <= edge and node.value is not None and not node.is_trim:
                out += [self.source[node.end : edge], str(node.value)]
                edge = node.start
        out.append(self.source[:edge])
        return "".join(reversed(out))


def own_order(node: Node, macro: Macro) -> Order:
    return (PHASES.index(macro.phase),)


def sillytavern_order(lines: Lines) -> Callable[[Node, Macro], Order]:
    """Variables are read and set line by line, in each line those that read first; random and pick come last of all."""

    def order(node: Node, macro: Macro) -> Order:
        name, phase = macro.name, PHASES.index(macro.phase)
        if name in LINE_ORDER:
            return (phase, 1, lines.before(node.start), LINE_ORDER[name])
        return (phase, AT_LAST[name]) if name in AT_LAST else (phase,)

    return order
