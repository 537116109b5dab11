"""Why a macro gives something else."""

from __future__ import annotations

import re

from tests.golden.second_opinion.case import Data
from tests.golden.second_opinion.rule import Right, Rule


def _words(id: str, right: Right, has: str, instead: str = "") -> Rule:
    pattern = re.compile(has, re.IGNORECASE)

    def without(data: Data) -> None:
        while pattern.search(data["text"]):
            data["text"] = pattern.sub(instead, data["text"])

    return Rule(id, ("macro",), right, lambda data: bool(pattern.search(data["text"])), without)


UNKNOWN_THERE = r"\{\{(?:newline|trim|noop|//|reverse|incvar|decvar|addvar)[^{}]*\}\}"
READ_AND_SET = (
    r"\{\{set(global|)var::([^:{}]+)::[^{}]*\}\}(?=.*\{\{get\1var::\2\}\})"
    r"|(?s:\{\{get(global|)var::([^:{}]+)\}\}(?=.*\{\{set\3var::\4::))"
)


def _refers(data: Data) -> bool:
    return any("{{" in str(value) and name in data["text"] for name, value in data["variables"].items())


def _without_references(data: Data) -> None:
    data["variables"] = {name: str(value).replace("{{", "") for name, value in data["variables"].items()}


MACROS = (
    _words("names in angles", "ctxlab", r"(?<!<)<(?:user|bot|char)>(?!>)"),
    _words("names in double angles", "ctxlab", r"<<[^<>]*>>"),
    _words("macros that only ctxlab has", "ctxlab", UNKNOWN_THERE),
    _words("read and set in one text", "a choice", READ_AND_SET),
    _words("blanks in values", "ctxlab", r"(?<=::) +(?=[^{}]*\}\})|(?<=\w) +(?=\}\})"),
    _words("values that are numbers", "ctxlab", r"(?<=::)0+(?=\d)|(?<=\.\d)0+(?=\}\})"),
    _words("macros inside macros", "a choice", r"(\{\{\w+::[^{}]*)\{\{[^{}]*\}\}", r"\1x"),
    Rule("macros in values", ("macro",), "a choice", _refers, _without_references),
    _words("escaped macros", "a choice", r"\\(?=\{\{)"),
)
