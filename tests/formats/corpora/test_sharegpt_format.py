"""ShareGPT conversations."""

import pytest

from ctxlab.formats import read_data


def item(*turns: tuple[str, str], name: str = "c1") -> dict[str, object]:
    return {"id": name, "conversations": [{"from": who, "value": text} for who, text in turns]}


def test_turns_become_a_row_of_nodes() -> None:
    found = read_data([item(("human", "Hi"), ("gpt", "Hello")), item(("human", "?"), name="c2")])

    assert found.format == "sharegpt"
    assert [s.id for s in found.sessions] == ["c1", "c2"]
    assert [(n.role, n.content) for n in found.pick("c1").path()[1:]] == [("user", "Hi"), ("assistant", "Hello")]
    assert found.pick("c1")["m0"].metadata is None


@pytest.mark.parametrize(
    ("speaker", "role"), [("user", "user"), ("chatgpt", "assistant"), ("Bard", "assistant"), ("observation", "tool")]
)
def test_other_names_of_speakers_are_known_and_kept(speaker: str, role: str) -> None:
    found = read_data([item(("human", "Hi"), (speaker, "x"))])

    assert found.pick()["m1"].role == role
    assert found.pick()["m1"].meta("shareGpt") == {"from": speaker}
    assert found.losses == ()


def test_an_unknown_speaker_becomes_the_user_with_a_loss() -> None:
    found = read_data([item(("human", "Hi"), ("narrator", "Night falls."))])

    assert found.pick()["m1"].role == "user"
    assert [str(loss) for loss in found.losses] == [
        "[0], conversations[1]: speaker 'narrator' is not known; it is a user message now"
    ]


def test_a_leading_system_turn_becomes_a_preset() -> None:
    found = read_data([item(("system", "Be brief."), ("human", "Hi"))])

    assert found.agents[0].preset_messages[0].content == "Be brief."
    assert [n.role for n in found.pick().path()[1:]] == ["user"]


def test_doubled_ids_are_told_apart() -> None:
    found = read_data([item(("human", "a")), item(("human", "b"))])

    assert [s.id for s in found.sessions] == ["c1", "c1~2"]
    assert len(found.losses) == 1
