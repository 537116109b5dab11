"""Laws of the compression report: what is copied is kept, an empty summary keeps nothing, spans point at the words."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.compression import SourceText, compression_report, extractive_summary

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data"
PIECES = (
    *("Never name Ada Lovelace in the log.", "We'll go with option B.", "不要告诉我奶奶的名字。", "我们决定去北京。"),
    *(
        "It cost $1,200.50 ",
        "3 dogs",
        "3-5 days",
        "三个小时",
        "百分之五十",
        "twenty-five boxes",
        "5M",
        "the three cats",
        "那十一分钟",
        "03/04/2025",
        "5.6.2025",
        "order #4711-22",
        "10分钟",
        " -7 °C ",
    ),
    *("on 3 May 2024", "2024-05-03", "5月2日", "at 5:30 pm", "下午三点半", "on Friday", "in 1984"),
    *("Emily went to Xiamen with Dr. Wei. ", "the Great Wall", "我叫孙悦。", "《百年孤独》", "克里斯·加纳", "AC/DC"),
    *(
        "src/app/foo.py",
        "https://a.org/b?q=1",
        "`fooBar`",
        "W3-12",
        "4-7-8",
        "deadbeef12",
        "/etc/passwd",
        "C:\\a\\b.txt",
    ),
    *(
        "“五岳归来不看山”",
        '"Police Story," he said',
        '"1984"',
        "\n",
        " ",
        ". ",
        "，",
        "```\n",
        "- ",
        "**",
        "ＡＩ　５ｋｍ",
        "İ",
        "ß",
        "\u200d",
    ),
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=12).map(" ".join)
ROLES = st.sampled_from(("system", "user", "assistant", "tool"))
ORIGINALS = st.lists(st.tuples(ROLES, TEXTS), max_size=4).map(
    lambda pairs: [SourceText(f"m{i}", role, text) for i, (role, text) in enumerate(pairs)]
)


@settings(max_examples=30, deadline=None)  # the first example loads the Chinese dictionary
@given(ORIGINALS)
def test_the_originals_as_their_own_summary_lose_nothing(originals: list[SourceText]) -> None:
    report = compression_report(originals, "\n\n".join(each.text for each in originals))

    assert [each for each in report.facts if each.state != "kept"] == []


@settings(max_examples=30, deadline=None)  # the first example loads the Chinese dictionary
@given(ORIGINALS)
def test_an_empty_summary_loses_everything(originals: list[SourceText]) -> None:
    report = compression_report(originals, "", must_keep=["the lamp"])

    assert {each.state for each in report.facts} == {"lost"}
    assert all(each.summary_start is None and each.summary_text == "" for each in report.facts)


@settings(max_examples=30, deadline=None)  # the first example loads the Chinese dictionary
@given(ORIGINALS)
def test_a_fact_that_is_copied_with_its_sentence_is_kept(originals: list[SourceText]) -> None:
    for fact in compression_report(originals, "").facts:
        (text,) = [each.text for each in originals if each.id == fact.source]

        again = compression_report(originals, f"Earlier: {text}").facts

        same = (fact.kind, fact.text, fact.source, fact.start)
        assert next(each for each in again if (each.kind, each.text, each.source, each.start) == same).state == "kept"


@settings(max_examples=30, deadline=None)  # the first example loads the Chinese dictionary
@given(ORIGINALS, TEXTS)
def test_places_are_those_of_the_words_on_both_sides(originals: list[SourceText], summary: str) -> None:
    texts = {each.id: each.text for each in originals}

    report = compression_report(originals, summary, must_keep=["re:[a-z]+", "Ada"])

    for fact in report.facts:
        if fact.source is not None:
            assert texts[fact.source][fact.start : fact.end] == fact.text
            assert fact.mentions >= 1
        if fact.summary_start is not None:
            assert summary[fact.summary_start : fact.summary_end] == fact.summary_text
        assert (fact.state == "lost") <= bool(fact.reason)
        assert (fact.state == "kept") <= (fact.summary_start is not None)


@settings(max_examples=30, deadline=None)  # the first example loads the Chinese dictionary
@given(ORIGINALS, TEXTS)
def test_more_words_in_a_summary_take_no_number_date_name_or_path_away(
    originals: list[SourceText], summary: str
) -> None:
    kinds = ("number", "date", "name", "path", "identifier")

    def kept(text: str) -> set[tuple[str, str]]:
        return {(each.kind, each.text) for each in compression_report(originals, text).kept if each.kind in kinds}

    assert kept(summary) <= kept(f"{summary}\n\nAnd so on")


@settings(max_examples=60, deadline=None)  # the first example loads the Chinese dictionary
@given(ORIGINALS, TEXTS, st.lists(st.integers(0, 200), max_size=6))
def test_nothing_is_there_is_said_only_of_words_that_are_not_there(
    originals: list[SourceText], summary: str, cuts: list[int]
) -> None:
    whole = " ".join(each.text for each in originals)
    summary += " ".join(whole[at : at + 30] for at in cuts)

    for fact in compression_report(originals, summary, must_keep=["three", "re:\\d+", "the Great"]).facts:
        if "nothing of it" in fact.reason:
            assert as_read(fact.text) not in as_read(summary)


def as_read(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(("three cats", "twelve cats", "one cat", "三只猫", "十一只猫", "3 cats")),
    st.sampled_from(("the ", "those ", "these ", "our ", "last ", "这", "那", "他们", "")),
    st.sampled_from(("the ", "those ", "these ", "our ", "last ", "这", "那", "他们", "")),
)
def test_a_pointing_word_before_a_number_takes_nothing_from_it(number: str, before: str, instead: str) -> None:
    facts = compression_report([SourceText("u", "user", f"{before}{number}")], f"{instead}{number}").facts

    assert {fact.state for fact in facts} <= {"kept"}


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(2001, 2099))
def test_a_date_between_strokes_is_kept_by_both_of_its_readings(first: int, second: int, year: int) -> None:
    written = f"{first:02}/{second:02}/{year}"
    for month, day in ((first, second), (second, first)):
        (fact,) = compression_report([SourceText("u", "user", f"on {written}")], f"{year}-{month:02}-{day:02}").facts

        assert fact.state == "kept"
        assert (f"{written} is " in fact.reason) == (first != second)


@settings(max_examples=30, deadline=None)  # the first example loads the Chinese dictionary
@given(ORIGINALS, TEXTS, st.sampled_from(("lamp", "5 km", "Ada Lovelace", "src/a.py", "never go there", "北京")))
def test_an_item_that_is_copied_is_kept_and_none_is_passed_over(
    originals: list[SourceText], summary: str, item: str
) -> None:
    there = compression_report(originals, f"{summary}\n{item}.", must_keep=[item])
    gone = compression_report(originals, "", must_keep=[item])

    assert [each.state for each in there.facts if each.kind == "must-keep"] == ["kept"]
    assert [each.state for each in gone.facts if each.kind == "must-keep"] == ["lost"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data (CTXLAB_SHARED) is not there")
@pytest.mark.parametrize("language", ["en", "cn"])
def test_no_item_that_a_summary_of_real_talks_has_is_named_as_lost(language: str) -> None:
    import json

    people = json.loads((SHARED / "memorybank" / f"memory_bank_{language}.json").read_text())
    for person in list(people.values())[:2]:
        talks = [talk[side] for day in person["history"].values() for talk in day for side in ("query", "response")]
        originals = [SourceText(str(i), ("user", "assistant")[i % 2], talk) for i, talk in enumerate(talks)]
        summary = extractive_summary(talks, sum(map(len, talks)) // 5, len).text
        words = sorted({word for talk in talks for word in re.findall(r"[A-Z][a-z]{4,}|《[^》]+》", talk)})

        report = compression_report(originals, summary, must_keep=words)

        for item in (each for each in report.facts if each.kind == "must-keep"):
            assert (item.state == "kept") == bool(
                re.search(rf"(?<![a-z]){re.escape(item.text.strip('《》'))}(?![a-z])", summary, re.I)
            )
