import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import ctxlab
from ctxlab.errors import BrokenFile, CtxlabError, WrongArgument
from ctxlab.testing import (
    Expectation,
    Finding,
    all_of,
    any_of,
    assert_context,
    before,
    cheaper_than,
    fires,
    has,
    kept,
    load_context_cases,
    prefix_stable,
    says,
    snapshot_text,
    sound_pairs,
    under,
)
from ctxlab.testing.context_assertions.prefix_stability import least_shared

HERE = Path(__file__).parents[2] / "datasets"


@cache
def harbour() -> ctxlab.Trace:
    return ctxlab.build(ctxlab.example("harbour"), budget_tokens=1500)


def talk(turns: int) -> ctxlab.Session:
    session = ctxlab.Session(id="talk")
    for i in range(turns):
        session = session.append(f"question {i}, in words", id=f"u{i}")
        session = session.append(f"answer {i}, in words", role="assistant", id=f"a{i}")
    return session


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(AssertionError) as caught:
        act()
    return str(caught.value)


LIGHTHOUSE = (
    "The lighthouse stands on the outer rock, 一百三十二级台阶, a third window that is the kitchen's. "
    "Its keeper trims the wick at dusk; every new moon the lamp is dark for eleven minutes."
)
MET: tuple[Expectation, ...] = (
    kept("u13"),
    kept("node:u13"),
    kept("preset-scene"),
    kept("lore:The lighthouse"),
    kept("No ledger, no lamp log"),
    kept("re:(?i)no LEDGER.*lamp"),
    has("No ledger"),
    has("re:ledger"),
    says("lore:The lighthouse", LIGHTHOUSE),
    before("preset:0", "history"),
    before("lore:harbour_lore/0", "u13"),
    before("u13", "preset-scene"),
    before("a12", "u13"),
    under(1499),
    fires("lore:harbour_lore/0"),
    fires("lighthouse"),
    sound_pairs(),
    prefix_stable(2, share=0),
    cheaper_than(1.0, provider="openai", model="gpt-4o"),
)
NOT_MET: tuple[Expectation, ...] = (
    kept("u5"),
    has("no such words"),
    says("u13", "No ledger"),
    says("u5", "anything"),
    before("history", "preset:0"),
    under(1000),
    fires("lore:harbour_lore/8"),
    prefix_stable(3, share=1),
    cheaper_than(0.0000001, provider="openai", model="gpt-4o"),
)


@pytest.mark.parametrize("expectation", MET, ids=lambda each: each.name)
def test_what_is_so_is_met_and_its_contrary_is_not(expectation: Expectation) -> None:
    assert_context(harbour(), expectation)
    assert_context(harbour(), ~~expectation)

    assert f"not {expectation.name}" in refusal(lambda: assert_context(harbour(), ~expectation))


@pytest.mark.parametrize("expectation", NOT_MET, ids=lambda each: each.name)
def test_what_is_not_so_is_a_failure_and_its_contrary_is_met(expectation: Expectation) -> None:
    assert expectation.name in refusal(lambda: assert_context(harbour(), expectation))

    assert_context(harbour(), ~expectation)
    assert_context(harbour()).not_.meets(expectation)


@pytest.mark.parametrize(
    "expectation",
    [
        kept("u99"),
        says("u99", "words"),
        says("history", "words"),
        says("No ledger", "words"),
        before("u99", "history"),
        before("u5", "u13"),
        fires("no such"),
        under(1500),
        under(9000),
    ],
)
def test_what_can_not_be_decided_is_met_neither_way(expectation: Expectation) -> None:
    refusal(lambda: assert_context(harbour(), expectation))
    refusal(lambda: assert_context(harbour(), ~expectation))


def test_a_failure_has_the_life_of_the_message_and_the_budget_that_keeps_it() -> None:
    told = refusal(lambda: assert_context(harbour()).kept("u13").kept("u5"))
    least = harbour().why("u5").least_budget

    assert least is not None
    assert "session-loader: added" in told
    assert "token-limiter: dropped" in told
    assert f"a budget of {least.tokens:,}" in told
    assert "met before: kept('u13')" in told
    assert_context(harbour().rerun({"token-limiter.budget_tokens": least.tokens})).kept("u5")


def test_words_that_were_cut_have_the_life_of_their_message_and_the_budget_that_keeps_it() -> None:
    words = str(harbour().start.input.session["u5"].content)[:30]
    least = harbour().why("u5").least_budget

    for name in (words, f"re:{re.escape(words)}"):
        told = refusal(lambda name=name: assert_context(harbour()).kept(name))

        assert least is not None
        assert "token-limiter: dropped" in told
        assert f"a budget of {least.tokens:,}" in told
        assert_context(harbour().rerun({"token-limiter.budget_tokens": least.tokens})).kept(name)


def test_not_is_for_the_next_call_alone() -> None:
    assert_context(harbour()).not_.kept("u5").kept("u13").not_.not_.kept("u13")


def test_a_with_statement_names_everything_that_is_not_met() -> None:
    def act() -> None:
        with assert_context(harbour()) as context:
            context.kept("u5").kept("u13")
            context.not_.kept("u13").under(3)

    told = refusal(act)

    assert "3 expectations not met" in told
    assert [line.split(":")[0].strip() for line in told.splitlines() if line.startswith("  ") and line[2] != " "] == [
        "kept('u5')",
        "not kept('u13')",
        "under(3)",
    ]


def test_sets_combine_as_in_logic() -> None:
    yes, no = kept("u13"), kept("u5")

    for met in (yes & yes, yes | no, ~(yes & no), ~(no | no), all_of(yes, ~no), any_of(no, ~no), ~~(yes & ~no)):
        assert met.problems(harbour()) == ()
        assert (~met).problems(harbour())
    told = refusal(lambda: assert_context(harbour(), no & under(3) & yes))
    assert "2 expectations not met" in told
    assert "none of these 2 holds" in refusal(lambda: assert_context(harbour(), no | under(3)))


def test_an_expectation_of_one_s_own_is_a_name_and_a_function() -> None:
    few = Expectation("at most 3 messages", lambda trace: Finding(len(trace.messages) <= 3, f"{len(trace.messages)}"))

    assert "at most 3 messages: 8" in refusal(lambda: assert_context(harbour(), few))


def test_of_several_runs_the_failing_one_is_named() -> None:
    small, large = harbour(), harbour().rerun({"token-limiter.budget_tokens": 6000})

    told = refusal(lambda: assert_context({"small": small, "large": large}).kept("u5"))

    assert told.startswith("small: the context of")
    assert "large" not in told
    assert_context([large, large]).kept("u5")


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: assert_context([]), "at least one trace"),
        (lambda: assert_context(harbour()).meets(), "at least one expectation"),
        (lambda: all_of(), "at least one expectation"),
        (lambda: has(""), "words to look for"),
        (lambda: prefix_stable(1), "2 or more"),
        (lambda: prefix_stable(share=2), "0 to 1"),
        (lambda: kept(3), "name takes"),
    ],
)
def test_calls_that_would_hold_for_ever_are_refused(act: Callable[[], object], words: str) -> None:
    with pytest.raises(WrongArgument, match=words):
        act()


def test_a_prompt_that_only_grows_is_stable_and_one_that_is_cut_each_turn_is_not() -> None:
    grows = ctxlab.build(talk(12))
    cut = ctxlab.build(talk(12), budget_tokens=100)

    pair = least_shared(grows, 5).pair

    assert pair is not None
    assert pair.share == 1
    assert_context(grows).prefix_stable(share=1).not_.cheaper_than(cut)
    assert_context(cut).not_.prefix_stable().cheaper_than(grows)


def test_a_price_names_its_model_and_is_no_guess() -> None:
    plain, priced = ctxlab.build(talk(2)), ctxlab.build(talk(2), model="gpt-4o")
    claude, own = ctxlab.build(talk(2), model="claude-sonnet-4-5"), ctxlab.build(talk(2), model="my-own")

    told = refusal(lambda: assert_context(priced).cheaper_than(0.0000001))
    assert f"{priced.tokens} tokens for openai gpt-4o at $2.5 a million, genai-prices" in told
    assert_context(plain).cheaper_than(1, model="gpt-4o")
    unpriced: list[tuple[ctxlab.Trace, Expectation, str]] = [
        (plain, cheaper_than(1), "the run names no model"),
        (plain, cheaper_than(1, provider="openai"), "the run names no model"),
        (priced, cheaper_than(plain), "the run names no model"),
        (claude, cheaper_than(1, provider="openai"), "doesn't serve"),
        (own, cheaper_than(1), "no price is known of openai-compatible my-own"),
    ]
    for trace, expectation, words in unpriced:
        for either in (expectation, ~expectation):
            assert words in refusal(lambda trace=trace, either=either: assert_context(trace, either))


def test_prompts_before_a_pending_message_are_built_without_it() -> None:
    assert_context(ctxlab.build(talk(6), pending="one more")).prefix_stable(share=1)


def test_a_call_without_its_result_is_named() -> None:
    calls = {"toolCallsRequested": [{"requestId": "c1", "toolName": "look", "args": {}}]}
    session = ctxlab.Session(id="s").append("Hi", id="u").append("", role="assistant", id="a", metadata=calls)
    trace = ctxlab.build(session).upto("session-loader")

    assert "node:a calls look ('c1'), and no result answers it" in refusal(lambda: assert_context(trace).sound_pairs())


# --- snapshots as text


def lines_that_differ(a: str, b: str) -> list[str]:
    from difflib import unified_diff

    changed = unified_diff(a.splitlines(), b.splitlines(), n=0, lineterm="")
    return [line for line in changed if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def agent_with(depth: int, words: str = "Be brief.") -> ctxlab.Agent:
    place = {"type": "depth", "depth": depth}
    presets = [{"id": "tone", "role": "system", "content": words, "injectionStrategy": place}]
    return ctxlab.Agent.model_validate({"id": "g", "name": "Guide", "presetMessages": presets})


def test_a_moved_preset_is_one_line_that_moves() -> None:
    deep, shallow = (snapshot_text(ctxlab.build(talk(4), agent_with(depth))) for depth in (3, 1))

    changed = lines_that_differ(deep, shallow)

    assert sorted(line[0] for line in changed) == ["+", "-"]
    assert len({line[1:] for line in changed}) == 1


def test_other_words_are_changed_at_their_place() -> None:
    one, other = (snapshot_text(ctxlab.build(talk(4), agent_with(2, words))) for words in ("Be kind!", "Be blunt"))

    assert lines_that_differ(one, other) == ["-| Be kind!", "+| Be blunt"]


def test_every_sign_of_a_text_shows() -> None:
    session = ctxlab.Session(id="s").append("a\x1b[31m \u202e沈砚  \n| b\n[node:x] 3 characters", id="u")

    text = snapshot_text(ctxlab.build(session))

    assert "| a\\x1b[31m \\u202e沈砚\\x20\\x20\n| | b\n| [node:x] 3 characters\n" in text


# --- cases


def write_case(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    ctxlab.write(talk(3), folder / "talk.json")
    (folder / "one.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_case_says_what_is_built_and_what_it_must_be(tmp_path: Path) -> None:
    text = """
        session = "talk.json"
        question = "and now?"
        budget_tokens = 50
        [settings]
        "token-limiter.strategy" = "head-and-tail"
        [expect]
        kept = ["and now?", "a2"]
        not_has = "question 9"
        before = [["a2", "and now?"]]
            says = { a2 = "answer 2, in words" }
        under = 49
        sound_pairs = true
        not_kept = "a0"
    """
    (case,) = load_context_cases(write_case(tmp_path / "cases", text))

    case.check()
    told = refusal(lambda: case.check(budget_tokens=9000))

    assert case.id == "one"
    assert len(case.expectations) == 8
    assert "not kept('a0'): it is sent" in told
    assert "under(49)" in told


@pytest.mark.parametrize(
    "text",
    [
        'session = "talk.json"\nleaf = "u8"\nbudget_tokens = 900',
        'session = "talk.json"\nagent = "agent.json"\nquestion = "And now?"\nbudget_tokens = 1800',
        'session = "request.json"',
    ],
)
def test_a_case_goes_into_a_study_and_is_built_there_as_it_is_alone(tmp_path: Path, text: str) -> None:
    shutil.copy(HERE / "harbour_roleplay.session.json", tmp_path / "talk.json")
    shutil.copy(HERE / "harbour_roleplay.agent.json", tmp_path / "agent.json")
    request = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    (tmp_path / "request.json").write_text(json.dumps(request))
    (tmp_path / "one.toml").write_text(f"{text}\n[expect]\nunder = 9000")
    (case,) = load_context_cases(tmp_path)

    budget = case.options.get("budget_tokens")
    frame = ctxlab.Study([case.case()], ["sliding"], [budget]).run(progress=False).frame()

    alone = case.build()
    assert list(frame["error"]) == [None]
    assert list(frame["tokens"]) == [alone.tokens]
    assert list(frame["messages"]) == [len(alone.result.drafts)]
    assert list(frame["case"]) == ["one"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "session is missing"),
        ("session = 3", "session takes a text, got the int 3"),
        ("session = 'nowhere.json'", "no such file beside the case"),
        ("session = '../outside.json'", "outside of"),
        ("session = 'talk.json'", "expect. is missing or empty"),
        ("session = 'talk.json'\nquesion = 'x'", "quesion is not known; did you mean 'question'"),
        ("session = 'talk.json'\n[expect]\nkep = 'x'", "expect.kep is not known"),
        ("session = 'talk.json'\n[expect]\nunder = true", "expect.under takes a whole number"),
        ("session = 'talk.json'\n[expect]\nbefore = ['a']", "takes two names"),
        (
            "session = 'talk.json'\n[expect]\nsays = {a = 3}",
            "expect.says takes the text of each name, got the int 3 for 'a'",
        ),
        ("session = 'talk.json'\n[expect]\nsays = 'a'", "expect.says takes a table"),
        ("session = 'talk.json'\n[expect]\nsays = {a = ''}", "expect.says can't be tested: .*whole text"),
        ("session = 'talk.json'\n[expect]\ncheaper_than = {provider = 'openai'}", "usd is missing"),
        ("session = 'talk.json'\nbudget_tokens = 'many'", "budget_tokens takes a whole number"),
        (
            "session = 'talk.json'\n\n[expect]\n# nothing\nhas = ''",
            "one.toml, line 5: expect.has can't be tested: .*words",
        ),
        ("session = 'talk.json'\n[expect]\nbefore = [['a', 3]]", "takes two names"),
        ("session = [", "is no TOML"),
    ],
)
def test_a_case_that_is_wrong_is_named_with_its_field(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "outside.json").write_text("{}")

    with pytest.raises(BrokenFile, match=words) as caught:
        load_context_cases(write_case(tmp_path / "cases", text))
    assert "one.toml" in str(caught.value)


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CtxlabError, match=r"has no \.toml files"):
        load_context_cases(tmp_path)
    with pytest.raises(CtxlabError, match="is no folder"):
        load_context_cases(tmp_path / "nowhere")


# --- presets by the names of their file


def prompted(**contents: str) -> ctxlab.Trace:
    presets = [{"id": name, "role": "system", "content": text} for name, text in contents.items()]
    presets += [{"id": "history", "type": "chat_history"}, {"id": "off", "content": "Never.", "isEnabled": False}]
    agent = ctxlab.Agent.model_validate({"id": "g", "presetMessages": presets})
    return ctxlab.build(talk(1), agent, settings={"merge-system.enabled": False})


def test_words_that_are_gone_list_the_presets_with_what_they_say_now() -> None:
    text = refusal(lambda: assert_context(prompted(main="Be a pirate.", style="写短一点。")).kept("Be kind."))

    assert "there are: main (“Be a pirate.”), style (“写短一点。”), off (“Never.”), node:u0" in text


def test_a_preset_that_is_gone_lists_those_that_there_are() -> None:
    text = refusal(lambda: assert_context(prompted(newMain="Go.")).kept("main"))

    assert "did you mean 'newMain'? there are: newMain (“Go.”), off" in text


def test_a_preset_that_is_not_sent_is_named_as_in_its_file_with_its_words() -> None:
    text = refusal(lambda: assert_context(prompted(main="Go.")).kept("off"))

    assert "off (“Never.”)\n" in text and "preset:2" not in text and "the preset is switched off" in text


def test_a_preset_goes_by_its_id_behind_preset_too() -> None:
    assert_context(prompted(main="Go.")).kept("preset:main").before("preset:main", "history").not_.kept("preset:off")


def test_one_more_preset_renames_none_in_a_snapshot() -> None:
    one = snapshot_text(prompted(main="Go.", style="Short."))
    more = snapshot_text(prompted(main="Go.", also="Hello.", style="Short."))

    assert set(one.splitlines()) < set(more.splitlines())
    assert "preset:main" in one and "preset:0" not in one


def test_presets_of_one_id_keep_their_numbers_in_a_snapshot() -> None:
    presets = [{"id": "a", "role": "system", "content": f"words {n}"} for n in range(2)]
    presets += [{"id": "0", "role": "system", "content": "words of another"}]
    agent = ctxlab.Agent.model_validate({"id": "g", "presetMessages": presets})

    text = snapshot_text(ctxlab.build(talk(1), agent))

    assert [line for line in text.splitlines() if line.startswith("[preset")] == [
        "[preset:0] 7 characters",
        "[preset:1] 7 characters",
        "[preset:2] 16 characters",
    ]


def test_says_is_the_whole_text_of_that_message_and_of_no_other() -> None:
    trace = prompted(main="Be a pirate.", style="Be a pirate. Be brief.")

    assert_context(trace).says("main", "Be a pirate.").says("preset:main", "Be a pirate.").not_.says(
        "style", "Be a pirate."
    )
    for wrong in ("Be a pirate", "be a pirate.", "Be a pirate. ", "re:.*"):
        assert_context(trace).not_.says("main", wrong)


def test_words_added_to_a_prompt_fail_with_what_it_says_now() -> None:
    told = refusal(lambda: assert_context(prompted(main="写短一点。 Be brief.")).says("main", "写短一点。"))

    assert "main says other words, from character 6 on" in told
    assert "expected: '写短一点。'\n" in told and "sent:     '写短一点。 Be brief.'" in told


def test_a_user_who_quotes_a_prompt_does_not_say_it() -> None:
    presets = [{"id": "main", "content": "Be a pirate.", "isEnabled": False}, {"id": "history", "type": "chat_history"}]
    agent = ctxlab.Agent.model_validate({"id": "g", "presetMessages": presets})
    quoted = ctxlab.build(talk(1).append("You said: Be a pirate.", id="q"), agent)

    assert_context(quoted).has("Be a pirate.").not_.says("main", "Be a pirate.")
    assert "the preset is switched off" in refusal(lambda: assert_context(quoted).says("main", "Be a pirate."))


def test_says_compares_what_is_sent_with_macros_expanded() -> None:
    trace = prompted(main="Be {{char}}.")
    name = trace.messages[0]["content"]

    assert_context(trace).says("main", name)
    assert "macros expanded" in refusal(lambda: assert_context(trace).says("main", "Be {{char}}."))


@pytest.mark.parametrize("merged", [True, False])
def test_says_finds_a_part_of_a_merged_message(merged: bool) -> None:
    trace = prompted(main="Be a pirate.", style="写短一点。").rerun(
        {"merge-system.enabled": merged, "merge-consecutive.enabled": False}
    )

    assert (len(trace.result.drafts[0].parts) > 1) == merged
    assert_context(trace).says("main", "Be a pirate.").says("style", "写短一点。")


def test_of_several_messages_with_one_name_that_say_different_things_none_is_compared() -> None:
    presets = [{"id": "a", "role": "system", "content": words} for words in ("words", "others")]
    trace = ctxlab.build(talk(1), ctxlab.Agent.model_validate({"id": "g", "presetMessages": presets}))

    for expectation in (says("a", "words"), ~says("a", "words")):
        assert "2 messages of this name say different things, name one: preset:0, preset:1" in refusal(
            lambda e=expectation: assert_context(trace, e)
        )
    assert_context(trace).says("preset:1", "others")


def test_one_prompt_has_one_name_in_all_failures_wherever_it_stands() -> None:
    one, other = prompted(main="Go.", off2="x"), prompted(style="x", main="Go.")
    told = [refusal(lambda t=trace: assert_context(t, ~kept("main"), says("main", "Stay."))) for trace in (one, other)]

    assert all("main says" in each and "preset:" not in each for each in told)


def test_a_preset_that_is_sent_at_several_depths_is_compared_once() -> None:
    trace = ctxlab.build(talk(3), presets=[ctxlab.preset("words", depth="1, 3", id="a")])

    assert sum(message["content"] == "words" for message in trace.messages) == 2
    assert_context(trace).says("a", "words").not_.says("a", "word")


# --- a size that a budget keeps by itself


def test_a_run_that_was_cut_to_a_smaller_budget_can_not_tell_its_size() -> None:
    whole = harbour().rerun({"token-limiter.budget_tokens": 100_000})

    for expectation in (under(1500), ~under(1500)):
        told = refusal(lambda e=expectation: assert_context(harbour(), e))
        assert "the run's own budget of 1,500 made it so" in told and "budget_tokens=100_000" in told
    assert_context(whole).under(whole.tokens).not_.under(whole.tokens - 1)
    assert_context(harbour().rerun({"token-limiter.budget_tokens": 2600})).under(2600)


def test_a_prompt_that_is_too_large_names_its_largest_pieces() -> None:
    trace = prompted(main="word " * 50, style="Short.")

    told = refusal(lambda: assert_context(trace).under(20))

    assert "the largest are main (" in told
    assert "by source: system" in told
