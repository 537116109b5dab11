"""SillyTavern's older macro engine: one name after another is replaced in the whole text, in earlier values too.

It has no nesting and no order of reading: all variables are set before any is read. Measured against 1.19.0 with its
newer engine switched off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from ctxlab.context import Edit, Origin, Text
from ctxlab.engines.macros.call import CAUSE, BadCall, ExpansionState, MacroCall
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.left_to_right.names_and_card import TEMPLATES, without_card
from ctxlab.engines.macros.left_to_right.pieces import TRIMS, Piece, edits_of
from ctxlab.engines.macros.parser import ANGLE, ANGLES
from ctxlab.engines.macros.registry import OLDER, Macro, newer_macros, sillytavern_macros
from ctxlab.engines.macros.variables import SCOPES

FIELDS = (
    "charPrompt", "mesExamples", "mesExamplesRaw", "description", "personality", "persona", "scenario",
    "charInstruction", "charJailbreak", "charDepthPrompt", "creatorNotes", "charVersion", "char_version",
)  # fmt: skip
"""Texts of the card, in the order in which they are read."""
AS_CALLED = {"charJailbreak": "charInstruction"}
EARLY = (
    "chatStart",
    "chatSeparator",
    "systemPrompt",
    "defaultSystemPrompt",
    "instructSystem",
    "instructInput",
    "instructOutput",
)
NAMES = ("user", "char", "group", "charIfNotGroup", "groupNotMuted", "notChar", "model")
LATE = (
    "maxPrompt", "maxPromptTokens", "maxContext", "maxContextTokens", "maxResponse", "maxResponseTokens", "lastMessage",
    "lastMessageId", "lastUserMessage", "lastCharMessage", "firstIncludedMessageId", "firstDisplayedMessageId",
    "lastSwipeId", "currentSwipeId", "allChatRange",
)  # fmt: skip
TIMES = ("time", "date", "weekday", "isotime", "isodate")


def _pass(pattern: str, name: str) -> tuple[re.Pattern[str], str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII), name


def _named(*names: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(_pass(rf"\{{\{{{name}\}}\}}", name) for name in names)


def _variables() -> tuple[tuple[re.Pattern[str], str], ...]:
    verbs = (
        ("set", r"([^:]+)::([^}]*)"),
        ("add", r"([^:]+)::([^}]+)"),
        *((verb, "([^}]+)") for verb in ("inc", "dec", "get")),
    )
    return tuple(
        _pass(rf"\{{\{{{verb}{infix}var::{arguments}\}}\}}", f"{verb}{infix}var")
        for infix, *_ in SCOPES
        for verb, arguments in verbs
    )


PASSES = (
    _pass(ANGLE.pattern, "<>"),
    _pass(r"\{\{roll[ :]([^}]+)\}\}", "roll"),
    *_named(*EARLY),
    *_variables(),
    *_named("newline"),
    _pass(TRIMS.pattern, "trim"),
    *_named("noop", "input", *FIELDS, *NAMES, *LATE),
    _pass(r"\{\{reverse:(.+?)\}\}", "reverse"),
    _pass(r"\{\{//([\s\S]*?)\}\}", "//"),
    *_named(*TIMES),
    _pass(r"\{\{datetimeformat +([^}]*)\}\}", "datetimeformat"),
    *_named("idle_duration"),
    _pass(r"\{\{time_UTC([-+]\d+)\}\}", "time_UTC"),
    _pass(r"\{\{outlet::(.+?)\}\}", "outlet"),
    _pass(r"\{\{timeDiff::(.*?)::(.*?)\}\}", "timeDiff"),
    _pass(r'\{\{banned "(.*)"\}\}', "banned"),
    _pass(r"\{\{random\s?::?([^}]+)\}\}", "random"),
    _pass(r"\{\{pick\s?::?([^}]+)\}\}", "pick"),
)


@cache
def older_macros() -> Mapping[str, Macro]:
    """The macros of the older engine, by name in lower case."""
    known = {**newer_macros(), "time_utc": sillytavern_macros()["time_utc"]}
    found = {name: known[AS_CALLED.get(name, name).lower()] for _, name in PASSES if name != "<>"}
    return {name.lower(): replace(macro, name=name, dialect=OLDER, template=False) for name, macro in found.items()}


def passed(text: Text, run: ExpansionState, *, processor: str = CAUSE) -> tuple[Text, int]:
    """The text after all passes, and how many macros were replaced."""
    return _Passes(run, run.env, processor).done(text)


class _Passes:
    """One expansion: the texts of the card are read before anything else happens."""

    def __init__(self, run: ExpansionState, env: MacroEnv, processor: str) -> None:
        self.run, self.env, self.processor = run, env, processor
        self.fields: Mapping[str, str] = {}
        self.count = 0

    def done(self, text: Text) -> tuple[Text, int]:
        source = str(text).lower()
        is_card = self.env.agent is None and not self.env.persona
        if not is_card and any(f"{{{{{name.lower()}}}}}" in source for name in FIELDS):
            self.fields = self._fields()
        for pattern, name in PASSES:
            source = str(text)
            if "{{" not in source and name != "<>":
                break
            edits = self._edits(pattern, name, source)
            text = text.splice(edits) if edits else text
        return text, self.count

    def _fields(self) -> Mapping[str, str]:
        reads = {name: read for names, _, read in TEMPLATES for name in names}
        found: dict[str, str] = {}
        for name in FIELDS:
            read = reads.get(AS_CALLED.get(name, name))
            raw = read(self.env).strip() if read is not None else ""
            raw = reads[name](self.env) if name == "mesExamples" else raw
            self.run.works(len(raw))
            inside = _Passes(self.run, without_card(self.env), CAUSE)
            found[name] = str(inside.done(Text.of(raw, Origin("macro", name)))[0]).replace("\r", "") if raw else ""
        return found

    def _edits(self, pattern: re.Pattern[str], name: str, source: str) -> list[Edit]:
        if name != "<>" and f"{{{{{name.rstrip('_')[:4].lower()}" not in source.lower():
            return []
        pieces: list[Piece] = []
        for match in pattern.finditer(source):
            macro = ANGLES[match.group().lower()] if name == "<>" else name
            value = self._value(macro, match, source)
            if value is None or len(value) > self.run.room:
                continue
            self.run.room -= len(value)
            self.count += 1
            pieces.append(Piece(match.start(), match.end(), value, macro, match.start()))
        return edits_of(pieces, self.processor)

    def _value(self, name: str, match: re.Match[str], source: str) -> str | None:
        if name == "trim":
            return ""
        if name in FIELDS and name not in ("charVersion", "char_version"):
            if self.env.agent is None and not self.env.persona:
                return None  # in a text of the card they are no macros
            return self.fields.get(name, "")
        if name == "currentSwipeId" and self.env.messages.swipes() is None:
            return "NaN"
        macro = older_macros().get(name.lower()) or newer_macros()[name.lower()]
        arguments = tuple(each or "" for each in match.groups())
        try:
            return str(macro(MacroCall(name, arguments, self.env, self.run, match.start(), source, single=True)))
        except BadCall as bad:
            if self.run.is_new(bad.key or f"{name}: {bad}"):
                self.run.note(f"macro {name!r} stays: {bad}", name=name)
            return None
