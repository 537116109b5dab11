"""Character cards: what becomes of them, and what comes out again."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab import Agent
from ctxlab.errors import BrokenFile, ReadError
from ctxlab.formats import card_data, convert, read, read_data
from ctxlab.formats.sillytavern import card_from

TEXTS: dict[str, Any] = {
    "name": "Mira",
    "description": "<char> keeps the lighthouse.",
    "personality": "calm",
    "scenario": "A storm.",
    "first_mes": "Come in, <USER>.",
    "mes_example": "<START>\n{{User}}: Hi",
    "system_prompt": "Be {{char}}. {{original}}",
    "post_history_instructions": "Stay short.",
    "creator_notes": "for rainy days",
    "alternate_greetings": ["Oh!", "", "你好"],
    "tags": ["sea"],
    "creator": "me",
    "extensions": {"depth_prompt": {"prompt": "waves", "depth": 2, "role": "user"}, "fav": True},
    "character_book": {"name": "Coast", "entries": [{"keys": ["lamp"], "content": "It burns oil.", "extensions": {}}]},
}
CARD: dict[str, Any] = {"spec": "chara_card_v2", "spec_version": "2.0", "data": TEXTS}


def agent_of(card: Any) -> Agent:
    return card_from(card).agent


def preset(agent: Agent, id: str) -> Any:
    return next(node for node in agent.preset_messages if node.id == id)


def without(agent: Agent, id: str) -> Agent:
    return agent.with_(preset_messages=tuple(node for node in agent.preset_messages if node.id != id))


def changed(agent: Agent, id: str, **fields: Any) -> Agent:
    nodes = (node.with_(**fields) if node.id == id else node for node in agent.preset_messages)
    return agent.with_(preset_messages=tuple(nodes))


# --- in


def test_the_texts_become_presets_in_their_order() -> None:
    agent = agent_of(CARD)

    assert [(node.metadata or {})["stPromptName"] for node in agent.preset_messages] == [
        "main",
        "charDescription",
        "charPersonality",
        "scenario",
        "dialogueExamples",
        "jailbreak",
        "depthPrompt",
    ]
    assert preset(agent, "charDescription").content == "{{char}} keeps the lighthouse."
    assert preset(agent, "dialogueExamples").content == "<START>\n{{user}}: Hi"


def test_instructions_and_depth_prompt_go_to_their_depths() -> None:
    agent = agent_of(CARD)

    last, deep = preset(agent, "jailbreak"), preset(agent, "depthPrompt")

    assert (last.injection_strategy.depth, last.role) == (0, "system")
    assert (deep.injection_strategy.depth, deep.role) == (2, "user")


def test_the_agent_keeps_notes_and_character_apart() -> None:
    agent = agent_of(CARD)

    assert agent.description == "for rainy days"
    assert (agent.character_description, agent.personality) == ("{{char}} keeps the lighthouse.", "calm")
    assert (agent.scenario, agent.macro_dialect, agent.tags) == ("A storm.", "sillytavern", ("sea",))


def test_blank_greetings_are_none() -> None:
    greetings = [(greeting.name, greeting.content) for greeting in agent_of(CARD).greetings]

    assert greetings == [
        ("First Message", "Come in, {{user}}."),
        ("Alternate Greeting 1", "Oh!"),
        ("Alternate Greeting 2", "你好"),
    ]


def test_the_book_inside_is_linked_and_always_has_the_same_id() -> None:
    found = read_data(CARD)

    (book,), (agent,) = found.books, found.agents
    assert agent.worldbook_ids == (book.book_id,) == ("card-Mira-book",)
    assert [entry.all_keys for entry in book.entries.values()] == [("lamp",)]


def test_a_book_beside_the_card_is_linked_by_its_name() -> None:
    agent = agent_of({"spec": "chara_card_v2", "data": {"name": "A", "extensions": {"world": "Eldoria"}}})

    assert agent.worldbook_ids == ("Eldoria",)


def test_regex_scripts_come_along_and_go_back() -> None:
    script = {"id": "s", "scriptName": "s", "findRegex": "/a/gi", "replaceString": "b", "placement": [2], "own": 1}
    card = {"spec": "chara_card_v2", "data": {"name": "A", "extensions": {"regex_scripts": [script]}}}

    agent = agent_of(card)

    assert agent.regex_config is not None
    assert [rule.regex for rule in agent.regex_config.presets[0].rules] == ["a"]
    assert card_data(agent).data == card


@pytest.mark.parametrize(
    ("card", "name", "said"),
    [
        ({"name": "A", "description": "", "first_mes": "Hi"}, "A", []),
        ({"name": "A", "first_mes": "Hi"}, "A", ["the card says nothing of description"]),
        ({"first_mes": "Hi", "description": None}, "in", ["name: the card has none; 'in' is used"]),
        (
            {"spec": "chara_card_v3", "data": {"name": "A"}},
            "A",
            ["the card says nothing of description and first_mes"],
        ),
        (
            {"name": "A", "description": [], "first_mes": 5},
            "A",
            ["description: [] is no text; it is left out"],
        ),
    ],
)
def test_a_card_with_gaps_is_read(card: Any, name: str, said: list[str]) -> None:
    found = read_data(card, source="in.json")

    assert [agent.name for agent in found.agents] == [name]
    assert [str(loss) for loss in found.losses] == said


@pytest.mark.parametrize(
    ("extensions", "depth", "role", "losses"),
    [
        ({"depth_prompt": {"prompt": "x"}}, 4, "system", 0),
        ({"depth_prompt": {"prompt": "x", "depth": 0, "role": "assistant"}}, 0, "assistant", 0),
        ({"depth_prompt": {"prompt": "x", "depth": "3", "role": ""}}, 3, "system", 0),
        ({"depth_prompt": {"prompt": "x", "depth": "deep", "role": "narrator"}}, 4, "system", 2),
    ],
)
def test_a_depth_prompt_has_defaults(extensions: Any, depth: int, role: str, losses: int) -> None:
    card = card_from({"spec": "chara_card_v2", "data": {"name": "A", "extensions": extensions}})

    node = preset(card.agent, "depthPrompt")
    assert (node.injection_strategy.depth, node.role, len(card.losses)) == (depth, role, losses)


def test_what_is_in_data_wins_over_what_is_beside_it() -> None:
    agent = agent_of({**CARD, "name": "Other", "personality": "loud", "data": {"name": "Mira"}})

    assert (agent.name, agent.personality) == ("Mira", "loud")


def test_a_card_of_version_3_has_a_nickname() -> None:
    agent = agent_of({"spec": "chara_card_v3", "data": {"name": "Wilhelmina", "nickname": "Mina"}})

    assert (agent.name, agent.shown_name) == ("Wilhelmina", "Mina")


def test_a_card_with_nothing_is_refused() -> None:
    with pytest.raises(BrokenFile, match=r"in\.json is a character card with neither a name nor a text"):
        read_data({"spec": "chara_card_v2", "data": {}}, source="in.json")


def test_a_list_of_cards_gives_an_agent_each() -> None:
    found = read_data([CARD, CARD, {"name": "B", "first_mes": "x", "description": ""}, 5])

    assert [agent.id for agent in found.agents] == ["card-Mira", "card-Mira~2", "card-B"]
    assert [book.book_id for book in found.books] == ["card-Mira-book", "card-Mira~2-book"]


# --- out again


@pytest.mark.parametrize("card", [CARD, TEXTS, {**TEXTS, **CARD}, {**CARD, "spec": "chara_card_v3"}])
def test_a_card_that_was_only_read_is_written_as_it_was(card: Any) -> None:
    export = card_data(agent_of(card))

    assert (export.data, export.losses) == (card, ())


def test_a_change_is_written_where_the_card_says_it() -> None:
    both = {**TEXTS, **CARD}

    card = card_data(changed(agent_of(both), "charPersonality", content="stern")).data

    assert (card["personality"], card["data"]["personality"]) == ("stern", "stern")
    assert card["data"]["description"] == TEXTS["description"]
    assert card["data"]["creator"] == "me"


def test_greetings_are_added_beside_blank_ones() -> None:
    agent = agent_of(CARD)

    card = card_data(agent.with_(greetings=(*agent.greetings, {"id": "new", "content": "Ahoy"}))).data

    assert card["data"]["alternate_greetings"] == ["Oh!", "", "你好", "Ahoy"]


def test_a_preset_that_is_gone_leaves_its_text_to_the_agent() -> None:
    agent = without(agent_of(CARD), "jailbreak")

    assert card_data(agent).data["data"]["post_history_instructions"] == ""


def test_a_changed_depth_prompt_is_written() -> None:
    agent = changed(agent_of(CARD), "depthPrompt", injection_strategy={"depth": 7}, role="assistant")

    written = card_data(agent).data["data"]["extensions"]

    assert written == {"depth_prompt": {"prompt": "waves", "depth": 7, "role": "assistant"}, "fav": True}


def test_a_changed_book_is_put_in() -> None:
    found = read_data(CARD)
    entries = {key: entry.with_(content="Gas.") for key, entry in found.books[0].entries.items()}

    card = card_data(found.agents[0], book=found.books[0].with_(entries=entries)).data

    assert card["data"]["character_book"]["entries"][0]["content"] == "Gas."
    assert card["data"]["character_book"]["name"] == "Coast"


def test_a_book_that_is_no_longer_named_is_left_out() -> None:
    card = card_data(agent_of(CARD).with_(worldbook_ids=())).data

    assert "character_book" not in card["data"]


def test_an_agent_that_never_was_a_card_becomes_one() -> None:
    agent = Agent(
        id="a",
        name="guide",
        display_name="Guide",
        description="helps",
        preset_messages=(  # type: ignore[arg-type]
            {"role": "system", "content": "You guide."},
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "left"},
            {"type": "chat_history", "content": ""},
        ),
        greetings=({"content": "Welcome"}, {"content": "Hello"}),  # type: ignore[arg-type]
        parameters={"temperature": 1},
    )

    export = card_data(agent)

    data = export.data["data"]
    assert export.data["spec"] == "chara_card_v2"
    assert (data["name"], data["creator_notes"], data["system_prompt"]) == (
        "Guide",
        "helps",
        "You guide.\n\nBe brief.",
    )
    assert (data["first_mes"], data["alternate_greetings"]) == ("Welcome", ["Hello"])
    assert [str(loss) for loss in export.losses] == [
        "preset 2: a card has no place for it; left out",
        "a card has no place for the agent's parameters; left out",
    ]


def test_what_a_card_cannot_say_is_a_loss() -> None:
    agent = changed(agent_of(CARD), "scenario", is_enabled=False)

    assert [loss.place for loss in card_data(agent).losses] == ["preset 3"]


def test_what_lore_scans_of_a_card_is_in_fields_of_the_agent() -> None:
    agent = agent_of(CARD)

    assert (agent.depth_prompt, agent.creator_notes) == ("waves", "for rainy days")
    assert agent_of({"name": "A", "first_mes": "x", "creatorcomment": "old"}).creator_notes == "old"


def test_fields_that_the_card_takes_from_elsewhere_are_losses_when_changed() -> None:
    agent = agent_of(CARD).with_(depth_prompt="storms", creator_notes="for sunny days")

    export = card_data(agent)

    assert export.data == CARD
    assert [loss.place for loss in export.losses] == ["depth_prompt", "creator_notes"]


def test_an_agent_that_was_no_card_is_written_with_its_depth_prompt_and_notes() -> None:
    export = card_data(Agent(name="Mira", depth_prompt="waves", creator_notes="for rainy days"))

    again = agent_of(export.data)
    assert (again.depth_prompt, again.creator_notes, export.losses) == ("waves", "for rainy days", ())


def test_a_card_is_converted_by_its_ending(tmp_path: Path) -> None:
    source, out = tmp_path / "in.json", tmp_path / "out.card.json"
    source.write_text(json.dumps(CARD))

    assert convert(source, out).losses == read(source).losses
    assert json.loads(out.read_bytes()) == CARD


def test_which_of_several_agents_is_written_has_to_be_said(tmp_path: Path) -> None:
    source, out = tmp_path / "in.json", tmp_path / "out.card.json"
    source.write_text(json.dumps([CARD, {"name": "B", "first_mes": "x", "description": ""}]))

    with pytest.raises(ReadError, match="holds 2 agents: 'card-Mira', 'card-B'; say which with pick="):
        convert(source, out)
    convert(source, out, pick="card-B")

    assert json.loads(out.read_bytes())["name"] == "B"
