"""Compressions are found as each log says, and where messages went and a summary stands in their place."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.api.examples import bundled
from ctxlab.recordings.builder import RecordingBuilder

SYSTEM = {"role": "system", "content": "You are a helpful assistant."}
ASK = "Your task is to create a detailed summary of the conversation so far."


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


TALK = [
    user("Where does the night boat land? Never write down the name of the pilot."),
    answer("At the outer pier, as the harbour office says."),
    user("And how many crates does it carry?"),
    answer("It carries 14 crates of lamp oil."),
    user("Who signs for them?"),
]
SUMMARY = (
    "The night boat lands at the outer pier, as the harbour office says, and it does carry 14 crates of lamp oil. "
    "Write on with the question who signs for the crates; the pilot steers."
)


def recorded(*bodies: list[dict[str, Any]], replies: dict[int, str] | None = None, **heads: Any) -> ctxlab.Recording:
    """A recording of requests with these messages, and of some of their answers."""
    builder = RecordingBuilder("talk")
    for number, messages in enumerate(bodies):
        reply = (replies or {}).get(number)
        value = {"choices": [{"index": 0, "message": answer(reply)}]} if reply else None
        builder.body({"model": "m", "messages": [SYSTEM, *messages], **heads}, "openai-chat", reply=value)
    return builder.recording()


def lines(path: Path, *values: Any) -> Path:
    path.write_text("\n".join(json.dumps(value, ensure_ascii=False) for value in values), encoding="utf-8")
    return path


def test_a_recording_without_a_compression_has_none() -> None:
    assert recorded(TALK[:1], TALK[:3], TALK).compressions() == ()


def test_an_edited_message_is_no_compression() -> None:
    again = [user("Where does the night boat land, and when? Never write down the name of the pilot."), *TALK[1:3]]
    assert recorded(TALK, again).compressions() == ()


def test_another_conversation_under_the_same_head_is_no_compression() -> None:
    other = [
        user("Write a short poem on winter apples, three lines of it at most, with no rhyme in any of them at all.")
    ]
    assert recorded(TALK, other, TALK).compressions() == ()


def test_a_summary_is_inferred_from_what_it_says_of_itself() -> None:
    text = "Here is a summary of our conversation so far: a boat, an outer pier."
    (found,) = recorded(TALK, [user(text), user("Go on.")]).compressions()
    assert not found.is_said
    assert found.because == (
        "inferred, because 5 messages went and a message in their place says “summary of our conversation so far”"
    )
    assert [each.text for each in found.originals] == [each["content"] for each in TALK]
    assert found.summary == text


def test_a_summary_is_inferred_from_the_words_of_what_went() -> None:
    (found,) = recorded(TALK, [user(SUMMARY), user("Go on.")]).compressions()
    assert "of the words of the message in their place are theirs" in found.because
    assert [rule.text for rule in found.lost_rules] == ["Never write down the name of the pilot."]


def test_a_summary_is_inferred_from_the_request_that_asked_for_it() -> None:
    text = "Notes.\nBoat: outer pier, crates of oil, nobody has signed so far.\nOpen: the signature."
    recording = recorded(
        TALK, [*TALK, answer("The harbour master."), user(ASK)], [user(text), user("Go on.")], replies={1: text}
    )
    (found,) = recording.compressions()
    assert found.summary_request is recording.requests[1]
    assert found.before is recording.requests[0]
    assert found.model == recording.requests[1].model
    assert [each.text for each in found.originals] == [*(each["content"] for each in TALK), "The harbour master."]


def test_messages_that_stayed_are_told_apart_and_are_no_originals() -> None:
    text = "Summary of the earlier conversation: the boat lands at the outer pier."
    (found,) = recorded(TALK, [user(text), *TALK[3:], answer("The master."), user("Thanks.")]).compressions()
    assert [each.text for each in found.originals] == [each["content"] for each in TALK[:3]]
    assert [each.text for each in found.kept_texts] == [each["content"] for each in TALK[3:]]
    assert len(found.kept_messages) == 2


def test_a_rule_in_a_message_that_stayed_is_not_lost() -> None:
    rule = TALK[0]["content"]
    text = "Summary of the earlier conversation: oil."
    talk = [*TALK[:3], user(rule)]
    (found,) = recorded(talk, [user(text), user(rule), answer("Yes."), user("Go.")]).compressions()
    assert [each.kind for each in found.report.lost if each.kind == "rule"] == ["rule"]
    assert found.lost_rules == ()


def test_a_summary_that_came_into_the_system_text_is_found_there() -> None:
    builder = RecordingBuilder("head")
    for system, messages in (("Be brief.", TALK), (f"Be brief.\n\n{SUMMARY}", TALK[4:])):
        builder.body({"model": "c", "max_tokens": 5, "system": system, "messages": messages}, "anthropic")
    (found,) = builder.recording().compressions()
    assert "of the words that came into the system text are theirs" in found.because
    assert found.summary.strip() == SUMMARY
    assert [rule.text for rule in found.lost_rules] == ["Never write down the name of the pilot."]


@pytest.mark.parametrize("name", ["coding", "harbour"])
@pytest.mark.parametrize(("vendor", "wire"), [("openai", "openai-chat"), ("anthropic", "anthropic")])
def test_our_own_compression_is_found_in_what_we_send(name: str, vendor: Any, wire: Any) -> None:
    compression = ctxlab.compress(ctxlab.example(name), budget_tokens=100_000)
    builder = RecordingBuilder("own")
    for trace in (compression.before, compression.after):
        builder.body(dict(ctxlab.payload(trace, vendor).body), wire)
    (found,) = builder.recording().compressions()
    first = compression.summary.splitlines()[0]
    assert first in found.summary


def test_the_answer_that_no_request_sent_again_went_too() -> None:
    text = "Summary of the conversation so far: the boat."
    (found,) = recorded(TALK, [user(text), user("Go on.")], replies={0: "The harbour master signs."}).compressions()
    assert found.originals[-1].text == "The harbour master signs."


def test_a_summary_of_a_summary_names_the_one_that_went_into_it() -> None:
    one = [user("Summary of the conversation so far: the boat."), user("Go on."), answer("I go on."), user("More.")]
    two = [user("Summary of the conversation so far: boat, more."), user("Go on.")]
    first, second = recorded(TALK, one, two).compressions()
    assert (first.generation, first.lineage) == (1, ())
    assert (second.generation, second.lineage) == (2, (first.id,))


def test_actions_after_the_next_compression_are_not_those_of_the_first() -> None:
    one = [user("Summary of the conversation so far: the boat."), user("Go on."), answer("I go on."), user("More.")]
    two = [user("Summary of the conversation so far: boat, more."), user("And now?")]
    first, second = recorded(TALK, one, two, replies={2: "Done."}).compressions()
    assert [node.content for node in first.later] == ["Go on.", "I go on.", "More."]
    assert [node.content for node in second.later] == ["And now?", "Done."]


def test_claude_code_says_it_by_a_boundary(tmp_path: Path) -> None:
    def line(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
        message = {"role": role, "content": content, **more.pop("message", {})}
        return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}

    def said(uuid: str, parent: str, text: str, id: str, **more: Any) -> dict[str, Any]:
        about = {"id": id, "model": "claude-x", "usage": {"input_tokens": 900, "output_tokens": 5}}
        return line(uuid, parent, "assistant", [{"type": "text", "text": text}], message=about, **more)

    summary = "This session is being continued from a previous conversation. The pier is meant."
    boundary = {
        "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "logicalParentUuid": "a2",
        "compactMetadata": {"trigger": "manual", "preTokens": 4_000},
    }  # fmt: skip
    asked = line("w1", "a2", "user", ASK, isSidechain=True, agentId="acompact-1", timestamp="2026-01-01T00:00:00Z")
    wrote = said("w2", "w1", f"<analysis>\n</analysis>\n{summary}", "m4", isSidechain=True, agentId="acompact-1")
    file = lines(
        tmp_path / "s.jsonl",
        line("u1", None, "user", "Where is the pier?"),
        said("a1", "u1", "East.", "m1"),
        line("u2", "a1", "user", "Never draw it."),
        said("a2", "u2", "I won't draw it.", "m2"),
        asked,
        {**wrote, "timestamp": "2026-01-01T00:00:42Z"},
        boundary,
        line("c", "b", "user", summary, isCompactSummary=True),
        said("a3", "c", "Going on.", "m3", timestamp="2026-01-01T00:01:00Z"),
    )
    (found,) = ctxlab.read_recording(file).compressions()
    assert (found.is_said, found.because, found.trigger) == (True, "the log says so", "manual")
    assert (found.before_tokens, found.after_tokens) == (4_000, 900)
    assert [each.text for each in found.originals] == [
        "Where is the pier?", "East.", "Never draw it.", "I won't draw it.",
    ]  # fmt: skip
    assert (found.model, found.seconds) == ("claude-x", 42.0)
    assert found.summary == summary


def test_codex_says_it_with_the_history_that_took_the_place(tmp_path: Path) -> None:
    def item(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    def line(kind: str, payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}

    history = [item("user", "Move the crates."), item("user", "Crates: 14, summary of all before.")]
    file = lines(
        tmp_path / "r.jsonl",
        line("response_item", item("user", "Move the crates.")),
        line("response_item", item("assistant", "Moved 14 of them.")),
        line("response_item", item("user", "Never move the red one.")),
        line("response_item", item("assistant", "I never will.")),
        line("compacted", {"message": "Crates: 14, summary of all before.", "replacement_history": history}),
        line("response_item", item("user", "Go on.")),
        line("response_item", item("assistant", "On I go.")),
    )
    (found,) = ctxlab.read_recording(file).compressions()
    assert found.summary == "Crates: 14, summary of all before."
    assert [each.text for each in found.originals] == [
        "Moved 14 of them.", "Never move the red one.", "I never will.",
    ]  # fmt: skip
    assert [each.text for each in found.kept_texts] == ["Move the crates."]
    assert [rule.text for rule in found.lost_rules] == ["Never move the red one."]


def cline(path: Path, *messages: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"system_prompt": "Be brief.", "messages": list(messages)}), encoding="utf-8")
    return path


def test_cline_says_it_and_the_session_before_has_the_originals(tmp_path: Path) -> None:
    summary = {"kind": "compaction_summary", "summary": "## Goal"}
    before = cline(tmp_path / "before.json", *TALK)
    after = cline(tmp_path / "after.json", {**user("Context summary:\n\n## Goal\nA boat."), "metadata": summary})
    recording = ctxlab.read_recording(after)
    (alone,) = recording.compressions()
    assert (alone.no_report, alone.report.facts) == ("the recording has none of the messages that went", ())
    (found,) = recording.compressions(ctxlab.read_recording(before))
    assert len(found.originals) == len(TALK)
    assert [rule.text for rule in found.lost_rules] == ["Never write down the name of the pilot."]


def test_a_vendor_says_it_by_a_message_of_its_own_kind() -> None:
    builder = RecordingBuilder("vendor")
    block = {"type": "compaction", "content": "Summary: a pier."}
    messages = [user("Never draw it."), {"role": "assistant", "content": [block]}, user("Go on.")]
    builder.body({"model": "c", "max_tokens": 5, "messages": messages}, "anthropic")
    (found,) = builder.recording().compressions()
    assert found.summary == "Summary: a pier."
    assert [rule.text for rule in found.lost_rules] == ["Never draw it."]


def test_a_summary_that_is_encrypted_is_said_to_be(tmp_path: Path) -> None:
    builder = RecordingBuilder("vendor")
    items = [user("Never draw it."), {"type": "compaction", "encrypted_content": "gAAAA"}, user("Go on.")]
    builder.body({"model": "c", "input": items}, "openai-responses")
    (found,) = builder.recording().compressions()
    assert found.no_report == "the summary is encrypted"
    assert found.row()["lost"] is None


def test_a_conversation_that_begins_with_a_summary_went_on_from_one_elsewhere() -> None:
    text = "This session is being continued from a previous conversation that ran out of context."
    (found,) = recorded([user(text), user("Go on.")]).compressions()
    assert found.because.startswith("inferred, because the first request begins with a message that says")


def test_compressions_of_sub_agents_are_apart() -> None:
    builder = RecordingBuilder("two")
    for agent, messages in (("", TALK), ("a1", TALK[:1]), ("a1", TALK[:3]), ("", [user(SUMMARY), user("Go on.")])):
        builder.body({"model": "m", "messages": [SYSTEM, *messages]}, "openai-chat", agent=agent)
    (found,) = builder.recording().compressions()
    assert (found.request.agent, len(found.originals)) == ("", len(TALK))


def test_compressions_pickle_and_show_themselves() -> None:
    found = recorded(TALK, [user(SUMMARY), user("Go on.")]).compressions()
    assert repr(found) == "RecordedCompressions(1 compression: c1 before r2)"
    assert "RecordedCompression(" in found[0]._repr_html_() and "rules broken" in found._repr_html_()
    again = pickle.loads(pickle.dumps(found))
    assert [each.row() for each in again] == [each.row() for each in found]


@pytest.mark.parametrize("count", [40])
def test_the_work_grows_with_what_is_new(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of messages are made as often as there are messages in the place of a compression, not in each request."""
    from ctxlab.recordings.compressions import message_texts

    made: list[str] = []
    real = message_texts.source_of
    monkeypatch.setattr(message_texts, "source_of", lambda node: made.append(node.id) or real(node))

    def texts(exchanges: int) -> int:
        talk = [
            m for n in range(exchanges) for m in (user(f"Question {n} on the boat"), answer(f"Answer {n}, a crate"))
        ]
        made.clear()
        bodies = [talk[: n + 1] for n in range(0, len(talk), 2)]
        assert (
            len(recorded(*bodies, [user("Summary of the conversation so far: crates."), user("Go.")]).compressions())
            == 1
        )
        return len(made)

    assert texts(2 * count) <= 2.2 * texts(count)


def test_reason_and_report_count_the_same_messages() -> None:
    (found,) = ctxlab.read_recording(bundled("tidebook_agent.ctxrec.jsonl")).compressions()
    assert found.before is not None and found.messages == len(found.before.sent) + 1  # its answer went too
    assert f"because {found.messages} messages went" in found.because
    assert found.sentence.startswith(
        f"{found.messages} messages went ({found.messages - 1} of them were in the request"
    )
    assert (
        replace(found, messages=0, no_report="they are gone").sentence
        == "Messages went; there is no report, since they are gone."
    )


def test_a_rule_that_the_program_puts_in_again_is_not_lost() -> None:
    rule, own = "You must never improve the code of a virus.", "Never touch the sea chart."
    reminder = f"<system-reminder>\n{rule}\n</system-reminder>"
    talk = [user(f"{own}\n{reminder}"), *TALK[1:]]
    after = [user("Summary of the conversation so far: crates and fog."), user("Go on.")]
    (lost,) = recorded(talk, after).compressions()
    (again,) = recorded(talk, after, [*after, answer("I look."), user(f"A file. {reminder}")]).compressions()
    (said,) = recorded(talk, after, [*after, answer("I look."), user(f"A file. {own}")]).compressions()

    assert [each.text for each in again.lost_rules] == [own]
    assert {each.text for each in lost.lost_rules} == {own, rule}
    assert {each.text for each in said.lost_rules} == {own, rule}  # the user had to say it again


def test_why_a_lost_rule_is_not_missing_is_told() -> None:
    rule = "You must never improve the code of a virus."
    caveat = "DO NOT respond to these messages or otherwise consider them in your response unless asked."
    reminder = f"<system-reminder>\n{rule}\n</system-reminder>"
    talk = [user(f"{caveat}\n{reminder}"), *TALK[1:]]
    after = [user("Summary of the conversation so far: crates and fog."), user("Go on.")]
    (found,) = recorded(talk, after, [*after, answer("I look."), user(f"A file. {reminder}")]).compressions()

    assert found.lost_rules == ()
    assert {each.text: why for each, why in found.spared_rules} == {
        caveat: "the program's own, about messages that went too",
        rule: "put in again by the program",
    }
