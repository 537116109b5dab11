"""Rules by Python's own patterns, and the macros of names, variables and dates."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

Json = dict[str, Any]


def rules(given: Json) -> Json:
    """The text after all rules."""
    text = given["text"]
    for rule in sorted(given["rules"], key=lambda rule: rule.get("order", 0)):
        if _counts(rule, given):
            text = _replaced(text, rule, given)
    return {"text": text}


def _counts(rule: Json, given: Json) -> bool:
    depth, bounds = given.get("depth", 0), rule.get("depth", {})
    least, most = bounds.get("min"), bounds.get("max")
    return (
        rule.get("enabled", True)
        and given.get("stage", "request") in rule.get("stages", ["request"])
        and given.get("role", "user") in rule.get("roles", ["system", "user", "assistant"])
        and (least is None or depth >= least)
        and (most is None or depth <= most)
    )


def _replaced(text: str, rule: Json, given: Json) -> str:
    if rule.get("macros", "none") != "none":
        raise NotImplementedError("macros in rules are not read here")
    find, flags = rule["find"], rule.get("flags", "")
    if written := re.fullmatch("/(.+)/([a-z]+|)", find):
        find, flags = written[1], written[2] or flags
    flags = flags or "gm"
    pattern = re.compile(
        find.replace("(?<hour>", "(?P<hour>"),
        re.ASCII | sum({"i": re.I, "m": re.M, "s": re.S}.get(flag, 0) for flag in flags),
    )

    def put(match: re.Match[str]) -> str:
        def piece(found: re.Match[str]) -> str:
            sign = found[1]
            if sign in ("$", "`", "'", "&"):
                return {"$": "$", "`": text[: match.start()], "'": text[match.end() :], "&": match[0]}[sign]
            if sign.startswith("<"):
                return _trimmed(match[sign[1:-1]] or "", rule)
            number, rest = int(sign), ""
            if number > pattern.groups and len(sign) > 1:
                number, rest = int(sign[0]), sign[1:]
            return _trimmed(match[number] or "", rule) + rest if 0 < number <= pattern.groups else found[0]

        template = rule["replace"].replace(r"\n", "\n").replace(r"\t", "\t")
        parts = [re.sub(r"\$(\$|[&`']|\d\d?|<\w+>)", piece, part) for part in template.split("{{match}}")]
        return _trimmed(match[0], rule).join(parts)

    return pattern.sub(put, text, count=0 if "g" in flags else 1)


def _trimmed(words: str, rule: Json) -> str:
    for each in rule.get("trim", ()):
        words = words.replace(each, "")
    return words


def macros(given: Json) -> Json:
    """The text with its macros replaced: one pass for variables that are set, one for all others."""
    if given.get("dialect") or given.get("dice") is not None or "messages" in given or "typed" in given:
        raise NotImplementedError("dialects, dice and messages are not read here")
    session, everywhere = dict(given.get("variables", {})), dict(given.get("globalVariables", {}))
    text = given["text"]
    if any(sign in text for sign in ("\\{{", "{{{", "{{trim}}", "{{repeat", "::{{")):
        raise NotImplementedError("macros inside others, and those that change what is around them, are not read here")

    def write(match: re.Match[str]) -> str:
        name, _, rest = match[1].partition("::")
        held = everywhere if "global" in name else session
        verb = name.strip().replace("global", "")
        if verb == "setvar":
            key, _, value = rest.partition("::")
            held[key] = int(value) if re.fullmatch("0|[1-9][0-9]*", value) else value
            return ""
        if verb in ("incvar", "decvar"):
            held[rest] = held.get(rest, 0) + (1 if verb == "incvar" else -1)
            return ""
        return match[0]

    def show(match: re.Match[str]) -> str:
        name, _, rest = match[1].strip().partition("::")
        if name in ("getvar", "getglobalvar"):
            return str((everywhere if "global" in name else session).get(rest, ""))
        known = {"user": given.get("user"), "char": given.get("character"), "newline": "\n"}
        known |= {each: given.get(each) for each in ("persona", "description", "scenario")}
        known |= _times(given, rest)
        value = known.get(name)
        return match[0] if value is None else value

    text = re.sub(r"\{\{([^{}]*)\}\}", show, re.sub(r"\{\{([^{}]*)\}\}", write, text))
    text = text.replace("{{lastMessage}}", "")
    return {"text": text, "variables": session, "globalVariables": everywhere}


def _times(given: Json, pattern: str) -> dict[str, str]:
    if "clock" not in given:
        return {}
    now = datetime.fromisoformat(given["clock"].replace("Z", "+00:00")).astimezone(ZoneInfo(given.get("zone", "UTC")))
    hour = now.hour % 12 or 12
    parts = {
        "YYYY": f"{now.year}",
        "YY": f"{now:%y}",
        "MMMM": f"{now:%B}",
        "MMM": f"{now:%b}",
        "MM": f"{now:%m}",
        "M": f"{now.month}",
        "dddd": f"{now:%A}",
        "ddd": f"{now:%a}",
        "DD": f"{now:%d}",
        "D": f"{now.day}",
        "HH": f"{now:%H}",
        "H": f"{now.hour}",
        "hh": f"{hour:02d}",
        "h": f"{hour}",
        "mm": f"{now:%M}",
        "m": f"{now.minute}",
        "ss": f"{now:%S}",
        "s": f"{now.second}",
        "A": f"{now:%p}",
        "a": f"{now:%p}".lower(),
    }
    tokens = re.compile(r"\[([^\]]*)\]|" + "|".join(parts))
    return {
        "date": f"{now:%B} {now.day}, {now.year}",
        "date_ymd": f"{now:%Y-%m-%d}",
        "time": f"{hour}:{now:%M} {now:%p}",
        "time24": f"{now:%H:%M}",
        "weekday": f"{now:%A}",
        "datetime": f"{now:%Y-%m-%d %H:%M:%S}",
        "timestamp": str(int(now.timestamp()) * 1000),
        "isotime": given["clock"].replace("Z", ".000Z"),
        "datetime_format": tokens.sub(lambda found: parts.get(found[0], found[1]), pattern),
    }
