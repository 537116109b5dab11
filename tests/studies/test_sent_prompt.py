"""The facts beside what is sent, in words: names, how a message came, what rules did, why another went."""

from __future__ import annotations

import ctxlab
from ctxlab import Agent, Session, Trace
from ctxlab.studies import SentPrompt, sent_prompt
from tests.gallery.samples import harbour

PRESETS = [
    {"id": "p0", "role": "system", "name": "Frame", "content": "Be brief."},
    {"id": "h", "type": "chat_history"},
    {"id": "far", "role": "user", "name": "Far", "content": "Far away.", "injectionStrategy": {"depth": 40}},
    {
        "id": "bell",
        "role": "user",
        "name": "Bell",
        "content": "A bell.",
        "injectionStrategy": {"type": "advanced_depth", "depthConfig": "2~3"},
    },
]


def run(words: int = 5, **options: object) -> Trace:
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": f"words {i}"} for i in range(words)]
    session: Session = ctxlab.read_data(said).pick()
    agent = Agent.model_validate({"name": "A", "presetMessages": PRESETS})
    return ctxlab.build(session, agent, **options)  # pyright: ignore[reportArgumentType]


def how(prompt: SentPrompt, name: str) -> str:
    return next(prompt.hows[key] for key, each in prompt.names.items() if each == name)


def test_presets_and_entries_have_their_titles_and_messages_the_ids_that_a_person_can_say() -> None:
    names = sent_prompt(harbour()).names.values()

    assert {"Frame", "Harbour bell", "雾港 · Mistwick", "s1", "u13"} <= set(names)


def test_each_part_says_how_it_came() -> None:
    prompt = sent_prompt(harbour())

    assert how(prompt, "雾港 · Mistwick") == "before char; constant"
    assert how(prompt, "天气：雾 · Fog") == "depth 3, as asked; key “雾” in the entry 雾港 · Mistwick"
    assert how(prompt, "怀表 · The watch") == "depth 1, as asked; key “怀表” in a12"
    assert how(prompt, "Mood") == "depth 2, order 100"
    assert how(prompt, "Harbour bell") == "every 4th message, depth 16"
    assert how(prompt, "u13") == "the newest"
    assert how(prompt, "a9b") == "1 change by rule 旧的舞台说明缩短 · Shorten old stage directions"


def test_a_cut_message_costs_here_what_it_costs_in_the_cuts_of_its_run() -> None:
    trace = harbour()
    cuts = trace.cuts().set_index("key")["tokens"]

    shown = {each.key: each.tokens for each in sent_prompt(trace).cut}

    assert shown
    assert shown == {key: cuts[key] for key in shown}


def test_a_summary_says_what_it_stands_for_with_the_tokens_of_that() -> None:
    trace = harbour()
    prompt = sent_prompt(trace)
    hidden = [each for each in prompt.cut if each.rule == "summarised"]

    assert len(hidden) == 8
    assert how(prompt, "s1") == f"stands for 8 messages, {sum(each.tokens for each in hidden)} tokens"


def test_what_landed_elsewhere_says_so() -> None:
    prompt = sent_prompt(run())

    assert how(prompt, "Far") == "asked depth 40, landed at 5: the history has 5 messages"
    assert how(prompt, "Bell") == "every 3rd message from depth 2 on, depth 5"


def test_what_was_never_placed_comes_last_and_what_a_summary_hides_stands_before_it() -> None:
    prompt = sent_prompt(harbour())
    summary = next(n for n, part in enumerate(prompt.messages[0].joined) if prompt.names[part.key] == "s1")

    places = {each.name: each.place for each in prompt.cut}

    assert places["u1"] == places["a4"] == (0, summary)
    assert places["Hurry (off)"] == (len(prompt.messages), 0)
    assert places["a8b"] > places["u7"] > places["u5"]


def test_the_border_of_a_cut_is_told_from_what_went_with_it() -> None:
    cut = sent_prompt(harbour()).cut

    assert [each.name for each in cut if each.is_border] == ["a8b"]
    assert sum(each.fits_not for each in cut) == 9


def test_the_frame_has_a_row_for_each_part_and_for_each_message_that_went() -> None:
    prompt = sent_prompt(harbour())

    frame = prompt.frame()

    assert len(frame) == sum(len(message.joined) for message in prompt.messages) + len(prompt.cut)
    assert frame[frame.state == "sent"].tokens.sum() == sum(
        part.tokens for message in prompt.messages for part in message.joined
    )
    assert list(frame[frame.state == "cut"].number.dropna()) == []


def test_as_data_has_the_price_of_each() -> None:
    data = sent_prompt(harbour()).as_data()

    (border,) = [each for each in data["cut"] if each["is_border"]]

    assert border["remedy"]["label"] == "Keep it"
    assert data["tokens"] == sum(each["tokens"] for each in data["messages"]) + data["request_tokens"]
