"""What came of lost rules: the first action with what they forbid by name, and the user who says them again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxlab.documents import MessageNode, Session
from ctxlab.engines.compression import CheckedFact, SourceText, compression_report
from ctxlab.recordings.compressions.forbidden import forbidden_in
from ctxlab.recordings.compressions.rule_breaches import RuleBreach, first_breaches
from ctxlab.recordings.compressions.rule_repeats import repeats
from tests.recordings.compressions.labelled import scripted, scripted_cases


@pytest.mark.parametrize(
    ("rule", "forbids"),
    [
        ("Don't touch src/legacy, it is frozen until March.", [("change", "src/legacy")]),
        ("You must not edit anything in docs/ or README.md.", [("change", "docs/"), ("change", "README.md")]),
        ("Leave package.json alone.", [("change", "package.json")]),
        ("The values in charts/prod must stay as they are.", [("change", "charts/prod")]),
        ("不要改 schema.sql，那是另一个组的。", [("change", "schema.sql")]),
        ("We only use pnpm here, never npm or yarn.", [("use", "npm"), ("use", "yarn")]),
        ("Don't use moment.js. Use date-fns.", [("use", "moment.js")]),
        ("不要用 npm，用 pnpm。", [("use", "npm")]),
        ("Do not run docker compose down.", [("use", "docker compose down")]),
        ("Don't run the tests with --watch.", [("use", "--watch")]),
        ('Never use the word "mystical".', [("say", "mystical")]),
        ("别提“灯塔”这个词。", [("say", "灯塔")]),
        ("图里不要出现姓名。", [("say", "姓名")]),
        ("Never push to main.", []),
        ("Don't use more than 3 colours.", []),
        ("Avoid long sentences.", []),
        ("Keep the bundle under 180 kB.", []),
        ("Do not call it a robot.", []),
    ],
)
def test_a_rule_forbids_what_it_names(rule: str, forbids: list[tuple[str, str]]) -> None:
    assert [(each.action, each.text) for each in forbidden_in(rule)] == forbids


def node(role: str, content: str = "", *calls: tuple[str, Any]) -> MessageNode:
    made = [
        {"id": f"c{n}", "name": name, "arguments": given if isinstance(given, str) else json.dumps(given)}
        for n, (name, given) in enumerate(calls)
    ]
    return (
        Session(id="s")
        .append("", role="system")
        .append(content, role=role, metadata={"toolCalls": made} if made else None)
        .path()[-1]
    )


def rules(*texts: str) -> list[CheckedFact]:
    found = [compression_report([SourceText("u", "user", text)], "Nothing.").lost for text in texts]
    return [next(fact for fact in facts if fact.kind == "rule") for facts in found]


def breaches(rule: str, *later: MessageNode) -> tuple[RuleBreach, ...]:
    return first_breaches(rules(rule), later)


FROZEN = "Don't touch src/legacy, it is frozen."


@pytest.mark.parametrize(
    ("name", "given", "evidence"),
    [
        ("Edit", {"file_path": "/home/me/src/legacy/a.ts", "old_string": "x"}, "/home/me/src/legacy/a.ts"),
        ("write_file", {"path": "src/legacy"}, "src/legacy"),
        ("Bash", {"command": "cd app && rm -r src/legacy/old"}, "src/legacy/old"),
        ("shell", {"command": ["bash", "-lc", "sed -i s/a/b/ src/legacy/a.ts"]}, "src/legacy/a.ts"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/legacy/a.ts\n@@"}, "src/legacy/a.ts"),
        ("apply_patch", "*** Begin Patch\n*** Delete File: src/legacy/a.ts\n", "src/legacy/a.ts"),
    ],
)
def test_a_call_that_changes_a_path_goes_against_a_rule(name: str, given: Any, evidence: str) -> None:
    (found,) = breaches(FROZEN, node("assistant", "", ("Read", {"file_path": "src/legacy/a.ts"}), (name, given)))
    assert found.evidence == evidence
    assert found.where.startswith(name)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Read", {"file_path": "src/legacy/a.ts"}),
        ("Bash", {"command": "cat src/legacy/a.ts"}),
        ("Edit", {"file_path": "src/other.ts", "new_string": "see src/legacy"}),
        ("Edit", {"file_path": "src/legacy-tests/a.ts"}),
        ("Edit", {"file_path": "old-src/legacyish.ts"}),
    ],
)
def test_reading_a_path_or_naming_it_is_no_breach(name: str, given: Any) -> None:
    assert breaches(FROZEN, node("assistant", "I looked at src/legacy.", (name, given))) == ()


def test_a_command_is_a_breach_by_whole_words() -> None:
    rule = "We only use pnpm here, never npm."
    assert breaches(rule, node("assistant", "", ("Bash", {"command": "cat npm-debug.log; pnpm i"}))) == ()
    (found,) = breaches(rule, node("assistant", "", ("Bash", {"command": "cd app && npm install"})))
    assert (found.evidence, found.where) == ("npm", "Bash, command")


def test_the_first_action_counts_and_only_those_of_the_model() -> None:
    edit = ("Edit", {"file_path": "src/legacy/b.ts"})
    later = [node("user", "src/legacy"), node("assistant", "", edit), node("assistant", "", edit)]
    (found,) = breaches(FROZEN, *later)
    assert found.node == later[1].id
    assert "src/legacy/b.ts" in found.sentence and FROZEN in found.sentence


def test_the_evidence_is_what_stands_at_its_place() -> None:
    (found,) = breaches("Never use the word 'mystical'.", node("assistant", "A Mystical hush."))
    assert "A Mystical hush."[found.start : found.end] == found.evidence == "Mystical"


def test_the_user_says_a_rule_again_in_its_words_or_with_what_it_names() -> None:
    asked = rules(FROZEN, "Make sure every new component has a test next to it.")
    later = [
        node("user", "Fine. I said never touch src/legacy! Take it back."),
        node("user", "Every new component has a test next to it, please make sure."),
    ]
    found = repeats(asked, later)
    assert [(each.text, each.node) for each in found] == [
        ("I said never touch src/legacy!", later[0].id),
        ("Every new component has a test next to it, please make sure.", later[1].id),
    ]


def test_the_contrary_is_no_repeat() -> None:
    assert repeats(rules(FROZEN), [node("user", "You may touch src/legacy now.")]) == ()


@pytest.mark.parametrize("case", scripted_cases(), ids=lambda case: case["name"])
def test_scripted_conversations_have_the_breaches_and_repeats_that_were_written_into_them(case: Any) -> None:
    compression = next(each.compression for each in scripted() if each.name == case["name"])
    found = {each.rule.text: each.evidence for each in compression.breaches}
    again = [each.rule.text for each in compression.repeats]
    for rule, evidence in case["broken"]:
        assert rule in found and evidence in found[rule]
    assert again == case["said_again"]
    assert len(found) == len(case["broken"])
