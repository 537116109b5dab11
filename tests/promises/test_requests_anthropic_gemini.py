"""Laws of the bodies for Anthropic and Gemini: taken as they are, every text at its place, nothing gone in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.context import AssetRef, Draft, Origin, Text
from ctxlab.documents import Role, ToolCall
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.asset_source import InlineFile, LibraryFile, LinkedFile
from ctxlab.providers import Prompt, RequestParameters, provider_named
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.models import model_info
from ctxlab.providers.place import value_at
from ctxlab.testing.fake_server.refusals import refusals_of
from tests.providers.broken_bodies_anthropic_gemini import PNG

MODELS = (
    ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-opus-4-8"),
    ("gemini", "gemini-2.5-pro"),
    ("gemini", "gemini-3-pro-preview"),
)
WORDS = ("hi", "你好，世界", " ", "\n", "　", "trailing \n", "👩‍🚀 émigré", "{}", "<b>", "")
SIGNED = FrozenDict({"type": "thinking", "thinking": "I wonder.", "signature": "c2ln"})
UNSIGNED = FrozenDict({"type": "thinking", "thinking": "I wonder.", "signature": ""})
FILES = (
    AssetRef("a", "image", "a.png", source=InlineFile(PNG, "image/png")),
    AssetRef("b", "document", "b.pdf", source=InlineFile("JVBERi0xLjQK", "application/pdf")),
    AssetRef("c", "image", source=LinkedFile("https://example.org/c.jpg")),
    AssetRef("d", "audio", "d.mp3", source=InlineFile("SUQzBAAAAAAAAA==", "audio/mpeg")),
    AssetRef("e", "image", "e.png", source=LibraryFile("e.png")),
    AssetRef("f", "text", "f.txt", source=LinkedFile("data:text/plain;base64,5L2g5aW9")),
)
ARGUMENTS = ("", "{}", '{"城":"巴黎"}', "[1]", "not json", '{"n":12345678901234567890123}')
IDS = ("call_1", "a.b:c", "调用", "x" * 70)


@st.composite
def histories(draw: st.DrawFn) -> list[Draft]:
    """Messages as they come out of a run: results directly after their calls, ids unique, everything else at random."""
    drafts: list[Draft] = []

    def add(role: Role, words: Sequence[str], files: Sequence[AssetRef] = (), **fields: object) -> None:
        key = f"node:{len(drafts)}"
        origin = Origin("node", key)
        body = (*(Text.of(word, origin) for word in words), *files)
        drafts.append(replace(Draft(key, role, body or (Text.of("", origin),), origin), **fields))

    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2)
    files = st.lists(st.sampled_from(FILES), max_size=2)
    for i in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(("system", "user", "assistant", "calls", "thinks")))
        if kind == "calls":
            asked = draw(st.lists(st.sampled_from(ARGUMENTS), min_size=1, max_size=2))
            name = draw(st.sampled_from(("look", "看.图", "a b")))
            calls = tuple(ToolCall(f"{draw(st.sampled_from(IDS))}-{i}-{n}", name, a) for n, a in enumerate(asked))
            add("assistant", draw(words), calls=calls)
            for call in calls:
                failed = draw(st.booleans())
                meta = FrozenDict({"toolCall": FrozenDict({"status": "error"})}) if failed else FrozenDict()
                add("tool", draw(words), draw(files), result_of=call.id, meta=meta)
        elif kind == "thinks":
            item = draw(st.sampled_from((SIGNED, UNSIGNED)))
            kept = FrozenDict({"wire": "anthropic", "item": item, "before": "text"})
            add("assistant", draw(words), meta=FrozenDict({"reasoningArtifacts": [kept]}), reasoning="I wonder.")
        else:
            speaker = draw(st.sampled_from((None, "Ann", "安"))) if kind == "user" else None
            add(kind, draw(words), draw(files), speaker=speaker)
    if draw(st.booleans()):
        add("user", [draw(st.sampled_from(("Go on.", "继续")))])
        return drafts
    add("user", ["继续"])
    add("system", draw(words), draw(files))
    add("system", draw(words), draw(files))
    return drafts


def _written(drafts: Sequence[Draft], vendor: str, model: str) -> BodyWriter:
    provider = provider_named(vendor)
    out = BodyWriter()
    parameters = RequestParameters(max_output_tokens=500, seed=7)
    tool = {"type": "function", "function": {"name": "看.图", "parameters": {"type": "object", "properties": {}}}}
    provider.write(Prompt(drafts, [tool]), parameters, model_info(model, provider), provider, out)
    return out


@pytest.mark.parametrize(("vendor", "model"), MODELS)
@settings(max_examples=30, deadline=None)
@given(drafts=histories())
def test_any_history_is_taken_by_our_rules_and_by_the_strict_server(
    vendor: str, model: str, drafts: list[Draft]
) -> None:
    provider = provider_named(vendor)

    body = _written(drafts, vendor, model).body

    assert list(provider.check(body, model_info(model, provider), provider)) == []
    assert refusals_of(body, vendor, model=model, api_version="2023-06-01") == ()


@pytest.mark.parametrize(("vendor", "model"), MODELS)
@settings(max_examples=30, deadline=None)
@given(drafts=histories())
def test_texts_stand_where_their_places_say_and_what_is_gone_is_a_loss(
    vendor: str, model: str, drafts: list[Draft]
) -> None:
    out = _written(drafts, vendor, model)
    sent = "".join(str(place.text) for place in out.places if place.text is not None)

    for place in out.places:
        assert place.text is None or str(place.text) == value_at(out.body, place.path)
        value_at(out.body, place.path)
    lost = {loss.key for loss in out.losses}
    for draft in drafts:
        assert draft.key in {place.key for place in out.places} | lost
        words = [str(part) for part in draft.body if isinstance(part, Text)]
        assert draft.key in lost or all(each in sent for each in words)
    speakers = {draft.speaker for draft in drafts if draft.speaker}
    assert {loss.what for loss in out.losses if loss.kind == "name"} == speakers | {"tool '看.图'"} | (
        {"tool 'a b'"} if any(call.name == "a b" for draft in drafts for call in draft.calls) else set()
    )
    assert "seed" in {loss.what for loss in out.losses} or vendor == "gemini"


@pytest.mark.parametrize(("vendor", "model"), MODELS)
@settings(max_examples=15, deadline=None)
@given(drafts=histories())
def test_turns_alternate_and_messages_of_two_speakers_stay_apart(vendor: str, model: str, drafts: list[Draft]) -> None:
    out = _written(drafts, vendor, model)
    turns = out.body["messages" if vendor == "anthropic" else "contents"]

    assert all(one["role"] != other["role"] for one, other in pairwise(turns))
    texts = [place for place in out.places if place.text is not None]
    assert len({place.path for place in texts}) == len(texts)
