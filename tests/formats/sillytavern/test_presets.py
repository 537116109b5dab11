"""Prompt presets, text completion presets, and cards joined to them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Session, UserProfile
from ctxlab.engines.truncation import BudgetReport
from ctxlab.formats import card_data, convert, joined, preset_data, read, read_data
from ctxlab.formats.sillytavern import card_from, preset_from, text_preset_from, with_chat_texts

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[4] / "shared"))
REAL = SHARED / "data" / "sillytavern"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason=f"SillyTavern's files are not at hand: no folder {REAL}")

NAMES = ["main", "worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario"]
AFTER = ["dialogueExamples", "chatHistory", "jailbreak"]


def prompt(identifier: str, content: str = "", **fields: Any) -> dict[str, Any]:
    return {"identifier": identifier, "name": identifier.title(), "content": content, **fields}


def preset(*prompts: dict[str, Any], order: list[str] | None = None, **fields: Any) -> dict[str, Any]:
    listed = [one["identifier"] for one in prompts] if order is None else order
    entries = [{"identifier": name.removeprefix("-"), "enabled": not name.startswith("-")} for name in listed]
    return {"prompts": list(prompts), "prompt_order": [{"character_id": 100001, "order": entries}], **fields}


def agent_of(raw: dict[str, Any], **options: Any) -> Agent:
    return preset_from(raw, name="P", **options)[0]


def losses_of(raw: dict[str, Any]) -> list[str]:
    return [str(loss) for loss in preset_from(raw, name="P")[1]]


def ids(agent: Agent) -> list[str]:
    return [str(node.id) for node in agent.preset_messages]


def node(agent: Agent, id: str) -> Any:
    return next(one for one in agent.preset_messages if one.id == id)


# --- places


def test_relative_prompts_stay_where_they_are_whatever_their_depth() -> None:
    raw = preset(prompt("a", "A", injection_position=0, injection_depth=2), prompt("chatHistory"), prompt("b", "B"))

    agent = agent_of(raw)

    assert ids(agent) == ["a", "chatHistory", "b"]
    assert [one.injection_strategy for one in agent.preset_messages] == [None, None, None]
    assert [one.type for one in agent.preset_messages] == ["message", "chat_history", "message"]


@pytest.mark.parametrize(
    ("said", "depth", "order"),
    [
        ({}, 4, 100),
        ({"injection_depth": 0}, 0, 100),
        ({"injection_depth": 3, "injection_order": 7}, 3, 7),
        ({"injection_depth": "x"}, 4, 100),
    ],
)
def test_absolute_prompts_go_to_their_depth_wherever_they_stand(said: Any, depth: int, order: int) -> None:
    agent = agent_of(preset(prompt("a", "A", injection_position=1, **said), prompt("chatHistory")))

    strategy = node(agent, "a").injection_strategy
    assert (strategy.depth, strategy.order) == (depth, order)


def test_at_one_depth_the_system_speaks_last_and_the_assistant_first() -> None:
    roles = ["system", "user", "assistant"]
    prompts = [prompt(role, role, role=role, injection_position=1, injection_depth=1) for role in roles]
    session = Session(id="s").append("", role="system").append("old").append("new")

    trace = ctxlab.build(session, agent_of(preset(*prompts, prompt("chatHistory"))))

    assert [message["content"] for message in trace.messages] == ["old", "assistant", "user", "system", "new"]


def test_markers_are_placeholders_and_only_the_persona_has_words() -> None:
    agent = agent_of(preset(*(prompt(name, marker=True) for name in [*NAMES[1:], *AFTER[:2]])))

    assert [one.type for one in agent.preset_messages] == [*NAMES[1:], "dialogueExamples", "chat_history"]
    assert [one.content for one in agent.preset_messages if one.content] == ["{{persona}}"]


def test_what_is_switched_off_or_not_in_the_order_is_kept_and_off_and_what_is_empty_stays_as_it_is() -> None:
    raw = preset(prompt("a", "A"), prompt("blank", " "), prompt("z", "Z"), order=["-a", "blank", "chatHistory"])

    agent = agent_of(raw)

    assert [(one.id, one.enabled) for one in agent.preset_messages] == [
        ("a", False),
        ("blank", True),
        ("chatHistory", True),
        ("z", False),
    ]


def test_the_order_for_everyone_counts_wherever_it_stands() -> None:
    orders = [
        {"character_id": n, "order": [{"identifier": name, "enabled": True}]} for n, name in ((100001, "a"), (2, "b"))
    ]
    raw = {"prompts": [prompt("a", "A"), prompt("b", "B")], "prompt_order": orders}

    assert [one.id for one in agent_of(raw).preset_messages if one.enabled] == ["a"]


def test_settings_of_a_preset_are_settings_of_steps() -> None:
    raw = preset(
        order=["chatHistory"],
        names_behavior=2,
        wi_format="[{0}]",
        wrap_in_quotes=True,  # which does nothing in chat completion
        send_if_empty="Go on",
        function_calling=False,
        squash_system_messages=False,
        custom_prompt_post_processing="semi_tools",
    )

    steps = {entry.id: entry for entry in agent_of(raw).processors}

    assert steps["injection-assembler"].settings == {
        "lore_format": "[{0}]",
        "after_reply": "Go on",
        "names": "text",
    }
    assert steps["session-loader"].settings == {"stored_calls": False}
    assert steps["merge-consecutive"].settings == {"separator": "\n\n", "roles": "semi", "tools": True}


def test_the_last_order_counts_unless_one_is_asked_for() -> None:
    orders = [{"character_id": n, "order": [{"identifier": name, "enabled": True}]} for n, name in ((1, "a"), (2, "b"))]
    raw = {"prompts": [prompt("a", "A"), prompt("b", "B")], "prompt_order": orders}

    def sent(agent: Agent) -> list[str]:
        return [str(one.id) for one in agent.preset_messages if one.enabled]

    assert sent(agent_of(raw)) == ["b"]
    assert sent(agent_of(raw, character_id=1)) == sent(agent_of(raw, character_id="1")) == ["a"]
    assert sent(agent_of(raw, character_id=9)) == ["b"]


def test_the_words_before_the_history_are_a_preset() -> None:
    raw = preset(prompt("a", "A"), prompt("chatHistory"), new_chat_prompt="[Go]")

    agent = agent_of(raw)

    assert [(one.id, one.content) for one in agent.preset_messages] == [
        ("a", "A"),
        ("newMainChat", "[Go]"),
        ("chatHistory", ""),
    ]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (preset(order=["ghost", "chatHistory"]), ["prompt_order: it names the prompt 'ghost', which isn't there"]),
        (preset(order=[]), ["prompt_order: the history is not in it; SillyTavern sends none then"]),
        (
            preset({"name": "x"} | prompt(""), order=["chatHistory", "chatHistory"]),
            [
                "prompt_order, entry 1: names 'chatHistory' a second time; left out",
                "prompt 0: it has no identifier; left out",
            ],
        ),
        (
            preset(prompt("a", "A", role="narrator"), order=["a", "chatHistory"]),
            ["a: its role 'narrator' is none that is sent; system is used"],
        ),
        (
            preset(order=["chatHistory"], assistant_prefill="Sure", names_behavior=0, wi_format="[{0}]"),
            ["assistant_prefill: 'Sure' is kept, but replies aren't begun with it"],
        ),
    ],
)
def test_what_cannot_be_done_is_a_loss(raw: dict[str, Any], said: list[str]) -> None:
    assert losses_of(raw) == said


# --- settings


def test_parameters_have_the_names_of_ours() -> None:
    raw = preset(
        temperature=0.7, top_p=0.9, top_k=0, seed=-1, n=1, openai_max_tokens=300, openai_max_context=4096, top_a=0.2
    )

    agent = agent_of(raw)

    assert agent.parameters == {
        "temperature": 0.7,
        "topP": 0.9,
        "maxTokens": 300,
        "contextManagement": {"enabled": True, "maxContextTokens": 4096},
    }


def test_the_reply_fits_into_the_window_beside_the_prompt() -> None:
    agent = agent_of(preset(order=["chatHistory"], openai_max_tokens=300, openai_max_context=4096))

    trace = ctxlab.build(Session(id="s").append("", role="system").append("Hi"), agent)

    assert trace.result.report(BudgetReport).budget_tokens == 3796


@pytest.mark.parametrize(("squash", "count"), [(True, 2), (False, 3)])
def test_system_messages_are_joined_as_the_preset_says(squash: bool, count: int) -> None:
    raw = preset(prompt("a", "A"), prompt("b", "B"), prompt("chatHistory"), squash_system_messages=squash)

    trace = ctxlab.build(Session(id="s").append("", role="system").append("Hi"), agent_of(raw))

    assert len(trace.messages) == count


# --- out again


def test_a_preset_that_was_only_read_is_written_as_it_was() -> None:
    raw = preset(prompt("a", "<char>"), prompt("blank"), order=["ghost", "a", "blank", "chatHistory"], own={"x": 1})

    export = preset_data(agent_of(raw))

    assert (export.data, export.losses) == (raw, ())


def test_changes_are_written_where_they_belong() -> None:
    raw = preset(prompt("a", "A", own=1), prompt("b", "B"), prompt("chatHistory"), temperature=1, top_a=0.1)
    agent = agent_of(raw)
    a, b, history = agent.preset_messages
    deep = {"id": "c", "role": "user", "content": "C", "injection_strategy": {"depth": 2}}

    written = preset_data(
        agent.with_(
            preset_messages=(b.with_(is_enabled=False), a.with_(content="AA"), history, deep),
            parameters={"temperature": 0.5},
        )
    ).data

    assert (written["temperature"], written["top_a"]) == (0.5, 0.1)
    assert [(one["identifier"], one["content"]) for one in written["prompts"]] == [
        ("a", "AA"),
        ("b", "B"),
        ("chatHistory", ""),
        ("c", "C"),
    ]
    assert written["prompts"][0]["own"] == 1
    assert (written["prompts"][3]["injection_position"], written["prompts"][3]["injection_depth"]) == (1, 2)
    assert written["prompt_order"][0]["order"] == [
        {"identifier": "b", "enabled": False},
        {"identifier": "a", "enabled": True},
        {"identifier": "chatHistory", "enabled": True},
        {"identifier": "c", "enabled": True},
    ]


def test_any_agent_can_be_written_as_a_preset() -> None:
    raw = preset(prompt("a", "A", injection_position=1, injection_depth=2), prompt("chatHistory"), temperature=0.3)
    fresh = agent_of(raw).without("carried")

    again = agent_of(preset_data(fresh).data)

    assert (again.preset_messages, again.parameters) == (fresh.preset_messages, fresh.parameters)


@needs_real
def test_the_real_preset_goes_through_files_unchanged(tmp_path: Path) -> None:
    source = REAL / "openai" / "Default.json"

    losses = convert(source, tmp_path / "out.preset.json").losses

    assert losses == ()
    assert json.loads((tmp_path / "out.preset.json").read_bytes()) == json.loads(source.read_bytes())


def test_exported_prompts_in_an_envelope_are_read() -> None:
    inner = {"prompts": [prompt("a", "A")], "prompt_order": [{"identifier": "a", "enabled": True}]}
    raw = {"version": 1, "type": "full", "data": inner}

    found = read_data(raw)

    assert ids(found.agents[0]) == ["a"]
    assert preset_data(found.agents[0]).data == raw


# --- text completion


def test_a_context_template_gives_the_order_of_the_texts() -> None:
    story = (
        "{{#if system}}{{system}}\n{{/if}}{{#if wiBefore}}{{wiBefore}}\n{{/if}}About:\n"
        "{{#if description}}{{description}}\n{{/if}}{{#if personality}}{{char}} is {{personality}}\n{{/if}}"
        "{{#if persona}}{{persona}}\n{{/if}}{{#if mood}}x{{/if}}{{trim}}"
    )
    raw = {
        "context": {"name": "C", "story_string": story, "chat_start": "***"},
        "sysprompt": {"name": "S", "content": "Be {{char}}.", "post_history": "Now."},
    }

    agent, losses = text_preset_from(raw, name="C")

    assert ids(agent) == [
        *("main", "worldInfoBefore", "story-2", "charDescription", "charPersonality", "personaDescription"),
        *("dialogueExamples", "chatHistory", "jailbreak"),
    ]
    assert node(agent, "main").content == "Be {{char}}."
    assert [str(loss) for loss in losses] == [
        "story_string: the text for 'mood' has no place of its own; left out",
        "chat_start: '***' is kept, but not sent",
    ]


@pytest.mark.parametrize(
    ("raw", "presets", "losses"),
    [
        ({"name": "S", "content": "Be kind."}, ["main"], 0),
        ({"name": "I", "input_sequence": "<u>", "output_sequence": "<a>", "system_prompt": "Hi"}, ["main"], 1),
        ({"story_string": "{{description}}"}, ["charDescription", "dialogueExamples", "chatHistory"], 0),
    ],
)
def test_presets_for_text_completion_are_told_by_content(raw: Any, presets: list[str], losses: int) -> None:
    found = read_data(raw)

    assert (ids(found.agents[0]), len(found.losses)) == (presets, losses)


# --- a card and a preset as one


PROMPTS = preset(
    prompt("main", "Write {{char}}."),
    *(prompt(name, marker=True) for name in NAMES[1:]),
    prompt("dialogueExamples", marker=True),
    prompt("chatHistory", marker=True),
    prompt("jailbreak"),
    scenario_format="[Now: {{scenario}}]",
    personality_format="[{{char}} is {{personality}}]",
    new_example_chat_prompt="[Example]",
    temperature=0.4,
    squash_system_messages=False,
)
CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "data": {
        "name": "Mira",
        "description": "{{char}} keeps a $1 lamp.",
        "scenario": "A storm.",
        "first_mes": "Come in.",
        "mes_example": "<START>\n{{char}}: Hm.",
        "system_prompt": "{{original}} Be calm.{{Original}}",
        "post_history_instructions": "Short!",
        "extensions": {"depth_prompt": {"prompt": "waves", "depth": 1}},
    },
}


def together() -> Agent:
    return joined(agent_of(PROMPTS), card_from(CARD).agent)


def test_a_card_and_a_preset_are_sent_as_sillytavern_sends_them() -> None:
    session = Session(id="s").append("", role="system").append("Come in.", role="assistant").append("Hi")
    user = UserProfile(id="u", name="Ann", content="Ann is wet.")

    trace = ctxlab.build(session, together(), user=user)

    assert [(message["role"], message["content"]) for message in trace.messages] == [
        ("system", "Write Mira. Be calm."),
        ("system", "Ann is wet."),
        ("system", "Mira keeps a $1 lamp."),
        ("system", "[Now: A storm.]"),
        ("system", "[Example]"),
        ("system", "Hm."),
        ("assistant", "Come in."),
        ("system", "waves"),
        ("user", "Hi"),
        ("system", "Short!"),
    ]


def test_what_else_card_and_preset_bring_comes_along() -> None:
    agent = together()

    assert (agent.id, agent.name, agent.greetings[0].content) == ("card-Mira", "Mira", "Come in.")
    assert (agent.parameters, agent.scenario, agent.macro_dialect) == ({"temperature": 0.4}, "A storm.", "sillytavern")


def test_a_preset_can_keep_its_own_words() -> None:
    raw = preset(prompt("main", "Mine.", forbid_overrides=True), prompt("chatHistory"))

    agent = joined(agent_of(raw), card_from(CARD).agent)

    assert node(agent, "main").content == "Mine."


def test_markers_that_the_order_does_not_name_stand_at_the_end_and_texts_without_any_are_off() -> None:
    agent = joined(agent_of(preset(prompt("main", "M"), prompt("chatHistory"))), card_from(CARD).agent)

    assert [(one.id, one.enabled) for one in agent.preset_messages] == [
        ("main", True),
        ("chatHistory", True),
        ("worldInfoBefore", True),
        ("worldInfoAfter", True),
        ("charDescription", True),
        ("charPersonality", True),
        ("scenario", True),
        ("personaDescription", True),
        ("depthPrompt", True),
        ("dialogueExamples", False),
        ("jailbreak", False),
    ]
    assert node(agent, "charDescription").content == "{{char}} keeps a $1 lamp."


def test_a_marker_that_is_switched_off_is_not_sent_at_the_end() -> None:
    raw = preset(prompt("main", "M"), prompt("scenario", marker=True), order=["main", "-scenario", "chatHistory"])

    agent = joined(agent_of(raw), card_from(CARD).agent)

    assert [one.enabled for one in agent.preset_messages if one.id == "scenario"] == [False]


def test_a_cards_texts_lose_the_blanks_around_them_and_an_empty_form_is_none() -> None:
    raw = preset(prompt("main", "M"), prompt("scenario", marker=True), prompt("chatHistory"), scenario_format="")
    card = {**CARD, "data": {**CARD["data"], "scenario": " A storm. \n"}}

    assert node(joined(agent_of(raw), card_from(card).agent), "scenario").content == "A storm."


def test_a_card_overrides_what_it_may() -> None:
    raw = preset(prompt("main", "Mine."), prompt("chatHistory"), prompt("jailbreak", "Now."))

    agent = joined(agent_of(raw), card_from(CARD).agent, overrides=("jailbreak",))

    assert (node(agent, "main").content, node(agent, "jailbreak").content) == ("Mine.", "Short!")


def test_a_chats_own_texts_stand_for_its_cards() -> None:
    card = with_chat_texts(card_from(CARD).agent, {"scenario": "A calm.", "mes_example": "", "system_prompt": None})

    assert (card.scenario, node(card, "scenario").content) == ("A calm.", "A calm.")
    assert node(card, "dialogueExamples").content == "<START>\n{{char}}: Hm."

    bare = with_chat_texts(card_from(CARD).agent.with_(preset_messages=()), {"system_prompt": "Be loud."})
    assert [one.content for one in bare.preset_messages] == ["Be loud."]


def test_the_card_can_be_had_back() -> None:
    export = card_data(together().with_(name="Myra"))

    assert export.data == {**CARD, "data": {**CARD["data"], "name": "Myra"}}
    assert [loss.place for loss in export.losses] == ["presets"]


@needs_real
def test_the_real_card_preset_and_lorebook_make_one_request() -> None:
    card, books = read(REAL / "default_Seraphina.png"), read(REAL / "Eldoria.json").books
    agent = joined(read(REAL / "openai" / "Default.json").agents[0], card.agents[0])
    session = Session(id="s").append("", role="system").append("Tell me of Shadowfang.")

    trace = ctxlab.build(session, agent, books=(*card.books, *books), user=UserProfile(id="u", name="Ann"))

    contents = [message["content"] for message in trace.messages]
    assert contents[0] == "Write Seraphina's next reply in a fictional chat between Seraphina and Ann."
    assert contents[-2:] == ["[Start a new Chat]", "Tell me of Shadowfang."]
    assert any(content.startswith("[Seraphina's Personality=") for content in contents)


def test_scripts_run_as_there_everyones_then_the_cards_then_the_presets() -> None:
    def scripts(*pairs: str) -> dict[str, Any]:
        each = {"placement": [1], "promptOnly": True}
        return {"regex_scripts": [{**each, "findRegex": f"/{a}/g", "replaceString": b} for a, b in pairs]}

    card = {"spec": "chara_card_v2", "data": {"name": "Nova", "extensions": scripts("bc", "cd")}}
    preset = {"prompts": [], "prompt_order": [], "extensions": scripts("de", "ef")}
    whole = joined(ctxlab.read_data(preset).agents[0], ctxlab.read_data(card).agents[0])
    everyones = ctxlab.read_data(scripts("xa", "ab")["regex_scripts"]).rules

    trace = ctxlab.build(Session(id="s").append("", role="system").append("a"), whole, rules=everyones)

    assert [message["content"] for message in trace.messages] == ["f"]


def test_a_model_that_the_preset_names_for_a_vendor_and_that_is_not_taken_is_noted() -> None:
    session = Session(id="s").append("hi")
    raw = preset(prompt("main", "Go."), claude_model="claude-3-haiku-20240307", google_model="")
    card = card_from({"data": {"name": "Ada", "description": "A poet."}}).agent

    for agent in (agent_of(raw), joined(agent_of(raw), card)):
        trace = ctxlab.build(session, agent)
        (text,) = [note.text for note in ctxlab.payload(trace, "anthropic").notes if "the preset names" in note.text]
        assert "'claude-3-haiku-20240307', which model='claude-3-haiku-20240307' asks for" in text
        for request in (
            ctxlab.payload(trace, "gemini"),
            ctxlab.payload(trace, "anthropic", model="claude-3-haiku-20240307"),
            ctxlab.payload(ctxlab.build(session, agent, model="claude-opus-4-6"), "anthropic"),
        ):
            assert not any("the preset names" in note.text for note in request.notes)


@pytest.mark.parametrize("field", ["claude_use_sysprompt", "use_sysprompt"])
def test_a_preset_that_wants_no_system_prompt_for_anthropic_says_so_in_its_request(field: str) -> None:
    session = Session(id="s").append("hi")
    raw = preset(prompt("main", "Go."), **{field: False})
    card = card_from({"data": {"name": "Ada", "description": "A poet."}}).agent

    for agent in (agent_of(raw), joined(agent_of(raw), card)):
        request = ctxlab.payload(ctxlab.build(session, agent), "anthropic")
        (loss,) = [loss for loss in request.losses if loss.what == f"{field}: false"]
        assert "system" in request.body and loss.fix is not None
        mended = request.mended(loss.fix)
        assert "system" not in mended.body and mended.body["messages"][0]["role"] == "user"
        assert not any(loss.what == f"{field}: false" for loss in mended.losses)
        assert not any("sysprompt" in str(loss) for loss in ctxlab.payload(request.trace, "openai").losses)


@pytest.mark.parametrize(("source", "lost"), [("claude", True), ("openai", False)])
def test_it_is_a_loss_of_reading_where_the_preset_is_for_that_vendor(source: str, lost: bool) -> None:
    raw = preset(prompt("main", "Go."), claude_use_sysprompt=False, chat_completion_source=source)

    losses = ctxlab.read_data(raw).losses

    assert any("claude_use_sysprompt" in str(loss) for loss in losses) == lost
    assert not any("sysprompt" in str(loss) for loss in ctxlab.read_data(raw | {"claude_use_sysprompt": True}).losses)


@pytest.mark.parametrize(
    ("settings", "counter"),
    [
        ({"openai_model": "gpt-4-turbo"}, "cl100k_base"),
        ({"openai_model": "gpt-4-turbo", "chat_completion_source": "claude"}, "o200k_base"),
        ({"claude_model": "claude-3-haiku", "chat_completion_source": "claude"}, "by-kind-safe"),
        ({"google_model": "gemini-2.5-pro", "chat_completion_source": "makersuite"}, "by-kind"),
        ({"openrouter_model": "OR_Website", "chat_completion_source": "openrouter"}, "o200k_base"),
        ({}, "o200k_base"),
    ],
)
def test_without_a_model_tokens_are_counted_as_the_presets_own_model_counts_them(
    settings: dict[str, str], counter: str
) -> None:
    raw, card = preset(prompt("main", "Go."), **settings), card_from({"data": {"name": "Ada"}}).agent

    for agent in (agent_of(raw), joined(agent_of(raw), card)):
        trace = ctxlab.build(Session(id="s").append("hi"), agent)
        assert (trace.services.tokenizer.name, trace.start.input.model) == (counter, None)
        assert ctxlab.build(Session(id="s").append("hi"), agent, model="gpt-4o").services.tokenizer.name == "o200k_base"
        assert ctxlab.rebuild(trace, model="gpt-4").services.tokenizer.name == "cl100k_base"


def test_a_request_for_a_model_that_counts_otherwise_than_its_run_says_so() -> None:
    raw = preset(prompt("main", "Go."), openai_model="gpt-4-turbo", openai_max_context=4_000)
    trace = ctxlab.build(Session(id="s").append("hi"), agent_of(raw))

    def said(request: ctxlab.Payload) -> list[str]:
        return [note.text for note in request.notes if "the budget chose" in note.text]

    (text,) = said(ctxlab.payload(trace, "anthropic"))
    assert "by counts of cl100k_base; a build for 'claude-sonnet-4-5' counts with by-kind-safe" in text
    assert any("the preset is for 'gpt-4-turbo'" in note.text for note in ctxlab.payload(trace, "anthropic").notes)
    assert not said(ctxlab.payload(trace, "openai", model="gpt-4"))
    assert not said(ctxlab.payload(ctxlab.rebuild(trace, model="claude-sonnet-4-5"), "anthropic"))
    free = ctxlab.build(Session(id="s").append("hi"), agent_of(preset(prompt("main", "Go."))))
    assert not said(ctxlab.payload(free, "anthropic"))
