"""Macros: where ours differs from the reference on purpose."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules.rule import Rule

UNTOLD = re.compile(r"\{\{\s*(?:os|osVersion|arch|platform|hostname|locale|tool_usage|cssvar::[^}]*)\s*\}\}")
POST = re.compile(r"\{\{\s*cssvar::[^}]*\}\}")
MACRO = re.compile(r"\{\{\s*(\w+)\s*\}\}")
FORMS = {
    "date_ymd": "%Y-%m-%d",
    "datetime": "%Y-%m-%d %H:%M:%S",
    "time24": "%H:%M",
    "weekday": "%A",
}


def _asks_what_is_not_told(case: Case) -> bool:
    return UNTOLD.search(case.input.get("text") or "") is not None


def _nothing(case: Case) -> Any:
    """Nothing where such a macro stands; the rest of these texts has no macros."""
    text = case.input["text"]
    expected = {**case.expected, "output": UNTOLD.sub("", text)}
    if expected.get("phases"):
        early = text if POST.search(text) else UNTOLD.sub("", text)
        expected["phases"] = [text, early, UNTOLD.sub("", text)]
    return expected


def _timeline(case: Case) -> Data:
    agent = (case.input.get("context") or {}).get("agent") or {}
    return agent.get("virtualTimeConfig") or {}


def _has_no_timeline_that_works(case: Case) -> bool:
    config = _timeline(case)
    return bool(config) and not all(_is_date(config.get(name)) for name in ("virtualBaseTime", "realBaseTime"))


def _is_date(said: Any) -> bool:
    try:
        return re.match(r"\d{4}-\d\d-\d\d", said) is not None and datetime.fromisoformat(said) is not None
    except (TypeError, ValueError):
        return False


def _real_time(case: Case) -> Any:
    """The time of the case itself, in its zone."""
    data = case.input
    milliseconds = data["context"].get("timestamp") or data["timestamp_ms"]
    utc = datetime.fromtimestamp(milliseconds / 1000, UTC)
    values = {name: utc.astimezone(ZoneInfo(data["tz"])).strftime(form) for name, form in FORMS.items()}
    values |= {"isotime": utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"}
    values |= {"timestamp": str(milliseconds)}
    output = MACRO.sub(lambda match: values[match[1]], data["text"])
    return {**case.expected, "output": output, "count": len(set(MACRO.findall(data["text"]))), "failed": False}


RULES: tuple[Rule, ...] = (
    Rule(
        "decisions, Macros: host facts and the application's own",
        "Facts about the machine are off by default, and there is no browser whose styles could be asked; "
        "such a macro is empty, with a note, where the reference sends an error text or tells on its user.",
        ("macro_engine",),
        _asks_what_is_not_told,
        _nothing,
    ),
    Rule(
        "systems 3.4: timelines that can't be read",
        "The real time is told, with a note that says what is wrong; the reference sends NaN-NaN-NaN or the macro.",
        ("macro_datetime",),
        _has_no_timeline_that_works,
        _real_time,
    ),
)
