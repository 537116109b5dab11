"""Copies of agents."""

from ctxlab.documents import Agent
from ctxlab.documents.agent.agent import CATEGORIES


def test_a_copy_has_an_id_and_a_name_of_its_own() -> None:
    agent = Agent.model_validate({"id": "a", "name": "Ada", "displayName": "Countess", "createdAt": "2020", "x": 1})

    copy, notes = agent.copied(id="b", name="Ada II")

    assert copy.to_data() == {"id": "b", "name": "Ada II", "x": 1}
    assert notes == ()


def test_files_that_both_refer_to_are_named() -> None:
    agent = Agent.model_validate(
        {"id": "a", "icon": "appdata://a/face.png", "assets": [{"id": "s", "path": "assets/s.ogg"}]}
    )

    copy, (note,) = agent.copied(id="b", name="B")

    assert copy.icon == agent.icon
    assert note.details["files"] == ("appdata://a/face.png", "assets/s.ogg")


def test_a_category_that_is_not_known_is_kept() -> None:
    assert Agent.model_validate({"category": "poet", "tags": ["a"]}).category == "poet"
    assert "character" in CATEGORIES
