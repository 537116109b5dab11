"""What goes to one place as one message, examples as messages, and what is cut with the history."""

from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, GroupChat, Session, UserProfile, Worldbook
from ctxlab.pipeline import Trace

SWITCHES: dict[str, Any] = {
    "injection-assembler.lore_places": "sillytavern-1.19",
    "injection-assembler.one_message": True,
    "injection-assembler.examples": "fitting",
    "injection-assembler.blank_prompts": True,
    "injection-assembler.cut_with_history": True,
    "injection-assembler.off_without_marker": True,
    "request-gate.system_first": False,
    "request-gate.drop_wordless": True,
    "merge-system.enabled": False,
    "merge-consecutive.enabled": False,
}
ANN = UserProfile(id="u", name="Ann", content="")
PLACES = {"before": 0, "after": 1, "above": 2, "below": 3, "depth": 4, "em": 5}


def message(id: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"id": id, "role": "system", "content": content, "metadata": {"stPromptName": id}, **fields}


def marker(name: str, content: str = "", **more: Any) -> dict[str, Any]:
    return message(name, content, type="chat_history" if name == "chatHistory" else name, **more)


def in_chat(id: str, depth: int, order: float = 100, **fields: Any) -> dict[str, Any]:
    return message(id, id, injectionStrategy={"depth": depth, "order": order}, **fields)


def agent(*presets: dict[str, Any]) -> Agent:
    return Agent.model_validate(
        {"id": "a", "name": "Bo", "presetMessages": list(presets), "macroDialect": "sillytavern"}
    )


USUAL = (message("main", "M"), marker("worldInfoBefore"), marker("dialogueExamples"), marker("chatHistory"))


def book(**places: str) -> Worldbook:
    """Constant entries by their words, each at its place; later ones have a higher order."""
    entries = {
        str(n): {
            "uid": n,
            "content": words.replace("_", " "),
            "constant": True,
            "order": n,
            "depth": 1,
            "position": PLACES[place],
        }
        for n, (words, place) in enumerate(places.items())
    }
    return Worldbook.model_validate({"id": "B", "name": "B", "entries": entries})


def built(
    who: Agent,
    *presets: Any,
    lore: Worldbook | None = None,
    talk: str = "one two three",
    more: Any = None,
    **options: Any,
) -> Trace:
    session = Session(id="s").append("", role="system")
    for n, words in enumerate(talk.split()):
        session = session.append(words, role="assistant" if n % 2 else "user")
    books = [lore] if lore else []
    settings = {**SWITCHES, **(more or {})}
    return ctxlab.build(session, who, user=ANN, presets=presets, books=books, settings=settings, **options)


def texts(trace: Trace) -> list[str]:
    return [str(each["content"]) for each in trace.messages]


def test_lore_of_one_place_is_one_message_whose_entries_keep_their_origins() -> None:
    trace = built(agent(*USUAL), lore=book(Low="before", High="before"))

    assert texts(trace) == ["M", "Low\nHigh", "one", "two", "three"]
    whole = trace.result.draft("lore:B/0")
    assert whole is not None
    assert [part.key for part in whole.merged] == ["lore:B/0", "lore:B/1"]
    assert [span.origin.ref for span in whole.text.spans if span.origin.kind == "lore"] == ["B/0", "B/1"]
    assert trace.why("lore:B/1").draft is whole
    assert "High" in str(trace.where("High"))


def test_one_depth_order_and_role_is_one_message_prompts_first_then_note_card_and_lore() -> None:
    who = agent(*USUAL, in_chat("One", 1), in_chat("Late", 1, 200), in_chat("Two", 1), in_chat("depthPrompt", 1))

    trace = built(who, ctxlab.authors_note(" Note. ", depth=1), lore=book(Lore="depth"))

    assert texts(trace) == ["M", "one", "two", "One\nTwo\nNote.\ndepthPrompt\nLore", "Late", "three"]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (ctxlab.authors_note("N", depth=0), ["M", "one", "two", "three", "up\nN\ndown"]),
        (ctxlab.authors_note("", depth=0, role="user"), ["M", "one", "two", "three", "up\n\ndown"]),
        (ctxlab.authors_note("N", position="before_main"), ["up\nN\ndown", "M", "one", "two", "three"]),
        (ctxlab.authors_note("N", position="after_main"), ["M", "up\nN\ndown", "one", "two", "three"]),
        (ctxlab.authors_note("N", interval=3), ["M", "one", "two", "three"]),
        (ctxlab.authors_note("N", interval=0), ["M", "one", "two", "three"]),
    ],
)
def test_lore_above_and_below_the_note_is_one_message_with_it(note: Any, expected: list[str]) -> None:
    trace = built(agent(*USUAL), note, lore=book(up="above", down="below"))

    assert texts(trace) == expected


def test_a_note_stands_where_a_main_prompt_that_is_off_would_be() -> None:
    who = agent(marker("worldInfoBefore"), message("main", "M", isEnabled=False), marker("chatHistory"))

    trace = built(who, ctxlab.authors_note("N", position="after_main"), lore=book(Lore="before"))

    assert texts(trace) == ["Lore", "N", "one", "two", "three"]


def test_examples_are_messages_with_names_and_a_heading_for_each_block() -> None:
    words = "<START>\nAnn: Cold?\nBo: Yes.\nVery.\n<START>\nNobody says this."
    who = agent(
        message("main", "M"),
        marker("dialogueExamples", words, metadata={"stPromptName": "dialogueExamples", "stExampleStart": "[Talk]"}),
        marker("chatHistory"),
    )

    trace = built(who)

    sent = [(each["content"], each.get("name")) for each in trace.messages[1:5]]
    assert sent == [("[Talk]", None), ("Cold?", "example_user"), ("Yes.\nVery.", "example_assistant"), ("[Talk]", None)]
    lost = [group for group in trace.result.dropped if group.cause.rule == "example-without-speaker"]
    assert [str(draft.text) for group in lost for draft in group.drafts] == ["Nobody says this."]


def test_blocks_of_examples_come_after_the_history_as_far_as_they_fit() -> None:
    words = "<START>\nAnn: Cold?\n<START>\nAnn: Late?\nBo: It is."
    who = agent(message("main", "M"), marker("dialogueExamples", words), marker("chatHistory"))
    full = built(who, more={"token-limiter.overhead_tokens": 5})
    less = {"token-limiter.budget_tokens": full.tokens + 2, "token-limiter.overhead_tokens": 5}

    trace = full.rerun(less)

    assert "Cold?" in texts(trace)
    assert "It is." not in texts(trace)
    assert texts(trace)[-3:] == ["one", "two", "three"]
    life = trace.why(next(d.key for g in trace.result.dropped for d in g.drafts if "It is." in str(d.text)))
    assert life.remedy is not None
    assert life.remedy.least_budget is not None
    enough = trace.rerun(life.remedy.settings)
    assert "It is." in texts(enough)
    assert "It is." not in texts(trace.rerun({"token-limiter.budget_tokens": life.remedy.least_budget.tokens - 1}))


def test_what_stands_in_the_history_is_cut_with_it() -> None:
    who = agent(*USUAL, in_chat("Deep", 3), in_chat("Near", 0))
    whole = built(who, more={"token-limiter.overhead_tokens": 5})

    trace = whole.rerun({"token-limiter.budget_tokens": whole.tokens - 1})

    assert "Deep" not in texts(trace)
    assert "Near" in texts(trace)


def test_a_history_that_is_switched_off_is_left_out_with_what_is_in_it() -> None:
    who = agent(message("main", "M"), marker("chatHistory", isEnabled=False), in_chat("In", 1))

    assert texts(built(who)) == ["M"]


@pytest.mark.parametrize(
    ("names", "members", "expected"),
    [
        ("text", None, ["Ann: one", "Bo: two", "Ann: three"]),
        ("group", None, ["one", "two", "three"]),
        ("group", GroupChat(("Bo", "Cy")), ["one", "Bo: two", "three"]),
    ],
)
def test_names_go_before_the_words(names: str, members: GroupChat | None, expected: list[str]) -> None:
    trace = built(agent(*USUAL), more={"injection-assembler.names": names}, group=members)

    assert texts(trace)[1:] == expected


def test_blank_prompts_are_sent_and_empty_ones_are_not() -> None:
    who = agent(message("main", " \n"), message("nothing", "{{// a comment}}"), marker("chatHistory"))

    assert texts(built(who)) == [" \n", "one", "two", "three"]


def test_a_prompt_for_other_turns_is_left_out() -> None:
    swipe = message("swipe", "S", metadata={"stPromptName": "swipe", "stTriggers": ["swipe"]})

    assert "S" not in texts(built(agent(swipe, *USUAL)))
    assert "S" in texts(built(agent(swipe, *USUAL), turn="swipe"))


def test_a_form_goes_around_all_lore_of_a_place() -> None:
    trace = built(
        agent(*USUAL), lore=book(Low="before", High="before"), more={"injection-assembler.lore_format": "<{0}>"}
    )

    assert texts(trace)[1] == "<Low\nHigh>"


def test_the_users_words_follow_a_reply_that_is_the_newest() -> None:
    more = {"injection-assembler.after_reply": "Go on."}

    assert texts(built(agent(*USUAL), talk="one two", more=more)) == ["M", "one", "two", "Go on."]
    assert texts(built(agent(*USUAL), talk="one", more=more)) == ["M", "one"]
    assert texts(built(agent(*USUAL), talk="one two", more=more, turn="continue"))[-1] != "Go on."


def test_the_users_words_after_a_reply_have_their_macros_expanded() -> None:
    more = {"injection-assembler.after_reply": " {{setvar::a::1}}{{char}}{{getvar::a}} "}

    trace = built(agent(*USUAL), talk="one two", more=more)

    assert texts(trace)[-1] == "Bo1"
    assert trace.variables.session["a"] == "1"


def test_a_squash_joins_neighbours_but_not_the_new_chat_line() -> None:
    who = agent(
        message("main", "M"),
        message("two", "2"),
        message("newMainChat", "[New]"),
        marker("chatHistory"),
        message("a", "A"),
        message("b", "B"),
    )
    more = {"merge-system.enabled": True, "merge-system.hoist": "neighbours", "merge-system.separator": "\n"}

    assert texts(built(who, more=more)) == ["M\n2", "[New]", "one", "two", "three", "A\nB"]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("merge", ["system M", "assistant hi", "user one", "system A"]),
        ("semi", ["system M", "assistant hi", "user one\n\nA"]),
        ("strict", ["system M", "user Start.", "assistant hi", "user one\n\nA"]),
        ("single", ["user M\n\nBo: hi\n\nAnn: one\n\nA"]),
    ],
)
def test_prompts_are_processed_for_servers_that_take_few_roles(roles: str, expected: list[str]) -> None:
    session = Session(id="s").append("", role="system").append("hi", role="assistant").append("one")
    who = agent(message("main", "M"), marker("chatHistory"), message("a", "A"))
    more = {"roles": roles, "separator": "\n\n", "enabled": True, "first_words": "Start."}

    trace = ctxlab.build(
        session, who, user=ANN, settings={**SWITCHES, **{f"merge-consecutive.{k}": v for k, v in more.items()}}
    )

    assert [f"{each['role']} {each['content']}" for each in trace.messages] == expected


def test_reasoning_of_the_newest_replies_goes_before_their_words() -> None:
    session = Session(id="s").append("", role="system").append("go")
    for n in (1, 2):
        session = session.append(f"r{n}", role="assistant", metadata={"reasoningContent": f"t{n}"}).append("go")
    more = {"session-loader.reasoning_newest": 1, "injection-assembler.reasoning_in_text": True}

    trace = ctxlab.build(session, agent(*USUAL), user=ANN, settings={**SWITCHES, **more})

    assert texts(trace) == ["M", "go", "r1", "go", "<think>\nt2\n</think>\nr2", "go"]
    assert all("reasoning" not in each for each in trace.messages)


def test_stored_calls_can_be_left_out() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
    session = Session(id="s").append("", role="system").append("when")
    session = session.append("", role="assistant", metadata={"toolCallsRequested": [call]})
    session = session.append("low", role="tool", metadata={"toolCall": {"requestId": "c"}}).append("thanks")

    trace = ctxlab.build(session, agent(*USUAL), user=ANN, settings={**SWITCHES, "session-loader.stored_calls": False})

    assert texts(trace) == ["M", "when", "thanks"]
