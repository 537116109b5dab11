"""Sets of quick actions, and which of them a chat shows."""

from __future__ import annotations

import pytest

from ctxlab import Agent, Library, QuickAction, QuickActionSet, UserProfile, quick_actions_for
from ctxlab.documents.hotkeys import keys_of
from ctxlab.errors import CtxlabError, UnknownName


def a_set(id: str, *labels: str, hotkey: str | None = None, is_enabled: bool = True) -> QuickActionSet:
    actions = tuple(QuickAction(id=label, label=label, content="{{input}}", hotkey=hotkey) for label in labels)
    return QuickActionSet(id=id, name=id, actions=actions, is_enabled=is_enabled)


def test_sets_for_everyone_come_first_then_the_agent_s_then_the_user_s() -> None:
    library = Library(quick_actions=(a_set("u", "C"), a_set("a", "B"), a_set("g", "A"), a_set("other", "D")))
    agent, user = Agent(name="Guide", quick_action_set_ids=("a", "g")), UserProfile(quick_action_set_ids=("u", "a"))
    beside = library | Library(agents=(Agent(id="x", quick_action_set_ids=("other",)),))

    shown = quick_actions_for(agent, user, beside, everywhere=["g"])

    assert [(each.action.label, each.origin) for each in shown] == [("A", "global"), ("B", "agent"), ("C", "user")]
    assert shown.notes == ()
    assert [each.action.label for each in quick_actions_for(agent, user, beside)] == ["B", "A", "C"]
    assert [(each.action.label, each.origin) for each in quick_actions_for(library=beside)] == [
        *(("C", "global"), ("B", "global"), ("A", "global")),
    ]


def test_a_set_that_is_not_there_is_named_and_the_last_of_an_id_is_taken() -> None:
    library = Library(quick_actions=(a_set("a", "old"), a_set("a", "new")))

    shown = quick_actions_for(Agent(name="Guide", quick_action_set_ids=("gone", "a")), None, library)

    assert [each.action.label for each in shown] == ["new"]
    (note,) = shown.notes
    assert note.text == "agent 'Guide' names the set of quick actions 'gone', which was not found"


def test_what_is_switched_off_or_empty_is_not_shown() -> None:
    off = a_set("on", "A", "B").with_action("A", is_enabled=False)
    empty = QuickActionSet(id="empty", actions=(QuickAction(id="1"),))

    shown = quick_actions_for(library=Library(quick_actions=(off, a_set("off", "C", is_enabled=False), empty)))

    assert [each.action.label for each in shown] == ["B"]


def test_of_two_actions_with_one_hotkey_the_first_has_it_and_a_note_names_both() -> None:
    library = Library(
        quick_actions=(a_set("g", "A", hotkey="Ctrl+Shift+K"), a_set("a", "B", hotkey="shift + control+k"))
    )

    shown = quick_actions_for(Agent(quick_action_set_ids=("a",)), None, library)

    assert [each.keys for each in shown] == [("ctrl", "shift", "k"), ()]
    assert shown.pressed("CTRL + SHIFT + K") == library.quick_actions[0].action("A")
    assert shown.pressed("Ctrl+K") is shown.pressed("") is None
    (note,) = shown.notes
    assert "calls 'A' of set 'g'; 'B' of set 'a' has it too" in note.text


@pytest.mark.parametrize(
    ("hotkey", "keys"),
    [
        ("Cmd+Enter", ("meta", "enter")),
        ("⌘", ("⌘",)),
        ("Ctrl++", ("ctrl", "+")),
        ("+", ("+",)),
        ("", ()),
        (" F5 ", ("f5",)),
        ("K+Alt+Ctrl", ("ctrl", "alt", "k")),
    ],
)
def test_hotkeys_are_compared_by_their_keys(hotkey: str, keys: tuple[str, ...]) -> None:
    assert keys_of(hotkey) == keys


def test_an_action_is_found_by_id_or_label_and_a_set_by_id_or_name() -> None:
    found = a_set("a", "Bold", "Italic")
    library = Library(quick_actions=(found,))

    assert library.quick_action_set() is library.quick_action_set("a") is found
    assert found.with_action("Bold", auto_send=True).action("Bold").auto_send
    with pytest.raises(CtxlabError, match=r"set 'a' has no action 'Bald'.*'Bold'"):
        found.action("Bald")
    with pytest.raises(UnknownName, match="no set of quick actions 'b'"):
        library.quick_action_set("b")


def test_agents_and_users_name_sets_as_files_do() -> None:
    agent = Agent.model_validate({"name": "A", "quickActionSetIds": ["x"]})

    assert agent.quick_action_set_ids == ("x",)
    assert UserProfile(quick_action_set_ids=("y",)).to_data() == {"quickActionSetIds": ["y"]}
