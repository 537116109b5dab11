"""The Python half of the injection map: what it says of a run, and the runs that moving something gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, Trace, Worldbook
from ctxlab.documents import UserProfile
from ctxlab.errors import CtxlabError
from ctxlab_widgets.injection_map import InjectionMap

DATASETS = Path(__file__).parents[2] / "datasets"
SAID = (
    "Who kept the lamp?",
    "Three keepers.",
    "And in April?",
    "It went out once.",
    "Who signed?",
    "Fennick.",
    "Where?",
)
PRESETS: list[dict[str, Any]] = [
    {"id": "p0", "role": "system", "name": "Archivist", "content": "You keep the archive."},
    {"id": "user_profile", "type": "user_profile", "role": "system", "name": "Mei", "content": "Mei, a surveyor"},
    {
        "id": "p2",
        "role": "system",
        "name": "Scene intro",
        "content": "A rainy evening.",
        "injectionStrategy": {"type": "anchor", "anchorTarget": "chat_histori"},
    },
    {"id": "h", "type": "chat_history"},
    {
        "id": "p4",
        "role": "user",
        "name": "Author's note",
        "content": "Keep it dry.",
        "injectionStrategy": {"depth": 12},
    },
    {"id": "p5", "role": "system", "name": "Tone", "content": "Dry.", "injectionStrategy": {"depth": 2, "order": 50}},
    {"id": "p6", "role": "system", "name": "Off", "content": "never", "isEnabled": False},
]
ENTRIES: dict[str, Any] = {
    "a": {"uid": 12, "comment": "Lamp Ledger", "content": "The ledger.", "constant": True, "position": 0},
    "b": {"uid": 3, "comment": "North Quay", "content": "A quay.", "constant": True, "position": 4, "depth": 4},
    "c": {"uid": 9, "comment": "Ferry strike", "key": ["strike"], "content": "No ferry."},
}


def archive(**options: Any) -> Trace:
    """Seven messages; a preset asks for depth 12, another for an anchor that isn't there, one entry doesn't fire."""
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": text} for i, text in enumerate(SAID)]
    agent = Agent.model_validate({"id": "a", "name": "Archivist", "presetMessages": PRESETS})
    book = Worldbook.model_validate({"id": "salt", "entries": ENTRIES})
    return ctxlab.build(ctxlab.read_data(said).pick(), agent, **{"books": [book], **options})


def view(widget: InjectionMap) -> dict[str, Any]:
    return json.loads(widget.view)


def found(widget: InjectionMap) -> dict[str, Mapping[str, Any]]:
    """All definitions by name."""
    return {each["name"]: each for group in view(widget)["groups"] for each in group["definitions"]}


def landed(widget: InjectionMap, name: str) -> list[int]:
    rows = view(widget)["rows"]
    return [rows[at]["below"] for at in found(widget)[name]["landings"]]


def asked(widget: InjectionMap, **command: Any) -> InjectionMap:
    widget._handle_custom_msg(command, [])
    return widget


# --- what is shown


def test_every_definition_says_where_it_asked_to_be_and_what_became_of_it() -> None:
    told = {name: (each["ask"], each["outcome"]) for name, each in found(InjectionMap(archive())).items()}

    assert told == {
        "Archivist": ("in its place", "landed"),
        "Mei": ("in its place", "landed"),
        "Off": ("in its place", "not sent"),
        "Author's note": ("depth 12, order 100", "elsewhere"),
        "Tone": ("depth 2, order 50", "landed"),
        "Scene intro": ("after chat_histori, order 100", "unknown anchor"),
        "Lamp Ledger": ("before the character, order 100", "landed"),
        "North Quay": ("depth 4, order 100", "landed"),
        "Ferry strike": ("before the character, order 100", "not fired"),
    }


def test_a_message_of_several_names_its_parts_and_each_has_its_wire() -> None:
    book = Worldbook.model_validate(
        {"id": "salt", "entries": {uid: {**each, "position": 0, "key": ["ferry"]} for uid, each in ENTRIES.items()}}
    )
    said = [{"role": "user", "content": "The ferry?"}]
    widget = InjectionMap(ctxlab.build(ctxlab.read_data(said).pick(), books=[book], dialect="sillytavern-1.19"))

    (row,) = [each for each in view(widget)["rows"] if each["parts"]]

    assert row["text"] == "Ferry strike, North Quay, Lamp Ledger"
    assert row["parts"] == ["lore:salt/9", "lore:salt/3", "lore:salt/12"]
    at = view(widget)["rows"].index(row)
    assert [found(widget)[name]["landings"] for name in ("Lamp Ledger", "North Quay", "Ferry strike")] == [[at]] * 3


def test_what_differs_says_why_and_names_the_nearest() -> None:
    definitions = found(InjectionMap(archive()))

    assert definitions["Author's note"]["why"] == "asked depth 12, landed at 7: the history has 7 messages"
    assert definitions["Author's note"]["missing"] == [12]
    assert definitions["Scene intro"]["why"] == (
        "anchor 'chat_histori' is not known: it stands just before the history; did you mean 'chat_history'?"
    )
    assert definitions["Off"]["why"] == "the preset is switched off"
    assert definitions["Ferry strike"]["why"] == "none of its keys stands in the newest 2 messages"
    assert definitions["Tone"]["why"] == ""


def test_groups_stand_in_their_order_and_presets_in_that_of_the_agent() -> None:
    groups = {
        group["name"]: [each["key"] for each in group["definitions"]]
        for group in view(InjectionMap(archive()))["groups"]
    }

    assert groups == {
        "Presets, in order": ["preset:0", "preset:1", "preset:6"],
        "At a depth": ["preset:4", "preset:5"],
        "At an anchor": ["preset:2"],
        "Lore": ["lore:salt/12", "lore:salt/3", "lore:salt/9"],
    }


def test_rows_are_the_messages_before_cutting_and_say_what_happens_to_them() -> None:
    widget = InjectionMap(archive(budget_tokens=90))
    rows = view(widget)["rows"]

    assert [row["text"] for row in rows if row["history"]] == list(SAID)
    assert [row["below"] for row in rows if row["history"]] == [6, 5, 4, 3, 2, 1, 0]
    cut = [row["key"] for row in rows if row["cut"]]
    sent = {part.key for draft in archive(budget_tokens=90).result.drafts for part in draft.parts}
    assert cut
    assert cut == [row["key"] for row in rows if row["key"] not in sent]
    assert rows[0]["joined"] == "merge-system"


def test_what_a_later_step_moves_names_the_step() -> None:
    definitions = found(InjectionMap(archive(settings={"merge-system.hoist": "all"})))

    assert (definitions["Tone"]["outcome"], definitions["Tone"]["why"]) == (
        "moved",
        "moved by merge-system from depth 2 to 7",
    )
    assert definitions["Archivist"]["outcome"] == "landed"
    assert definitions["Author's note"]["outcome"] == "elsewhere"  # a user's message, which nobody hoists


def test_cutting_the_history_is_no_move() -> None:
    fates = {each["outcome"] for each in found(InjectionMap(archive(budget_tokens=90))).values()}

    assert "moved" not in fates


def test_a_preset_at_several_depths_has_several_landings() -> None:
    agent = ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json")
    widget = InjectionMap(ctxlab.build(ctxlab.load(DATASETS / "harbour_roleplay.session.json"), agent))

    assert landed(widget, "Harbour bell") == [16, 12, 8, 4]
    assert found(widget)["Harbour bell"]["place"]["depth"] == "4~4"


def test_without_a_run_there_is_nothing_and_nothing_can_be_moved() -> None:
    widget = asked(InjectionMap(), command="place", key="preset:0", depth=1)

    assert widget.view == ""
    assert widget.error == "there is no run to move anything in: set trace"
    assert (widget.agent, widget.user, widget.presets, widget.books) == (None, None, (), ())


def test_a_run_without_injections_is_shown() -> None:
    widget = InjectionMap(ctxlab.build(ctxlab.read_data([{"role": "user", "content": "hi"}]).pick()))

    assert view(widget)["groups"] == []
    assert [row["text"] for row in view(widget)["rows"]] == ["hi"]


def test_a_run_in_which_nothing_was_placed_says_why() -> None:
    whole = archive()
    upto = whole.upto("injection-assembler")

    def told(trace: Trace) -> str:
        return json.loads(InjectionMap(trace).view)["unplaced"]

    def placed_by(**step: Any) -> Trace:
        undone = replace(upto.steps[-1], after=upto.steps[-1].before, **step)
        return replace(upto, steps=(*upto.steps[:-1], undone))

    assert told(whole) == told(upto) == ""
    assert told(whole.upto(0)) == "This run stopped before injection-assembler: nothing is placed yet."
    assert told(placed_by(skipped=True)) == "Nothing is placed: injection-assembler was passed over."
    assert told(placed_by(failure=CtxlabError("no room"))) == "Nothing is placed, injection-assembler failed: no room"


def test_half_a_surrogate_pair_in_a_name_is_no_problem() -> None:
    agent = Agent.model_validate({"presetMessages": [{"id": "p", "name": "\ud83d half", "content": "\ud83d"}]})

    assert view(InjectionMap(ctxlab.build(ctxlab.read_data([{"role": "user", "content": "hi"}]).pick(), agent)))


# --- moving


def test_a_preset_goes_to_another_depth_in_a_new_run() -> None:
    before = archive()
    widget = asked(InjectionMap(before), command="place", key="preset:5", depth=5, order=20)

    assert (widget.error, widget.undoable) == ("", 1)
    assert landed(widget, "Tone") == [5]
    assert widget.trace is not before
    assert widget.agent is not None
    strategy = widget.agent.preset_messages[5].injection_strategy
    assert strategy is not None
    assert (strategy.type, strategy.depth, strategy.order) == ("depth", 5, 20)
    assert landed(InjectionMap(before), "Tone") == [2]


def test_a_preset_goes_to_an_anchor_and_back_among_the_others() -> None:
    widget = InjectionMap(archive())

    widget.place("preset:2", anchor="chat_history", position="after")
    assert (found(widget)["Scene intro"]["outcome"], landed(widget, "Scene intro")) == ("landed", [0])
    widget.place("preset:2", anchor="")
    assert found(widget)["Scene intro"]["ask"] == "in its place"
    assert widget.trace is not None
    assert view(widget) == view(
        InjectionMap(ctxlab.build(widget.trace.start.input.session, widget.agent, books=widget.books))
    )


def test_a_preset_goes_to_several_depths_and_any_landing_names_it() -> None:
    widget = InjectionMap(archive())
    widget.place("preset:5", depth="1, 3~3")
    assert landed(widget, "Tone") == [6, 3, 1]

    widget.place("preset:5@3", depth=0)

    assert landed(widget, "Tone") == [0]


def test_lore_goes_to_a_depth_in_a_changed_book() -> None:
    widget = asked(InjectionMap(archive()), command="place", key="lore:salt/12", depth=1, order=5)

    assert landed(widget, "Lamp Ledger") == [1]
    entry = widget.books[0].entry(12)
    assert (entry.position, entry.depth, entry.order) == (4, 1, 5)
    widget.place("lore:salt/12", position="after_char")
    assert found(widget)["Lamp Ledger"]["ask"] == "after the character, order 5"


def test_lore_that_didnt_fire_can_be_moved_too() -> None:
    widget = asked(InjectionMap(archive()), command="place", key="lore:salt/9", depth=3)

    assert found(widget)["Ferry strike"]["ask"] == "depth 3, order 100"


def test_presets_of_everyone_and_of_the_user_are_theirs() -> None:
    everyones = Agent.model_validate({"presetMessages": [PRESETS[5]]}).preset_messages
    user = UserProfile.model_validate({"name": "Mei", "presetMessages": [{**PRESETS[5], "name": "Own"}]})
    widget = InjectionMap(archive(presets=everyones, user=user))
    agent = widget.agent

    widget.place("preset:global/0", depth=6)
    widget.place("preset:user/0", depth=3)

    assert widget.user is not None
    depths = [
        each.injection_strategy and each.injection_strategy.depth
        for each in (*widget.presets, *widget.user.preset_messages)
    ]
    assert depths == [6, 3]
    assert widget.agent is agent
    assert landed(widget, "Own") == [3]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ({"key": "preset:5", "depth": -1}, "depth can't be -1"),
        ({"key": "preset:5", "depth": "soon"}, "depth can't be 'soon': it is a number such as 4"),
        ({"key": "preset:5", "depth": " "}, "depth can't be ' '"),
        ({"key": "preset:5"}, "say where to"),
        ({"key": "preset:5", "depth": None, "anchor": None}, "say where to"),
        ({"key": "preset:5", "depth": 10**400}, "at most 1,000,000,000"),
        ({"key": "preset:5", "order": -(10**400)}, "at most 1,000,000,000"),
        ({"key": "preset:5", "depth": float("inf")}, "at most 1,000,000,000"),
        ({"key": "preset:5", "depth": float("nan")}, "depth can't be nan"),
        ({"key": "preset:5", "order": float("nan")}, "order can't be nan"),
        ({"key": "lore:salt/3", "depth": 1e300}, "at most 1,000,000,000"),
        ({"key": "lore:salt/3", "order": 10**400}, "at most 1,000,000,000"),
        ({"key": "preset:5", "order": "first"}, "no command"),
        ({"key": "preset:5", "anchor": "chat"}, "anchor 'chat' is not known; did you mean 'chat_history'?"),
        ({"key": "preset:5", "depth": 1, "anchor": "chat_history"}, "not to both"),
        ({"key": "preset:1", "depth": 1}, "marks the place of user_profile"),
        ({"key": "preset:50", "depth": 1}, "nothing is defined under 'preset:50'; did you mean"),
        ({"key": "node:m1", "depth": 1}, "nothing is defined under 'node:m1'"),
        ({"key": "lore:salt/3", "depth": -1}, "depth of lore can't be -1"),
        ({"key": "lore:salt/3", "depth": 1.5}, "depth of lore can't be 1.5"),
        ({"key": "lore:salt/3", "anchor": "chat_history"}, "lore goes to a position, not to an anchor"),
        ({"key": "lore:salt/3", "position": "nowhere"}, "position can't be 'nowhere'"),
    ],
)
def test_what_is_no_place_is_refused_with_a_sentence_and_changes_nothing(place: dict[str, Any], reason: str) -> None:
    before = archive()
    widget = asked(InjectionMap(before), command="place", **place)

    assert reason in widget.error
    assert widget.trace is before
    assert widget.undoable == 0


@pytest.mark.parametrize(
    "wrong",
    ["place", None, {"command": "fly"}, {"command": "place"}, {"command": "place", "key": 5}]
    + [
        {"command": "place", "key": "preset:5", **more} for more in ({"depth": True}, {"depth": [1]}, {"colour": "red"})
    ],
)
def test_what_is_no_command_is_said(wrong: Any) -> None:
    widget = InjectionMap(archive())
    widget._handle_custom_msg(wrong, [])

    assert "is no command of the InjectionMap" in widget.error


def test_from_python_what_is_refused_is_raised() -> None:
    with pytest.raises(CtxlabError, match="depth can't be -3"):
        InjectionMap(archive()).place("preset:5", depth=-3)
    with pytest.raises(CtxlabError, match="nothing was moved"):
        InjectionMap(archive()).undo()


def test_entries_that_cant_be_told_apart_are_not_moved() -> None:
    twice = [Worldbook.model_validate({"id": "salt", "entries": ENTRIES})] * 2
    widget = InjectionMap(archive(books=twice))

    asked(widget, command="place", key="lore:salt/3", depth=1)

    assert "names several entries" in widget.error
    assert found(widget)["North Quay"]["place"] is None


def test_what_doesnt_fit_any_more_is_a_sentence() -> None:
    big = "word " * 400
    agent = Agent.model_validate(
        {"presetMessages": [{**PRESETS[5], "content": big, "injectionStrategy": {"depthConfig": "90"}}]}
    )
    talk = ctxlab.read_data([{"role": "user", "content": "hi"}] * 3).pick()
    before = ctxlab.build(talk, agent, budget_tokens=200)
    widget = asked(InjectionMap(before), command="place", key="preset:0", depth=1)

    assert widget.error
    assert widget.trace is before


def test_a_move_says_what_it_was_and_what_else_it_did() -> None:
    widget = InjectionMap(archive())
    labels: list[str] = []
    for place in (
        {"key": "preset:5", "depth": 1},
        {"key": "preset:5", "depth": "3, 5~5"},
        {"key": "preset:5", "anchor": "chat_history", "position": "before"},
        {"key": "preset:5", "position": "after"},
        {"key": "preset:5", "order": 7},
        {"key": "preset:5", "anchor": ""},
        {"key": "lore:salt/3", "position": "after_char"},
    ):
        widget.place(**place)
        labels.append(str(widget.effect["label"]))

    assert labels == [
        "Tone to depth 1",
        "Tone to depth 3 and every 5th message",
        "Tone to Chat history",
        "Tone after",
        "Tone to order 7",
        "Tone among the presets",
        "North Quay after the character",
    ]
    assert "moved: North Quay" in widget.effect["text"]
    widget.undo()
    assert widget.effect == {}


def test_a_view_that_is_opened_from_another_shows_what_was_asked_for() -> None:
    widget = InjectionMap(archive())

    widget.show_key("lore:salt/3")

    assert widget.selected == "lore:salt/3"


PLACES = st.one_of(
    st.none(),
    st.fixed_dictionaries({"depth": st.integers(0, 12), "order": st.integers(0, 200)}),
    st.fixed_dictionaries({"depthConfig": st.sampled_from(["2~2", "1, 3", "9~1", "x"])}),
    st.fixed_dictionaries({"type": st.just("anchor"), "anchorTarget": st.sampled_from(["chat_history", "nowhere"])}),
)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(PLACES, st.booleans()), max_size=5), st.booleans())
def test_the_sentence_counts_what_is_placed_and_names_what_is_not_as_asked(
    presets: list[tuple[dict[str, Any] | None, bool]], hoists: bool
) -> None:
    nodes = [
        {"id": f"p{i}", "role": "system", "name": f"N{i}", "content": "x", "isEnabled": on}
        | ({"injectionStrategy": place} if place is not None else {})
        for i, (place, on) in enumerate(presets)
    ]
    agent = Agent.model_validate({"id": "a", "presetMessages": nodes})
    said = ctxlab.read_data([{"role": "user", "content": text} for text in SAID]).pick()
    hoist = {"merge-system.hoist": "all"} if hoists else {}
    widget = InjectionMap(ctxlab.build(said, agent, settings=hoist))

    answer = "".join(words for words, _ in view(widget)["answer"])
    definitions = list(found(widget).values())
    odd = [
        each["name"] for each in definitions if each["outcome"] in ("elsewhere", "moved", "warned", "unknown anchor")
    ]

    if not definitions:
        assert answer == "Nothing is injected."
        return
    placed = sum(bool(each["landings"]) for each in definitions)
    assert answer.startswith(f"{placed} of {len(definitions)} preset")
    assert ("all where they asked to be" in answer) == (not odd and placed > 0)
    if len(odd) <= 3:
        assert all(name in answer for name in odd)
    named = {key for _, key in view(widget)["answer"] if key}
    assert named <= {each["key"] for each in definitions if each["name"] in odd}


# --- undoing, linking


def test_undo_gives_back_the_value_before() -> None:
    first = archive()
    widget = InjectionMap(first)
    widget.place("preset:5", depth=5)
    second = widget.trace
    widget.place("lore:salt/3", depth=0)

    asked(widget, command="undo")
    assert (widget.trace, widget.undoable) == (second, 1)
    asked(widget, command="undo")
    assert (widget.trace, widget.undoable) == (first, 0)
    assert asked(widget, command="undo").error == "nothing was moved that could be taken back"


def test_a_run_that_comes_from_elsewhere_is_shown_and_leaves_nothing_to_undo() -> None:
    widget = InjectionMap(archive())
    widget.place("preset:5", depth=5)

    widget.trace = archive()

    assert widget.undoable == 0
    assert landed(widget, "Tone") == [2]


def test_linked_maps_move_together() -> None:
    one, other = InjectionMap(archive()), InjectionMap()
    traitlets.link((one, "trace"), (other, "trace"))

    one.place("preset:5", depth=5)

    assert landed(other, "Tone") == [5]
    other.place("preset:5", depth=1)
    assert landed(one, "Tone") == [1]


def test_settings_of_the_run_stay_when_something_is_moved() -> None:
    widget = InjectionMap(archive(budget_tokens=90, settings={"merge-system.hoist": "all"}))

    widget.place("preset:5", depth=1)

    assert found(widget)["Tone"]["why"].startswith("moved by merge-system from depth 1 to")
    assert any(row["cut"] for row in view(widget)["rows"])
