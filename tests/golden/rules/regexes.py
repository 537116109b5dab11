"""Regex rules: where ours differs from the reference on purpose."""

from __future__ import annotations

import re
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules.rule import Rule

NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z_])")
PUT_IN = re.compile(r"\$&|\$([1-9][0-9]*)(?![0-9])|\$\{([1-9][0-9]*)\}")
SAYS_MORE = re.compile(r"\$(?:[$&`'<{]|[0-9])")


# --- priority


def _priorities(case: Case) -> list[tuple[float, float, str]]:
    """Every rule of the case's presets: its preset's priority, its own order, its id."""
    return [
        (100 if preset.get("priority") is None else preset["priority"], rule.get("order") or 0, rule["id"])
        for config in case.input["configs"]
        for preset in (config or {}).get("presets") or ()
        for rule in preset["rules"]
    ]


def _has_priorities(case: Case) -> bool:
    return len({priority for priority, _, _ in _priorities(case)}) > 1


def _by_priority(case: Case) -> Any:
    """The rules that the reference takes, ordered by priority first."""
    rank = {id: (priority, order) for priority, order, id in _priorities(case)}
    return {name: sorted(ids, key=rank.__getitem__) for name, ids in case.expected.items()}


# --- trim strings


def _trimming(case: Case) -> list[Data]:
    return [rule for rule in case.input.get("rules") or () if any(rule.get("trimStrings") or ())]


def _captures_what_says_more(case: Case) -> bool:
    """Whether a rule with trim strings puts in a group that reads like a reference itself."""
    if len(case.input.get("rules") or ()) != 1 or not _trimming(case):
        return False  # what a later rule captures isn't known without running the earlier ones
    (rule,) = case.input["rules"]
    try:
        matches = list(_pattern(rule).finditer(case.input["content"]))
    except re.error:  # not a pattern, or only in JavaScript
        return False
    return any(
        SAYS_MORE.search(_trimmed(group, rule)) for match in matches for group in match.groups() if group is not None
    )


def _put_in_once(case: Case) -> str:
    """The content with every group put in as it is."""
    (rule,) = case.input["rules"]
    template = rule["replacement"].replace("\\n", "\n").replace("\\t", "\t")

    def made(match: re.Match[str]) -> str:
        return PUT_IN.sub(lambda reference: _value(reference, match, rule), template)

    return _pattern(rule).sub(made, case.input["content"], count=0 if "g" in _flags(rule) else 1)


def _value(reference: re.Match[str], match: re.Match[str], rule: Data) -> str:
    if reference[0] == "$&":
        return match[0]
    number = int(reference[1] or reference[2])
    group = match[number] if number <= (match.re.groups or 0) else None
    return reference[0] if group is None else _trimmed(group, rule)


def _trimmed(text: str, rule: Data) -> str:
    for unwanted in filter(None, rule["trimStrings"]):
        text = text.replace(unwanted, "")
    return text


def _flags(rule: Data) -> str:
    written = re.fullmatch(r"/.*/([gimsuy]*)", rule["regex"], re.DOTALL)
    return rule.get("flags") or (written[1] if written else "") or "gm"


def _pattern(rule: Data) -> re.Pattern[str]:
    """The rule's pattern, as far as Python reads it alike."""
    written = re.fullmatch(r"/(.*)/[gimsuy]*", rule["regex"], re.DOTALL)
    flags = sum({"i": re.I, "m": re.M, "s": re.S}.get(flag, 0) for flag in set(_flags(rule)))
    return re.compile(NAMED_GROUP.sub("(?P<", written[1] if written else rule["regex"]), flags | re.ASCII)


RULES: tuple[Rule, ...] = (
    Rule(
        "D29",
        "One order for what is shown and what is sent: by the priority of the presets, then by the rules' own order.",
        ("regex_resolution_utils",),
        _has_priorities,
        _by_priority,
    ),
    Rule(
        "D7",
        "Captured text is words: a `$&` in it stands for nothing.",
        ("regex_apply", "st_regex"),
        _captures_what_says_more,
        _put_in_once,
    ),
)
