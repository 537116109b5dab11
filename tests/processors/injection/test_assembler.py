from typing import Any

import pytest

from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Placement, Text
from ctxlab.documents import Agent, AgentFile, ModelProfile, Session, UserProfile
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import InjectionAssembler
from ctxlab.processors.injection.read_preset_placement import Anchor
from ctxlab.testing.fakes import WordTokenizer

HISTORY = {"type": "chat_history", "content": ""}


def preset(content: str, **fields: Any) -> dict[str, Any]:
    return {"id": content, "role": "system", "content": content, **fields}


def at(content: str, **strategy: Any) -> dict[str, Any]:
    """A preset with an injection strategy."""
    return preset(content, injectionStrategy=strategy)


def anchored(content: str, target: str | None = None, position: str | None = None, **more: Any) -> dict[str, Any]:
    return at(content, type="anchor", anchorTarget=target, anchorPosition=position, **more)


def history(*said: str) -> tuple[Draft, ...]:
    """The user first, by turns."""
    return tuple(
        Draft(f"node:{text}", "assistant" if n % 2 else "user", (Text.of(text, o),), o)
        for n, text in enumerate(said)
        for o in [Origin("node", text)]
    )


def assembled(
    *presets: dict[str, Any],
    said: str = "h1 h2 h3",
    agent: dict[str, Any] | None = None,
    user: UserProfile | None = None,
    model: ModelProfile | None = None,
    anchors: tuple[Anchor, ...] | None = None,
) -> Trace:
    whole = Agent.model_validate({"id": "ag", "name": "Nova", "presetMessages": list(presets), **(agent or {})})
    step = InjectionAssembler() if anchors is None else InjectionAssembler(anchors=anchors)
    build_input = BuildInput(Session(id="s"), agent=whole, user=user, model=model)
    return Pipeline.of([step]).run(Context(build_input, history(*said.split())), Services(tokenizer=WordTokenizer()))


def texts(trace: Trace) -> str:
    return " ".join(str(draft.text) for draft in trace.result.drafts)


def notes(trace: Trace) -> list[str]:
    return [note.text for note in trace.changes(0).notes]


def dropped(trace: Trace) -> dict[str, str]:
    return {draft.key: group.cause.rule for group in trace.result.dropped for draft in group.drafts}


# --- the skeleton


def test_presets_stand_around_the_history() -> None:
    assert texts(assembled(preset("before"), HISTORY, preset("after"))) == "before h1 h2 h3 after"


def test_without_a_placeholder_the_history_comes_last() -> None:
    assert texts(assembled(preset("a"), preset("b"))) == "a b h1 h2 h3"


def test_system_messages_are_not_pulled_to_the_head() -> None:
    trace = assembled(preset("a", role="user"), HISTORY, preset("b"))

    assert [draft.role for draft in trace.result.drafts] == ["user", "user", "assistant", "user", "system"]


def test_without_presets_nothing_changes() -> None:
    trace = assembled()

    assert trace.step("injection-assembler").did_nothing


def test_the_history_is_taken_over_as_it_is() -> None:
    trace = assembled(preset("a"), at("b", type="depth", depth=1))

    before = trace.step("injection-assembler").before
    assert [draft for draft in trace.result.drafts if draft.origin.kind == "node"] == list(before.drafts)


def test_presets_are_pinned_and_keyed_by_position() -> None:
    trace = assembled({"role": "system", "content": "no id"}, preset("same"), preset("same"))

    presets = [draft for draft in trace.result.drafts if draft.pinned]
    assert [(draft.key, draft.origin.ref) for draft in presets] == [
        ("preset:0", "0"),
        ("preset:1", "same"),
        ("preset:2", "same"),
    ]


# --- depths


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (0, "h1 h2 h3 X"),
        (1, "h1 h2 X h3"),
        (3, "X h1 h2 h3"),
        (9, "X h1 h2 h3"),
        (-1, "h1 h2 h3 X"),
        (1.5, "h1 X h2 h3"),
        (float("inf"), "X h1 h2 h3"),
        (float("nan"), "h1 h2 h3 X"),
    ],
)
def test_a_depth_counts_from_the_newest(depth: float, expected: str) -> None:
    assert texts(assembled(at("X", type="depth", depth=depth))) == expected


def test_depths_count_the_history_as_it_was() -> None:
    presets = [at("d2", type="depth", depth=2), at("d1", type="depth", depth=1), at("d3", type="depth", depth=3)]

    assert texts(assembled(*presets)) == "d3 h1 d2 h2 d1 h3"


def test_beyond_the_history_the_deepest_comes_first() -> None:
    presets = [at("d4", type="depth", depth=4), at("d9", type="depth", depth=9), at("d3", type="depth", depth=3)]

    assert texts(assembled(*presets)) == "d9 d4 d3 h1 h2 h3"


def test_at_one_depth_a_smaller_order_stands_further_from_the_newest() -> None:
    presets = [at("b", type="depth", depth=1, order=2), at("a", type="depth", depth=1, order=1)]

    assert texts(assembled(*presets)) == "h1 h2 a b h3"


def test_ties_keep_the_order_of_the_presets() -> None:
    presets = [at(name, type="depth", depth=0) for name in ("x", "y", "z")]

    assert texts(assembled(*presets)) == "h1 h2 h3 x y z"
    assert texts(assembled(*presets, at("w", type="depth", depth=0, order=100))) == "h1 h2 h3 x y z w"


def test_the_depth_is_told() -> None:
    (placed,) = [draft for draft in assembled(at("X", type="depth", depth=1.5)).result.drafts if draft.pinned]

    assert placed.placement == Placement("depth", depth=1.5, index=0, level="agent")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("0, 2", "h1 X h2 h3 X"),
        ("1~2", "X h1 h2 X h3"),
        ("1:1", "X h1 X h2 X h3"),
        ("2~0", "h1 X h2 h3"),
        ("1，2～9", "h1 X h2 X h3"),
        (" 1 ：2 ", "X h1 h2 X h3"),
        ("1, 1, 1", "h1 h2 X h3"),
        ("1, 50", "h1 h2 X h3"),
        (",, 1 ,", "h1 h2 X h3"),
    ],
)
def test_several_depths_are_written_as_points_and_cycles(config: str, expected: str) -> None:
    trace = assembled(at("X", type="advanced_depth", depthConfig=config))

    assert texts(trace) == expected
    assert notes(trace) == []


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("2x", "h1 X h2 h3"),
        ("2-4", "h1 X h2 h3"),
        ("0x4", "h1 h2 h3 X"),
        ("-1", "h1 h2 h3 X"),
        ("1:2:3", "h1 h2 X h3"),
        ("2.9", "h1 X h2 h3"),
    ],
)
def test_what_is_not_quite_a_depth_is_read_leniently_with_a_warning(config: str, expected: str) -> None:
    trace = assembled(at("X", type="advanced_depth", depthConfig=config))

    assert texts(trace) == expected
    assert notes(trace) == [f"preset 0: {config!r} in depthConfig {config!r} is not a depth or a cycle"]


@pytest.mark.parametrize("config", ["", "x", "50", "9" * 5000, "7~2"])
def test_without_a_depth_inside_the_history_it_is_left_out_with_a_warning(config: str) -> None:
    trace = assembled(at("X", type="advanced_depth", depthConfig=config))

    assert texts(trace) == "h1 h2 h3"
    assert dropped(trace) == {"preset:0": "no-depth"}
    assert notes(trace)[-1].startswith("preset 0 is not sent: no depth of")


def test_a_depth_without_a_number_is_left_out_with_a_warning() -> None:
    trace = assembled(at("X", type="depth"))

    assert dropped(trace) == {"preset:0": "no-depth"}
    assert notes(trace) == ["preset 0 is not sent: it is to go to a depth and names none"]


def test_every_copy_of_a_preset_has_a_key_of_its_own() -> None:
    trace = assembled(at("X", type="advanced_depth", depthConfig="0, 2"))

    copies = [draft for draft in trace.result.drafts if draft.pinned]
    assert [(draft.key, str(draft.placement)) for draft in copies] == [
        ("preset:0@2", "depth 2"),
        ("preset:0@0", "depth 0"),
    ]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ({}, "X h1 h2 h3"),
        ({"type": "default", "depth": 1}, "X h1 h2 h3"),
        ({"type": "somewhere", "depth": 1}, "X h1 h2 h3"),
        ({"order": 1}, "X h1 h2 h3"),
        ({"depth": 1}, "h1 h2 X h3"),
        ({"type": "", "depth": 1}, "h1 h2 X h3"),
        ({"depth": 1, "depthConfig": ""}, "h1 h2 X h3"),
        ({"depth": 1, "depthConfig": "2"}, "h1 X h2 h3"),
        ({"depth": 1, "anchorTarget": "chat_history"}, "h1 h2 X h3"),
        ({"anchorTarget": "chat_history"}, "h1 h2 h3 X"),
        ({"type": "depth", "depth": 1, "depthConfig": "2"}, "h1 h2 X h3"),
    ],
)
def test_without_a_type_a_depth_beats_an_anchor(strategy: dict[str, Any], expected: str) -> None:
    assert texts(assembled(at("X", **strategy))) == expected


# --- anchors


def test_injections_stand_before_and_after_the_history() -> None:
    presets = [preset("p"), HISTORY, preset("q"), anchored("b", "chat_history", "before"), anchored("a")]

    assert texts(assembled(*presets)) == "p b h1 h2 h3 a q"


def test_a_history_without_placeholder_still_has_a_before_and_an_after() -> None:
    assert texts(assembled(preset("p"), anchored("b", None, "before"), anchored("a"))) == "p b h1 h2 h3 a"


@pytest.mark.parametrize("target", ["chat_history", "__CHAT_HISTORY__"])
@pytest.mark.parametrize("older", [False, True])
def test_item_5_both_names_of_the_history_are_its_anchor(target: str, older: bool) -> None:
    before, after = (
        preset(side, anchorTarget=target, anchorPoint=side) if older else anchored(side, target, side)
        for side in ("before", "after")
    )

    trace = assembled(preset("p"), HISTORY, preset("q"), before, after)

    assert texts(trace) == "p before h1 h2 h3 after q"
    assert notes(trace) == []


def test_item_5_a_placeholder_with_the_older_name_holds_the_history() -> None:
    place = {**preset("", type="placeholder"), "id": "__CHAT_HISTORY__"}

    assert texts(assembled(preset("p"), place, preset("q"))) == "p h1 h2 h3 q"


def test_around_an_anchor_a_smaller_order_comes_first() -> None:
    presets = [anchored("b", order=2), anchored("a", order=1), anchored("c", order=2)]

    assert texts(assembled(*presets)) == "h1 h2 h3 a b c"


def test_a_template_stands_between_its_injections() -> None:
    presets = [
        preset("about {{user}}", type="user_profile"),
        HISTORY,
        anchored("b", "user_profile", "before"),
        anchored("a", "user_profile"),
    ]

    trace = assembled(*presets, user=UserProfile(name="Kim"))

    assert texts(trace) == "b about Kim a h1 h2 h3"
    assert trace.result.drafts[1].placement == Placement("template", anchor="user_profile", index=0, level="agent")


@pytest.mark.parametrize("title", ["用户档案", "user_profile", "User Profile", "", "  "])
def test_a_bare_title_is_no_template(title: str) -> None:
    trace = assembled(preset(title, type="user_profile"), HISTORY, anchored("a", "user_profile"))

    assert texts(trace) == "a h1 h2 h3"


def test_words_of_a_placeholder_that_shows_none_are_left_out_like_any_others() -> None:
    trace = assembled(preset("WORLD", type="world_info"), HISTORY, anchored("x", "world_info"))

    assert texts(trace) == "x h1 h2 h3"
    assert dropped(trace) == {"preset:0": "placeholder"}


def test_anchors_are_data_that_others_may_add_to() -> None:
    anchors = (Anchor("chat_history"), Anchor("weather", has_template=True))

    assert texts(assembled(preset("sunny", type="weather"), HISTORY, anchors=anchors)) == "sunny h1 h2 h3"


@pytest.mark.parametrize(
    ("target", "why"),
    [("nowhere", "is not known"), ("user_profile", "has no placeholder among the presets")],
)
def test_a_lost_anchor_puts_the_message_before_the_history_with_a_warning(target: str, why: str) -> None:
    trace = assembled(preset("p"), HISTORY, preset("q"), anchored("x", target))

    assert texts(trace) == "p x h1 h2 h3 q"
    assert notes(trace) == [f"anchor {target!r} {why}: preset:3 stands just before the history"]


def test_a_switched_off_placeholder_loses_its_anchor() -> None:
    trace = assembled(preset("P", type="user_profile", isEnabled=False), HISTORY, anchored("x", "user_profile"))

    assert texts(trace) == "x h1 h2 h3"
    assert dropped(trace) == {"preset:0": "disabled"}


def test_a_switched_off_history_still_marks_its_place() -> None:
    trace = assembled(preset("p"), {**HISTORY, "isEnabled": False}, preset("q"), anchored("a"))

    assert texts(trace) == "p h1 h2 h3 a q"


def test_a_repeated_placeholder_shows_the_history_and_its_injections_once() -> None:
    trace = assembled(HISTORY, preset("p"), HISTORY, anchored("b", "chat_history", "before"))

    assert texts(trace) == "b h1 h2 h3 p"


def test_a_repeated_anchor_emits_its_injections_once() -> None:
    place = preset("User Profile", type="user_profile")

    assert texts(assembled(place, place, HISTORY, anchored("x", "user_profile"))) == "x h1 h2 h3"


# --- the older form


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (0, "X h1 h2 h3"),
        (1, "h1 X h2 h3"),
        (9, "h1 h2 h3 X"),
        (-1, "h1 h2 X h3"),
        (-2, "h1 X h2 h3"),
        (-9, "X h1 h2 h3"),
    ],
)
def test_an_insertion_point_counts_from_the_head_or_from_the_end(point: int, expected: str) -> None:
    assert texts(assembled(preset("X", insertionPoint=point))) == expected


def test_the_last_insertion_point_is_the_end_when_the_user_did_not_speak_last() -> None:
    assert texts(assembled(preset("X", insertionPoint=-1), said="h1 h2")) == "h1 h2 X"
    assert texts(assembled(preset("X", insertionPoint=-2), said="h1 h2")) == "h1 X h2"
    assert texts(assembled(preset("X", insertionPoint=-1), said="")) == "X"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"anchorPoint": "before"}, "p X h1 h2 h3 q"),
        ({"anchorPoint": "after"}, "p h1 h2 h3 X q"),
        ({"anchorTarget": "world"}, "p h1 h2 h3 W X q"),
        ({"anchorTarget": "world", "anchorPoint": "before"}, "p h1 h2 h3 X W q"),
        ({"anchorTarget": "", "anchorPoint": None}, "p h1 h2 h3 q X"),
        ({"insertionPoint": 0, "injectionStrategy": {}}, "p X h1 h2 h3 q"),
        ({"insertionPoint": 0, "injectionStrategy": {"type": "default"}}, "p h1 h2 h3 q X"),
    ],
)
def test_the_older_anchors_name_the_history_or_a_placeholder_by_its_id(fields: dict[str, Any], expected: str) -> None:
    world = {"id": "world", "type": "placeholder", "role": "user", "content": ""}
    marks = [anchored("W", "world", "after", order=1)] if "W" in expected else []

    trace = assembled(preset("p"), HISTORY, world, preset("q"), preset("X", **fields), *marks)

    assert texts(trace) == expected


def test_the_seeds_own_example() -> None:
    presets = [
        preset("rules"),
        {"id": "world_info_placeholder", "type": "placeholder", "role": "user"},
        preset("world", role="user", anchorTarget="world_info_placeholder", anchorPoint="before"),
        {"type": "chat_history", "role": "user"},
        preset("remember", role="user", insertionPoint=-2),
    ]

    assert texts(assembled(*presets, said="h1 h2 h3")) == "rules world h1 remember h2 h3"


# --- who gets it


def test_a_switched_off_preset_stays_out() -> None:
    trace = assembled(preset("a", isEnabled=False), preset("b"))

    assert texts(trace) == "b h1 h2 h3"
    assert trace.result.dropped[0].cause == Cause("injection-assembler", "disabled", "the preset is switched off")


@pytest.mark.parametrize(("model", "expected"), [("gpt-4o", "X h1 h2 h3"), ("claude", "h1 h2 h3")])
def test_a_preset_may_be_meant_for_some_models(model: str, expected: str) -> None:
    trace = assembled(preset("X", modelMatch={"enabled": True, "patterns": ["^gpt"]}), model=ModelProfile(id=model))

    assert texts(trace) == expected


# --- macros


def test_macros_are_expanded_with_provenance() -> None:
    user = UserProfile(name="Kim", content="likes {{char}}")

    trace = assembled(preset("{{user}}+{{char}}+{{ persona }}"), said="", user=user)

    assert texts(trace) == "Kim+Nova+likes Nova"
    spans = trace.result.drafts[0].text.spans
    assert [(span.origin.kind, span.origin.ref) for span in spans][::2] == [
        ("macro", "user"),
        ("macro", "char"),
        ("macro", "persona"),
    ]
    assert spans[-1].origin == Origin("macro", "char")
    assert [older.text for older in spans[0].was] == ["{{user}}"]


def test_injections_are_expanded_and_the_history_never_is() -> None:
    trace = assembled(at("{{char}}", type="depth", depth=1), anchored("{{user}}"), said="{{char}} {{user}}")

    assert texts(trace) == "{{char}} Nova {{user}} User"


def test_an_escaped_macro_is_text() -> None:
    assert texts(assembled(preset(r"\{{char}}"), said="")) == "{{char}}"


def test_unknown_macros_stay() -> None:
    assert texts(assembled(preset("{{nothing}} {{char"), said="")) == "{{nothing}} {{char"


# --- files


def test_a_preset_brings_the_agents_files() -> None:
    assets = [{"id": "pic", "path": "assets/p.png", "filename": "p.png", "type": "image", "size": 3}]
    shows = preset("see", presetAttachments=[{"assetId": "pic"}, {"assetId": "gone"}])

    trace = assembled(shows, said="", agent={"assets": assets})

    (asset,) = trace.result.drafts[0].assets
    assert (asset.id, asset.kind, asset.mime_type, asset.size_bytes) == ("preset-ag-pic", "image", "image/png", 3)
    assert asset.source == AgentFile("ag", "assets/p.png")
    assert notes(trace) == ["preset 0 shows asset 'gone', which the agent does not have"]


def test_a_missing_file_of_a_preset_at_several_depths_is_noted_once() -> None:
    shows = {**at("X", type="advanced_depth", depthConfig="0,1,2"), "presetAttachments": [{"assetId": "gone"}]}

    assert len(notes(assembled(shows))) == 1
