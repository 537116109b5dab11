"""Older forms of agents, one migration at a time."""

from typing import Any

import pytest

from ctxlab.formats import read_data
from ctxlab.formats.native.agent_migrations import MIGRATIONS, PROFILE_TEMPLATE, migrated


def preset(**fields: Any) -> dict[str, Any]:
    return {"presetMessages": [{"role": "system", "content": "x", **fields}]}


CASES: list[tuple[int, dict[str, Any], dict[str, Any]]] = [
    (1, {"parameters": {"custom": {"k": 1}}}, {"parameters": {"custom": {"enabled": True, "params": {"k": 1}}}}),
    (1, {"parameters": {"custom": {}}}, {"parameters": {"custom": {"enabled": False, "params": {}}}}),
    (2, preset(injectionStrategy={"depth": 0}), preset(injectionStrategy={"depth": 0, "type": "depth"})),
    (
        2,
        preset(injectionStrategy={"depthConfig": "3", "depth": 1}),
        preset(injectionStrategy={"depthConfig": "3", "depth": 1, "type": "advanced_depth"}),
    ),
    (
        2,
        preset(injectionStrategy={"anchorTarget": "chat_history"}),
        preset(injectionStrategy={"anchorTarget": "chat_history", "type": "anchor"}),
    ),
    (2, preset(injectionStrategy={}), preset(injectionStrategy={"type": "default"})),
    (3, preset(type="user_profile", content="用户档案"), preset(type="user_profile", content=PROFILE_TEMPLATE)),
    (3, preset(type="user_profile", content=" "), preset(type="user_profile", content=PROFILE_TEMPLATE)),
    (
        4,
        {"displayPresetCount": 3, **preset(id="1", role="assistant", content="Hi", name="First Message")},
        {
            "displayPresetCount": 2,
            "presetMessages": [],
            "greetings": [{"id": "greeting-1", "name": "First Message", "content": "Hi", "role": "assistant"}],
        },
    ),
    (5, {}, {"extensionConfig": {"enabled": True, "extensionToggles": {}, "defaultExtensionEnabled": True}}),
    (
        6,
        {"icon": "/agent-icons/a.png", "assets": [{"path": "/agent-icons/b/x.webp"}]},
        {"icon": "/agent-presets/a.png", "assets": [{"path": "/agent-presets/b/x.webp"}]},
    ),
]


@pytest.mark.parametrize(("number", "before", "after"), CASES)
def test_a_migration_brings_an_older_form_up_to_date(
    number: int, before: dict[str, Any], after: dict[str, Any]
) -> None:
    (migration,) = [it for it in MIGRATIONS if it.number == number]

    assert migration.apply(before) == after
    assert migration.apply(after) is after


UNTOUCHED: list[dict[str, Any]] = [
    {"parameters": {"custom": {"enabled": False, "params": {}}}},
    preset(type="user_profile", content="about {{user}}"),
    preset(name="First Message"),
    preset(role="assistant", name="Alternate Greetings?"),
    preset(role="assistant", name="First Message", isEnabled=False),
    {"greetings": [{"id": "g"}], **preset(role="assistant", name="First Message")},
    {"presetMessages": "none", "parameters": [], "icon": None, "assets": "x"},
    {"presetMessages": [None, "x", {"injectionStrategy": "near"}]},
]


@pytest.mark.parametrize("data", UNTOUCHED)
def test_what_is_up_to_date_is_the_same_object(data: dict[str, Any]) -> None:
    found = migrated(data, fill=False)

    assert found.data is data
    assert found.applied == ()


def test_every_migration_has_a_number_and_a_case() -> None:
    assert [it.number for it in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    assert {number for number, *_ in CASES} == {it.number for it in MIGRATIONS}


def test_reading_an_agent_says_what_was_brought_up_to_date() -> None:
    found = read_data({"id": "a", "name": "A", **preset(injectionStrategy={"depth": 2})})

    assert found.agents[0].preset_messages[0].injection_strategy is not None
    assert found.agents[0].preset_messages[0].injection_strategy.type == "depth"
    assert [loss.text for loss in found.losses] == [
        "agent 'a' is in an older form and was brought up to date: 2, injection strategies name their type"
    ]
