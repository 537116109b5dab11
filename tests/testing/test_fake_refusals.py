"""The fake vendors take what vendors take, and refuse each thing that they refuse, at its place."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.testing import refusals_of
from ctxlab.testing.fake_server import VENDORS, Vendor, all_rules
from tests.testing.breaks import BREAKS
from tests.testing.vendor_bodies import ANTHROPIC, BODIES, DEEPSEEK, GEMINI, MODELS, RESPONSES, Break

OF_SERVER = {"key", "version", "size", "shape.json"}
"""Rules of what comes before the JSON; test_fake_server tries them."""
CAN_NOT_BE_BROKEN = {
    ("gemini", "shape.pattern"),  # names have a rule of their own
    ("openai-compatible", "shape.unknown"),  # any field passes
    ("openai-compatible", "stop-count"),  # any number passes
}


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_whole_body_is_taken(vendor: Vendor) -> None:
    assert refusals_of(BODIES[vendor], vendor, model=MODELS.get(vendor)) == ()


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: f"{one.vendor}-{one.rule}-{one.place}")
def test_a_broken_body_is_refused_at_its_place(broken: Break) -> None:
    model = broken.model or MODELS.get(broken.vendor)

    found = refusals_of(broken.body(), broken.vendor, model=model, api_version=broken.version)

    assert (broken.rule, broken.place) in {(one.rule, one.place) for one in found}
    assert all(one.message and "\n" not in one.message for one in found)


def test_every_rule_is_tried() -> None:
    tried = {(one.vendor, one.rule) for one in BREAKS} | CAN_NOT_BE_BROKEN

    assert {(row.vendor, row.rule.id) for row in all_rules() if row.rule.id not in OF_SERVER} - tried == set()


def test_every_rule_has_a_date_and_a_source() -> None:
    for vendor, rule in all_rules():
        assert len(rule.date) == 10 and rule.date.startswith("202"), (vendor, rule)
        assert rule.source.startswith(("https://", "a recorded 400")), (vendor, rule)
        assert rule.says.endswith("."), (vendor, rule)


@pytest.mark.parametrize("vendor", VENDORS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_no_value_anywhere_makes_a_check_fail(vendor: Vendor, data: st.DataObject) -> None:
    body = copy.deepcopy(BODIES[vendor])
    places = [*_places(body)]
    strange = st.sampled_from([None, True, 3, -1, 1e400, "", "x", [], {}, [None], [[]], {"type": 3}, {"role": []}])
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(places))
        holder[key] = data.draw(strange)

    found = refusals_of(body, vendor, model=MODELS.get(vendor))

    assert all(isinstance(one.place, str) for one in found)


def _places(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield value, key
        yield from _places(item)


@pytest.mark.parametrize("content", [b"", b"words", b"[]", b"3", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_one_refusal(content: bytes) -> None:
    assert [one.rule for one in refusals_of(content, "openai")] == ["shape.json"]


def test_a_request_that_is_too_large_is_refused_with_413() -> None:
    found = refusals_of(json.dumps(ANTHROPIC).encode().ljust(32 * 1024 * 1024 + 1), "anthropic")

    assert [(one.rule, one.status) for one in found] == [("size", 413)]


def test_signatures_of_others_are_refused_where_they_are_not_trusted() -> None:
    for vendor, body, model in (("anthropic", ANTHROPIC, None), ("gemini", GEMINI, "gemini-2.5-flash")):
        assert [one.rule for one in refusals_of(body, vendor, model=model, trust_signatures=False)] == ["signature"]
    assert [one.rule for one in refusals_of(RESPONSES, "openai-responses", trust_signatures=False)] == ["signature"]


def test_anthropic_combines_messages_of_one_role() -> None:
    body = copy.deepcopy(ANTHROPIC)
    results = body["messages"].pop()
    body["messages"] += [{"role": "user", "content": [block]} for block in results["content"]]

    assert refusals_of(body, "anthropic") == ()


def test_anthropic_takes_an_assistant_first_and_a_blank_text_beside_a_call() -> None:
    body = copy.deepcopy(ANTHROPIC)
    body["messages"][1]["content"][1]["text"] = " "
    body["messages"].insert(0, {"role": "assistant", "content": "Good morning."})

    assert refusals_of(body, "anthropic") == ()


def test_anthropic_takes_a_prefill_where_the_model_does() -> None:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [
        {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Well"}]}  # fmt: skip

    assert refusals_of(body, "anthropic") == ()
    assert [one.rule for one in refusals_of({**body, "model": "claude-sonnet-5-5"}, "anthropic")] == ["prefill-model"]


def test_deepseek_takes_a_prefix_at_its_beta_address_and_no_thinking_without_calls() -> None:
    body = copy.deepcopy(DEEPSEEK)
    del body["messages"][2:5]
    body["messages"].append({"role": "assistant", "content": "Well", "prefix": True})

    assert refusals_of(body, "deepseek", path="/deepseek/beta/chat/completions") == ()


def test_a_compatible_server_takes_what_many_of_them_take() -> None:
    body = copy.deepcopy(BODIES["openai-compatible"])
    body["tools"] = body["tools"] * 129
    body["response_format"] = {"type": "json_object"}

    assert refusals_of(body, "openai-compatible") == ()


@pytest.mark.parametrize("vendor", ["openai", "openai-responses"])
def test_openai_takes_two_tools_of_one_name_and_no_more_than_128(vendor: Vendor) -> None:
    body = copy.deepcopy(BODIES[vendor])
    body["tools"] = body["tools"] * 2

    assert refusals_of(body, vendor) == ()
    body["tools"] = body["tools"] * 65
    assert [(one.rule, one.place) for one in refusals_of(body, vendor)] == [("shape.length", "tools")]


def test_gemini_takes_both_spellings_and_a_documented_word_for_a_signature_that_is_lost() -> None:
    body = copy.deepcopy(GEMINI)
    del body["contents"][3:], body["generationConfig"]["thinkingConfig"]
    body["system_instruction"] = body.pop("systemInstruction")
    body["contents"][1]["parts"][1]["thoughtSignature"] = "skip_thought_signature_validator"

    assert refusals_of(body, "gemini", model="gemini-3-pro-preview") == ()


def test_a_refusal_of_a_misspelt_vendor_says_which_there_are() -> None:
    from ctxlab.errors import WrongArgument

    with pytest.raises(WrongArgument, match="anthropic"):
        refusals_of({}, "antropic")  # type: ignore[arg-type]
