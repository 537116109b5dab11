"""The first later action that goes against a lost rule: a call that changes a path, a command, a word that is said."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, cast

from ctxlab.display.one_line import plain
from ctxlab.documents import MessageNode
from ctxlab.engines.compression import CheckedFact
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.recordings.compressions.forbidden import Forbidden, forbidden_in
from ctxlab.recordings.shell_commands import shell_commands, without_git_options

SHOWN = 120
"""Characters of evidence before and after what was found."""


@dataclass(frozen=True, slots=True)
class RuleBreach:
    """A later action with something that a lost rule forbids by name; whether the rule meant it is for its reader.

    `forbidden` are the words of the rule, `node` the message with the action. `evidence` is characters `start` up to
    `end` of `where`: `text`, or the call and field of its arguments, such as `Edit, file_path`.
    """

    rule: CheckedFact
    forbidden: str
    node: str
    where: str
    evidence: str
    start: int
    end: int
    sentence: str

    def __repr__(self) -> str:
        return f"RuleBreach({plain(self.sentence, 200)})"


@dataclass(frozen=True, slots=True)
class _Value:
    """A text of a message in which an action may be: of a call its name and field, else neither."""

    call: str
    field: str
    text: str


_CHANGES = lazy_pattern(r"edit|write|patch|replace|create|delete|remove|rename|move|update|insert", re.IGNORECASE)
_PATH_FIELD = lazy_pattern(
    r"path|file|uri|target|notebook|folder|dir|^source$|^destination$|^to$|^from$", re.IGNORECASE
)
_TEXT_FIELD = lazy_pattern(r"old|new|content|text|string|body", re.IGNORECASE)
_PATCH_LINE = lazy_pattern(
    r"^(?:\*\*\* (?:Update|Delete|Add) File: |\*\*\* Move to: |\+\+\+ (?:b/)?|--- (?:a/)?)(\S.*)$", re.MULTILINE
)
_CODE_CHANGES = lazy_pattern(r"os\.(?:remove|rename|unlink|replace)|shutil\.|\.write|\.unlink\(|\bopen\(")
"""Calls of code that change files."""
_COMMAND_FIELD = lazy_pattern(
    r"^(?:\d+\.)?(?:command|commands|cmd|script|code|input|keystrokes)(?:\.\d+)*$|^$", re.IGNORECASE
)
_MOST_DEPTH = 12


def first_breaches(rules: Sequence[CheckedFact], later: Sequence[MessageNode]) -> tuple[RuleBreach, ...]:
    """For each rule the first later message of the model with something that the rule forbids by name."""
    named = ((number, tuple(forbidden_in(rule.text))) for number, rule in enumerate(rules))
    open_rules = {number: forbidden for number, forbidden in named if forbidden}
    found: dict[int, RuleBreach] = {}
    for node in later:
        if node.role != "assistant" or not open_rules:
            continue
        values = list(_values(node))
        for number in list(open_rules):
            breach = _breach(rules[number], open_rules[number], node, values)
            if breach is not None:
                found[number] = breach
                del open_rules[number]
    return tuple(found[number] for number in sorted(found))


def _breach(
    rule: CheckedFact, forbidden: Sequence[Forbidden], node: MessageNode, values: Sequence[_Value]
) -> RuleBreach | None:
    for each in forbidden:
        for value in values:
            place = _place(each, value)
            if place is None:
                continue
            start, end = place
            where = ", ".join(part for part in (value.call, value.field) if part) or "text"
            evidence = value.text[start:end]
            does = _DOES[each.action].format(where=where, words=plain(evidence, 80))
            sentence = f"the rule “{plain(rule.text, 120)}” went, and later {does}"
            return RuleBreach(rule, each.text, node.id, where, evidence, start, end, sentence)
    return None


_DOES = {
    "change": "a call that changes files names “{words}” ({where})",
    "use": "a call has “{words}” ({where})",
    "say": "the model says “{words}”",
}


def _place(forbidden: Forbidden, value: _Value) -> tuple[int, int] | None:
    """The place where a value does what is forbidden."""
    if forbidden.action == "say":
        return _word(forbidden.text, value.text) if not value.call else None
    if not value.call:
        return None
    if forbidden.action == "use":
        is_command = _COMMAND_FIELD.search(value.field) and not _CHANGES.search(value.call)
        return _command(forbidden.text, value.text) if is_command else None
    if _CHANGES.search(value.call) and _PATH_FIELD.search(value.field) and not _TEXT_FIELD.search(value.field):
        return _path(forbidden.text, value.text, 0, len(value.text))
    for line in _PATCH_LINE.finditer(value.text):
        place = _path(forbidden.text, value.text, *line.span(1))
        if place is not None:
            return place
    if _COMMAND_FIELD.search(value.field):
        return _changed_in_shell(forbidden.text, value.text)
    return None


def _changed_in_shell(path: str, text: str) -> tuple[int, int] | None:
    """The place of the path, where a command changes it or a line of code that changes files names it."""
    for command in shell_commands(text):
        for word in command.changed:
            at = command.path(word)
            if _path(path, at, 0, len(at)) is None and not fnmatchcase(_plain(path), at):
                continue
            start = text.find(word, command.start, command.end)
            return (start, start + len(word)) if start >= 0 else (command.start, command.end)
    at = 0
    for line in text.splitlines(keepends=True):
        if _CODE_CHANGES.search(line) and (place := _path(path, text, at, at + len(line))) is not None:
            return place
        at += len(line)
    return None


def _plain(path: str) -> str:
    return path.strip("/ ").removeprefix("./")


def _path(path: str, text: str, start: int, end: int) -> tuple[int, int] | None:
    """The place of a path, or of one below it, between whole names."""
    wanted = _plain(path)
    match = re.compile(rf"(?<![\w.-]){re.escape(wanted)}(?:/[\w./@+-]*)?(?![\w-])").search(text, start, end)
    if match is None:
        return None
    before = re.search(r"[\w./~@+-]*$", text[start : match.start()])
    return (match.start() - (len(before[0]) if before else 0), match.end())


def _command(words: str, text: str) -> tuple[int, int] | None:
    """The place of a command, or of an option of one, as a shell reads the text: not in a comment or a quotation."""
    wanted = words.split()
    escaped = [*map(re.escape, wanted)]
    patterns = [
        re.compile(rf"(?<![\w./-]){between.join(escaped)}(?![\w./-])", re.DOTALL) for between in (r"\s+", ".*?")
    ]
    for command in shell_commands(text):
        there = without_git_options(command.words)
        if any(there[n : n + len(wanted)] == wanted for n in range(len(there))):
            found = (pattern.search(text, command.start, command.end) for pattern in patterns)
            match = next(filter(None, found), None)
            return match.span() if match else (command.start, command.end)
    return None


def _word(words: str, text: str) -> tuple[int, int] | None:
    pattern = r"\s+".join(map(re.escape, words.split()))
    before = r"(?<![A-Za-z0-9])" if words[:1].isascii() else ""
    after = r"(?![A-Za-z0-9])" if words[-1:].isascii() else ""
    match = re.search(rf"{before}{pattern}{after}", text, re.IGNORECASE)
    return match.span() if match else None


def _values(node: MessageNode) -> Iterator[_Value]:
    if node.content:
        yield _Value("", "", node.content)
    for call in node.tool_calls:
        given: Any = call.arguments
        try:
            given = json.loads(call.arguments)
        except (ValueError, RecursionError):
            yield _Value(call.name, "", call.arguments)
            continue
        for field, text in _single(given, "", _MOST_DEPTH):
            yield _Value(call.name, field, text)


def _single(value: object, field: str, depth: int) -> Iterator[tuple[str, str]]:
    """The texts of an argument; a list of words is one text, as a command is given in some programs."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, list) and all(isinstance(each, str) for each in cast("list[Any]", value)):
        words = cast("list[str]", value)
        if not _COMMAND_FIELD.search(field):
            yield field, " ".join(words)
        else:  # the words of one command, or several commands
            yield field, "\n".join(words) if any(map(str.isspace, "".join(words[:1]))) else shlex.join(words)
    elif isinstance(value, list | dict) and depth:
        inside: Any = cast("Any", value).items() if isinstance(value, dict) else enumerate(cast("list[Any]", value))
        for key, each in inside:
            yield from _single(each, f"{field}.{key}" if field else str(key), depth - 1)
