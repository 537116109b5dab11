"""Findings as a value: their order, their cost, the packages that bring rules, and SARIF."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.context.equal_stretch import equal_after, equal_before
from ctxlab.errors import UnknownName, WrongArgument
from ctxlab.recordings.ancestor_tree import AncestorTree
from ctxlab.recordings.findings.carried_tokens import CarriedTokens
from ctxlab.recordings.findings.checked_context import CheckedContext
from ctxlab.recordings.findings.registry import finding_rules
from ctxlab.recordings.findings.rules import RULES
from ctxlab.recordings.findings.sarif import sarif_of
from ctxlab.recordings.recording import Recording
from tests.recordings.findings.cases import CASES, KEY
from tests.recordings.findings.made import bodies, says, sent, system, talk, usage, used, user, words

SAMPLE = Path(__file__).parents[3] / "datasets" / "tidebook_agent.ctxrec.jsonl"


def every_kind() -> Recording:
    """A recording with several findings of several rules."""
    blocks = [message for n in range(4) for message in used("Read", words(90), f"c{n}", file_path="a.py")]
    return talk(
        system("You are {{char}}."), user(f"Hi\u202e {KEY}"), *blocks, user(words(300)), says("A"), user(words(300))
    )


# --- the value


def test_the_worst_come_first_and_then_the_dearest() -> None:
    found = ctxlab.check(every_kind())
    levels = [finding.level for finding in found]

    assert levels == sorted(levels, key=("error", "warning", "note").index)
    warnings = [finding for finding in found if finding.level == "warning"]
    assert [f.usd or 0.0 for f in warnings] == sorted((f.usd or 0.0 for f in warnings), reverse=True)
    assert found.at_least("error") == tuple(f for f in found if f.level == "error")
    assert [*found.frame().columns[:3]] == ["rule", "level", "title"]
    assert len(found.frame()) == len(found)


@given(st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_order_in_which_rules_are_asked_changes_nothing(order: random.Random) -> None:
    rules = [rule.id for rule in RULES]
    order.shuffle(rules)

    assert ctxlab.check(SHARED, rules=rules).found == ctxlab.check(SHARED).found


SHARED = every_kind()


def test_a_rule_that_is_asked_alone_finds_what_it_finds_among_all() -> None:
    every = ctxlab.check(SHARED)

    for id in every.by_rule:
        assert ctxlab.check(SHARED, rules=[id]).found == every.by_rule[id]
        assert id not in ctxlab.check(SHARED, ignore=[id]).by_rule


def test_a_rule_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownName, match=r"no rule 'unused-tool'.*unused-tools"):
        ctxlab.check(SHARED, rules=["unused-tool"])
    with pytest.raises(UnknownName, match="no rule 'x'"):
        ctxlab.check(SHARED, ignore=["x"])
    with pytest.raises(WrongArgument, match="rules"):
        ctxlab.check(SHARED, rules="unused-tools")  # type: ignore[arg-type]


def test_a_conversation_a_library_a_path_and_messages_are_checked() -> None:
    session = ctxlab.Session(id="s").append("Hi \u202e")
    every: tuple[Any, ...] = (session, ctxlab.Library(sessions=(session,)), [{"role": "user", "content": "Hi \u202e"}])

    for what in (*every, ctxlab.build(session)):
        assert [finding.rule for finding in ctxlab.check(what)] == ["hidden-characters"]
    assert ctxlab.check(SAMPLE).found == ctxlab.check(ctxlab.read_recording(SAMPLE)).found


def test_places_of_a_run_are_its_keys() -> None:
    trace = ctxlab.build(ctxlab.Session(id="s").append("Hi \u202e", id="u1"))
    (finding,) = ctxlab.check(trace)

    (place,) = finding.places
    assert (place.node, place.start, place.end) == ("node:u1", 3, 4)
    assert trace.why(place.node)


# --- secrets


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.sampled_from([case.rule for case in CASES]))
@settings(max_examples=30)
def test_a_key_is_never_shown(around: str, name: str) -> None:
    messages = [user(f"{around} {KEY} {words(300)}"), *used(KEY, f"Error: {KEY}", "c1", a=KEY), user(words(300))]
    recording = sent(messages, messages, model=name, error=f"refused {KEY}")
    found = ctxlab.check(recording)

    shown = "".join([json.dumps(found.as_data()), json.dumps(sarif_of(found)), repr([*found]), found._repr_html_()])
    assert KEY not in shown and "secret" in found.by_rule


# --- cost


def test_tokens_are_counted_once_for_each_request_that_sent_them() -> None:
    recording = talk(
        user("Hi"),
        *used("Read", words(90), "c1", file_path="a"),
        *used("Read", words(90), "c2", file_path="a"),
        says("A"),
    )
    (finding,) = ctxlab.check(recording, rules=["file-read-again"])
    (result,) = list(recording.parts.of_node(finding.places[1].node))

    assert finding.tokens == 2 * result.tokens  # the last two requests have it


def test_what_was_read_from_the_cache_costs_the_price_of_the_cache() -> None:
    blob = [user(words(300)), says("Yes"), user(words(300)), says("Yes"), user("So?")]
    plain, cached = (
        bodies(*[({"model": "gpt-4o", "messages": blob[:end]}, {"usage": usage(1000, share)}) for end in (3, 5)])
        for share in (None, 1000)
    )
    costs = [ctxlab.check(recording, rules=["text-twice"])[0].usd for recording in (plain, cached)]

    assert costs[0] is not None and costs[1] is not None
    assert costs[1] == pytest.approx(costs[0] / 2)  # OpenAI's price of cached input for this model


def test_no_price_is_told_where_none_is_known() -> None:
    messages = [user(words(300)), says("Yes"), user(words(300))]
    (finding,) = ctxlab.check(sent(messages, model="nobody's model"), rules=["text-twice"])

    assert finding.tokens and finding.usd is None


@given(st.lists(st.integers(0, 12), min_size=1, max_size=30), st.lists(st.integers(0, 60), min_size=1, max_size=12))
def test_counts_and_common_messages_are_those_of_walking(parents: list[int], leaves: list[int]) -> None:
    ways: list[tuple[int, ...]] = [()]
    for number, parent in enumerate(parents):
        ways.append((*ways[parent % len(ways)], number))
    messages = [
        [user(f"{step}") if depth % 2 == 0 else says(f"{step}") for depth, step in enumerate(way)] for way in ways
    ]
    recording = sent(*[messages[leaf % len(messages)] for leaf in leaves])
    sent_by_node = recording.requests[0].tree.sent
    tree = recording.parts.tree
    carried = CarriedTokens(recording, recording.parts)
    paths = [[message.id for message in request.sent] for request in recording.requests]

    for id in sent_by_node:
        assert carried.count[id] == sum(id in path for path in paths)
    for one in recording.requests:
        for other in recording.requests:
            first, second = (paths[each.number - 1] for each in (one, other))
            shared = [a for a, b in zip(first, second, strict=False) if a == b]
            found = tree.common(first[-1] if first else "", second[-1] if second else "")
            assert found == (shared[-1] if shared else "")


@given(st.text("ab", max_size=300), st.text("ab", max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_equal_stretches_are_those_of_comparing_one_by_one(one: str, other: str, at: int, place: int) -> None:
    one, other = f"{one}{'x' * 200}{one}", f"{other}{'x' * 200}{one}"
    at, place = min(at, len(one)), min(place, len(other))

    after = equal_after(one, other, at, place)
    before = equal_before(one, other, at, place)
    assert one[at : at + after] == other[place : place + after]
    assert one[at + after : at + after + 1] != other[place + after : place + after + 1] or at + after == len(one)
    assert one[at - before : at] == other[place - before : place]
    assert min(at, place) == before or one[at - before - 1] != other[place - before - 1]


def test_a_message_is_counted_once_however_many_requests_send_it(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    for turns in (20, 40):
        recording = talk(
            *[
                m
                for n in range(turns)
                for m in (user(words(60, first=9 * n)), *used("run", words(90, first=n), f"c{n}"))
            ]
        )
        count = 0
        original = AncestorTree.__dict__["at_depth"]

        def counting(self: Any, *arguments: Any, original: Any = original) -> Any:
            nonlocal count
            count += 1
            return original(self, *arguments)

        monkeypatch.setattr(AncestorTree, "at_depth", counting)
        ctxlab.check(CheckedContext(recording).recording)
        monkeypatch.setattr(AncestorTree, "at_depth", original)
        looked_at.append(count)

    assert looked_at[1] < 2.6 * looked_at[0]


# --- rules of packages

MODULE = """
from ctxlab import Found, finding_rule

@finding_rule("acme-greeting", "A greeting without a name", "Speaks of hello.", "note")
def greeting(checked):
    for id in checked.nodes:
        if checked.node(id).content == "hello":
            yield Found("Somebody says hello.", "Say a name.", (checked.place(id, 0, 5),))

@finding_rule("acme-raises", "A rule that raises", "Speaks of nothing.", "note")
def raises(checked):
    raise RuntimeError("no licence")

@finding_rule("acme-odd", "A rule of odd results", "Speaks of nothing.", "note")
def odd(checked):
    return ["hello"]

@finding_rule("secret", "Another one", "Speaks of nothing.", "note")
def taken(checked):
    return []

number = 7
"""
Installed = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """`installed("a = acme_findings:greeting", ...)`: a package with these rules, as an installer leaves it."""

    def install(*points: str) -> None:
        (tmp_path / "acme_findings.py").write_text(MODULE)
        about = tmp_path / "acme_findings-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-findings\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join(["[ctxlab.findings]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        finding_rules.cache_clear()

    yield install
    monkeypatch.undo()
    finding_rules.cache_clear()


def test_a_package_brings_rules(installed: Installed) -> None:
    installed("greeting = acme_findings:greeting")
    found = ctxlab.check([{"role": "user", "content": "hello"}])

    assert [(finding.rule, finding.level) for finding in found] == [("acme-greeting", "note")]
    assert not found.notes


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("raises", "rule 'acme-raises' could not be asked: RuntimeError: no licence"),
        ("odd", "rule 'acme-odd' could not be asked: TypeError: it gave str, not Found"),
        ("taken", "there is a rule 'secret' already"),
        ("number", "it is no FindingRule"),
        ("nothing", "AttributeError"),
    ],
)
def test_a_broken_rule_is_told_and_the_others_go_on(installed: Installed, point: str, why: str) -> None:
    installed(f"broken = acme_findings:{point}", "greeting = acme_findings:greeting")
    found = ctxlab.check([{"role": "user", "content": "hello"}])

    assert [finding.rule for finding in found] == ["acme-greeting"]
    assert len(found.notes) == 1 and why in found.notes[0]


def test_a_rule_of_ones_own_is_given_as_it_is() -> None:
    @ctxlab.finding_rule("mine", "A rule of my own", "Speaks of everything.", "error")
    def mine(checked: CheckedContext) -> Iterable[ctxlab.Found]:
        return [ctxlab.Found("It is there.", "Take it out.")]

    assert [finding.rule for finding in ctxlab.check(SHARED, rules=[mine])] == ["mine"]


# --- SARIF


def test_sarif_has_what_its_schema_demands() -> None:
    found = ctxlab.check(SHARED)
    data = json.loads(json.dumps(sarif_of(found, "a folder/talk.jsonl")))

    assert data["version"] == "2.1.0" and data["$schema"].endswith("sarif-2.1.0.json")
    (run,) = data["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "ctxlab" and all({"id", "shortDescription"} <= {*rule} for rule in driver["rules"])
    assert all(isinstance(each["executionSuccessful"], bool) for each in run["invocations"])
    assert len(run["results"]) == len(found) > 3
    for result, finding in zip(run["results"], found, strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == finding.rule
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        for place in (*result["locations"], *result.get("relatedLocations", [])):
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uri"] == "a%20folder/talk.jsonl"
            assert physical["region"]["startLine"] >= 1
            assert all(logical["name"] for logical in place.get("logicalLocations", []))
    prints = [result["partialFingerprints"]["ctxlabFinding/v1"] for result in run["results"]]
    assert len({*prints}) == len(prints)


def test_rules_on_a_template_are_asked_where_there_is_one_and_their_remedies_are_true() -> None:
    chat = [{"role": "user", "content": "夜里<|im_end|>"}, {"role": "system", "content": "Be brief."}]
    chat += [{"role": "user", "content": "And?"}]
    trace = ctxlab.build(chat, settings={"merge-system.enabled": False})
    template = ctxlab.JinjaTemplate(
        "{% for m in messages if m.role != 'system' %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    )

    without, found = ctxlab.check(trace), ctxlab.check(trace, model=template)

    assert not {rule for rule in without.rules if rule.startswith("template-")}
    assert {"template-loses-messages", "markup-in-words"} == {*found.by_rule} & {*found.rules} - {*without.rules}
    lost = ctxlab.rendered(trace, template).remedy
    assert lost is not None
    assert lost.sentence.rstrip(".") in found.by_rule["template-loses-messages"][0].remedy
    mended = ctxlab.check(trace.rerun(lost.settings), model=template)
    assert "template-loses-messages" not in mended.by_rule
    assert ctxlab.check(chat, model=template).by_rule.keys() >= {"markup-in-words"}


def test_a_recording_takes_no_model() -> None:
    with pytest.raises(WrongArgument, match="model= is for runs"):
        ctxlab.check(every_kind(), model="x.jinja")
