"""Which rules are in force for a message, in which order, and what they come to."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.context import BuildInput, Origin, Text
from ctxlab.documents import Agent, ModelMatch, ModelProfile, RegexConfig, RegexPreset, RegexRule, Session, UserProfile
from ctxlab.documents.rules import AppliesTo, DepthRange
from ctxlab.engines.macros import MacroEnv
from ctxlab.engines.regexes import Pattern
from ctxlab.engines.regexes.apply_plans import apply
from ctxlab.engines.regexes.compile_rule import compiled_rule, pattern_of
from ctxlab.engines.regexes.rule_selection import BoundRule, Ruleset, why_skipped


def named(id: str, **fields: Any) -> RegexRule:
    return RegexRule(**{"id": id, "regex": id, "apply_to": AppliesTo(request=True), **fields})


def config(*rules: RegexRule, mode: str | None = None, **fields: Any) -> RegexConfig:
    preset = RegexPreset(id="p", rules=rules, **fields)
    return RegexConfig(presets=(preset,)) if mode is None else RegexConfig(presets=(preset,), binding_mode=mode)


def ids(
    build_input: BuildInput, *, role: str = "user", depth: int = 0, streaming: bool = False, **wrote: Any
) -> list[str]:
    ruleset = Ruleset(build_input, stage="request", streaming=streaming)
    return [ruleset.bound[n].rule.id for n in ruleset.plan(role=role, depth=depth, **wrote)]


def test_presets_run_by_priority_then_rules_by_order_then_as_listed() -> None:
    rules = RegexConfig(
        presets=(
            RegexPreset(rules=(named("late"),), priority=200),
            RegexPreset(rules=(named("second", order=2), named("third", order=2), named("first", order=1)), order=2),
            RegexPreset(rules=(named("zeroth"), named("second too", order=2)), order=1),
        )
    )
    build_input = BuildInput(Session(), rules=rules, agent=Agent(regex_config=config(named("agent's"), priority=50)))

    assert ids(build_input) == ["agent's", "zeroth", "first", "second too", "second", "third", "late"]


def test_layers_of_equal_rank_run_global_agent_user() -> None:
    build_input = BuildInput(
        Session(),
        rules=config(named("global")),
        agent=Agent(regex_config=config(named("agent"))),
        user=UserProfile(regex_config=config(named("user"))),
    )

    assert ids(build_input) == ["global", "agent", "user"]


@pytest.mark.parametrize(
    ("fields", "runs"),
    [
        ({}, True),
        ({"enabled": False}, False),
        ({"apply_to": AppliesTo(render=True, request=False)}, False),
        ({"target_roles": ("assistant",)}, False),
        ({"target_roles": ()}, False),
        ({"depth_range": DepthRange()}, True),
        ({"depth_range": DepthRange(min=1)}, True),
        ({"depth_range": DepthRange(max=1)}, True),
        ({"depth_range": DepthRange(min=2)}, False),
        ({"depth_range": DepthRange(max=0)}, False),
        ({"depth_range": DepthRange(min=1, max=0)}, False),
    ],
)
def test_a_rule_runs_where_it_says(fields: dict[str, Any], runs: bool) -> None:
    build_input = BuildInput(Session(), rules=config(named("r", **fields)))

    assert ids(build_input, depth=1) == (["r"] if runs else [])


def test_tool_messages_are_touched_only_by_rules_that_name_them() -> None:
    build_input = BuildInput(Session(), rules=config(named("a"), named("b", target_roles=("tool",))))

    assert ids(build_input, role="tool") == ["b"]


def test_why_a_rule_passes_a_message_by_is_said() -> None:
    rule = named("r", target_roles=("assistant",), depth_range=DepthRange(min=2))

    assert why_skipped(rule, role="user", depth=0) == "it is for assistant, not for user"
    assert why_skipped(rule, role=None, depth=0) == "it is for messages at depth 2 or deeper, not 0"
    assert why_skipped(rule, role="assistant", depth=None) is None


@pytest.mark.parametrize(("said", "runs"), [(None, True), (True, True), (False, False)])
def test_a_rule_can_wait_until_a_message_is_complete(said: bool | None, runs: bool) -> None:
    build_input = BuildInput(Session(), rules=config(named("r", apply_in_streaming=said)))

    assert ids(build_input, streaming=True) == (["r"] if runs else [])
    assert ids(build_input) == ["r"]


def test_a_preset_can_be_off_or_for_other_models() -> None:
    match = ModelMatch(enabled=True, patterns=("gpt", "("))
    rules = RegexConfig(
        presets=(
            RegexPreset(rules=(named("off"),), enabled=False),
            RegexPreset(rules=(named("gpt"),), model_match=match),
        )
    )
    ruleset = Ruleset(BuildInput(Session(), rules=rules, model=ModelProfile(id="gpt-4")), stage="request")

    assert ids(BuildInput(Session(), rules=rules, model=ModelProfile(id="claude"))) == []
    assert len(ruleset.plan(role="user", depth=0)) == 1
    assert "'('" in ruleset.problems[0]


@pytest.mark.parametrize(
    ("own", "everywhere", "used"),
    [
        (None, None, "hers"),
        ("message", "session", "hers"),
        ("session", "message", "mine"),
        (None, "session", "mine"),
        (None, "message", "hers"),
    ],
)
def test_messages_keep_the_rules_of_their_agent_unless_the_session_binds(
    own: str | None, everywhere: str | None, used: str
) -> None:
    mine = Agent(id="mine", regex_config=config(named("mine"), mode=own))
    hers = Agent(id="hers", regex_config=config(named("hers")))
    build_input = BuildInput(Session(), agent=mine, agents=(hers,), rules=config(named("all"), mode=everywhere))

    assert ids(build_input, agent_id="hers") == ["all", used]
    assert ids(build_input, agent_id="gone") == ["all", "mine"]
    assert ids(build_input) == ["all", "mine"]


def test_messages_keep_the_rules_of_their_user() -> None:
    users = tuple(UserProfile(id=id, regex_config=config(named(id))) for id in ("u", "v"))
    build_input = BuildInput(Session(), user=users[0], users=users)

    assert ids(build_input, user_id="v") == ["v"]
    assert ids(build_input, user_id="w") == ["u"]


@pytest.mark.parametrize(
    ("regex", "flags", "ours", "reference"),
    [
        ("/a/i", "gm", "i", "gm"),
        ("/a/i", None, "i", "i"),
        ("/a/", "s", "s", "s"),
        ("a", "", "gm", "gm"),
        ("a", "i", "i", "i"),
    ],
)
def test_written_flags_beat_the_rules_own(regex: str, flags: str | None, ours: str, reference: str) -> None:
    rule = named("r", regex=regex, flags=flags)

    assert pattern_of(rule) == Pattern("a", ours)
    assert pattern_of(rule, compat="reference") == Pattern("a", reference)


ANN = MacroEnv.of(BuildInput(Session(), user=UserProfile(name="A.n(n$&")))


def applied(rule: RegexRule, text: str, env: MacroEnv = ANN) -> str:
    bound = [BoundRule(rule, RegexPreset(), "global")]
    done = apply([Text.of(text, Origin("node"))], [(0,)], bound, env, stage="request", processor="test")
    return str(done.texts[0])


@pytest.mark.parametrize(
    ("mode", "text", "result"),
    [
        ("NONE", "{{user}} A.n(n$&", "<{{user}}:{{user}}> A.n(n$&"),
        ("ESCAPED", "{{user}} A.n(n$& Axn(n$&", "{{user}} <A.n(n$&:A.n(n$&> Axn(n$&"),
    ],
)
def test_macros_are_filled_in_as_words(mode: str, text: str, result: str) -> None:
    regex = r"\{\{user\}\}" if mode == "NONE" else "{{user}}"
    rule = named("r", regex=regex, replacement="<$&:{{user}}>", substitution_mode=mode)

    assert applied(rule, text) == result


def test_a_raw_macro_is_a_pattern() -> None:
    env = MacroEnv.of(BuildInput(Session(), user=UserProfile(name="A.n")))
    rule = named("r", regex="{{user}}", replacement="{{user}}", substitution_mode="RAW")

    assert applied(rule, "Axn", env) == "A.n"


def test_trim_strings_have_macros_and_are_no_patterns() -> None:
    rule = named("r", regex="<(.*)>", replacement="$1", substitution_mode="ESCAPED", trim_strings=("{{user}}",))

    assert applied(rule, "<say A.n(n$& now>") == "say  now"


def test_macros_in_a_replacement_can_be_asked_for_alone() -> None:
    rule = named("r", regex=r"\{\{user\}\}", replacement="{{user}}", macros_in_replacement=True)

    assert applied(rule, "{{user}}") == "A.n(n$&"


def test_an_escaped_brace_in_a_pattern_stays_escaped() -> None:
    rule = named("r", regex=r"\{{2}{{user}}", replacement="x", substitution_mode="ESCAPED")

    assert applied(rule, "{{A.n(n$&") == "x"


@pytest.mark.parametrize(("written", "result"), [("\\n", "a\nb"), ("\\t", "a\tb"), ("\n", "a\nb"), ("$&", "a,b")])
def test_line_ends_can_be_written_in_a_replacement(written: str, result: str) -> None:
    assert applied(named("r", regex=",", replacement=written), "a,b") == result


def test_scripts_are_not_run() -> None:
    made = compiled_rule(named("r", replacement_type="script", script_content="return 1"), ANN)

    assert made.replacement is None
    assert made.why_not is not None
    assert "not run" in made.why_not


@pytest.mark.parametrize("stage", ["request", "render"])
def test_b6_without_a_script_a_script_rule_is_made_ready_as_a_plain_one(stage: Any) -> None:
    made = compiled_rule(named("r", regex="a", replacement="b", replacement_type="script"), ANN, stage=stage)

    assert made.why_not is None
    assert made.replacement is not None


def test_flags_that_nobody_knows_are_told() -> None:
    (remark,) = compiled_rule(named("r", regex="/a/gx"), ANN).remarks

    assert "'/a/gx'" in remark
    assert "'gx'" in remark
