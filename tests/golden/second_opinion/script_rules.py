"""Why a script leaves another text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.golden.second_opinion.case import Data
from tests.golden.second_opinion.rule import Right, Rule

REGEX = ("regex",)
SCRIPTS = ("regex", "prompt")


def _scripts(data: Data) -> list[Data]:
    return data.get("scripts") or []


def _any_script(has: Callable[[Data], Any]) -> Callable[[Data], bool]:
    return lambda data: any(has(one) for one in _scripts(data))


def _every_script(change: Callable[[Data], None]) -> Callable[[Data], None]:
    def without(data: Data) -> None:
        for one in _scripts(data):
            change(one)

    return without


def _written(one: Data) -> tuple[str, str]:
    """Body and flags of a script's pattern."""
    found = re.fullmatch(r"/(.*)/([a-z]*)", one["findRegex"], re.DOTALL)
    return (found[1], found[2]) if found else (one["findRegex"], "")


def _looking_for(body: str, flags: str) -> Callable[[Data], None]:
    return lambda one: one.update(findRegex=f"/{body}/{flags}")


def _template(id: str, right: Right, has: str, instead: str = "") -> Rule:
    """A rule on what replacements say, which is then taken out of them."""
    pattern = re.compile(has)
    return Rule(
        id,
        REGEX,
        right,
        _any_script(lambda one: pattern.search(one["replaceString"])),
        _every_script(lambda one: one.update(replaceString=pattern.sub(instead, one["replaceString"]))),
    )


def _groups(one: Data) -> int:
    body = re.sub(r"\\.|\[[^\]]*\]", "", _written(one)[0])
    return len(re.findall(r"\((?!\?)|\(\?<(?![=!])", body))


def _lacks_groups(one: Data) -> bool:
    return any(int(number) > _groups(one) for number in re.findall(r"\$(\d{1,2})", one["replaceString"]))


def _without_groups(one: Data) -> None:
    if _lacks_groups(one):
        one["replaceString"] = re.sub(r"\$\d{1,2}", "", one["replaceString"])


JAVASCRIPT = re.compile(r"\(\?<[a-z]|\[\^\]|\\p\{|\(\?<[=!][^)]*[+*]|\\u\{")
CLASSES = re.compile(r"\\[wWdDbBsS]")
LINES = re.compile(r"[.^$]")
ENDS = re.compile("[\r\u2028\u2029]|\n$")


def _reads_letters(data: Data) -> bool:
    is_about = any(CLASSES.search(_written(one)[0]) or "i" in _written(one)[1] for one in _scripts(data))
    return is_about and not data["text"].isascii()


def _reads_lines(data: Data) -> bool:
    return bool(ENDS.search(data["text"])) and any(LINES.search(_written(one)[0]) for one in _scripts(data))


def _reads_halves(data: Data) -> bool:
    has_signs = any(ord(char) > 0xFFFF for char in data["text"])
    return has_signs and any("." in body and "u" not in flags for body, flags in map(_written, _scripts(data)))


def _puts_back_signs(data: Data) -> bool:
    back = any("{{match}}" in one["replaceString"] for one in _scripts(data))
    return back and bool({"\\", "$"} & set(data["text"]))


def _retext(change: Callable[[str], str]) -> Callable[[Data], None]:
    return lambda data: data.update(text=change(data["text"]))


REGEXES = (
    Rule(
        "neither only",
        SCRIPTS,
        "a choice",
        _any_script(lambda one: not one.get("promptOnly") and not one.get("markdownOnly")),
        _every_script(lambda one: one.get("markdownOnly") or one.update(promptOnly=True, markdownOnly=True)),
    ),
    Rule(
        "trim strings",
        REGEX,
        "ctxlab",
        _any_script(lambda one: one["trimStrings"]),
        _every_script(lambda one: one.update(trimStrings=[])),
    ),
    _template("dollar signs", "ctxlab", r"\$(?=[$&])"),
    _template("the match by number", "ctxlab", r"\$0", "{{match}}"),
    Rule("groups that aren't there", REGEX, "neither", _any_script(_lacks_groups), _every_script(_without_groups)),
    _template("macros in replacements", "ctxlab", r"\{\{(?!match)\w+\}\}"),
    Rule(
        "JavaScript's own patterns",
        REGEX,
        "ctxlab",
        _any_script(lambda one: JAVASCRIPT.search(one["findRegex"])),
        _every_script(lambda one: one.update(findRegex="/one/g")),
    ),
    Rule("letters beyond ASCII", REGEX, "ctxlab", _reads_letters, _retext(lambda t: re.sub(r"[^\x00-\x7f]", "", t))),
    Rule("ends of lines", REGEX, "ctxlab", _reads_lines, _retext(lambda text: ENDS.sub("", text))),
    Rule("halves of signs", REGEX, "ctxlab", _reads_halves, _retext(lambda t: re.sub(r"[^\x00-\uffff]", "", t))),
    Rule(
        "sticky patterns",
        REGEX,
        "ctxlab",
        _any_script(lambda one: "y" in _written(one)[1]),
        _every_script(lambda one: _looking_for(_written(one)[0], _written(one)[1].replace("y", ""))(one)),
    ),
    Rule(
        "placement 0",
        REGEX,
        "ctxlab",
        _any_script(lambda one: 0 in one["placement"]),
        _every_script(lambda one: one.update(placement=[1, 2]) if 0 in one["placement"] else None),
    ),
    Rule(
        "depths below zero",
        REGEX,
        "ctxlab",
        _any_script(lambda one: (one.get("maxDepth") or 0) < -1),
        _every_script(lambda one: one.update(maxDepth=None) if (one.get("maxDepth") or 0) < -1 else None),
    ),
    Rule("signs in a match", REGEX, "ctxlab", _puts_back_signs, _retext(lambda text: re.sub(r"[\\$]", "", text))),
    Rule(
        "scripts that look for nothing",
        REGEX,
        "ctxlab",
        _any_script(lambda one: not one["findRegex"]),
        lambda data: data.update(scripts=[one for one in data["scripts"] if one["findRegex"]]),
    ),
)
