"""Laws of the ids and names of calls: each its own, those that can go as they are do, and each other one is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.context import Draft, Origin
from ctxlab.documents import ToolCall
from ctxlab.providers import Prompt
from ctxlab.providers.anthropic import blocks
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms, WordForm, long_ids, plain_names
from ctxlab.providers.gemini import parts

VENDORS: dict[str, tuple[WordForm, WordForm]] = {
    "chat": (long_ids(40), plain_names(64)),
    "anthropic": (blocks.CALL_IDS, blocks.TOOL_NAMES),
    "gemini": (parts.CALL_IDS, parts.TOOL_NAMES),
}
ALIKE = st.sampled_from(
    ("a b", "a_b", "a.b", "a_b_2", "", " ", "查询", "天气", "1", "_1", "x" * 600, "x" * 601, "\ud83d")
)
WORDS = st.lists(ALIKE | st.text(max_size=6), unique=True, max_size=8)


def _forms(vendor: str, words: list[str]) -> tuple[CallForms, BodyWriter]:
    out = BodyWriter()
    calls = tuple(ToolCall(word, word, "{}") for word in words)
    prompt = Prompt([Draft("node:a", "assistant", (), Origin("node", "a"), calls=calls)])
    return CallForms(prompt, out, *VENDORS[vendor]), out


@pytest.mark.parametrize("vendor", VENDORS)
@given(words=WORDS)
def test_words_that_fit_go_as_they_are_and_others_as_ones_of_their_own_with_one_loss(
    vendor: str, words: list[str]
) -> None:
    forms, out = _forms(vendor, words)
    ids, names = VENDORS[vendor]

    for form, send in ((ids, forms.id), (names, forms.name)):
        before = len(out.losses)
        sent = [send(word, "node:a") for word in (*words, *words)]

        changed = [word for word in words if not form.fits(word)]
        assert sent[: len(words)] == sent[len(words) :]
        assert len(set(sent)) == len(words)
        assert all(form.fits(each) for each in sent)
        assert [word for word, each in zip(words, sent, strict=False) if word != each] == changed
        assert len(out.losses) - before == len(changed)
        assert all(loss.reason.startswith(form.rule) for loss in out.losses[before:])


def test_an_id_that_is_changed_is_the_same_in_the_next_request() -> None:
    """Otherwise the beginning of a conversation would change and no cache would know it."""
    alone, _ = _forms("anthropic", ["a b"])
    later, _ = _forms("anthropic", ["a.b", "a b"])
    later.id("a.b", "node:a")

    assert alone.id("a b", "node:a") == later.id("a b", "node:a")
