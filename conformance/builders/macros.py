"""Macros in a text, in two dialects: names, variables, blanks, chance, dates by a fixed clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from builders.common import Topic, chat

topic = Topic("macros")
NAMES = {"user": "Piran", "character": "Morwenna"}
TAVERN = {"dialect": "sillytavern"}


def one(family: str, says: str, text: str, after: str, **given: Any) -> None:
    topic.case(family, says, {"text": text, **given}, text=after)


def names() -> None:
    one("names", "{{user}} is the user's name.", "Hello, {{user}}.", "Hello, Piran.", **NAMES)
    one("names", "{{char}} is the character's name.", "I am {{char}}.", "I am Morwenna.", **NAMES)
    one(
        "names",
        "Several macros in a text are each replaced.",
        "{{user}} and {{char}} and {{user}}",
        "Piran and Morwenna and Piran",
        **NAMES,
    )
    one("names", "Blanks around a name inside the braces don't count.", "{{ user }}", "Piran", **NAMES)
    one(
        "names",
        "A macro that isn't known stays as it is written.",
        "{{lantern}} {{user}}",
        "{{lantern}} Piran",
        **NAMES,
    )
    one("names", "Single braces are no macro.", "{user}", "{user}", **NAMES)
    one("names", "Of three braces the inner two count.", "{{{user}}}", "{Piran}", **NAMES)
    one("names", "Braces that aren't closed are no macro.", "{{user", "{{user", **NAMES)
    one("names", "A backslash before the braces keeps them, and is gone.", r"\{{user}}", "{{user}}", **NAMES)
    one(
        "names",
        "A value is data: a macro in it isn't expanded.",
        "Hello, {{user}}.",
        "Hello, {{char}}.",
        user="{{char}}",
        character="M",
    )
    one("names", "A text without macros stays.", "Plain words.", "Plain words.", **NAMES)
    one("names", "{{persona}} is the user's persona.", "{{persona}}", "Mends nets.", persona="Mends nets.", **NAMES)
    one(
        "names",
        "{{description}} is the character's description.",
        "{{description}}",
        "Keeps the light.",
        description="Keeps the light.",
        **NAMES,
    )
    one("names", "{{scenario}} is the scenario.", "{{scenario}}", "A storm.", scenario="A storm.", **NAMES)
    one("names", "In our dialect a name in other letters isn't known.", "{{User}}", "{{User}}", **NAMES)
    one(
        "names",
        "In SillyTavern's dialect the case of a name doesn't count.",
        "{{USER}} {{Char}}",
        "Piran Morwenna",
        **TAVERN,
        **NAMES,
    )
    one("names", "In SillyTavern's dialect <USER> is the user's name.", "<USER>", "Piran", **TAVERN, **NAMES)
    one("names", "In SillyTavern's dialect <BOT> is the character's name.", "<BOT>", "Morwenna", **TAVERN, **NAMES)
    one("names", "In our dialect <USER> is words.", "<USER>", "<USER>", **NAMES)
    one("names", "In SillyTavern's dialect a remark is nothing.", "a{{// a remark}}b", "ab", **TAVERN, **NAMES)


def blanks() -> None:
    one("blanks", "{{newline}} is a line break.", "a{{newline}}b", "a\nb")
    one("blanks", "{{trim}} takes the line breaks around it along.", "a\n\n{{trim}}\n\nb", "ab")
    one("blanks", "{{trim}} at the end takes the line breaks before it along.", "a\n\n{{trim}}", "a")
    one("blanks", "{{trim}} at the beginning takes the line breaks behind it along.", "{{trim}}\n\nb", "b")
    one("blanks", "In our dialect {{trim}} takes blanks along too.", "a  {{trim}}  b", "ab")
    one("blanks", "In SillyTavern's dialect {{trim}} leaves blanks.", "a  {{trim}}  b", "a    b", **TAVERN)
    one("blanks", "In SillyTavern's dialect {{trim}} takes line breaks along.", "a\n{{trim}}\nb", "ab", **TAVERN)
    one("blanks", "{{noop}} is nothing in SillyTavern's dialect.", "a{{noop}}b", "ab", **TAVERN)
    one("blanks", "Blanks outside of macros stay.", "  {{user}}  ", "  Piran  ", **NAMES)
    one("blanks", "{{repeat}} gives a text so many times.", "{{repeat::ho ::3}}", "hohoho")
    one("blanks", "{{repeat}} no times gives nothing.", "a{{repeat::ho::0}}b", "ab")
    one("blanks", "{{reverse}} turns a text round in SillyTavern's dialect.", "{{reverse:tide}}", "edit", **TAVERN)


def variables() -> None:
    def stored(says: str, text: str, after: str, expected: dict[str, Any], **given: Any) -> None:
        topic.case("variables", says, {"text": text, **given}, text=after, variables=expected)

    stored(
        "{{setvar}} gives a variable a value, and nothing to the text.",
        "a{{setvar::port::Oban}}b",
        "ab",
        {"port": "Oban"},
    )
    stored(
        "{{getvar}} is the value of a variable.",
        "{{getvar::port}}",
        "Oban",
        {"port": "Oban"},
        variables={"port": "Oban"},
    )
    stored("{{getvar}} of a variable without a value is empty.", "[{{getvar::port}}]", "[]", {})
    stored("A value that is set is there for what stands behind.", "{{setvar::n::4}}{{getvar::n}}", "4", {"n": 4})
    stored(
        "In our dialect a value that is set is there for what stands before, too.",
        "{{getvar::n}}{{setvar::n::4}}",
        "4",
        {"n": 4},
    )
    stored("A number is stored as a number.", "{{setvar::n::12}}", "", {"n": 12})
    stored("A number with a leading zero is stored as words.", "{{setvar::n::007}}", "", {"n": "007"})
    stored("{{incvar}} adds one, and gives nothing to the text.", "a{{incvar::n}}", "a", {"n": 6}, variables={"n": 5})
    stored("{{decvar}} takes one away.", "{{decvar::n}}", "", {"n": 4}, variables={"n": 5})
    stored("{{incvar}} of a variable without a value makes it 1.", "{{incvar::n}}", "", {"n": 1})
    stored("{{incvar}} twice adds two.", "{{incvar::n}}{{incvar::n}}{{getvar::n}}", "2", {"n": 2})
    stored("A later value goes before an earlier one.", "{{setvar::n::1}}{{setvar::n::2}}{{getvar::n}}", "2", {"n": 2})
    stored("Values that aren't touched stay.", "{{setvar::b::2}}", "", {"a": 1, "b": 2}, variables={"a": 1})
    stored("A value may have two colons in it.", "{{setvar::k::a::b}}{{getvar::k}}", "a::b", {"k": "a::b"})
    stored("A Chinese name is a name.", "{{setvar::港口::厦门}}{{getvar::港口}}", "厦门", {"港口": "厦门"})
    stored(
        "A macro inside a value is expanded first.",
        "{{setvar::who::{{user}}}}{{getvar::who}}",
        "Piran",
        {"who": "Piran"},
        **NAMES,
    )
    topic.case("variables", "A global variable is kept apart from one of the conversation.",
               {"text": "{{setglobalvar::k::7}}{{getglobalvar::k}}{{getvar::k}}", "variables": {"k": 1}},
               text="71", variables={"k": 1}, globalVariables={"k": 7})  # fmt: skip
    stored(
        "In SillyTavern's dialect {{incvar}} gives the new value.",
        "{{incvar::n}}",
        "6",
        {"n": 6},
        variables={"n": 5},
        **TAVERN,
    )
    stored(
        "In SillyTavern's dialect {{decvar}} gives the new value.",
        "{{decvar::n}}",
        "4",
        {"n": 4},
        variables={"n": 5},
        **TAVERN,
    )
    stored(
        "In SillyTavern's dialect {{addvar}} adds a number.",
        "{{addvar::n::3}}\n{{getvar::n}}",
        "\n8",
        {"n": 8},
        variables={"n": 5},
        **TAVERN,
    )
    stored(
        "In SillyTavern's dialect a line reads before it writes.",
        "{{addvar::n::3}}{{getvar::n}}",
        "5",
        {"n": 8},
        variables={"n": 5},
        **TAVERN,
    )
    stored(
        "In SillyTavern's dialect {{addvar}} puts words behind words.",
        "{{addvar::w::ine}}",
        "",
        {"w": "marine"},
        variables={"w": "mar"},
        **TAVERN,
    )
    stored("In SillyTavern's dialect a value that is set is words.", "{{setvar::n::12}}", "", {"n": "12"}, **TAVERN)


def chance() -> None:
    """A number in [0, 1) is drawn for each; of n values it is the one at that share of them."""
    options = ["gull", "tern", "auk", "skua"]
    for drawn, index in ((0.0, 0), (0.24, 0), (0.25, 1), (0.5, 2), (0.74, 2), (0.75, 3), (0.999, 3)):
        one("chance", f"Of four birds the one at {drawn} of them is number {index + 1}.", "{{random::gull::tern::auk::skua}}",
            options[index], dice=[drawn])  # fmt: skip
    for drawn, eyes in ((0.0, 1), (0.2, 2), (0.5, 4), (0.99, 6)):
        one("chance", f"One die of six sides at {drawn} shows {eyes}.", "{{roll::1d6}}", str(eyes), dice=[drawn])
    one("chance", "Several dice show their sum and each of them.", "{{roll::2d6}}", "8 (2, 6)", dice=[0.2, 0.99])
    one(
        "chance",
        "In SillyTavern's dialect several dice show their sum.",
        "{{roll:2d6}}",
        "8",
        dice=[0.2, 0.99],
        **TAVERN,
    )
    one("chance", "In SillyTavern's dialect a number is added to dice.", "{{roll:1d6+3}}", "4", dice=[0.0], **TAVERN)
    one(
        "chance",
        "In SillyTavern's dialect a number alone is one die of so many sides.",
        "{{roll 20}}",
        "11",
        dice=[0.5],
        **TAVERN,
    )
    one(
        "chance",
        "In SillyTavern's dialect commas part what is drawn from.",
        "{{random:gull,tern}}",
        "tern",
        dice=[0.6],
        **TAVERN,
    )
    one("chance", "A whole number between two, both included, is drawn.", "{{randomInt::3::5}}", "5", dice=[0.9])
    one(
        "chance",
        "What is drawn may be a macro's value.",
        "{{random::{{user}}::{{char}}}}",
        "Morwenna",
        dice=[0.7],
        **NAMES,
    )
    one("chance", "Dice that are none stay as they are written.", "{{roll::six}}", "{{roll::six}}", dice=[])


def messages() -> None:
    row = chat("u: Is the light lit?", "a: It is.", "u: Good.")
    for name, words in (("lastMessage", "Good."), ("lastUserMessage", "Good."), ("lastCharMessage", "It is.")):
        one("messages", f"{{{{{name}}}}} is the newest of its kind.", f"<{{{{{name}}}}}>", f"<{words}>", messages=row)
    off = [*row[:2], {**row[2], "enabled": False}]
    one("messages", "A message that is switched off isn't the newest.", "{{lastMessage}}", "It is.", messages=off)
    one("messages", "Without messages the newest is empty.", "[{{lastMessage}}]", "[]")
    one("messages", "{{input}} is what is typed and not sent yet.", "{{input}}", "Wait.", messages=row, typed="Wait.")
    one(
        "messages",
        "In SillyTavern's dialect messages are numbered from 0.",
        "{{lastMessageId}}",
        "2",
        messages=row,
        **TAVERN,
    )


CLOCKS = (
    ("2031-02-03T04:05:06Z", None, timedelta(0)),
    ("2031-02-03T23:30:00Z", "Asia/Shanghai", timedelta(hours=8)),
    ("2028-02-29T12:00:00Z", None, timedelta(0)),
    ("2030-12-31T20:15:09Z", "Asia/Tokyo", timedelta(hours=9)),
    ("2029-07-01T00:00:00Z", "America/Bogota", timedelta(hours=-5)),
)


def dates() -> None:
    """Expected by Python's own calendar, with offsets of zones without summer time written down."""
    for clock, zone, offset in CLOCKS:
        now = datetime.fromisoformat(clock.replace("Z", "+00:00")).astimezone(timezone(offset))
        hour = now.hour % 12 or 12
        half = "PM" if now.hour >= 12 else "AM"
        shown = f"{clock} in {zone or 'UTC'}"
        given = {"clock": clock, **({"zone": zone} if zone else {})}
        for name, words in (
            ("date", f"{now:%B} {now.day}, {now.year}"),
            ("date_ymd", f"{now:%Y-%m-%d}"),
            ("time", f"{hour}:{now:%M} {half}"),
            ("time24", f"{now:%H:%M}"),
            ("weekday", f"{now:%A}"),
            ("datetime", f"{now:%Y-%m-%d %H:%M:%S}"),
        ):
            one("dates", f"{{{{{name}}}}} at {shown}.", f"{{{{{name}}}}}", words, **given)
    fixed = {"clock": "2031-02-03T04:05:06Z"}
    now = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
    one(
        "dates",
        "{{isotime}} is the instant in UTC, with thousandths.",
        "{{isotime}}",
        "2031-02-03T04:05:06.000Z",
        **fixed,
    )
    one(
        "dates",
        "{{timestamp}} is thousandths of seconds since 1970.",
        "{{timestamp}}",
        str(round(now.timestamp() * 1000)),
        **fixed,
    )
    for pattern, words in (("YYYY/MM/DD", "2031/02/03"), ("D.M.YY", "3.2.31"), ("HH:mm:ss", "04:05:06"), ("H:m:s", "4:5:6"),
                           ("dddd", "Monday"), ("ddd, D MMM", "Mon, 3 Feb"), ("MMMM YYYY", "February 2031"), ("hh:mm A", "04:05 AM"),
                           ("h a", "4 am"), ("YYYY年M月D日", "2031年2月3日"), ("[day] D", "day 3")):  # fmt: skip
        one("dates", f"A date by the pattern {pattern!r}.", f"{{{{datetime_format::{pattern}}}}}", words, **fixed)
    one("dates", "{{isotime}} in SillyTavern's dialect is the time of day.", "{{isotime}}", "04:05", **fixed, **TAVERN)
    one("dates", "{{isodate}} in SillyTavern's dialect is the date.", "{{isodate}}", "2031-02-03", **fixed, **TAVERN)
    one("dates", "Hours from UTC in SillyTavern's dialect.", "{{time_UTC+8}}", "12:05 PM", **fixed, **TAVERN)
    one("dates", "Hours behind UTC in SillyTavern's dialect.", "{{time_UTC-5}}", "11:05 PM", **fixed, **TAVERN)
    one("dates", "Without a clock a macro of time stays as it is written.", "{{time}}", "{{time}}")


def build() -> Topic:
    names()
    blanks()
    variables()
    chance()
    messages()
    dates()
    return topic
