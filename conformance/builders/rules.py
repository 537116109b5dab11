"""Find and replace: patterns are JavaScript's, replacements are its templates."""

from __future__ import annotations

from typing import Any

from builders.common import Json, Topic

topic = Topic("rules")


def rule(find: str, replace: str, **more: Any) -> Json:
    return {"find": find, "replace": replace, **more}


def one(family: str, says: str, text: str, given: Json | list[Json], after: str, **more: Any) -> None:
    rules = given if isinstance(given, list) else [given]
    topic.case(family, says, {"text": text, "rules": rules, **more}, text=after)


def patterns() -> None:
    one("pattern", "Every place that fits is replaced.", "a rope, a knot", rule("a ", "the "), "the rope, the knot")
    one("pattern", "Without a place that fits the text stays.", "a rope", rule("knot", "bend"), "a rope")
    one("pattern", "An empty replacement takes words away.", "rope (wet)", rule(r" \(wet\)", ""), "rope")
    one("pattern", "With no flags the start of each line is a start.", "one\ntwo", rule("^", "- "), "- one\n- two")
    one("pattern", "With no flags the end of each line is an end.", "one\ntwo", rule("$", "."), "one.\ntwo.")
    one(
        "pattern",
        "With the flag g alone only the start of the text is a start.",
        "one\ntwo",
        rule("^", "- ", flags="g"),
        "- one\ntwo",
    )
    one("pattern", "Without the flag g only the first place is replaced.", "aaa", rule("a", "b", flags="m"), "baa")
    one(
        "pattern",
        "With the flag i letters fit in both cases.",
        "Rope rope",
        rule("ROPE", "line", flags="gi"),
        "line line",
    )
    one("pattern", "Without the flag i case is minded.", "Rope rope", rule("rope", "line"), "Rope line")
    one("pattern", "A pattern between slashes brings its own flags.", "Rope rope", rule("/ROPE/i", "line"), "line rope")
    one("pattern", "Flags behind the slashes go before those of the rule.", "aaa", rule("/a/", "b", flags="g"), "bbb")
    one("pattern", "The dot fits no line break.", "a\nb", rule("a.b", "x"), "a\nb")
    one("pattern", "With the flag s the dot fits a line break.", "a\nb", rule("a.b", "x", flags="gs"), "x")
    one(
        "pattern",
        "A repetition with a question mark takes as little as it can.",
        "<a><b>",
        rule("<.+?>", "-", flags="g"),
        "--",
    )
    one("pattern", "A repetition takes as much as it can.", "<a><b>", rule("<.+>", "-", flags="g"), "-")
    one("pattern", "A class of characters fits one of them.", "cat cot cut", rule("c[ao]t", "x"), "x x cut")
    one("pattern", "A negated class fits any other character.", "cat cot cut", rule("c[^ao]t", "x"), "cat cot x")
    one("pattern", "Words have edges.", "art part art", rule(r"\bart\b", "x"), "x part x")
    one("pattern", "What must follow isn't part of the match.", "7kg 7lb", rule(r"\d(?=kg)", "N"), "Nkg 7lb")
    one("pattern", "What must not follow isn't part of the match.", "7kg 7lb", rule(r"\d(?!kg)", "N"), "7kg Nlb")
    one("pattern", "What must stand before isn't part of the match.", "£5 $5", rule(r"(?<=£)\d", "N"), "£N $5")
    one("pattern", "A reference to a group fits the same words again.", "hello", rule(r"(.)\1", "[$1]"), "he[l]o")
    one(
        "pattern",
        "Chinese words are replaced like any others.",
        "船到了。船走了。",
        rule("船", "渡船"),
        "渡船到了。渡船走了。",
    )
    one(
        "pattern",
        "With the flag u a character beyond the basic plane is one.",
        "🦀!",
        rule("^.", "x", flags="gu"),
        "x!",
    )
    one("pattern", "Digits are those of ASCII.", "4 ４", rule(r"\d", "N"), "N ４")
    one("pattern", "A place that fits no character gets the replacement.", "ab", rule("x*", "-", flags="g"), "-a-b-")


def replacements() -> None:
    one("replacement", "$& is the whole match.", "reef knot", rule("knot", "<$&>"), "reef <knot>")
    one("replacement", "$1 is the first group.", "Oban 6:40", rule(r"(\d+):(\d+)", "$1 h $2"), "Oban 6 h 40")
    one("replacement", "Groups may change places.", "left right", rule(r"(\w+) (\w+)", "$2 $1"), "right left")
    one(
        "replacement",
        "$<name> is the group of that name.",
        "6:40",
        rule(r"(?<hour>\d+):\d+", "$<hour> o'clock"),
        "6 o'clock",
    )
    one("replacement", "$$ is a dollar sign.", "5 pounds", rule("pounds", "$$"), "5 $")
    one("replacement", "$` is what stands before the match.", "ab", rule("b", "$`"), "aa")
    one("replacement", "$' is what stands behind the match.", "ab", rule("a", "$'"), "bb")
    one("replacement", "A number of no group stays as it is written.", "a", rule("a", "$1"), "$1")
    one("replacement", "A group that took no part gives nothing.", "b", rule("(a)?b", "[$1]"), "[]")
    one("replacement", "$10 is the first group and a 0 where there is no tenth.", "a", rule("(a)", "$10"), "a0")
    one("replacement", "{{match}} is the whole match.", "knot", rule("knot", "<{{match}}>"), "<knot>")
    one("replacement", r"\n in a replacement is a line break.", "a b", rule(" ", r"\n"), "a\nb")
    one("replacement", r"\t in a replacement is a tab.", "a b", rule(" ", r"\t"), "a\tb")
    one("replacement", "What was put in isn't looked at again by the same rule.", "a", rule("a", "aa"), "aa")
    one(
        "replacement",
        "Words to trim are taken out of a group.",
        "[Morwenna:] hi",
        rule(r"(\[.*?\])", "$1", trim=[":"]),
        "[Morwenna] hi",
    )
    one(
        "replacement",
        "Words to trim are taken out of the whole match.",
        "ab-cd",
        rule(r"\w+-\w+", "<{{match}}>", trim=["-"]),
        "<abcd>",
    )


def selection() -> None:
    a_to_b, b_to_c = rule("a", "b"), rule("b", "c")
    one("order", "Rules run one after the other, each on what the one before left.", "a", [a_to_b, b_to_c], "c")
    one("order", "In the other order the second doesn't see what the first looked for.", "a", [b_to_c, a_to_b], "b")
    one("order", "A rule's own order goes before its place in the list.", "a",
        [{**b_to_c, "order": 2}, {**a_to_b, "order": 1}], "c")  # fmt: skip
    one("order", "A rule that is switched off changes nothing.", "a", {**a_to_b, "enabled": False}, "a")
    for role in ("user", "assistant", "system"):
        for of in (["user"], ["assistant", "system"]):
            after = "b" if role in of else "a"
            one("roles", f"A rule for {' and '.join(of)} {'changes' if after == 'b' else 'leaves'} a message of the {role}.", "a",
                {**a_to_b, "roles": of}, after, role=role)  # fmt: skip
    for depth, least, most in (
        (0, 0, 2),
        (2, 0, 2),
        (3, 0, 2),
        (0, 1, None),
        (1, 1, None),
        (9, 1, None),
        (5, None, 4),
        (4, None, 4),
        (7, None, None),
    ):
        fits = (least is None or depth >= least) and (most is None or depth <= most)
        one("depths", f"A rule from depth {least} to {most} {'changes' if fits else 'leaves'} a message of depth {depth}.", "a",
            {**a_to_b, "depth": {"min": least, "max": most}}, "b" if fits else "a", depth=depth)  # fmt: skip
    for stages in (["request"], ["render"], ["request", "render"], []):
        for stage in ("request", "render"):
            fits = stage in stages
            one("stages", f"A rule for {' and '.join(stages) or 'no stage'} {'counts' if fits else 'is passed by'} at the {stage}.", "a",
                {**a_to_b, "stages": stages}, "b" if fits else "a", stage=stage)  # fmt: skip


def macros() -> None:
    who = {"user": "A.B", "character": "Morwenna"}
    named = rule("{{user}}", "X")
    one(
        "macros",
        "Without macros a pattern is taken as it is written.",
        "A.B {{user}}",
        {**named, "find": r"\{\{user\}\}", "macros": "none"},
        "A.B X",
        **who,
    )
    one("macros", "A raw value in a pattern is a pattern.", "A.B AxB", {**named, "macros": "raw"}, "X X", **who)
    one("macros", "An escaped value in a pattern is words.", "A.B AxB", {**named, "macros": "escaped"}, "X AxB", **who)
    one(
        "macros",
        "A value in a replacement is words.",
        "hi",
        {**rule("hi", "{{char}}"), "macros": "raw"},
        "Morwenna",
        **who,
    )
    one(
        "macros",
        "A dollar sign in a value refers to nothing.",
        "hi",
        {**rule("(hi)", "{{user}}"), "macros": "raw"},
        "$1",
        user="$1",
    )


def build() -> Topic:
    patterns()
    replacements()
    selection()
    macros()
    return topic
