from dataclasses import replace
from typing import Any

import pytest

from ctxlab.context import AssetRef, BuildInput, Cause, Context, Draft, Origin, Text
from ctxlab.documents import Session, ToolCall
from ctxlab.pipeline import Pipeline, Processor, Services, Trace
from ctxlab.processors import ConvertSystem, EnsureAlternating, MergeConsecutive, MergeSystem
from ctxlab.testing.fakes import WordTokenizer

CALL = ToolCall("c1", "look", "{}")
REPLAYED = {"reasoningArtifacts": [{"replayPolicy": "always"}]}


def draft(id: str, role: Any = "user", **fields: Any) -> Draft:
    origin = Origin("node", id)
    return replace(Draft(id, role, (Text.of(id, origin),), origin), **fields)


def row(roles: str, **fields: dict[str, Any]) -> list[Draft]:
    """Messages named a, b, c, ... of these roles: s, u, a or t; fields by name."""
    full = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
    return [draft(name, full[role], **fields.get(name, {})) for name, role in zip("abcdefgh", roles, strict=False)]


def formatted(step: Processor, drafts: list[Draft]) -> Trace:
    ctx = Context(BuildInput(Session(id="s")), tuple(drafts))
    pipeline = Pipeline.of([step]).with_setting(f"{step.id}.enabled", True)
    return pipeline.run(ctx, Services(tokenizer=WordTokenizer()))


def sent(trace: Trace) -> str:
    """Roles and texts, such as `s:a|b u:c`."""
    return " ".join(f"{d.role[0]}:{d.text}" for d in trace.result.drafts)


def merge_system(**settings: Any) -> Processor:
    return MergeSystem(MergeSystem.Settings(separator="|", **settings))


def merge() -> Processor:
    return MergeConsecutive(MergeConsecutive.Settings(separator="|"))


# --- system messages


@pytest.mark.parametrize(
    ("roles", "leading", "all_of_them"),
    [
        ("ssu", "s:a|b u:c", "s:a|b u:c"),
        ("sus", "s:a u:b s:c", "s:a|c u:b"),
        ("uss", "u:a s:b s:c", "s:b|c u:a"),
        ("us", "u:a s:b", "s:b u:a"),
        ("su", "s:a u:b", "s:a u:b"),
        ("ssus", "s:a|b u:c s:d", "s:a|b|d u:c"),
        ("", "", ""),
    ],
)
def test_system_messages_are_joined_at_the_head(roles: str, leading: str, all_of_them: str) -> None:
    assert sent(formatted(merge_system(), row(roles))) == leading
    assert sent(formatted(merge_system(hoist="all"), row(roles))) == all_of_them


def test_a_separator_says_which_step_put_it() -> None:
    whole = formatted(merge_system(), row("ss")).result.drafts[0]

    separator = whole.text.at(1)
    assert separator.origin == Origin("separator", "leading")
    assert separator.cause == Cause("merge-system", "leading", "2 system messages are sent as one")
    assert [part.key for part in whole.merged] == ["a", "b"]


def test_a_system_message_whose_reasoning_is_replayed_stands_alone() -> None:
    drafts = row("sss", b={"meta": REPLAYED})

    assert sent(formatted(merge_system(), drafts)) == "s:a s:b s:c"
    assert sent(formatted(merge_system(hoist="all"), drafts)) == "s:a|c s:b"


@pytest.mark.parametrize(
    ("roles", "later"), [("us", ["b"]), ("uausa", ["d"]), ("sus", ["c"]), ("uss", ["b", "c"]), ("ssu", []), ("u", [])]
)
def test_item_6_a_system_message_that_goes_to_the_head_says_so(roles: str, later: list[str]) -> None:
    trace = formatted(merge_system(hoist="all"), row(roles))

    told = {key for key in "abcdefgh"[: len(roles)] for event in trace.why(key).events if event.kind == "moved"}
    told |= {part.key for draft in trace.result.drafts if draft.merged for part in draft.parts}
    assert set(later) <= told
    assert {part.key for draft in trace.result.drafts for part in draft.parts} == set("abcdefgh"[: len(roles)])


def test_item_6_one_system_message_at_the_head_is_nothing_done() -> None:
    assert formatted(merge_system(hoist="all"), row("sua")).step(0).did_nothing


def test_item_6_a_later_system_message_whose_reasoning_is_replayed_stays_where_it_is() -> None:
    assert formatted(merge_system(hoist="all"), row("us", b={"meta": REPLAYED})).step(0).did_nothing


# --- neighbours of one role


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("uuaau", "u:a|b a:c|d u:e"),
        ("uuu", "u:a|b|c"),
        ("uau", "u:a a:b u:c"),
        ("sus", "s:a u:b s:c"),
    ],
)
def test_neighbours_of_one_role_are_joined(roles: str, expected: str) -> None:
    assert sent(formatted(merge(), row(roles))) == expected


@pytest.mark.parametrize("step", [merge(), EnsureAlternating()])
def test_results_of_tools_stay_apart(step: Processor) -> None:
    calls = (CALL, replace(CALL, id="c2"))
    drafts = row("att", a={"calls": calls}, b={"result_of": "c1"}, c={"result_of": "c2"})

    assert sent(formatted(step, drafts)) == "a:a t:b t:c"


def test_nothing_to_join_is_nothing_done() -> None:
    assert formatted(merge(), row("uau")).step(0).did_nothing


def test_a_merged_message_keeps_everything() -> None:
    picture = AssetRef("p", "image")
    first = draft("a", "assistant", body=(Text.of("a", Origin("node", "a")), picture), reasoning="one", pinned=True)
    second = draft("b", "assistant", calls=(CALL,), reasoning="two", meta={"x": 1})
    result = draft("c", "tool", result_of="c1")

    whole, _ = formatted(merge(), [first, second, result]).result.drafts

    assert (str(whole.text), whole.assets, whole.calls) == ("a|b", (picture,), (CALL,))
    assert (whole.reasoning, whole.pinned, dict(whole.meta)) == ("one\ntwo", True, {"x": 1})
    assert {Origin("node", "a"), Origin("node", "b")} < whole.text.origins()


@pytest.mark.parametrize(
    "drafts",
    [
        pytest.param([draft("a", result_of="c1"), draft("b")], id="a result and the user's words"),
        pytest.param([draft("a"), draft("b", result_of="c1")], id="the user's words and a result"),
        pytest.param([draft("a", result_of="c1"), draft("b", result_of="c2")], id="two results"),
        pytest.param([draft("a", result_of=""), draft("b")], id="a result of nobody knows what"),
        pytest.param(
            [draft("a", "assistant", calls=(CALL,)), draft("b", "assistant"), draft("c", "tool", result_of="c1")],
            id="after calls",
        ),
        pytest.param([draft("a", meta=REPLAYED), draft("b")], id="replayed reasoning before"),
        pytest.param([draft("a"), draft("b", meta=REPLAYED)], id="replayed reasoning after"),
        pytest.param([draft("a", speaker="Ann"), draft("b", speaker="Bob")], id="two people"),
    ],
)
def test_what_does_not_belong_together_is_kept_apart(drafts: list[Draft]) -> None:
    assert formatted(merge(), drafts).step(0).did_nothing


def test_words_of_one_person_are_joined_under_the_name() -> None:
    (whole,) = formatted(merge(), row("uu", a={"speaker": "Ann"}, b={"speaker": "Ann"})).result.drafts

    assert whole.speaker == "Ann"


def test_calls_may_follow_words_of_the_same_message() -> None:
    drafts = row("aat", b={"calls": (CALL,)}, c={"result_of": "c1"})

    trace = formatted(merge(), drafts)

    assert sent(trace) == "a:a|b t:c"
    assert trace.result.drafts[0].calls == (CALL,)


# --- another role


def test_system_messages_are_sent_as_the_users() -> None:
    trace = formatted(ConvertSystem(), row("sus", c={"meta": REPLAYED}))

    assert sent(trace) == "u:a u:b s:c"
    assert formatted(ConvertSystem(), row("ua")).step(0).did_nothing


# --- by turns


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("uu", "u:a a:Noted. u:b"),
        ("aa", "a:a u:Go on. a:b"),
        ("uau", "u:a a:b u:c"),
        ("usu", "u:a s:b u:c"),
        ("uuu", "u:a a:Noted. u:b a:Noted. u:c"),
    ],
)
def test_a_placeholder_stands_between_two_of_one_role(roles: str, expected: str) -> None:
    trace = formatted(EnsureAlternating(), row(roles))

    assert sent(trace) == expected
    assert len({draft.key for draft in trace.result.drafts}) == len(trace.result.drafts)


def test_a_placeholder_says_why_it_is_there() -> None:
    placeholder = formatted(EnsureAlternating(), row("uu")).result.drafts[1]

    assert placeholder.key == "made:ensure-alternating:1"
    assert placeholder.origin == Origin("notice", "ensure-alternating")
    assert placeholder.text.at(0).cause == Cause(
        "ensure-alternating", "placeholder", "two user messages stood side by side"
    )


def test_nothing_is_put_beside_replayed_reasoning() -> None:
    assert sent(formatted(EnsureAlternating(), row("aa", b={"meta": REPLAYED}))) == "a:a a:b"


# --- what they may add


@pytest.mark.parametrize("step", [MergeSystem, MergeConsecutive, ConvertSystem, EnsureAlternating])
@pytest.mark.parametrize("tokenizer", [WordTokenizer(), WordTokenizer(message_tokens=3)])
@pytest.mark.parametrize("roles", ["ssssuu", "uuuaaa", "uauasa"])
def test_no_formatter_adds_more_than_it_says(step: type[Processor], tokenizer: WordTokenizer, roles: str) -> None:
    made = step()
    before = row(roles)

    after = formatted(made, before).result.drafts

    allowed = len(before) * made.may_add_tokens(tokenizer)
    assert sum(map(tokenizer.count_draft, after)) <= sum(map(tokenizer.count_draft, before)) + allowed
