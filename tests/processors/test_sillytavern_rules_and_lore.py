"""Rules and lore in SillyTavern 1.19's way, as measured with the program."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab import Session
from ctxlab.context import BuildInput, Context
from ctxlab.documents import Agent, LoreEntry, UserProfile, Worldbook
from ctxlab.engines.worldbook import LoreScan
from ctxlab.formats.sillytavern.regex_scripts import preset_of

OWN_WAY = {
    "regex-processor.compat": "sillytavern-1.19",
    "worldbook-processor.compat": "sillytavern-1.19",
    "worldbook-processor.scan_text": "joined",
    "worldbook-processor.rewrite_lore": True,
}
TALK = Session(id="s").append("The wheel turns.", role="user").append("The wheel.", role="assistant")


def rules(*scripts: dict[str, Any]) -> Any:
    return preset_of([{"scriptName": "r", "promptOnly": True, **script} for script in scripts], name="r", id="r")[0]


def built(session: Session = TALK, *, settings: dict[str, Any] | None = None, **options: Any) -> ctxlab.Trace:
    return ctxlab.build(session, settings={**OWN_WAY, **(settings or {})}, **options)


def sent(trace: ctxlab.Trace) -> list[str]:
    return [message["content"] for message in trace.messages]


@pytest.mark.parametrize(
    ("find", "template", "made"),
    [
        ("/wheel/", "$1|$2|$3|$0|$<x>", "The 4|The wheel turns.||wheel| turns."),
        ("/(w)(h)eel/", "$2$1$3$10", "The hw4 turns."),
        ("/(?<x>w)heel/", "$<x>$<y>", "The w turns."),
        ("/The/", "[$1]", "[] wheel turns."),  # the place 0 is nothing
    ],
)
def test_numbers_beyond_the_groups_are_the_place_and_the_text(find: str, template: str, made: str) -> None:
    script = {"findRegex": find, "replaceString": template, "placement": [1]}

    assert sent(built(rules=rules(script)))[0] == made


def test_a_script_for_what_comes_runs_on_what_is_typed_alone_and_before_the_others() -> None:
    lasting = {
        "findRegex": "/wheel/g",
        "replaceString": "WHEEL",
        "placement": [1, 2],
        "promptOnly": False,
        "minDepth": 2,
    }
    of_prompt = {"findRegex": "/WHEEL/g", "replaceString": "disc", "placement": [1, 2]}

    trace = built(rules=rules(of_prompt, lasting), pending="And the wheel?")

    assert sent(trace) == ["The wheel turns.", "The wheel.", "And the disc?"]


def test_narration_is_a_reply_to_rules() -> None:
    session = TALK.append("Night falls on the wheel.", role="system")
    scripts = (
        {"findRegex": "/wheel/g", "replaceString": name, "placement": [n]} for n, name in ((2, "REPLY"), (5, "LORE"))
    )

    assert sent(built(session, rules=rules(*scripts))) == [
        "The wheel turns.",
        "The REPLY.",
        "Night falls on the REPLY.",
    ]


LORE = Worldbook(
    id="b",
    entries={
        "0": LoreEntry(uid=0, key=("wheel",), content="OIL for {{user}}."),
        "1": LoreEntry(uid=1, key=("wheel",), content="Deep OIL.", position=4, depth=2),
        "2": LoreEntry(uid=2, key=("wick",), content="Wick."),
        "3": LoreEntry(uid=3, key=("wheel",), content="Gone."),
    },
)
OF_LORE = (
    {"findRegex": "/OIL/g", "replaceString": "wick", "placement": [5], "minDepth": 3},
    {"findRegex": "/Ilse/g", "replaceString": "you", "placement": [5]},
    {"findRegex": "/Gone\\./g", "replaceString": "", "placement": [5]},
)


def test_rules_rewrite_lore_after_macros_and_after_the_scan() -> None:
    trace = built(rules=rules(*OF_LORE), books=LORE, user=UserProfile(id="u", name="Ilse"))

    assert "wick for you." in str(sent(trace))
    assert "Deep OIL." in str(sent(trace))
    assert "Gone." not in str(sent(trace))
    assert not trace.result.report(LoreScan)["lore:b/2"].fired


def test_rewritten_lore_names_the_rule_and_what_was_there() -> None:
    trace = built(rules=rules(*OF_LORE), books=LORE, user=UserProfile(id="u", name="Ilse"))

    (place,) = trace.where("wick")

    assert any(span.cause is not None and span.cause.processor == "worldbook-processor" for span in place.spans)
    assert "OIL" in "".join(part.text for span in place.spans for part in span.was)


def test_names_and_notes_are_scanned_where_that_is_on() -> None:
    book = Worldbook(
        id="b",
        entries={
            "0": LoreEntry(key=("ilse:",), content="Name."),
            "1": LoreEntry(uid=1, key=("basalt",), content="Note."),
        },
    )
    note = ctxlab.preset("A basalt note.", depth=4, id="authorsNote")
    on = {"worldbook-processor.include_names": True, "worldbook-processor.scan_note": True}
    options: dict[str, Any] = {"books": book, "user": UserProfile(id="u", name="Ilse"), "presets": note}

    assert not built(**options).result.report(LoreScan).fired
    assert len(built(settings=on, **options).result.report(LoreScan).fired) == 2


def test_the_kind_of_turn_opens_the_gate_of_triggers() -> None:
    book = Worldbook(id="b", entries={"0": LoreEntry(key=("wheel",), content="Again.", triggers=("swipe",))})

    assert not built(books=book).result.report(LoreScan).fired
    assert built(books=book, turn="swipe").result.report(LoreScan).fired


def test_a_budget_of_0_percent_is_one_token_where_that_is_on() -> None:
    one = {"worldbook-processor.budget_percent": 0, "worldbook-processor.zero_percent": "one token"}

    assert built(books=LORE, settings={"worldbook-processor.budget_percent": 0}).result.report(LoreScan).fired
    assert not built(books=LORE, settings=one).result.report(LoreScan).fired


def test_a_conversations_own_book_comes_before_all_others() -> None:
    own = Worldbook(id="own", entries={"0": LoreEntry(key=("wheel",), content="Own.", order=1)})
    agent = Agent(id="a", name="Nova", worldbook_ids=("b",))

    found = built(books=[LORE, own], agent=agent, chat_books=["own"]).result.report(LoreScan)

    assert found.fired[0].lore.entry.content == "Own."
    assert found.fired[0].lore.active_book.level == "chat"


def test_an_input_has_the_kind_of_turn_normal_unless_it_says_otherwise() -> None:
    assert Context(BuildInput(TALK)).input.turn == "normal"
