"""Instruct presets: the text is the one that SillyTavern sends, and each word is of the message that has it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.context import Draft, Origin, Placement, Text
from ctxlab.engines.chat_templates.instruct import (
    ContextTemplate,
    InstructPreset,
    InstructSequences,
    SystemPrompt,
    fit_instruct_text,
    instruct_text,
    read_instruct_preset,
    stop_strings,
)
from ctxlab.errors import BrokenFile, TemplateRefused, UnknownFormat
from tests.engines.chat_templates.recorded_instruct import CHAR, USER, RecordedText, draft, recorded_texts

ACCEPTED = {
    "force other names": "a message of a persona of before is known by its picture, which a draft doesn't have",
    "ex lead": "loose words before an example go into it in the program's parser of cards, which isn't asked here",
    "hb5": "helpers of Handlebars such as lookup are left as they are written",
}
"""Recorded texts that may differ, each with its reason."""
PRESET = {
    "instruct": {"input_sequence": "<I>", "output_sequence": "<O>", "wrap": False},
    "context": {"story_string": "{{system}}"},
    "sysprompt": {"name": "s", "content": "Be brief."},
}


@pytest.mark.parametrize("case", recorded_texts(), ids=lambda case: case.name)
def test_a_text_and_its_stop_strings_are_those_that_were_recorded(case: RecordedText) -> None:
    found = instruct_text(case.drafts, case.preset, user=USER, char=CHAR, kind=case.kind)
    if case.name not in ACCEPTED:
        assert str(found.text) == case.prompt
    stops = stop_strings(case.preset, user=USER, char=CHAR, kind=case.kind, ends_with_user=case.ends_with_user)
    assert stops == case.stop


def test_few_recorded_texts_may_differ_and_each_has_a_reason() -> None:
    assert len(recorded_texts()) >= 170
    assert ACCEPTED.keys() <= {case.name for case in recorded_texts()}
    assert len(ACCEPTED) <= 5
    assert all(ACCEPTED.values())


# --- origins

WORDS = st.text(st.sampled_from("ab \n{}<>ü漢😀"), min_size=1, max_size=12)
SEQUENCE = st.sampled_from(["", "<S>", "<S>\n", " x ", "{{name}}|", "{{char}}"])
SEQUENCES = st.builds(
    InstructSequences,
    **{
        name: SEQUENCE
        for name in InstructSequences.__dataclass_fields__
        if name.endswith(("_sequence", "_suffix", "_prefix"))
    },
    wrap=st.booleans(),
    macro=st.booleans(),
    skip_examples=st.booleans(),
    system_same_as_user=st.booleans(),
    names_behavior=st.sampled_from(["none", "force", "always"]),
    user_alignment_message=st.sampled_from(["", "Begin."]),
)
STORIES = st.sampled_from(
    ["", "{{system}}{{trim}}", "\n{{#if description}}\n{{description}}\n{{else}}-{{/if}}\n{{trim}}\n", "a{{wiBefore}}"]
)
CONTEXTS = st.builds(
    ContextTemplate,
    story_string=STORIES,
    example_separator=st.sampled_from(["", "***"]),
    chat_start=st.sampled_from(["", "---"]),
    story_string_position=st.sampled_from([0, 1]),
    story_string_depth=st.integers(0, 4),
    story_string_role=st.integers(0, 2),
)
PRESETS = st.builds(
    InstructPreset,
    name=st.just("p"),
    sequences=SEQUENCES,
    context=CONTEXTS,
    system=st.builds(SystemPrompt, st.sampled_from(["", "Sys."]), st.sampled_from(["", "After."])),
)
ORIGINS = st.sampled_from([None, Origin("preset", "main"), Origin("preset", "charDescription")])


@st.composite
def chats(draw: st.DrawFn) -> list[Draft]:
    """Messages of all kinds, in any order."""
    out: list[Draft] = []
    for number in range(draw(st.integers(0, 6))):
        role = draw(st.sampled_from(["system", "user", "assistant", "tool"]))
        depth = draw(st.sampled_from([None, Placement("depth", depth=1)]))
        speaker = draw(st.sampled_from([None, "Odd", "example_user"]))
        out.append(
            draft(f"k{number}", role, draw(WORDS), draw(ORIGINS), placement=depth, speaker=speaker)  # type: ignore[arg-type]
        )
    return out


@given(chats(), PRESETS, st.sampled_from(["normal", "continue", "impersonate"]), st.booleans())
def test_stretches_cover_the_text_and_each_is_what_its_message_says(
    drafts: list[Draft], preset: InstructPreset, kind: Any, is_group: bool
) -> None:
    found = instruct_text(drafts, preset, user=USER, char=CHAR, kind=kind, is_group=is_group)
    text = str(found.text)
    at = 0
    for stretch in found.stretches:
        assert stretch.start == at < stretch.end
        at = stretch.end
        if stretch.message is None or stretch.field != "content":
            assert all(span.origin.kind == "template" for span in found.text.cut(stretch.start, at).spans)
            continue
        own = drafts[stretch.message].text
        size = at - stretch.start
        assert text[stretch.start : at] == str(own)[stretch.offset : stretch.offset + size]
        cut = own.cut(stretch.offset, stretch.offset + size)
        assert found.text.cut(stretch.start, at).as_data() == cut.as_data()
    assert at == len(text)


@given(chats(), PRESETS)
def test_a_message_of_the_chat_is_there_whole_once_and_in_order(drafts: list[Draft], preset: InstructPreset) -> None:
    found = instruct_text(drafts, preset, user=USER, char=CHAR)
    spoken = [
        number
        for number, each in enumerate(drafts)
        if each.role in ("user", "assistant")
        and each.placement is None
        and each.origin.kind == "node"
        and str(each.text).strip()
    ]
    shown = [each for each in found.stretches if each.message in spoken and each.field == "content"]
    assert [each.message for each in shown] == spoken
    assert [each.end - each.start for each in shown] == [len(drafts[number].text) for number in spoken]


def test_prompts_of_chat_completion_and_results_of_tools_are_left_out() -> None:
    drafts = [
        draft("a", "system", "Answer as a sage.", Origin("preset", "main")),
        draft("b", "system", "End with a question.", Origin("preset", "jailbreak")),
        draft("c", "user", "Hello"),
        draft("d", "tool", "42 degrees"),
    ]
    found = instruct_text(drafts, read_instruct_preset(PRESET))
    assert {each.message for each in found.stretches} == {None, 2}
    assert str(found.text).startswith("Be brief.")


def test_system_texts_without_a_place_stand_where_the_system_prompt_stands() -> None:
    drafts = [draft("a", "system", "Answer as a sage."), draft("c", "user", "Hello")]
    found = instruct_text(drafts, read_instruct_preset(PRESET))
    assert str(found.text) == "Be brief.\nAnswer as a sage.<I>Hello<O>"


def test_a_name_that_a_build_put_before_words_is_written_as_the_preset_says() -> None:
    name = Text.of("Brock: ", Origin("separator", "names"))
    said = replace(draft("a", "assistant", "x"), body=(name + Text.of("Ha!", Origin("node", "a")),))
    drafts = [said, draft("b", "user", "Who rowed?")]
    for behavior, words in (("none", "Ha!"), ("always", "Brock: Ha!")):
        preset = InstructPreset("p", InstructSequences(output_sequence="<O>", wrap=False, names_behavior=behavior))  # type: ignore[arg-type]
        found = instruct_text(drafts, preset)
        assert str(found.text).startswith(f"<O>{words}")
        assert next(each.offset for each in found.stretches if each.field == "content") == len("Brock: ")


def test_notes_before_and_after_the_main_prompt_stand_at_the_anchors_of_the_story() -> None:
    places = [Placement("anchor", anchor="main", before=before) for before in (True, False)]
    notes = [
        draft(f"n{number}", "system", f"note {number}", Origin("preset", "authors-note"), placement=place)
        for number, place in enumerate(places)
    ]
    story = ContextTemplate(story_string="{{anchorBefore}}|{{system}}|{{anchorAfter}}")
    preset = InstructPreset("p", InstructSequences(wrap=False), story, SystemPrompt("Sys."))
    assert str(instruct_text([*notes, draft("u", "user", "Hi")], preset).text) == "note 0|Sys.|note 1Hi"


# --- reading


def test_three_files_are_read_as_one_with_all_parts_is(tmp_path: Path) -> None:
    places: list[Path] = []
    for part, data in PRESET.items():
        places.append(tmp_path / f"{part}.json")
        places[-1].write_text(json.dumps(data), "utf-8")
    several, one = read_instruct_preset(*places), read_instruct_preset(PRESET, name="instruct")
    assert (several.name, several.sequences, several.context, several.system) == (
        one.name,
        one.sequences,
        one.context,
        one.system,
    )


def test_unknown_keys_are_kept_and_told_and_so_is_what_isnt_done() -> None:
    data = {**PRESET["instruct"], "sparkle": 3, "activation_regex": "llama"}
    found = read_instruct_preset(data, name="x")
    assert found.unknown == {"instruct.sparkle": 3}
    assert any("sparkle" in note for note in found.notes)
    assert any("activation_regex" in note for note in found.notes)


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ({"instruct": {**PRESET["instruct"], "wrap": "yes"}}, BrokenFile, "instruct.wrap is 'yes'"),
        ({"instruct": {**PRESET["instruct"], "names_behavior": "some"}}, BrokenFile, "none, force, always"),
        ({"instruct": {"input_sequence": 3, "output_sequence": ""}}, BrokenFile, "input_sequence is 3"),
        ({"context": {"story_string_depth": True}}, BrokenFile, "has to be a whole number"),
        ({"context": {"story_string": ""}}, UnknownFormat, "no instruct sequences"),
        ({"output_sequenc": ""}, UnknownFormat, "output_sequenc"),
    ],
)
def test_a_preset_that_cant_be_read_is_named_with_its_key(data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        read_instruct_preset(data)


def test_a_second_preset_of_a_kind_is_refused() -> None:
    with pytest.raises(UnknownFormat, match="second instruct preset"):
        read_instruct_preset(PRESET["instruct"], PRESET["instruct"])


def test_a_file_that_is_no_json_names_itself(tmp_path: Path) -> None:
    place = tmp_path / "broken.json"
    place.write_text("[", "utf-8")
    with pytest.raises(BrokenFile, match=r"broken\.json"):
        read_instruct_preset(place)


@pytest.mark.parametrize(
    ("story", "words"),
    [
        ("a\n{{#if system}}x", r"doesn't close if \(line 2\)"),
        ("{{/if}}", "closes if"),
        ("{{else}}", "outside a block"),
        ("{{#if a}}" * 200, "within one another"),
    ],
)
def test_a_story_string_that_cant_be_read_is_refused_with_its_line(story: str, words: str) -> None:
    preset = InstructPreset("p", InstructSequences(), ContextTemplate(story_string=story))
    with pytest.raises(TemplateRefused, match=words):
        instruct_text([draft("a", "user", "x")], preset)


# --- the budget

BUDGETS = json.loads((Path(__file__).parents[2] / "sillytavern" / "recorded_text" / "budgets.json").read_text("utf-8"))


@pytest.mark.parametrize("row", BUDGETS["cases"], ids=lambda row: f"{row['budget']} {row['padding']}")
def test_a_chat_is_cut_as_the_program_was_seen_to_cut_it(row: dict[str, Any]) -> None:
    def count(text: str) -> int:
        return math.ceil(len(text) / BUDGETS["characters_per_token"])

    first = next(case for case in recorded_texts() if case.name == "examples")
    head = [each for each in first.drafts if each.origin.kind == "preset"]
    words = [f"Message number {number} has some words in it to fill the window up." for number in range(40)]
    chat = [draft(f"c{number}", "user" if number % 2 else "assistant", text) for number, text in enumerate(words)]
    for each in sorted(row.get("inject", ()), key=lambda each: each["depth"]):
        place = Placement("depth", depth=each["depth"])
        chat.insert(len(chat) - each["depth"], draft(each["text"], "system", each["text"], placement=place))

    found = fit_instruct_text(
        [*head, *chat],
        first.preset,
        budget=row["budget"],
        count=count,
        padding=row["padding"],
        pin_examples=row["pin_examples"],
        user=USER,
        char=CHAR,
    )

    text = str(found.rendered.text)
    assert [int(number) for number in re.findall(r"Message number (\d+)", text)] == row["messages"]
    assert (text[: text.index("Message")], len(text)) == (row["head"], row["length"])
    assert found.tokens < row["budget"] + 1
    assert {each.message for each in found.rendered.stretches}.isdisjoint(found.cut)
