"""The compression report: what counts as a fact, in which spellings it is kept, and what is a part of it."""

from __future__ import annotations

import re
from time import process_time

import pytest

from ctxlab.engines.compression import CheckedFact, CompressionReport, SourceText, compression_report
from ctxlab.errors import WrongArgument


def report(original: str, summary: str, role: str = "user", **options: object) -> CompressionReport:
    return compression_report([SourceText("u1", role, original)], summary, **options)  # type: ignore[arg-type]


def facts(original: str, summary: str = "", role: str = "user") -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in report(original, summary, role).facts]


def state(original: str, summary: str, kind: str) -> str:
    (fact,) = [each for each in report(original, summary).facts if each.kind == kind]
    return fact.state


@pytest.mark.parametrize(
    ("original", "summary"),
    [
        ("It holds 1,000 boxes.", "1000 boxes"),
        ("It holds 1k boxes.", "1,000 boxes"),
        ("It lasts 2 hours.", "It lasts 120 minutes."),
        ("我们坐了三个小时的车。", "坐车3小时"),
        ("花了一百二十元。", "花了120元"),
        ("About twenty-five dogs ran.", "25 dogs ran"),
        ("百分之五十的人同意。", "50% agreed"),
        ("It costs $1,200.50 now.", "1200.50 dollars"),
        ("一共５公里。", "5 km"),
        ("It cost 3.5 million euros.", "€3.5M"),
        ("We ran 5km.", "5,000 metres"),
        ("She is 25 years old.", "一个25岁的女孩"),
        ("It cost $5 million.", "It cost $5m."),
        ("Three cats sleep.", "The three cats sleep."),
        ("We have 1 dog.", "one dog"),
        ("我们等了十一分钟。", "等了那十一分钟"),
        ("Between 10 and 20 people came.", "10 to 20 people came."),
        ("Between two and four people came.", "2 to 4 people came."),
        ("2-4 people came.", "From two to four people came."),
        ("It takes twenty to thirty-five days.", "20-35 days"),
        ("It costs three to four thousand dollars.", "$3,000-4,000"),
        ("来了两到四个人。", "来了2到4个人。"),
        ("在三至五天之间。", "3-5天"),
        ("要三四天。", "3到4天"),
        ("两三百人来了。", "来了200-300人"),
        ("他十五六岁。", "15到16岁"),
        ("10-20 people came.", "Between 10 and 20 people came."),
        ("一共三千五百元。", "一共3500元。"),
        ("The file has 3.10 MB.", "It has 3.1 MB."),
        ("The line has 10 Mb a second.", "10 Mb a second"),
    ],
)
def test_a_number_in_another_spelling_is_kept(original: str, summary: str) -> None:
    assert state(original, summary, "number") == "kept"


@pytest.mark.parametrize(
    ("original", "summary", "what"),
    [
        ("It costs $1,200 now.", "It costs 1,200.", "weakened"),
        ("We have 3 dogs.", "It took 3 days.", "lost"),
        ("We have 3 dogs.", "There are 3 big dogs.", "kept"),
        ("It takes 3-5 days.", "It takes 5 days.", "weakened"),
        ("It takes 3-5 days.", "It takes 8 days.", "lost"),
        ("We drove 5 km.", "We drove 5 miles.", "lost"),
        ("All 480 boxes came.", "480 of the rest", "weakened"),
        ("The line has 10 Mb a second.", "The line has 10 MB a second.", "lost"),
        ("一共三千五百元。", "没有钱。", "lost"),
        ("Between 10 and 20 people came.", "20 people came.", "weakened"),
    ],
)
def test_a_number_without_its_unit_or_beside_another_word_is_not_the_same(
    original: str, summary: str, what: str
) -> None:
    assert state(original, summary, "number") == what


@pytest.mark.parametrize(
    "vague",
    [
        "You could take a trip or two.",
        "I will have my own restaurant one day.",
        "These two are fine.",
        "兴趣五花八门。",
        "十分感人。",
        "这是我们的第一次聊天。",
        "这两部电影都好。",
        "See line 12 and lines 201-216.",
        "Part 3: analysis",
        "A 3D film with 2FA",
    ],
)
def test_words_that_count_nothing_are_no_numbers(vague: str) -> None:
    assert [kind for kind, _ in facts(vague) if kind == "number"] == []


@pytest.mark.parametrize(
    ("original", "summary", "what"),
    [
        ("It was on 3 May 2024.", "2024-05-03", "kept"),
        ("It was on May 3rd, 2024.", "2024年5月3日", "kept"),
        ("五月二日我去了。", "May 2", "kept"),
        ("It was on May 3, 2024.", "on 3 May", "weakened"),
        ("It was on May 3, 2024.", "on 4 May 2024", "lost"),
        ("It was on 2024-05-03.", "in May 2024", "weakened"),
        ("It was on 2024-05-03.", "in 2024", "lost"),
        ("Come at 5 pm.", "17:00", "kept"),
        ("下午三点半开会。", "3:30 pm", "kept"),
        ("Come at 5 pm.", "at 5 o'clock", "weakened"),
        ("Come at 5 pm.", "at 5 am", "lost"),
        ("Come on Friday.", "周五见", "kept"),
        ("Come on Friday.", "They meet next Fri?", "kept"),
        ("开放时间：9:00", "9:00 开放", "kept"),
        ("次年3月6日为止", "until 6 March", "kept"),
        ("It was on 5.6.2025.", "on 5 June 2025", "kept"),
        ("It was on 25/12/2025.", "on 25 December 2025", "kept"),
        ("It was on 03/04/2025.", "on 5 May 2025", "lost"),
    ],
)
def test_a_date_is_kept_in_any_spelling_and_weakened_without_its_year_or_half_of_the_day(
    original: str, summary: str, what: str
) -> None:
    assert state(original, summary, "date") == what


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("开放时间（11月1日-次年3月6日）：9:00-17:00", ["11月1日", "3月6日", "9:00", "17:00"]),
        ("周一9:00开门，周日10:30开门", ["周一", "周日", "9:00", "10:30"]),
        ("The sun rose on Mondays, I saw it.", ["Mondays"]),
        ("We sat on Sunset Hill, it fried us.", []),
    ],
)
def test_days_and_times_stand_beside_one_another(text: str, expected: list[str]) -> None:
    assert [found for kind, found in facts(text) if kind == "date"] == expected
    assert not [found for kind, found in facts(text) if kind == "number"]


@pytest.mark.parametrize(
    ("original", "summary", "reason"),
    [
        ("We have three cats.", "Three dogs barked.", "Three stands there, beside other words"),
        ("We drove 5 km.", "We drove 5 miles.", "5 miles stands there, which is something else"),
        ("Call me at extension 37.", "It is 1370 m high.", "37 stands there, but inside other words"),
        ("It was on May 3, 2024.", "In 2024 it rained.", "only 2024 of it stands there"),
        ("See https://a.org/tides/harbour for it.", "Nothing.", "nothing of it is in the summary"),
    ],
)
def test_the_reason_says_what_of_a_lost_fact_stands_in_the_summary(original: str, summary: str, reason: str) -> None:
    (fact,) = report(original, summary).lost

    assert fact.reason == reason


@pytest.mark.parametrize(
    ("summary", "what"),
    [("order 4711-22", "kept"), ("order #4711-22", "kept"), ("order 4711-23", "lost"), ("order 4711", "lost")],
)
def test_a_number_with_a_mark_is_whole_and_is_kept_without_its_mark(summary: str, what: str) -> None:
    assert ("identifier", "#4711-22") in facts("My order #4711-22 is late.")
    assert state("My order #4711-22 is late.", summary, "identifier") == what


def test_a_short_number_with_a_mark_is_kept_without_it_beside_the_same_word() -> None:
    assert state("My order #12 is late.", "order 12 is late", "identifier") == "kept"
    assert state("My order #12 is late.", "12 dogs", "identifier") == "lost"


@pytest.mark.parametrize(("summary", "what"), [("on May 6th", "kept"), ("on May 16th", "lost"), ("6 dogs", "lost")])
def test_an_ordinal_is_kept_by_the_day_of_a_month(summary: str, what: str) -> None:
    assert state("Move it to the 6th.", summary, "number") == what


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Between two and four people came.", ["Between two and four people"]),
        ("It went from four to two dogs.", ["four", "two"]),
        ("星期三到五个城市", []),
    ],
)
def test_a_range_in_words_is_one_number_and_a_lower_second_one_makes_none(text: str, numbers: list[str]) -> None:
    assert [text for kind, text in facts(text) if kind == "number"] == numbers


@pytest.mark.parametrize("summary", ["Two people came.", "4 people came."])
def test_one_end_of_a_range_in_words_is_a_part_of_it(summary: str) -> None:
    (fact,) = report("Between two and four people came.", summary).facts

    assert (fact.state, fact.reason) == ("weakened", "one end of the range")


def test_a_dash_with_a_blank_behind_it_is_no_minus() -> None:
    assert facts("玩1小时 - 2小时。") == [("number", "1小时"), ("number", "2小时")]
    assert ("number", "-5") in facts("It fell to -5 at night.")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hello, my name is Emily. Nice to meet you.", ["Emily"]),
        ("Bye Jon! I saw Jon.", ["Jon"]),
        ("We saw the Great Wall, the Summer Palace and Xiamen.", ["Great Wall", "Summer Palace", "Xiamen"]),
        ("I like AC/DC and Guns N' Roses.", ["AC/DC", "Guns N' Roses"]),
        ("She asked Dr. Ada Lovelace and van Gogh's son.", ["Dr. Ada Lovelace", "Gogh"]),
        ("你好，我叫孙悦。孙悦喜欢北京。", ["孙悦", "北京"]),
        ("主角克里斯·加纳为了生存而奋斗。", ["克里斯·加纳"]),
        ("我在看《百年孤独》，作者是张曼婷。", ["百年孤独", "张曼婷"]),
    ],
)
def test_names_are_found_by_capitals_marks_and_introductions(text: str, names: list[str]) -> None:
    assert [found for kind, found in facts(text) if kind == "name"] == names


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for the help. Today was fine. Painting is fun. Yes, Great!",
        "- ✅ Reuses what is there\n- ❌ Assumes too much\n| Graceful | Working |",
        "## Bottom Line Of The Whole Story\n**Performance Win**: less",
        f"3. **Reason for Zeal**: {'it is long ' * 12}\n| **Blue Unit** | is one |",
        "Bye! Congrats on the prize. I said I’m late.",
        "I buy CDs. DO NOT SHOUT. It is an AI on TV.",
        "谢谢你和我聊天，味道十分美味，我很荣幸。",
        "做了一道宫保鸡丁，也去登山和攀岩，有内省的习惯。",
    ],
)
def test_words_that_begin_a_sentence_or_shout_and_everyday_chinese_are_no_names(text: str) -> None:
    assert [found for kind, found in facts(text) if kind == "name"] == []


def test_a_name_is_weakened_where_one_word_of_it_is_left() -> None:
    (fact,) = report("We met Ada Lovelace there.", "Ada was there.").weakened

    assert (fact.text, fact.summary_text, fact.reason) == ("Ada Lovelace", "Ada", "Ada alone")
    assert state("We flew to New Zealand.", "They have a new plan.", "name") == "lost"
    assert state("I like Iron Girl.", "a pin of Spider-Girl", "name") == "lost"


@pytest.mark.parametrize(
    ("original", "summary", "what"),
    [
        ("See src/app/foo.py for it.", "in src/app/foo.py", "kept"),
        ("See src/app/foo.py for it.", "Folder src/app holds foo.py", "kept"),
        ("See src/app/foo.py for it.", "foo.py", "weakened"),
        ("See src/app/foo.py for it.", "foo.pyi", "lost"),
        ("See https://a.org/b/?q=1 for it.", "www.a.org/b/?q=1", "kept"),
        ("See https://a.org/b?q=1 for it.", "a.org/b", "weakened"),
        ("See https://a.org/b for it.", "a.org", "lost"),
    ],
)
def test_a_path_is_weakened_without_its_folder_or_its_query(original: str, summary: str, what: str) -> None:
    assert state(original, summary, "path") == what


def test_strokes_between_words_numbers_and_tags_are_no_paths() -> None:
    assert [text for kind, text in facts("He/she and/or 1/2 </div> w/o") if kind == "path"] == []


@pytest.mark.parametrize(
    ("original", "other"),
    [
        ("We pin Python 3.10 here.", "We pin Python 3.1 here."),
        ("Version 2.10 is out.", "Version 2.1 is out."),
        ("We pin node 20.1 here.", "We pin node 20.10 here."),
    ],
)
def test_a_version_is_no_decimal(original: str, other: str) -> None:
    assert state(original, original, "identifier") == "kept"
    assert state(original, other, "identifier") == "lost"


def test_a_rule_is_lost_without_the_version_that_it_sets() -> None:
    assert state("Use numpy 1.20 or later.", "Use numpy 1.20 or later.", "rule") == "kept"
    assert state("Use numpy 1.20 or later.", "Use numpy 1.2 or later.", "rule") == "lost"


@pytest.mark.parametrize("name", ["fooBar", "snake_case", "v1.2.3", "W3-12", "#1234", "deadbeef12", 'size="big"'])
def test_an_identifier_is_kept_only_as_it_is_written(name: str) -> None:
    original = f"Then `{name}` was used."

    assert ("identifier", name) in facts(original)
    assert state(original, f"({name})", "identifier") == "kept"
    assert state(original, f"{name[:-1]}", "identifier") == "lost"


@pytest.mark.parametrize(
    "rule",
    [
        "Never pull seven while the lamp is dark.",
        "Please always answer in French.",
        "Do not name my grandmother in the log.",
        "You must not name her.",
        "Make sure the tests pass.",
        "Make sure you read it first.",
        "Wow, never do that again!",
        "从现在起用英文写。",
        "你必须用中文回答。",
        "不要在日志里写我奶奶的名字。",
        "别忘了带伞。",
    ],
)
def test_what_the_user_demands_is_a_rule_and_the_assistants_words_are_none(rule: str) -> None:
    assert ("rule", rule) in facts(rule)
    assert not [kind for kind, _ in facts(rule, role="assistant") if kind == "rule"]


@pytest.mark.parametrize(
    "text",
    [
        "Chatting with you always brings me joy.",
        "They were poor, but always maintained hope.",
        "Wow, that must've been great!",
        "I can imagine that must be hard, but it works.",
        "Never say never!",
        "Always up for a walk. Always happy to help.",
        "You always help me when I feel confused.",
        "I feel like we don't have enough time and I don't want to burden them.",
        "I don't know. Don't worry.",
        "I never liked it.",
        "我必须走了。",
        "这个不要紧。",
    ],
)
def test_what_tells_of_a_habit_is_no_rule(text: str) -> None:
    assert [kind for kind, _ in facts(text) if kind == "rule"] == []


def test_a_rule_whose_negation_is_gone_is_lost() -> None:
    (fact,) = [
        each for each in report("Never name Ada in the log.", "Name Ada in the log.").facts if each.kind == "rule"
    ]

    assert fact.state == "lost"
    assert fact.summary_text == "Name Ada in the log."
    assert fact.reason == "without its negation"


@pytest.mark.parametrize(
    ("summary", "what"),
    [
        ("The user asks never to mention the blue lamp in the log.", "kept"),
        ("Never mention the lamp.", "weakened"),
        ("The weather is not good.", "lost"),
    ],
)
def test_a_rule_in_other_words_is_kept_by_the_share_of_its_words(summary: str, what: str) -> None:
    assert state("Never mention the blue lamp in the log.", summary, "rule") == what


@pytest.mark.parametrize(
    "decision",
    [
        "We'll go with option B.",
        "Let's use Postgres.",
        "Agreed on two spaces.",
        "Decision: ship it.",
        "我们决定去北京。",
        "那就用红色吧。",
    ],
)
def test_decisions_of_anyone_are_found(decision: str) -> None:
    assert ("decision", decision) in facts(decision, role="assistant")


@pytest.mark.parametrize(
    "text",
    [
        "I will take your advice to heart.",
        "I will stick to it.",
        "如果我做出决定了，我会来找你。",
        "换工作是一个重要的决定，要考虑清楚。",
        "先看评价，再决定是否购买。",
        "好的，那就决定了！",
        "Agreed, Ada!",
        "Keep going with your dreams.",
        "They have chosen a good name.",
    ],
)
def test_what_decides_nothing_is_no_decision(text: str) -> None:
    assert [kind for kind, _ in facts(text) if kind == "decision"] == []


def test_quotations_are_kept_word_by_word_without_the_sentence_s_marks() -> None:
    assert ("quote", "Police Story") in facts('I watched "Police Story," which is great.')
    assert state('I read "The Great Gatsby" twice.', "These are all great!", "quote") == "lost"
    assert state("他说“五岳归来不看山”。", "他说五岳归来不看山", "quote") == "kept"
    assert ("quote", "1984") in facts('Books such as "1984" are read.')


def test_code_gives_paths_alone() -> None:
    text = "Look:\n```py\nx = Foo(3, 'Berlin')  # src/a.py\n```\nDone."

    assert facts(text) == [("path", "src/a.py")]


def test_one_fact_is_one_row_that_counts_its_mentions_and_names_the_first() -> None:
    texts = [SourceText("a", "assistant", "It is in Xiamen."), SourceText("b", "user", "I like Xiamen.")]

    (fact,) = compression_report(texts, "").facts

    assert (fact.source, fact.mentions, fact.start, fact.end) == ("a", 2, 9, 15)


def test_the_worst_comes_first_and_what_must_be_kept_before_all() -> None:
    made = report("Never go to Xiamen. It costs $20. Read a/b/c.txt.", "20 in a/b/c.txt", must_keep=["blue"])

    assert [(each.state, each.kind) for each in made.facts] == [
        ("lost", "must-keep"),
        ("lost", "rule"),
        ("lost", "name"),
        ("weakened", "number"),
        ("kept", "path"),
    ]
    assert made.counts()["number"] == {"lost": 0, "weakened": 1, "kept": 0}
    assert repr(made) == "CompressionReport(1 kept, 1 weakened, 3 lost of 5 facts)"
    assert "the most that a model can recall" in made._repr_html_()


@pytest.mark.parametrize(
    ("item", "summary", "what"),
    [
        ("the blue lamp", "THE  BLUE\nLAMP is on", "kept"),
        ("the blue lamp", "a lamp", "weakened"),
        ("the blue lamp", "nothing", "lost"),
        ("2 hours", "120 minutes", "kept"),
        ("re:order #\\d+", "order #12 came", "kept"),
        ("re:order #\\d+", "order #13 came", "lost"),
        (re.compile("ORDER #12", re.IGNORECASE), "Order #12", "kept"),
    ],
)
def test_items_that_must_be_kept(item: str | re.Pattern[str], summary: str, what: str) -> None:
    original = "I put the blue lamp beside order #12 for 2 hours."

    found = [each for each in report(original, summary, must_keep=[item]).facts if each.kind == "must-keep"]

    assert [each.state for each in found] == [what]


def test_an_item_that_no_original_has_is_looked_for_all_the_same() -> None:
    lost, kept = report("Hello there.", "green", must_keep=["red", "green"]).facts

    assert (lost.text, lost.state, lost.source) == ("red", "lost", None)
    assert "not in the originals" in lost.reason
    assert (kept.text, kept.state, kept.source) == ("green", "kept", None)


@pytest.mark.parametrize("item", ["Ada", "re:A.a", re.compile("Ada")])
def test_one_text_or_pattern_is_one_item(item: str | re.Pattern[str]) -> None:
    (found,) = [each for each in report("Ada left.", "", must_keep=item).facts if each.kind == "must-keep"]

    assert found.text == "Ada"


@pytest.mark.parametrize(
    ("item", "summary"),
    [("a sentence that never was", "We never met."), ("it is not so", "Not now."), ("她从来没有去过北京", "没有")],
)
def test_a_negation_alone_is_no_part_of_an_item(item: str, summary: str) -> None:
    (found,) = report("Hello there.", summary, must_keep=[item]).facts

    assert found.state == "lost"


@pytest.mark.parametrize("wrong", ["", "re:", " ", "re:(", 3, b"x", None])
def test_an_item_that_is_no_text_and_no_pattern_is_refused_in_one_line(wrong: object) -> None:
    with pytest.raises(WrongArgument, match="must_keep") as refused:
        report("a", "b", must_keep=[wrong])

    assert "\n" not in str(refused.value)


def test_a_fact_s_repr_is_one_safe_line() -> None:
    fact = CheckedFact("lost", "name", "a\n\x1b[31mb", "u\n1", "user", 0, 1, 1, reason="c\nd")

    assert "\n" not in repr(fact)
    assert "\x1b" not in repr(fact)


@pytest.mark.parametrize(
    "hostile",
    [
        *("a" * 60_000, "1," * 30_000, "A B " * 15_000, "/a" * 30_000, '"' * 60_000, "一百" * 20_000, "a@" * 30_000),
        *("never " * 10_000, "x.y" * 20_000, "twenty " * 9_000, "A-" * 30_000, "3 May " * 10_000, "`" * 60_000),
        *(
            "·" * 60_000,
            "1-" * 30_000,
            "(((" * 20_000,
            "A of the " * 8_000,
            "\n" * 60_000,
            "+1 " * 20_000,
            "阿·" * 30_000,
        ),
    ],
    ids=lambda text: repr(text[:9]),
)
def test_time_grows_with_the_text_alone(hostile: str) -> None:
    def seconds(text: str) -> float:
        started = process_time()
        report(text, text[: len(text) // 2])
        return process_time() - started

    short, long = seconds(hostile[: len(hostile) // 12]), seconds(hostile[: len(hostile) // 2])

    assert long < 18 * short + 0.5  # six times the text; of a square of it 36 times


def test_a_rule_behind_a_reminder_of_the_program_is_a_rule() -> None:
    words = "<system-reminder>The list is empty.</system-reminder>\nThree rules: never edit lamp.py, not even once."

    report = compression_report([SourceText("u1", "user", words)], "The lamp was mended.")

    assert [(fact.kind, fact.state) for fact in report.facts if fact.kind == "rule"] == [("rule", "lost")]


ERROR = "** (RuntimeError) no :harbour_key configuration found in Pier."


@pytest.mark.parametrize(
    ("summary", "what"),
    [
        ("The tests lacked harbour_key, it was added.", "weakened"),
        ("A RuntimeError came up at start, it was mended.", "lost"),
        ("There were some problems with the tests.", "lost"),
    ],
)
def test_an_error_is_weakened_where_the_summary_has_a_name_that_is_its_own(summary: str, what: str) -> None:
    (error,) = [each for each in report(ERROR, summary, "tool").facts if each.kind == "error"]
    assert error.state == what
    assert ("harbour_key is named" in error.reason) is (what == "weakened")


def test_a_name_that_stands_everywhere_is_no_error_s_own() -> None:
    others = [SourceText(f"m{n}", "user", "We read harbour_key there.") for n in range(4)]
    found = compression_report([SourceText("t", "tool", ERROR), *others], "They spoke of harbour_key often.")
    assert [each.state for each in found.facts if each.kind == "error"] == ["lost"]


def test_names_of_a_call_and_its_arguments_and_digits_in_it_are_no_facts() -> None:
    calls = ["file_path: /tmp/pier.md", "command: look_at pier 2>/dev/null | head 5", "limit: 3"]
    call = "\n".join(["I look.", *(f"[TaskOutput] {each}" for each in calls)])
    assert facts(call, role="assistant") == [("path", "/tmp/pier.md"), ("identifier", "look_at")]
    assert ("number", "3") in facts("There are 3 boats.", role="assistant")
    assert facts('{"boats": 3, "crates": 140}', role="tool") == [("number", "140")]
