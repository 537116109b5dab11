"""Laws of the prompts of a preset file: why one of them isn't sent is what the file says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab import Session
from ctxlab.formats import preset_data
from tests.formats.sillytavern.test_presets import agent_of, preset, prompt

CHAT = Session(id="s").append("one").append("two")
FILES = st.lists(
    st.tuples(st.sampled_from(["", " \n", "Be kind.", "写短一点。"]), st.sampled_from(["on", "off", "not in it"])),
    min_size=1,
    max_size=5,
)


@given(FILES, st.booleans())
def test_a_prompt_is_called_switched_off_only_where_the_file_switches_it_off(
    prompts: list[tuple[str, str]], at_a_depth: bool
) -> None:
    fields = {"injection_position": 1, "injection_depth": 1} if at_a_depth else {}
    order = [f"{'-' if state == 'off' else ''}p{n}" for n, (_, state) in enumerate(prompts) if state != "not in it"]
    raw = preset(
        *(prompt(f"p{n}", text, **fields) for n, (text, _) in enumerate(prompts)), order=[*order, "chatHistory"]
    )

    trace = ctxlab.build(CHAT, agent_of(raw))

    rules = {
        part.origin.ref: group.cause for group in trace.result.dropped for draft in group.drafts for part in draft.parts
    }
    sent = {part.origin.ref for draft in trace.result.drafts for part in draft.parts}
    for n, (text, state) in enumerate(prompts):
        name = f"p{n}"
        if text and not text.strip() and state == "on":  # blanks are sent, but for those that a place in the chat trims
            assert (name in sent) == (name not in rules)
            assert name not in rules or (at_a_depth and rules[name].reason == "no words are left of it")
            continue
        expected = {"off": "disabled", "not in it": "not-in-order", "on": "" if text else "empty"}[state]
        assert (rules[name].rule if name in rules else "") == expected
        assert (name in sent) == (expected == "")
        assert name not in rules or ("switched off" in rules[name].reason) == (state == "off")
    assert preset_data(agent_of(raw)).data == raw
