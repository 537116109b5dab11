"""Groups of presets: what they keep out, and switching them."""

from typing import Any

import pytest

from ctxlab.documents import Agent
from ctxlab.documents.agent.left_out_presets import left_out, why_left_out
from ctxlab.documents.agent.preset_groups import kept_out_presets
from ctxlab.errors import Refused


def grouped(*, mode: str = "checkbox", on: bool = True, presets: list[dict[str, Any]] | None = None) -> Agent:
    members = presets or [{"id": key, "groupId": "g", "content": key} for key in "abc"]
    group = {"id": "g", "name": "Tone", "selectionMode": mode, "enabled": on}
    return Agent.model_validate({"id": "ag", "name": "Ada", "presetGroups": [group], "presetMessages": members})


def test_a_group_that_is_on_keeps_nothing_out() -> None:
    assert kept_out_presets(grouped()) == {}


def test_a_group_that_is_off_keeps_all_its_presets_out() -> None:
    assert kept_out_presets(grouped(on=False)) == dict.fromkeys(range(3), "its group 'Tone' is switched off")


def test_a_radio_group_sends_the_first_preset_that_is_on() -> None:
    presets = [
        {"id": "a", "groupId": "g", "isEnabled": False},
        {"id": "b", "groupId": "g"},
        {"id": "loose"},
        {"id": "c", "groupId": "g"},
    ]

    assert kept_out_presets(grouped(mode="radio", presets=presets)) == {
        3: "its group 'Tone' sends one preset, and 'b' comes first"
    }


def test_a_group_that_is_not_known_keeps_nothing_out() -> None:
    assert kept_out_presets(grouped(on=False, presets=[{"id": "a", "groupId": "elsewhere"}])) == {}


def test_switching_a_group_off_and_on_gives_the_same_agent() -> None:
    agent = grouped(presets=[{"id": "a", "groupId": "g", "isEnabled": False}, {"id": "b", "groupId": "g"}])

    off = agent.disable_group("g")

    assert [preset.enabled for preset in off.preset_messages] == [False, False]
    assert [preset.meta("lastEnabledState") for preset in off.preset_messages] == [False, True]
    assert [preset.enabled for preset in off.enable_group("g").preset_messages] == [False, True]
    assert "metadata" not in off.enable_group("g").preset_messages[0].to_data()


def test_switching_on_what_is_on_is_the_same_agent() -> None:
    agent = grouped()

    assert agent.enable_group("g") is agent


@pytest.mark.parametrize("which", [1, "b"])
def test_the_chosen_preset_of_a_radio_group_is_the_only_one_that_is_on(which: int | str) -> None:
    agent = grouped(mode="radio").choose_preset(which)

    assert [preset.enabled for preset in agent.preset_messages] == [False, True, False]
    assert kept_out_presets(agent) == {}


def test_what_is_chosen_in_a_group_that_is_off_is_on_when_the_group_is() -> None:
    agent = grouped(mode="radio").disable_group("g").choose_preset("c")

    assert not any(preset.enabled for preset in agent.preset_messages)
    assert [preset.enabled for preset in agent.enable_group("g").preset_messages] == [False, False, True]


def test_an_unknown_group_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refused, match="no preset group 'tone'; there are: g"):
        grouped().disable_group("tone")


def test_a_preset_outside_of_radio_groups_cannot_be_chosen() -> None:
    with pytest.raises(Refused, match="in no radio group"):
        grouped().choose_preset("a")


@pytest.mark.parametrize("which", [7, "z"])
def test_a_preset_that_is_not_there_cannot_be_chosen(which: int | str) -> None:
    with pytest.raises(Refused, match=f"no preset {which!r}"):
        grouped(mode="radio").choose_preset(which)


def test_a_preset_that_its_file_left_out_is_switched_off_by_who_switched_it_last() -> None:
    agent = grouped(mode="radio", presets=[{"id": key, "groupId": "g", "content": key} for key in "ab"])
    one = left_out(agent.preset_messages[0], "not-in-order")
    agent = agent.with_(preset_messages=(one, agent.preset_messages[1]))

    chosen = agent.choose_preset("a")
    back = chosen.choose_preset("b")

    assert why_left_out(one) == ("not-in-order", "it isn't in the preset's order of prompts")
    assert chosen.preset_messages[0].enabled and why_left_out(back.preset_messages[0]) is None
    assert not back.preset_messages[0].enabled
