"""What files cost."""

from typing import Any

import pytest

from ctxlab.context import AssetRef
from ctxlab.documents import ModelProfile
from ctxlab.engines.tokens import DEFAULT_RULES, ImageCost, MediaTokens, image_cost, image_tokens, media_tokens
from ctxlab.engines.tokens.picture_formulas import METHODS
from ctxlab.providers import media_rules_for
from ctxlab.providers.tokenizers import media_table


def file(kind: str, **metadata: Any) -> AssetRef:
    return AssetRef("a1", kind, metadata=metadata)


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        ("gpt-4o", 1024, 1024, 765),  # the guide's examples
        ("gpt-4o", 2048, 4096, 1105),
        ("gpt-4.1", 100, 60, 255),
        ("gpt-4o-mini", 100, 60, 8500),
        ("o3", 128, 64, 225),
        ("gpt-5", 1024, 1024, 630),
        ("gpt-5.2", 1024, 1024, 1229),
        ("gpt-4.1-mini", 1024, 1024, 1659),
        ("gpt-4.1-mini", 1800, 2400, 2353),
        ("o4-mini", 32, 32, 2),
        ("claude-3-5-sonnet-20241022", 200, 200, 64),
        ("claude-3-5-sonnet-20241022", 1092, 1092, 1521),
        ("claude-haiku-4-5", 4000, 3000, 1568),
        ("claude-opus-4-7", 4000, 3000, 4784),
        ("anthropic/claude-opus-4.8", 1000, 1000, 1296),
        ("gemini-2.5-flash", 300, 300, 258),
        ("gemini-2.5-flash", 1000, 700, 516),
        ("gemini-3-pro-preview", 300, 300, 1120),
        ("llama-3.2-vision", 1000, 700, 516),
    ],
)
def test_pictures_cost_what_the_vendor_says(model: str, width: int, height: int, tokens: int) -> None:
    assert image_tokens(width, height, media_rules_for(model).image) == tokens


def test_the_older_formula_of_anthropic_is_there_by_name() -> None:
    cost = ImageCost("anthropic_pixels")

    assert [image_tokens(side, side, cost) for side in (200, 1000, 8000)] == [54, 1334, 1600]


def test_a_profile_s_own_cost_beats_the_table() -> None:
    stored = {"calculationMethod": "claude_3", "parameters": {"costPerImage": 1600}}

    for profile in (
        ModelProfile(id="gpt-4o", vision_token_cost=stored),
        ModelProfile(id="gpt-4o", capabilities={"visionTokenCost": stored}),
    ):
        assert media_tokens(file("image", width=1, height=1), media_rules_for(profile)).tokens == 1600
        assert media_rules_for(profile).audio_tokens_per_second == 10


@pytest.mark.parametrize("stored", [None, "fixed", {}, {"calculationMethod": 3}])
def test_a_broken_cost_is_none(stored: object) -> None:
    assert image_cost(stored) is None


def test_parameters_that_are_no_sizes_fall_back_to_the_defaults() -> None:
    cost = image_cost(
        {"calculationMethod": "openai_tile", "parameters": {"tileSize": 0, "baseCost": "x", "tileCost": 100}}
    )

    assert cost == ImageCost("openai_tile", {"tileCost": 100})
    assert image_tokens(10, 10, ImageCost("no such method")) == 258


@pytest.mark.parametrize("side", [None, 0, -3, "100", True, float("nan"), float("inf"), 10**400])
def test_a_side_that_is_no_size_is_assumed_and_the_count_says_so(side: object) -> None:
    assert media_tokens(file("image", width=10, height=side), DEFAULT_RULES) == MediaTokens(516, estimated=True)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("size", [(1, 1), (1, 10_000_000), (10_000_000, 1), (10_000_000, 10_000_000), (0.5, 0.5)])
def test_no_size_breaks_a_formula(method: str, size: tuple[float, float]) -> None:
    assert image_tokens(*size, ImageCost(method)) >= 0


def test_sound_and_films_cost_by_the_second_begun() -> None:
    assert media_tokens(file("audio", duration=1.2), DEFAULT_RULES) == MediaTokens(64)
    assert media_tokens(file("video", duration=0.1), DEFAULT_RULES) == MediaTokens(263)
    assert media_tokens(file("video"), DEFAULT_RULES) == MediaTokens(0, estimated=True)
    assert media_tokens(file("audio", duration=3), media_rules_for("gpt-4o-audio-preview")) == MediaTokens(30)


def test_documents_cost_by_the_page_where_the_vendor_reads_them() -> None:
    assert media_tokens(file("document", pages=3), media_rules_for("gemini-2.5-pro")) == MediaTokens(
        774, estimated=True
    )
    assert media_tokens(file("document"), media_rules_for("claude-opus-4-8")) == MediaTokens(3068, estimated=True)
    assert media_tokens(file("document", pageCount=2), media_rules_for("gpt-4o")) == MediaTokens(2530, estimated=True)
    assert media_tokens(file("document", pages=3), DEFAULT_RULES) == MediaTokens(0)
    assert media_tokens(file("other"), media_rules_for("gpt-4o")) == MediaTokens(0)


def test_every_row_of_the_table_says_where_it_is_from_and_when() -> None:
    rows = [DEFAULT_RULES, *(rules for _, rules in media_table())]

    assert all(rules.source and len(rules.as_of) == 7 for rules in rows)
    assert all(rules.image.method in METHODS for rules in rows)
