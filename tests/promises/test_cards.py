"""Promises of cards and presets: reading and writing back changes nothing, changing one thing changes that."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.formats import card_data, card_png, joined, preset_data
from ctxlab.formats.sillytavern import card_from, preset_from
from ctxlab.formats.sillytavern.cards.png import decoded, plain_picture, read_chunks, texts_in_png, with_chunks
from ctxlab.formats.sillytavern.presets.prompt_order import MARKERS
from ctxlab.formats.sillytavern.roundtrip import patched

words = st.sampled_from(["", " ", "x", "<char> y", "{{User}}", "你好\n", "none"])
odd = st.none() | st.booleans() | st.integers(-2, 5) | words | st.lists(words, max_size=2)
values = st.recursive(
    odd, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=6
)
texts = st.one_of(words, words, words, odd)

TEXTS = (
    *("name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes", "creatorcomment"),
    *("system_prompt", "post_history_instructions", "nickname", "avatar", "own"),
)
scripts = st.fixed_dictionaries({}, optional={"id": words, "scriptName": words, "findRegex": words, "placement": odd})
books = st.fixed_dictionaries(
    {"entries": st.lists(st.fixed_dictionaries({"keys": st.lists(words, max_size=2), "content": words}), max_size=3)},
    optional={"name": words, "scan_depth": odd},
)
extensions = st.fixed_dictionaries(
    {},
    optional={
        "depth_prompt": odd | st.fixed_dictionaries({"prompt": words}, optional={"depth": odd, "role": words}),
        "world": odd,
        "regex_scripts": odd | st.lists(scripts | odd, max_size=3),
        "own": values,
    },
)
fields = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(TEXTS, texts),
        "tags": odd,
        "alternate_greetings": odd | st.lists(texts, max_size=4),
        "extensions": odd | extensions,
        "character_book": odd | books,
    },
)


@st.composite
def cards(draw: st.DrawFn) -> dict[str, Any]:
    """Cards of all versions, most of them sound, some of them odd."""
    card: dict[str, Any] = draw(fields)
    spec = draw(st.sampled_from([None, "chara_card_v2", "chara_card_v3"]))
    if spec is None:
        return {"first_mes": draw(texts), **card}
    return {**card, "spec": spec, "data": draw(fields)} if draw(st.booleans()) else {"spec": spec, "data": draw(fields)}


names = st.sampled_from(["main", "jailbreak", "chatHistory", "charDescription", "scenario", "a", "b", "ghost"])
prompts = st.fixed_dictionaries(
    {"identifier": names},
    optional={
        "name": texts,
        "content": texts,
        "role": st.sampled_from(["system", "user", "assistant", "other", None]),
        "marker": st.booleans(),
        "injection_position": st.sampled_from([0, 1, "1", None]),
        "injection_depth": odd,
        "injection_order": odd,
        "own": values,
    },
)
entries = st.fixed_dictionaries({"identifier": names, "enabled": st.booleans()}) | odd
orders = st.lists(
    st.fixed_dictionaries({"character_id": st.integers(0, 2), "order": st.lists(entries, max_size=6)}), max_size=2
)
presets = st.fixed_dictionaries(
    {"prompts": st.lists(prompts, max_size=6), "prompt_order": orders | st.lists(entries, max_size=4)},
    optional={
        **dict.fromkeys(("temperature", "top_p", "top_k", "seed", "openai_max_tokens", "openai_max_context"), odd),
        **dict.fromkeys(("new_chat_prompt", "scenario_format", "personality_format"), texts),
        "squash_system_messages": odd,
        "extensions": odd | st.fixed_dictionaries({}, optional={"regex_scripts": st.lists(scripts, max_size=2)}),
        "own": values,
    },
)


@settings(deadline=None, max_examples=150)
@given(cards())
def test_a_card_that_was_read_is_written_as_it_was(card: dict[str, Any]) -> None:
    found = card_from(card, name="stem")

    assert card_data(found.agent).data == card


@settings(deadline=None, max_examples=80)
@given(cards())
def test_a_card_goes_through_a_picture(card: dict[str, Any]) -> None:
    found = card_from(card, name="stem")

    [(_, packed), *_] = texts_in_png(card_png(found.agent).data, "x")
    inside = decoded(packed, "x")

    assert json.loads(inside) == card


@settings(deadline=None, max_examples=80)
@given(cards(), st.sampled_from(["charDescription", "scenario", "main"]))
def test_a_changed_text_is_there_when_the_card_is_read_again(card: dict[str, Any], id: str) -> None:
    agent = card_from(card, name="stem").agent
    nodes = tuple(node.with_(content="changed") if node.id == id else node for node in agent.preset_messages)

    again = card_from(card_data(agent.with_(preset_messages=nodes)).data, name="stem").agent

    assert [node.content for node in again.preset_messages] == [node.content for node in nodes]


@settings(deadline=None, max_examples=150)
@given(presets, st.none() | st.integers(0, 2))
def test_a_preset_that_was_read_is_written_as_it_was(raw: dict[str, Any], character_id: int | None) -> None:
    agent, _ = preset_from(raw, name="stem", character_id=character_id)

    assert preset_data(agent).data == raw


@settings(deadline=None, max_examples=80)
@given(presets, cards())
def test_a_joined_card_loses_no_text(raw: dict[str, Any], card: dict[str, Any]) -> None:
    preset, mine = preset_from(raw, name="stem")[0], card_from(card, name="stem").agent

    agent = joined(preset, mine)

    ids = {node.id for node in agent.preset_messages}
    given_ids = {node.id for node in (*preset.preset_messages, *mine.preset_messages)}
    assert given_ids <= ids
    assert ids - given_ids <= set(MARKERS)  # those that the program sends although no order names them
    assert card_data(agent).data == card


@given(values, values)
def test_patching_with_no_difference_gives_the_same_object(original: Any, before: Any) -> None:
    assert patched(original, before, before) is original


@given(values, values)
def test_patching_what_was_read_whole_gives_what_it_became(before: Any, after: Any) -> None:
    assert patched(before, before, after) == after


@given(st.dictionaries(st.sampled_from(["a", "Chara", "ccv3", "名".encode().hex()]), words, min_size=1))
def test_texts_of_pictures_are_read_as_they_were_written(texts: dict[str, str]) -> None:
    plain = plain_picture()

    raw = with_chunks(plain, texts)

    assert read_chunks(raw, "x") == {keyword.lower(): text for keyword, text in texts.items()}
    assert with_chunks(raw, dict.fromkeys(texts)) == plain
