"""A preset goes somewhere else, and nothing else about it changes."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.documents import Agent, MessageNode, UserProfile
from ctxlab.documents.agent.place_preset import placed
from ctxlab.errors import Refused
from ctxlab.processors.injection.read_preset_placement import RequestedPlacement, requested_placement


def preset(**fields: Any) -> MessageNode:
    return MessageNode.model_validate({"id": "p", "role": "system", "content": "words", **fields})


FORMS: dict[str, dict[str, Any]] = {
    "none": {},
    "depth": {"injectionStrategy": {"type": "depth", "depth": 2, "order": 7}},
    "untyped depth": {"injectionStrategy": {"depth": 2, "anchorTarget": "x", "order": 7}},
    "depths": {"injectionStrategy": {"type": "advanced_depth", "depthConfig": "4~4", "order": 7}},
    "anchor": {"injectionStrategy": {"type": "anchor", "anchorTarget": "x", "anchorPosition": "before", "order": 7}},
    "insertion point": {"insertionPoint": -1},
    "older anchor": {"anchorPoint": "before", "anchorTarget": "x"},
}


@pytest.fixture(params=FORMS, ids=str)
def any_preset(request: pytest.FixtureRequest) -> MessageNode:
    return preset(**FORMS[request.param])


def test_from_any_form_it_goes_to_a_depth(any_preset: MessageNode) -> None:
    there = requested_placement(placed(any_preset, depth=5, order=3))

    assert there == RequestedPlacement("depth", depth=5, order=3)


def test_from_any_form_it_goes_to_several_depths(any_preset: MessageNode) -> None:
    there = requested_placement(placed(any_preset, depth="3, 10~5", order=3))

    assert there == RequestedPlacement("depths", config="3, 10~5", order=3)


def test_from_any_form_it_goes_to_an_anchor(any_preset: MessageNode) -> None:
    there = requested_placement(placed(any_preset, anchor="y", position="before", order=3))

    assert there == RequestedPlacement("anchor", anchor="y", before=True, order=3)


def test_from_any_form_it_goes_among_the_others(any_preset: MessageNode) -> None:
    assert requested_placement(placed(any_preset, anchor="")) == RequestedPlacement("skeleton")


def test_what_isnt_named_stays() -> None:
    at_anchor = preset(**FORMS["anchor"])

    assert requested_placement(placed(at_anchor, depth=5)) == RequestedPlacement("depth", depth=5, order=7)
    assert requested_placement(placed(at_anchor, anchor="y")) == RequestedPlacement(
        "anchor", anchor="y", before=True, order=7
    )
    assert requested_placement(placed(at_anchor, position="after")) == RequestedPlacement("anchor", anchor="x", order=7)
    assert requested_placement(placed(at_anchor, order=9)) == RequestedPlacement(
        "anchor", anchor="x", before=True, order=9
    )
    assert requested_placement(placed(preset(**FORMS["older anchor"]), order=9)) == RequestedPlacement(
        "anchor", anchor="x", before=True, order=9
    )
    assert placed(at_anchor, depth=5).content == "words"


def test_fields_that_the_strategy_has_besides_are_kept() -> None:
    strange = preset(injectionStrategy={"type": "depth", "depth": 2, "colour": "red"})

    assert placed(strange, anchor="y").to_data()["injectionStrategy"] == {
        "type": "anchor",
        "anchorTarget": "y",
        "anchorPosition": "after",
        "colour": "red",
    }


@pytest.mark.parametrize(
    ("form", "place", "reason"),
    [
        ("none", {"depth": -1}, "depth can't be -1"),
        ("none", {"depth": float("nan")}, "depth can't be nan"),
        ("none", {"depth": True}, "depth can't be True"),
        ("none", {"depth": 1, "anchor": "x"}, "not to both"),
        ("none", {"depth": 1, "position": "before"}, "not to both"),
        ("none", {"order": 5}, "order needs a depth or an anchor"),
        ("none", {"position": "before"}, "needs an anchor"),
        ("untyped depth", {"position": "before"}, "needs an anchor"),
        ("insertion point", {"order": 5}, "order needs a depth or an anchor"),
        ("anchor", {"position": "beside"}, "before or after"),
        ("depth", {"order": float("inf")}, "order can't be inf"),
    ],
)
def test_a_place_that_doesnt_exist_is_refused(form: str, place: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        placed(preset(**FORMS[form]), **place)


@pytest.mark.parametrize("holder", [Agent, UserProfile])
def test_agents_and_users_place_their_presets_by_index_or_id(holder: Any) -> None:
    both = holder.model_validate({"name": "Ann", "presetMessages": [{"id": "a"}, {"id": "b"}]})

    assert requested_placement(both.place_preset("b", depth=3).preset_messages[1]) == RequestedPlacement(
        "depth", depth=3
    )
    assert both.place_preset(1, depth=3) == both.place_preset("b", depth=3)
    assert both.place_preset(1, depth=3).preset_messages[0] is both.preset_messages[0]
    with pytest.raises(Refused, match="they are 0 to 1"):
        both.place_preset(2, depth=3)
    with pytest.raises(Refused, match="'Ann' has no preset 'c'"):
        both.place_preset("c", depth=3)
