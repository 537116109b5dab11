import gc
import json
from typing import Any

import pytest

from ctxlab.context import BuildInput, Cause, Context, Pending
from ctxlab.documents import Agent, LibraryFile, ModelProfile, Session
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import SessionLoader
from ctxlab.processors.session_loader import LAST_PATH, STORED
from ctxlab.testing.fakes import WordTokenizer


def chat(*nodes: dict[str, Any], leaf: str | None = None) -> Session:
    """A chain of nodes under a root; each hangs on the one before unless it says otherwise."""
    tree: dict[str, Any] = {"root": {"id": "root", "role": "system", "content": ""}}
    above = "root"
    for node in nodes:
        tree[node["id"]] = {"parentId": above, "role": "user", "content": node["id"], **node}
        above = node["id"]
    ends = {"rootNodeId": "root", "activeLeafId": leaf or above}
    return Session.model_validate({"id": "s", "nodes": tree, **ends})


def node(id: str, **fields: Any) -> dict[str, Any]:
    return {"id": id, **fields}


def summary(id: str, *hidden: str, **fields: Any) -> dict[str, Any]:
    metadata = {"isCompressionNode": True, "compressedNodeIds": list(hidden)}
    return {"id": id, "role": "system", "metadata": metadata, **fields}


def loaded(session: Session, *, settings: dict[str, Any] | None = None, **build_input: Any) -> Trace:
    loader = SessionLoader(SessionLoader.Settings(**(settings or {})))
    services = Services(tokenizer=WordTokenizer())
    return Pipeline.of([loader]).run(Context(BuildInput(session, **build_input)), services)


def keys(trace: Trace) -> list[str]:
    return [draft.key.removeprefix("node:") for draft in trace.result.drafts]


def dropped(trace: Trace) -> dict[str, str]:
    """The rule that kept each message out."""
    return {
        draft.key.removeprefix("node:"): group.cause.rule for group in trace.result.dropped for draft in group.drafts
    }


def notes(trace: Trace) -> list[str]:
    return [note.text for note in trace.result.notes]


# --- the path


def test_messages_are_loaded_from_the_root_to_the_leaf_without_the_root() -> None:
    trace = loaded(chat(node("a"), node("b", role="assistant"), node("c")))

    assert [(draft.key, draft.role, str(draft.text)) for draft in trace.result.drafts] == [
        ("node:a", "user", "a"),
        ("node:b", "assistant", "b"),
        ("node:c", "user", "c"),
    ]
    assert trace.result.drafts[0].origin.as_data() == {"kind": "node", "id": "a"}


def test_the_path_is_the_one_asked_for() -> None:
    session = chat(node("a"), node("b"), node("other", parentId="a"))

    assert keys(loaded(session)) == ["a", "other"]
    assert keys(loaded(session, leaf="b")) == ["a", "b"]
    assert keys(loaded(session, leaf="root")) == []


def test_a_leaf_that_is_not_there_loads_nothing_and_says_so() -> None:
    trace = loaded(chat(node("a")), leaf="zzz")

    assert keys(trace) == []
    assert notes(trace) == ["the path to 'zzz' is broken: node 'zzz' does not exist"]


def test_a_session_without_a_leaf_loads_nothing_and_says_so() -> None:
    trace = loaded(Session(id="s"), pending=Pending("hi"))

    assert keys(trace) == ["pending"]
    assert notes(trace) == ["session 's' has no active leaf; no history"]


def test_a_broken_path_is_loaded_as_far_as_it_goes() -> None:
    trace = loaded(chat(node("a", parentId="gone"), node("b")))

    assert keys(trace) == ["a", "b"]
    assert notes(trace) == ["the path to 'b' is broken: node 'gone' does not exist"]


def test_a_circle_of_parents_ends() -> None:
    trace = loaded(chat(node("a", parentId="c"), node("b"), node("c")))

    assert sorted(keys(trace)) == ["a", "b", "c"]
    assert "run in a circle" in notes(trace)[0]


def test_nodes_that_share_an_id_are_told_apart_by_their_keys() -> None:
    nodes = {
        "root": {"id": "root", "role": "system"},
        "a": {"id": "x", "parentId": "root", "content": "one"},
        "b": {"id": "x", "parentId": "a", "content": "two"},
    }
    session = Session.model_validate({"id": "s", "rootNodeId": "root", "activeLeafId": "b", "nodes": nodes})

    assert keys(loaded(session)) == ["a", "b"]


# --- what stays out


def test_a_disabled_message_stays_out_and_is_noted() -> None:
    trace = loaded(chat(node("a", isEnabled=False), node("b", isEnabled=True), node("c", isEnabled=None)))

    assert keys(trace) == ["b", "c"]
    assert dropped(trace) == {"a": "disabled"}
    assert notes(trace) == ["1 message is switched off: a"]


def test_many_disabled_messages_are_one_note() -> None:
    trace = loaded(chat(*(node(f"n{i}", isEnabled=False) for i in range(7))))

    assert notes(trace) == ["7 messages are switched off: n0, n1, n2, n3, n4 and 2 more"]


def test_a_blank_message_stays_out_unless_it_has_files() -> None:
    picture = {"id": "p", "type": "image", "name": "p.png", "path": "lib/p.png"}

    trace = loaded(chat(node("a", content=" \n "), node("b", content="", attachments=[picture]), node("c", content="")))

    assert keys(trace) == ["b"]
    assert dropped(trace) == {"a": "blank", "c": "blank"}
    (asset,) = trace.result.drafts[0].assets
    assert (asset.id, asset.kind, asset.source) == ("p", "image", LibraryFile("lib/p.png"))
    assert trace.result.drafts[0].body == (asset,)


def test_what_stays_out_says_why() -> None:
    trace = loaded(chat(node("a", isEnabled=False), node("b"), summary("s", "b"), node("c", content="")))

    assert [group.cause for group in trace.result.dropped] == [
        Cause("session-loader", "disabled", "the message is switched off"),
        Cause("session-loader", "summarised", "summary s stands for it"),
        Cause("session-loader", "blank", "there are no words and no files in it"),
    ]


MATCH = {"enabled": True, "patterns": ["claude"]}


@pytest.mark.parametrize(("model", "there"), [("claude-3", True), ("gpt-4o", False), (None, False)])
def test_a_message_for_another_model_stays_out(model: str | None, there: bool) -> None:
    profile = ModelProfile(id=model) if model else None

    trace = loaded(chat(node("a", modelMatch=MATCH), node("b")), model=profile)

    assert keys(trace) == (["a", "b"] if there else ["b"])
    assert dropped(trace) == ({} if there else {"a": "model-match"})


def test_a_broken_pattern_is_noted() -> None:
    broken = {"enabled": True, "patterns": ["("]}

    trace = loaded(chat(node("a", modelMatch=broken)), model=ModelProfile(id="gpt-4o"))

    assert notes(trace)[0].startswith("message 'a': pattern '(' is not a regular expression")


# --- summaries


def test_an_enabled_summary_hides_what_it_stands_for() -> None:
    trace = loaded(chat(node("a"), node("b"), summary("s", "a", "b"), node("c")))

    assert keys(trace) == ["s", "c"]
    assert dropped(trace) == {"a": "summarised", "b": "summarised"}
    assert trace.result.drafts[0].origin.kind == "summary"
    assert trace.result.drafts[0].pinned


def test_a_disabled_summary_hides_itself_and_shows_the_originals() -> None:
    trace = loaded(chat(node("a"), summary("s", "a", isEnabled=False), node("c")))

    assert keys(trace) == ["a", "c"]
    assert dropped(trace) == {"s": "disabled"}


def test_a_summary_may_fold_an_earlier_one_in() -> None:
    trace = loaded(chat(node("a"), summary("s1", "a"), node("b"), summary("s2", "s1", "b"), node("c")))

    assert keys(trace) == ["s2", "c"]
    assert dropped(trace) == {"a": "summarised", "s1": "summarised", "b": "summarised"}


def test_when_the_later_summary_is_off_the_earlier_one_shows() -> None:
    later = summary("s2", "s1", "b", isEnabled=False)

    assert keys(loaded(chat(node("a"), summary("s1", "a"), node("b"), later, node("c")))) == ["s1", "b", "c"]


def test_a_summary_on_another_branch_hides_nothing() -> None:
    session = chat(node("a"), node("b"), summary("s", "a", "b"), leaf="b")

    assert keys(loaded(session)) == ["a", "b"]


def test_a_summary_with_nothing_to_say_earns_a_warning() -> None:
    trace = loaded(chat(node("a"), summary("s", "a", content=""), node("c")))

    assert keys(trace) == ["c"]
    assert notes(trace) == ["summary 's' is not sent, and what it stands for neither"]


# --- tools and reasoning

ASKS = {
    "role": "assistant",
    "content": "",
    "metadata": {
        "reasoningContent": "I must look",
        "toolCallsRequested": [{"requestId": "c1", "toolName": "look", "args": {"at": "sky"}}],
    },
}
ANSWERS = {"role": "tool", "content": "blue", "metadata": {"toolCall": {"requestId": "c1", "toolName": "look"}}}


def test_calls_and_results_keep_their_ids() -> None:
    trace = loaded(chat(node("a"), node("b", **ASKS), node("c", **ANSWERS)))

    _, asks, answers = trace.result.drafts
    assert [(call.id, call.name, json.loads(call.arguments)) for call in asks.calls] == [("c1", "look", {"at": "sky"})]
    assert (answers.role, answers.result_of) == ("tool", "c1")
    assert trace.messages[2]["tool_call_id"] == "c1"


def test_results_are_the_users_words_where_that_is_asked_for() -> None:
    trace = loaded(chat(node("b", **{**ASKS, "content": "hm"}), node("c", **ANSWERS)), settings={"tool_role": "user"})

    asks, answers = trace.result.drafts
    assert (asks.role, asks.calls) == ("assistant", ())
    assert (answers.role, str(answers.text), answers.result_of) == ("user", "blue", "c1")
    assert "tool_call_id" not in trace.messages[1]
    assert notes(trace) == ["tool calls are not sent as calls (1): results go as user text"]


def test_a_result_that_names_no_call_is_still_no_word_of_the_user() -> None:
    trace = loaded(chat(node("c", role="tool", content="blue")), settings={"tool_role": "user"})

    assert trace.result.drafts[0].is_result
    assert not any(draft.is_result for draft in loaded(chat(node("c", content="blue"))).result.drafts)


@pytest.mark.parametrize("hidden", [(), ("a",)])
def test_a_message_of_blanks_is_sent_where_that_is_wanted(hidden: tuple[str, ...]) -> None:
    session = chat(node("a"), summary("s", *hidden, content="S"), node("b", content=" \n"), node("c", content=""))

    trace = loaded(session, settings={"blank_messages": True})

    assert [str(draft.text) for draft in trace.result.drafts][-1] == " \n"
    assert dropped(trace)["c"] == "blank"


def test_a_message_of_nothing_but_calls_is_no_blank_one() -> None:
    session = chat(node("b", **ASKS), node("c", **{**ANSWERS, "content": ""}))

    assert keys(loaded(session)) == ["b", "c"]
    assert dropped(loaded(session, settings={"tool_role": "user"})) == {"b": "blank", "c": "blank"}


def test_reasoning_is_replayed_with_tool_calls_only() -> None:
    plain = {"role": "assistant", "metadata": {"reasoningContent": "hm"}}

    trace = loaded(chat(node("a", **ASKS), node("b", **plain), node("c", metadata={"reasoningContent": "hm"})))

    assert [draft.reasoning for draft in trace.result.drafts] == ["I must look", None, "hm"]


def test_metadata_goes_along_flat_or_grouped() -> None:
    grouped = {"compression": {"isCompressionNode": True, "compressedNodeIds": ["a"]}, "x": 1}

    trace = loaded(chat(node("a"), node("s", metadata=grouped)))

    assert keys(trace) == ["s"]
    assert trace.result.drafts[0].meta == grouped


# --- status


def test_a_message_that_is_not_complete_is_sent_with_a_note() -> None:
    blank = node("c", status="error", content="")

    trace = loaded(chat(node("a", status="generating"), node("b", status="error"), blank))

    assert keys(trace) == ["a", "b"]
    assert notes(trace) == ["message 'a' is marked generating and is sent", "message 'b' is marked error and is sent"]


def test_nothing_is_said_of_a_message_that_is_not_sent() -> None:
    hidden = node("a", status="error")

    trace = loaded(chat(hidden, node("b", status="error", isEnabled=False), summary("s", "a")))

    assert [text for text in notes(trace) if "is sent" in text] == []


# --- what is typed and not sent yet


def test_what_is_typed_comes_last() -> None:
    trace = loaded(chat(node("a")), pending=Pending("and now?", attachments=({"id": "p", "type": "image"},)))

    assert keys(trace) == ["a", "pending"]
    typed = trace.result.drafts[1]
    assert (typed.role, str(typed.text), [asset.id for asset in typed.assets]) == ("user", "and now?", ["p"])
    assert typed.text.at(0).origin.kind == "pending"


def test_what_was_typed_before_macros_is_remembered() -> None:
    trace = loaded(chat(node("a")), pending=Pending("hi Ann", original="hi {{char}}"))

    (span,) = trace.result.drafts[1].text.spans
    assert [older.text for older in span.was] == ["hi {{char}}"]
    assert span.cause == Cause("session-loader", "expanded-input", "macros in what was typed")


def test_what_was_not_expanded_has_no_past() -> None:
    trace = loaded(chat(node("a")), pending=Pending("hi", original="hi"))

    assert trace.result.drafts[1].text.spans[0].was == ()


# --- HTML

HTML = "<p>Hello <b>bold</b></p><ul><li>a</li><li>b</li></ul>"
MARKDOWN = {"html_to_markdown": True, "html_keep_newest": 1, "html_note": "\n[was HTML]"}


def test_html_in_older_messages_becomes_markdown() -> None:
    trace = loaded(chat(node("a", content=HTML), node("b", content=HTML)), settings=MARKDOWN)

    older, newer = trace.result.drafts
    assert str(older.text) == "Hello **bold**\n\n* a\n* b\n[was HTML]"
    assert str(newer.text) == HTML


def test_converted_text_remembers_the_html_and_the_note_is_a_notice() -> None:
    trace = loaded(chat(node("a", content=HTML), node("b")), settings=MARKDOWN)

    converted, note = trace.result.drafts[0].text.spans
    assert [older.text for older in converted.was] == [HTML]
    assert (converted.origin.kind, note.origin.kind, note.text) == ("node", "notice", "\n[was HTML]")
    assert converted.cause == Cause("session-loader", "html-to-markdown", "an older message")


def test_thoughts_are_left_alone() -> None:
    agent = Agent.model_validate({"llmThinkRules": [{"kind": "xml_tag", "tagName": "mull"}]})
    content = "<mull>a <b>b</b></mull>\n<h2>T</h2>"

    own = loaded(chat(node("a", content=content), node("b")), settings=MARKDOWN, agent=agent)
    default = loaded(chat(node("a", content=content.replace("mull", "think")), node("b")), settings=MARKDOWN)

    assert str(own.result.drafts[0].text) == "<mull>a <b>b</b></mull>\n\n## T\n[was HTML]"
    assert str(default.result.drafts[0].text) == "<think>a <b>b</b></think>\n\n## T\n[was HTML]"
    assert own.result.drafts[0].text.at(0).was == ()


def test_html_without_words_is_a_blank_message() -> None:
    trace = loaded(chat(node("a", content="<br><br>"), node("b")), settings={**MARKDOWN, "html_note": ""})

    assert keys(trace) == ["b"]
    assert dropped(trace) == {"a": "blank"}


def test_a5_html_that_can_not_be_converted_stays_and_a_note_names_the_message() -> None:
    deep, odd, fine = "<div>" * 400 + "words", "<div>compare a <![ b</div>", "<p>line" * 350

    trace = loaded(
        chat(node("a", content=deep), node("b", content=odd), node("c", content=fine), node("d")), settings=MARKDOWN
    )

    a, b, c, _ = [str(draft.text) for draft in trace.result.drafts]
    assert (a, b) == (deep, odd)
    assert c.startswith("line\n\nline")
    first, second = [note for note in trace.result.notes if note.processor == "session-loader"]
    assert first.text == "message 'a' stays as it is: its HTML is nested too deeply: 402 levels, 100 at most"
    assert second.text.startswith("message 'b' stays as it is: its HTML can't be parsed: '<![ b</div>'")


def test_html_stays_unless_asked() -> None:
    assert str(loaded(chat(node("a", content=HTML), *map(node, "bcdefgh"))).result.drafts[0].text) == HTML


CALLING = {"toolCallsRequested": [{"id": "c1", "name": "look", "arguments": "{}"}]}


def test_a_message_is_made_into_a_draft_once_for_all_runs_that_have_it() -> None:
    session = chat(node("a"), node("b", role="assistant"))
    longer = session.append("one more", role="user")

    first, second = loaded(session).result.drafts, loaded(longer).result.drafts

    assert second[0] is first[0]
    assert [str(draft.text) for draft in second] == ["a", "b", "one more"]


def test_an_edited_message_is_loaded_as_it_is_now() -> None:
    session = chat(node("a"), node("b"))
    loaded(session)
    nodes = {**session.nodes, "a": session.nodes["a"].with_(content="other words")}

    trace = loaded(session.model_copy(update={"nodes": nodes}))

    assert [str(draft.text) for draft in trace.result.drafts] == ["other words", "b"]


def test_settings_of_one_run_are_not_in_the_next() -> None:
    session = chat(
        node("a"),
        node("b", role="assistant", metadata=CALLING),
        node("c", role="tool", metadata={"toolCall": {"id": "c1"}}),
    )
    plain = loaded(session).result

    as_user = loaded(session, settings={"tool_role": "user"}).result
    without = loaded(session, settings={"stored_calls": False}).result

    assert [draft.role for draft in as_user.drafts] == ["user", "assistant", "user"]
    assert [draft.key for draft in without.drafts] == ["node:a"]
    assert all(new is old for new, old in zip(loaded(session).result.drafts, plain.drafts, strict=True))
    assert [draft.role for draft in plain.drafts] == ["user", "assistant", "tool"]


def test_another_leaf_of_a_session_is_another_way() -> None:
    session = chat(node("a"), node("b"), node("c", parentId="a"))

    assert keys(loaded(session, leaf="b")) == ["a", "b"]
    assert keys(loaded(session, leaf="c")) == ["a", "c"]
    assert keys(loaded(session, leaf="b")) == ["a", "b"]


def test_drafts_go_with_the_conversation_that_they_were_made_of() -> None:
    gc.collect()
    before = len(STORED), len(LAST_PATH)
    session = chat(node("a"), node("b"))
    trace = loaded(session)
    assert (len(STORED), len(LAST_PATH)) == (before[0] + 2, before[1] + 1)

    del session, trace
    gc.collect()

    assert (len(STORED), len(LAST_PATH)) == before
