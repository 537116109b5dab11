"""Values for the macros of a text, strictly from left to right, those inside a macro before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter

from ctxlab.context import Text
from ctxlab.engines.javascript.numbers import WHITE
from ctxlab.engines.macros.call import CAUSE, MOST_CHARACTERS, BadCall, ExpansionState, MacroCall, NoRoom
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.left_to_right.grammar import DEEPEST, Call, Grammar, Part, read
from ctxlab.engines.macros.left_to_right.pieces import TRIM, Piece, block, edits_of, finished, string_of, without
from ctxlab.engines.macros.left_to_right.shorthand import Nonsense, is_filled, shorthand, value_of
from ctxlab.engines.macros.lint import arguments_problem, unknown_name
from ctxlab.engines.macros.parser import ANGLE, ANGLES, Lines
from ctxlab.engines.macros.registry import NEWER, Macro, find
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

LISTS = frozenset({"random", "pick"})
BARE = lazy_pattern(r"\s*([.$])\s*([a-zA-Z](?:[\w-]*\w)?)\s*", re.ASCII)
TIME_UTC = lazy_pattern(r"\{\{time_(UTC[+-]\d+)\}\}", re.ASCII | re.IGNORECASE)
OPERATED = lazy_pattern(r"\s*[a-zA-Z][\w-]*\s*[-+=!<>|?]", re.ASCII)
NAME = lazy_pattern(r"[a-zA-Z][\w-]*", re.ASCII)


def takes_more(call: Call) -> bool:
    """Whether a macro may have its last argument between it and its end."""
    macro = find(call.name, NEWER)
    return macro is None or (
        call.name.lower() not in LISTS and macro.most is not None and len(call.arguments) < macro.most
    )


def grammar_of(source: str) -> Grammar:
    return read(source, takes_more)


def expanded(text: Text, run: ExpansionState, *, processor: str = CAUSE) -> tuple[Text, int]:
    """A text with the values of its macros, and how many were evaluated."""
    source = str(text)
    marks = [
        Piece(match.start(), match.end(), value, macro, match.start())
        for match in ANGLE.finditer(source)
        if (value := f"{{{{{(macro := ANGLES[match.group().lower()])}}}}}")
    ]
    for match in TIME_UTC.finditer(source):
        marks.append(Piece(match.start(), match.end(), f"{{{{time::{match.group(1)}}}}}", "time", match.start()))
    if marks:
        text = text.splice(edits_of(sorted(marks, key=attrgetter("start")), processor))
        source = str(text)
    found = evaluated(source, run)
    return text.splice(edits_of(found.pieces, processor)), found.count


@dataclass(frozen=True, slots=True)
class Found:
    """The pieces that a text becomes, and the number of macros that were evaluated."""

    pieces: Sequence[Piece]
    count: int


def evaluated(source: str, run: ExpansionState, env: MacroEnv | None = None) -> Found:
    """A text with its macros evaluated; `env` is what they stand for, where that isn't the run's own."""
    return Evaluation(source, run, env or run.env).result()


class Evaluation:
    """The macros of one text and their values; what they set is in `run`."""

    def __init__(self, source: str, run: ExpansionState, env: MacroEnv) -> None:
        self.source, self.run, self.env = source, run, env
        self.lines = Lines(source)
        self.count = self.depth = 0

    def result(self) -> Found:
        found = grammar_of(self.source)
        if found.too_deep is not None:
            self._too_deep(found.too_deep)
        return Found(finished(self._pieces(found.whole), self.source), self.count)

    def _at(self, at: int) -> str:
        return "{}:{}".format(*self.lines.place(at))

    # --- a stretch of text

    def _pieces(self, part: Part) -> list[Piece]:
        return self._between(part, part.start, part.end, 0, len(part.calls))

    def _between(self, part: Part, start: int, end: int, first: int, last: int) -> list[Piece]:
        """The pieces from `start` up to `end`; of the calls in it, those from `first` up to `last`."""
        out: list[Piece] = []
        number, done = first, start
        while number < last:
            call = part.calls[number]
            if call.start > done:
                out.append(Piece(done, call.start))
            partner = call.partner if call.partner is not None and call.partner < last else None
            out += self._within(call, part, number, partner)
            done = call.end if partner is None else part.calls[partner].end
            number = (number if partner is None else partner) + 1
        if done < end:
            out.append(Piece(done, end))
        return out

    def _used(self, pieces: Sequence[Piece]) -> str:
        """An argument as it is used: the blanks that are written at its ends don't count."""
        words = [self.source[p.start : p.end] if p.put is None else str(p.put) for p in pieces]
        if pieces and pieces[0].put is None:
            words[0] = words[0].lstrip(WHITE)
        if pieces and pieces[-1].put is None:
            words[-1] = words[-1].rstrip(WHITE)
        return "".join(words)

    # --- one macro

    def _within(self, call: Call, part: Part, number: int, partner: int | None) -> list[Piece]:
        """The pieces of a macro up to its end; those that stand too deep in others stay."""
        if self.depth >= DEEPEST:
            self._too_deep(call.start)
            return [Piece(call.start, call.end if partner is None else part.calls[partner].end)]
        self.depth += 1
        pieces = self._call(call, part, number, partner)
        self.depth -= 1
        return pieces

    def _too_deep(self, at: int) -> None:
        if self.run.is_new("too deep"):
            first = self._at(at)
            self.run.note(f"macros nested more than {DEEPEST} deep stay as they are, the first at {first}")

    def _call(self, call: Call, part: Part, number: int, partner: int | None) -> list[Piece]:
        if call.closes:
            return [Piece(call.start, call.end)]
        if call.variable:
            return self._variable(call)
        macro = find(call.name, NEWER)
        if macro is None:
            return self._unknown(call, part, number, partner)
        given = len(call.arguments) + (partner is not None)
        problem = arguments_problem(macro, given)
        if problem is None and call.name.lower() in LISTS and partner is not None:
            problem = "takes its options inside its braces"
        if problem is not None:
            self._stays(call, macro, problem)
            return self._as_written(call, part, number, partner)
        if macro.name == "if":
            return self._if(call, part, number, partner)
        end = call.end if partner is None else part.calls[partner].end
        given_pieces = [self._pieces(argument) for argument in call.arguments]
        inside = None if partner is None else self._inside(call, part, number, partner)
        try:
            if macro.name == "trim":
                value: str | Text = TRIM
                if partner is not None:
                    self.count += 1
                    return self._around(call, part.calls[partner], inside or (), "trim")
            else:
                value = self._value(call, macro, given_pieces, inside)
        except BadCall as bad:
            self._stays(call, macro, str(bad), bad.key)
            return self._left(call, given_pieces, inside, None if partner is None else part.calls[partner])
        self.count += 1
        return [Piece(call.start, end, value, macro.name, call.start)]

    def _value(
        self, call: Call, macro: Macro, given: Sequence[Sequence[Piece]], inside: Sequence[Piece] | None
    ) -> str | Text:
        arguments = [self._used(pieces) for pieces in given]
        if inside is not None:
            arguments.append(string_of(self._of_block(call, inside, macro.name), self.source))
        value = macro(MacroCall(call.name, tuple(arguments), self.env, self.run, call.start, self.source, call.single))
        self._take(len(value))
        return value

    def _take(self, length: int) -> None:
        if length > self.run.room:
            raise NoRoom(f"all that macros give would be longer than {MOST_CHARACTERS:,} characters", key="too long")
        self.run.room -= length

    def _inside(self, call: Call, part: Part, number: int, partner: int) -> list[Piece]:
        return self._between(part, call.end, part.calls[partner].start, number + 1, partner)

    def _of_block(self, call: Call, inside: Sequence[Piece], name: str) -> Sequence[Piece]:
        return inside if call.keeps_blanks else block(inside, self.source, name, call.start)

    def _around(self, call: Call, ended: Call, inside: Sequence[Piece], name: str) -> list[Piece]:
        """The text between a macro and its end, without the two."""
        return [
            Piece(call.start, call.end, "", name, call.start),
            *self._of_block(call, inside, name),
            Piece(ended.start, ended.end, "", name, call.start),
        ]

    def _variable(self, call: Call) -> list[Piece]:
        if call.arguments[0].calls and not OPERATED.match(self.source, call.arguments[0].start):
            return self._as_written(call, None, 0, None)
        pieces = self._pieces(call.arguments[0])
        try:
            found = shorthand(call.variable, self._used(pieces), self.run)
            self._take(len(found.value))
        except Nonsense:
            return self._with_arguments(call, [pieces])
        except NoRoom as bad:
            if self.run.is_new(bad.key):
                self.run.note(f"{self._at(call.start)}: {bad}")
            return [Piece(call.start, call.end)]
        self.count += 1
        return [Piece(call.start, call.end, found.value, found.name, call.start)]

    # --- conditions

    def _if(self, call: Call, part: Part, number: int, partner: int | None) -> list[Piece]:
        self.count += 1
        holds = self._holds(self._used(self._pieces(call.arguments[0])).replace(TRIM, ""))
        if partner is not None:
            held, first, last = part, number + 1, partner
            start, end = call.end, part.calls[partner].start
            whole_end = part.calls[partner].end
        else:
            held = call.arguments[1]
            first, last, start, end, whole_end = 0, len(held.calls), held.start, held.end, call.end
        middle = next((i for i in self._side_by_side(held, first, last) if held.calls[i].name == "else"), None)
        if middle is not None:
            other = held.calls[middle]
            if holds:
                last, end = middle, other.start
            else:
                first, start = middle + 1, other.end
        elif not holds:
            return [Piece(call.start, whole_end, "", "if", call.start)]
        inside = self._between(held, start, end, first, last)
        if partner is None:
            inside = _trimmed(inside, self.source, call.start)
        elif not call.keeps_blanks:
            inside = block(inside, self.source, "if", call.start)
        return [Piece(call.start, start, "", "if", call.start), *inside, Piece(end, whole_end, "", "if", call.start)]

    @staticmethod
    def _side_by_side(part: Part, first: int, last: int) -> Sequence[int]:
        """Numbers of the calls that stand beside each other, not between another and its end."""
        out: list[int] = []
        while first < last:
            call = part.calls[first]
            out.append(first)
            inside = not call.closes and call.partner is not None and call.partner < last
            first = (call.partner if inside and call.partner is not None else first) + 1
        return out

    def _holds(self, condition: str) -> bool:
        is_not = condition.startswith("!")
        condition = condition[1:].lstrip(WHITE) if is_not else condition
        bare = BARE.fullmatch(condition)
        if bare is not None:
            value = value_of(bare.group(1), bare.group(2), self.run)
        elif NAME.fullmatch(condition) and (macro := find(condition, NEWER)) is not None and not macro.least:
            value = string_of(Evaluation(inner := f"{{{{{condition}}}}}", self.run, self.env).result().pieces, inner)
        else:
            value = condition
        return is_filled(value) is not is_not

    # --- what stays

    def _stays(self, call: Call, macro: Macro, problem: str, key: str = "") -> None:
        if self.run.is_new(key or f"{macro.name}: {problem}"):
            self.run.note(f"{self._at(call.start)}: macro {call.name!r} stays: {problem}", name=call.name)

    def _as_written(self, call: Call, part: Part | None, number: int, partner: int | None) -> list[Piece]:
        """A macro that stays, with what is in it evaluated, up to its end where it has one."""
        out = self._with_arguments(call, [self._pieces(argument) for argument in call.arguments])
        if part is not None and partner is not None:
            ended = part.calls[partner]
            out += [*self._inside(call, part, number, partner), Piece(ended.start, ended.end)]
        return out

    def _with_arguments(self, call: Call, given: Sequence[Sequence[Piece]]) -> list[Piece]:
        out: list[Piece] = []
        done = call.start
        for argument, pieces in zip(call.arguments, given, strict=True):
            if done < argument.start:
                out.append(Piece(done, argument.start))
            out += pieces
            done = argument.end
        if done < call.end:
            out.append(Piece(done, call.end))
        return out

    def _unknown(self, call: Call, part: Part, number: int, partner: int | None) -> list[Piece]:
        if self.run.is_new(f"unknown {call.name}"):
            self.run.note(f"{self._at(call.start)}: {unknown_name(call.name, NEWER)}", name=call.name)
        given = [self._pieces(argument) for argument in call.arguments]
        if partner is None:
            return self._with_arguments(call, given)
        return self._left(call, given, self._inside(call, part, number, partner), part.calls[partner])

    def _left(
        self, call: Call, given: Sequence[Sequence[Piece]], inside: Sequence[Piece] | None, ended: Call | None
    ) -> list[Piece]:
        """A macro without a value. Of the end of one that has an end the program leaves two braces."""
        out = self._with_arguments(call, given)
        if inside is None or ended is None:
            return out
        rest = "}}" if ended.start > call.end else ""
        inside = self._of_block(call, inside, call.name)
        return [*out, *inside, Piece(ended.start, ended.end, rest, call.name, call.start)]


def _trimmed(pieces: Sequence[Piece], source: str, at: int) -> list[Piece]:
    whole = string_of(pieces, source)
    begin = len(whole) - len(whole.lstrip(WHITE))
    end = max(begin, len(whole.rstrip(WHITE)))
    return without(pieces, source, [span for span in ((0, begin), (end, len(whole))) if span[0] < span[1]], "if", at)
