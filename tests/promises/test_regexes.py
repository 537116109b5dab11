"""Laws of find and replace."""

from __future__ import annotations

import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.context import Origin, Text
from ctxlab.documents import RegexPreset, RegexRule
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.regexes.apply_plans import Applied, apply
from ctxlab.engines.regexes.compile_rule import compiled_rule
from ctxlab.engines.regexes.replace import replace_all
from ctxlab.engines.regexes.rule_selection import BoundRule
from ctxlab.engines.regexes.work_limits import Limits

LETTERS = "ab <>*$1&\n你😀\ud83d"
TEXTS = st.text(LETTERS, max_size=30)
BODIES = st.sampled_from(
    ["a", "b+", "(a)(b)?", "[ab]", "<(.*?)>", "^", "$", "", "(?=b)", "你|😀", "😀", "a b", "[^ab]", "^.", r"\s"]
)
TEMPLATES = st.lists(
    st.sampled_from(["x", "$", "&", "$&", "$1", "$2", "$$", "a", "😀", "{{match}}", "`", ""]), max_size=4
)
FLAGS = st.sampled_from(["g", "gm", "gu", "gi", "", "u", "y", "gs"])


def rules() -> st.SearchStrategy[RegexRule]:
    return st.builds(
        RegexRule,
        id=st.sampled_from(["r1", "r2"]),
        regex=BODIES,
        replacement=TEMPLATES.map("".join),
        flags=FLAGS,
        trim_strings=st.sampled_from([None, ("*",), ("a", "$")]),
    )


def applied(text: str, some: list[RegexRule]) -> Applied:
    bound = [BoundRule(rule, RegexPreset(), "global") for rule in some]
    plan = tuple(range(len(bound)))
    start = Text.of(text, Origin("node", "n"))
    return apply([start], [plan], bound, MacroEnv(), stage="render", processor="law")


@given(TEXTS, st.lists(rules(), max_size=5))
@settings(max_examples=150, deadline=None)
def test_spans_are_the_text_and_every_hit_covers_what_it_replaced(text: str, some: list[RegexRule]) -> None:
    done = applied(text, some)

    assert done.problems == {}
    assert str(done.texts[0]) == "".join(span.text for span in done.texts[0].spans)
    for hit in done.hits:
        before, at, grown = str(hit.before), 0, 0
        for start, end, new in hit.changes:
            assert at <= start <= end <= len(before)
            assert before[start:end] != new
            assert str(hit.after)[start + grown : start + grown + len(new)] == new
            if new:
                assert hit.after.at(start + grown).cause is not None
            at, grown = end, grown + len(new) - (end - start)
        assert len(hit.after) == len(before) + grown
        assert str(hit.after).startswith(before[: hit.changes[0][0]])


@given(TEXTS, rules())
@settings(max_examples=150, deadline=None)
def test_the_spans_of_a_rule_are_its_replacements_over_what_it_matched(text: str, rule: RegexRule) -> None:
    done = applied(text, [rule])

    written = [span for span in done.texts[0].spans if span.cause is not None]
    changes = [(text[start:end], new) for hit in done.hits for start, end, new in hit.changes]
    assert [("".join(was.text for was in span.was), span.text) for span in written] == changes


@given(TEXTS, st.lists(rules(), max_size=5))
@settings(max_examples=60, deadline=None)
def test_what_was_replaced_is_remembered(text: str, some: list[RegexRule]) -> None:
    (done,) = applied(text, some).texts

    if text:
        assert Origin("node", "n") in done.origins()


@given(TEXTS, rules())
@example("", RegexRule(id="r", regex="b+", flags="gu", replacement="x"))
@example("", RegexRule(id="r", regex="b*", flags="gu", replacement="x"))
@example("", RegexRule(id="r", regex="b+$", flags="gum", replacement="x"))
@settings(max_examples=100, deadline=None)
def test_a11_a_match_that_is_counted_is_the_match_that_is_not(text: str, rule: RegexRule) -> None:
    # A text of this length is counted with the small limit, and needs no counting with the large one.
    long = (text + "ab<b>😀 ") * 60
    replacement = compiled_rule(rule, MacroEnv(), stage="render").replacement
    assert replacement is not None

    counted = replace_all([long], [(0,)], [replacement], limits=Limits(1_000))
    free = replace_all([long], [(0,)], [replacement], limits=Limits(1_000_000_000))

    assert counted.problems == free.problems == {}
    assert counted.changes == free.changes


BOTH = st.sampled_from(
    ["a", "b+", "(a)(b)?", "[ab]", "<([^>]*)>", "(?=b)", "你|😀", "a b", "(?<=a)b", "(?<x>a)", r"(.)\1"]
)


@given(
    TEXTS.filter(str.isprintable),
    st.lists(st.tuples(BOTH, st.sampled_from(["x", "a", "[$&]", "$1", "$1b", ""])), max_size=4),
)
@settings(max_examples=150, deadline=None)
def test_one_after_another_is_what_python_does_where_both_agree(text: str, some: list[tuple[str, str]]) -> None:
    ours = [
        RegexRule(regex=body, replacement=template, flags="gu")
        for body, template in some
        if "(" in body or "$1" not in template
    ]
    wanted = text
    for rule in ours:
        template = rule.replacement.replace("$&", r"\g<0>").replace("$1", r"\g<1>")
        if template.count(r"\g<1>") and regex.compile(rule.regex).groups == 0:
            template = rule.replacement
        wanted = regex.sub(rule.regex, template, wanted)

    assert str(ctxlab.regex_steps(text, ours, stage="render")) == wanted


@given(TEXTS.filter(lambda text: "<" not in text and ">" not in text), st.sampled_from([None, ("*",), ("zz",)]))
@settings(max_examples=100, deadline=None)
def test_captured_text_is_never_read_again(text: str, trim: tuple[str, ...] | None) -> None:
    rule = RegexRule(regex="<([^]*)>", replacement="[$1]", trim_strings=trim)

    wanted = text.replace("*", "") if trim == ("*",) else text

    assert str(ctxlab.regex_steps(f"<{text}>", rule, stage="render")) == f"[{wanted}]"


@given(TEXTS, st.sampled_from(["$&", "$1", "a$", "$$", "\\", "{{user}}", "你"]))
@settings(max_examples=60, deadline=None)
def test_a_macros_value_is_words(text: str, name: str) -> None:
    rule = RegexRule(regex="{{user}}", replacement="<{{user}}>", substitution_mode="ESCAPED", flags="g")

    steps = ctxlab.regex_steps(text + name, rule, stage="render", user=ctxlab.UserProfile(name=name))

    assert str(steps) == (text + name).replace(name, f"<{name}>")
