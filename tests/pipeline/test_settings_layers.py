from typing import Any, Literal

import pytest
from pydantic import Field

from ctxlab.context import BuildInput, Context, Table
from ctxlab.documents import Agent, ModelProfile, Session
from ctxlab.errors import UnknownProcessor, WrongSetting
from ctxlab.pipeline import Pipeline, Processor, ProcessorSettings, Services
from ctxlab.processors import STEPS, default_pipeline
from ctxlab.testing.fakes import WordTokenizer


class Knob(Processor):
    id = "knob"
    aliases = ("old-knob",)

    class Settings(ProcessorSettings):
        size: int = Field(1, ge=1, le=9)
        long_name: str = Field("plain", description="How it is called.")

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        return ctx.put(Table("knob", (self.settings.size, self.settings.long_name)))


FORMATTERS = slice(-6, -2)
"""The steps that format messages: all after the limiter but the last."""


def stored(kind: Any, *entries: dict[str, Any], **fields: Any) -> Any:
    return kind.model_validate({"id": "x", "processors": list(entries), **fields})


def entry(enabled: bool | None = None, **settings: Any) -> dict[str, Any]:
    return {"id": "knob", "enabled": enabled, "settings": settings}


def settled(
    pipeline: Pipeline | None = None, *, model: ModelProfile | None = None, agent: Agent | None = None
) -> Pipeline:
    return (pipeline or Pipeline.of([Knob])).for_request(BuildInput(Session(id="s"), agent=agent, model=model))


def knob(pipeline: Pipeline) -> tuple[Any, Any]:
    """The value of `size` and the layer it is from."""
    described = pipeline.as_data()[0]["settings"]["size"]
    return described["value"], described["layer"]


def test_each_layer_beats_those_before_it_and_is_named() -> None:
    model, agent = stored(ModelProfile, entry(size=2)), stored(Agent, entry(size=3))
    with_layout = Pipeline.of([Knob]).with_layout([{"id": "knob", "settings": {"size": 4}}])
    with_call = with_layout.with_setting("knob.size", 5)

    assert knob(settled()) == (1, "default")
    assert knob(settled(model=model)) == (2, "model")
    assert knob(settled(model=model, agent=agent)) == (3, "agent")
    assert knob(settled(with_layout, model=model, agent=agent)) == (4, "layout")
    assert knob(settled(with_call, model=model, agent=agent)) == (5, "call")


def test_an_agents_entry_replaces_the_models_entry_whole() -> None:
    model = stored(ModelProfile, entry(False, size=2, longName="big"))
    agent = stored(Agent, entry(None, size=3))

    both = settled(model=model, agent=agent)

    row = both.as_data()[0]
    said = row["settings"]["long_name"]
    assert (said["value"], said["layer"], said["description"]) == ("plain", "default", "How it is called.")
    assert (row["enabled"], row["layers"]["enabled"]) == (True, "default")
    assert not settled(model=model).as_data()[0]["enabled"]


class Form(Processor):
    id = "form"

    class Settings(ProcessorSettings):
        share: float = Field(0.5, ge=0, le=1, title="Share")
        many: int | None = Field(None, ge=1)
        few: int = Field(1, lt=5)
        how: Literal["a", "b"] = "a"
        either: Literal[1, 2] | None = None
        on: bool = True
        name: str = ""
        names: tuple[str, ...] = ()
        both: int | str = 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("share", ("Share", "number", [], 0, 1, False)),
        ("many", ("", "integer", [], 1, None, True)),
        ("few", ("", "integer", [], None, None, False)),
        ("how", ("", "choice", ["a", "b"], None, None, False)),
        ("either", ("", "choice", [1, 2], None, None, True)),
        ("on", ("", "boolean", [], None, None, False)),
        ("name", ("", "text", [], None, None, False)),
        ("names", ("", "json", [], None, None, False)),
        ("both", ("", "json", [], None, None, False)),
    ],
)
def test_a_description_says_what_a_form_needs(name: str, told: tuple[Any, ...]) -> None:
    said = Pipeline.of([Form]).as_data()[0]["settings"][name]

    assert tuple(said[key] for key in ("title", "type", "choices", "minimum", "maximum", "optional")) == told


def test_every_setting_of_every_step_can_be_drawn() -> None:
    for row in default_pipeline().as_data():
        for name, said in row["settings"].items():
            assert said["title"], (row["id"], name)
            assert said["type"] != "json", (row["id"], name)


def test_layers_of_one_agent_go_when_another_comes() -> None:
    pipeline = settled(agent=stored(Agent, entry(size=3), {"id": "nothing-here"}))

    assert knob(pipeline) == (3, "agent")
    assert knob(settled(pipeline)) == (1, "default")
    assert settled(pipeline).notes == ()


def test_settling_twice_is_settling_once() -> None:
    agent = stored(Agent, entry(size=3), {"id": "nothing-here"})
    once = settled(agent=agent)

    twice = settled(once, agent=agent)

    assert twice.as_data() == once.as_data()
    assert [note.as_data() for note in twice.notes] == [note.as_data() for note in once.notes]


def test_stored_settings_may_be_written_as_the_seeds_write_them() -> None:
    pipeline = settled(agent=stored(Agent, {"id": "primary:old-knob", "settings": {"longName": "x", "size": 2}}))

    assert pipeline.stage("knob").processor.settings.long_name == "x"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"size": 99}, "knob.size: Input should be less than or equal to 9, got 99 (from the agent)"),
        ({"size": "many"}, "knob.size: Input should be a valid integer"),
        ({"sise": 2}, "knob has no setting 'sise'; did you mean 'size'? (from the agent); it is ignored"),
    ],
)
def test_a_wrong_stored_value_is_a_note_and_the_default(settings: dict[str, Any], told: str) -> None:
    pipeline = settled(agent=stored(Agent, entry(**settings)))

    assert knob(pipeline) == (1, "default")
    assert told in pipeline.notes[0].text
    run = pipeline.run(Context(BuildInput(Session(id="s"), agent=stored(Agent, entry(**settings)))), words())
    assert told in run.result.notes[0].text


def test_the_default_is_that_of_the_step_at_hand() -> None:
    pipeline = settled(Pipeline.of([Knob(Knob.Settings(size=7))]), agent=stored(Agent, entry(size=99)))

    assert knob(pipeline) == (7, "default")


def words() -> Services:
    return Services(tokenizer=WordTokenizer())


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"knob.size": 99}, WrongSetting, "knob.size: Input should be less than"),
        ({"knob.sise": 2}, WrongSetting, "knob has no setting 'sise'; did you mean 'size'"),
        ({"knob.enabled": "yes"}, WrongSetting, "knob.enabled: expected true or false, got 'yes'"),
        ({"knob.priority": True}, WrongSetting, "knob.priority: expected a whole number, got True"),
        ({"size": 2}, WrongSetting, "'size' names no step"),
        ({"knop.size": 2}, UnknownProcessor, "no step 'knop'; did you mean 'knob'"),
    ],
)
def test_a_wrong_value_in_a_call_is_an_error(settings: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error) as caught:
        Pipeline.of([Knob]).with_settings(settings)

    assert told in str(caught.value)


def test_a_call_keeps_what_earlier_calls_said() -> None:
    pipeline = Pipeline.of([Knob]).with_setting("knob.size", 5).with_setting("knob.long_name", "x")

    assert knob(pipeline) == (5, "call")


def test_entries_of_steps_that_are_not_here_earn_a_note() -> None:
    notes = settled(agent=stored(Agent, {"id": "web-search"}), model=stored(ModelProfile, {"id": "other"})).notes

    assert [note.text for note in notes] == [
        "the model names a step that is not here, 'other'; it is ignored",
        "the agent names a step that is not here, 'web-search'; it is ignored",
    ]


def test_a_call_may_put_a_wrong_stored_value_right() -> None:
    agent = stored(Agent, entry(size=99))

    pipeline = settled(Pipeline.of([Knob]).with_setting("knob.size", 2), agent=agent)

    assert knob(pipeline) == (2, "call")
    assert pipeline.notes == ()


# --- layouts


def test_a_layout_comes_back_as_it_was() -> None:
    pipeline = default_pipeline().with_settings(
        {
            "token-limiter.budget_tokens": 900,
            "merge-system.enabled": False,
            "merge-consecutive.priority": 350,
            "ensure-alternating.enabled": True,
        }
    )

    again = default_pipeline().with_layout(pipeline.layout())

    assert again.layout() == pipeline.layout()
    assert again.ids == pipeline.ids
    assert again.notes == ()


def test_a_layout_that_names_a_default_keeps_it_over_the_agents_wish() -> None:
    agent = stored(Agent, entry(size=3))
    pipeline = Pipeline.of([Knob]).with_setting("knob.size", 1)

    again = Pipeline.of([Knob]).with_layout(pipeline.layout())

    assert knob(settled(again, agent=agent)) == (1, "layout")


def test_steps_that_a_layout_does_not_name_stay_as_they_are() -> None:
    usual = {row["id"]: row["enabled"] for row in default_pipeline().layout()}

    pipeline = default_pipeline().with_layout([{"id": "merge-system", "enabled": False}])

    assert {row["id"]: row["enabled"] for row in pipeline.layout()} == {**usual, "merge-system": False}


@pytest.mark.parametrize(
    ("layout", "told"),
    [
        ([{"id": "gone"}], "the layout names a step that is not here, 'gone'"),
        ([{"id": "knob", "enabled": 1}], "layout of 'knob': enabled is 1, not true or false"),
        ([{"id": "knob", "priority": "high"}], "layout of 'knob': priority is 'high', not a whole number"),
        ([{"id": "knob", "settings": [1]}], "layout of 'knob': settings are not an object"),
        ([{"id": "knob", "settings": {"size": 0}}], "(from the layout); the default is used"),
        ("knob", "the layout is str, not a list of steps; it is ignored"),
    ],
)
def test_what_is_wrong_in_a_layout_is_noted(layout: Any, told: str) -> None:
    pipeline = Pipeline.of([Knob]).with_layout(layout)

    assert knob(pipeline) == (1, "default")
    assert told in pipeline.notes[0].text


def test_the_references_file_says_which_steps_are_on_and_not_their_order() -> None:
    stored = {
        "enabledProcessorIds": ["primary:session-loader", "primary:injection-assembler", "message-formatter"],
        "orderedProcessorIds": [
            "primary:session-loader",
            "primary:regex-processor",
            "primary:worldbook-processor",
            "primary:variable-processor",
            "primary:injection-assembler",
            "primary:token-limiter",
            "async-task-processor",
            "transcription-processor",
            "asset-resolver",
            "primary:mood-processor",
            "message-formatter",
        ],
    }

    pipeline = default_pipeline().with_layout(stored)

    assert pipeline.ids == default_pipeline().ids
    on = [stage.id for stage in pipeline.running()]
    named = ["session-loader", "injection-assembler", "merge-system", "merge-consecutive"]
    assert [id for id in on if id in named] == named
    assert not {"regex-processor", "token-limiter", "async-task-processor"} & set(on)
    assert any("'primary:mood-processor'" in note.text for note in pipeline.notes)


def test_the_references_file_can_switch_all_formatters_off() -> None:
    pipeline = default_pipeline().with_layout({"enabledProcessorIds": [], "orderedProcessorIds": ["message-formatter"]})

    on = {stage.id for stage in pipeline.running()}
    assert {stage.id for stage in default_pipeline().running()} - on == {"merge-system", "merge-consecutive"}
    assert "token-limiter" in on


@pytest.mark.parametrize("broken", [None, "all", 5, {"a": 1}])
def test_a_broken_file_of_the_reference_changes_nothing(broken: Any) -> None:
    pipeline = default_pipeline().with_layout({"enabledProcessorIds": broken, "orderedProcessorIds": broken})

    assert pipeline.layout() == default_pipeline().layout()


# --- names that stored files use


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("primary:session-loader", "session-loader"),
        ("session-loader", "session-loader"),
        ("primary:injection-assembler", "injection-assembler"),
        ("primary:token-limiter", "token-limiter"),
        ("post:merge-system-to-head", "merge-system"),
        ("post:merge-consecutive-roles", "merge-consecutive"),
        ("post:convert-system-to-user", "convert-system"),
        ("post:ensure-alternating-roles", "ensure-alternating"),
        ("message-formatter", "merge-system"),
        ("message-formatters", "merge-system"),
    ],
)
def test_steps_answer_to_the_names_of_stored_files(name: str, id: str) -> None:
    assert default_pipeline().stage(name).id == id


def test_a_group_that_is_on_leaves_each_of_its_steps_as_it_is() -> None:
    agent = stored(Agent, {"id": "message-formatter", "enabled": True, "settings": {"separator": " | "}})

    pipeline = settled(default_pipeline(), agent=agent)

    assert [stage.enabled for stage in pipeline.stages[FORMATTERS]] == [True, True, False, False]
    assert pipeline.stage("merge-consecutive").processor.settings.separator == " | "
    assert pipeline.notes == ()


def test_a_group_that_is_off_is_off_as_a_whole() -> None:
    pipeline = default_pipeline().with_setting("ensure-alternating.enabled", True)

    off = pipeline.with_setting("message-formatter.enabled", False)

    assert [stage.enabled for stage in off.stages[FORMATTERS]] == [False] * 4


def test_the_steps_run_in_the_order_they_are_listed() -> None:
    assert default_pipeline().ids[: len(STEPS)] == tuple(step.id for step in STEPS)
    assert [step.priority for step in STEPS] == sorted(step.priority for step in STEPS)


def test_every_setting_of_every_step_can_be_drawn_as_a_form() -> None:
    for step in STEPS:
        for name, info in step.Settings.model_fields.items():
            assert info.title, f"{step.id}.{name}"
            assert info.description, f"{step.id}.{name}"


# --- what the seeds say in older places


@pytest.mark.parametrize(
    ("management", "budget", "retained"),
    [
        ({"enabled": True, "maxContextTokens": 5000, "retainedCharacters": 20}, 5000, 20),
        ({"enabled": False, "maxContextTokens": 5000}, None, 0),
        ({"enabled": True, "maxContextTokens": 0}, None, 0),
        ({"enabled": True, "maxContextTokens": 10, "retainedCharacters": -5}, 10, 0),
        ({"enabled": True, "maxContextTokens": "broken"}, None, 0),
        ("broken", None, 0),
        ({}, None, 0),
    ],
)
def test_the_limit_is_read_from_the_agents_context_management(management: Any, budget: Any, retained: int) -> None:
    agent = stored(Agent, parameters={"contextManagement": management})

    limiter = settled(default_pipeline(), agent=agent).stage("token-limiter").processor.settings

    assert (limiter.budget_tokens, limiter.retained_characters) == (budget, retained)


def test_an_entry_beats_what_older_places_say() -> None:
    agent = stored(
        Agent,
        {"id": "token-limiter", "settings": {"retained_characters": 7}},
        parameters={"contextManagement": {"enabled": True, "maxContextTokens": 5000}},
    )

    limiter = settled(default_pipeline(), agent=agent).stage("token-limiter").processor.settings

    assert (limiter.budget_tokens, limiter.retained_characters) == (None, 7)


def rules(*entries: Any) -> Agent:
    return stored(Agent, parameters={"contextPostProcessing": {"rules": list(entries)}})


def test_formatters_are_read_from_the_older_list_of_rules() -> None:
    agent = rules(
        {"type": "post:merge-system-to-head", "enabled": False},
        {"type": "post:merge-consecutive-roles", "enabled": True, "separator": " / "},
        {"type": "post:convert-system-to-user", "enabled": 1},
        {
            "type": "post:ensure-alternating-roles",
            "enabled": True,
            "userPlaceholder": "",
            "assistantPlaceholder": "Hm.",
        },
        {"type": "post:unknown", "enabled": True},
        "broken",
    )

    pipeline = settled(default_pipeline(), agent=agent)

    assert [stage.enabled for stage in pipeline.stages[FORMATTERS]] == [False, True, False, True]
    assert pipeline.stage("merge-consecutive").processor.settings.separator == " / "
    alternating = pipeline.stage("ensure-alternating").processor.settings
    assert (alternating.user_placeholder, alternating.assistant_placeholder) == ("Go on.", "Hm.")
    assert pipeline.notes == ()


def test_the_models_rules_hold_unless_the_agent_lists_the_same_rule() -> None:
    model = stored(
        ModelProfile,
        defaultPostProcessingRules=[
            "post:convert-system-to-user",
            {"type": "post:merge-consecutive-roles", "enabled": True, "separator": "~"},
        ],
    )
    agent = rules({"type": "post:merge-consecutive-roles", "enabled": True})

    pipeline = settled(default_pipeline(), model=model, agent=agent)

    assert pipeline.stage("convert-system").enabled
    assert pipeline.stage("merge-consecutive").processor.settings.separator == "\n\n---\n\n"
    assert settled(default_pipeline(), model=model).stage("merge-consecutive").processor.settings.separator == "~"


def test_of_a_rule_that_is_listed_twice_the_last_entry_counts() -> None:
    twice = rules(
        {"type": "post:merge-system-to-head", "enabled": True, "separator": "a"},
        {"type": "post:merge-system-to-head", "enabled": True, "separator": "b"},
    )

    assert settled(default_pipeline(), agent=twice).stage("merge-system").processor.settings.separator == "b"


@pytest.mark.parametrize(
    ("config", "role"),
    [
        ({"convertToolRoleToUser": True}, "user"),
        ({"convertToolRoleToUser": False}, "tool"),
        ({"convertToolRoleToUser": None}, "tool"),
        ({}, "tool"),
        (None, "tool"),
    ],
)
def test_the_tool_role_is_the_users_only_if_the_file_says_so(config: Any, role: str) -> None:
    agent = stored(Agent, toolCallConfig=config)

    assert settled(default_pipeline(), agent=agent).stage("session-loader").processor.settings.tool_role == role
