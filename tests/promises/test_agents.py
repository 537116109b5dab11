"""Laws of agents: what is written is read back; older forms are brought up to date once; groups come back."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import Agent, History, Session
from ctxlab.formats import read_data
from ctxlab.formats.native.agent_migrations import migrated
from ctxlab.formats.native.agent_zip import agents_zip, read_agent_zip
from ctxlab.formats.native.agents import agents_data
from ctxlab.formats.yaml import as_yaml, from_yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TRICKY = st.sampled_from(
    ["no", "1e5", "0o17", "~", "a: b", "- x", "\n\n", " x", "x \ny", "2024-01-01", "#", "{{user}}"]
)
WORDS = TEXT | TRICKY
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
PRESETS = st.fixed_dictionaries(
    {"id": st.sampled_from("abc"), "role": st.sampled_from(["system", "assistant"]), "content": WORDS},
    optional={
        "isEnabled": st.booleans(),
        "groupId": st.sampled_from("gh"),
        "name": st.sampled_from(["First Message", "Alternate Greeting 1", "Main"]),
        "type": st.just("user_profile"),
        "injectionStrategy": st.fixed_dictionaries({}, optional={"depth": st.integers(0, 3), "type": st.just("depth")}),
    },
)
AGENTS = st.fixed_dictionaries(
    {"name": WORDS, "presetMessages": st.lists(PRESETS, max_size=4)},
    optional={
        "id": WORDS,
        "greetings": st.lists(st.fixed_dictionaries({"id": st.sampled_from("xyz"), "content": WORDS}), max_size=3),
        "parameters": st.dictionaries(st.sampled_from(["custom", "temperature"]), JSON, max_size=2),
        "presetGroups": st.lists(
            st.fixed_dictionaries(
                {"id": st.sampled_from("gh"), "selectionMode": st.sampled_from(["radio", "checkbox"])},
                optional={"enabled": st.booleans()},
            ),
            max_size=2,
            unique_by=lambda group: group["id"],
        ),
        "icon": WORDS,
        "other": JSON,
    },
)


@given(JSON)
@settings(max_examples=150, deadline=None)
def test_yaml_says_what_json_says(data: Any) -> None:
    read, losses = from_yaml(as_yaml({"data": data}).decode(), "data")

    assert read == {"data": data}
    assert losses == []


@given(st.lists(AGENTS, max_size=2))
@settings(max_examples=50, deadline=None)
def test_an_export_that_is_read_exports_the_same(given_agents: list[dict[str, Any]]) -> None:
    agents = [Agent.model_validate(migrated(data, fill=False).data) for data in given_agents]
    data = agents_data(agents).data

    again = read_agent_zip(agents_zip(agents).data, "a.zip")

    assert agents_data(read_data(data).agents).data == data
    assert agents_data(again.agents).data == data
    assert len({agent.id for agent in again.agents}) == len(agents)


@given(AGENTS | st.dictionaries(st.sampled_from(["presetMessages", "parameters", "icon", "assets"]), JSON))
@settings(max_examples=80, deadline=None)
def test_what_was_brought_up_to_date_is_up_to_date(data: dict[str, Any]) -> None:
    once = migrated(data)

    assert migrated(once.data).data is once.data
    assert (once.data is data) == (once.applied == ())


@given(AGENTS)
@settings(max_examples=50, deadline=None)
def test_a_group_that_goes_off_and_on_again_is_as_it_was(data: dict[str, Any]) -> None:
    agent = Agent.model_validate(data)
    for group in agent.preset_groups:
        if not group.enabled:
            continue

        off = agent.disable_group(group.id)
        on = off.enable_group(group.id)

        assert not any(it.enabled for it in off.preset_messages if it.group_id == group.id)
        assert [it.enabled for it in on.preset_messages] == [it.enabled for it in agent.preset_messages]
        assert on.silenced() == agent.silenced()


@given(st.lists(AGENTS, min_size=1, max_size=4))
@settings(max_examples=50, deadline=None)
def test_greetings_follow_any_row_of_agents_and_leave_a_sound_tree(rows: list[dict[str, Any]]) -> None:
    history = History(Session(id="s").append("", role="system"))
    states = [history.session]
    for data in rows:
        states.append(history.do(Session.greet, Agent.model_validate(data)))

        assert history.session.check() == ()
        assert history.session.message_count == 0

    while history.can_undo:
        history.undo()
    assert history.session == states[0]
