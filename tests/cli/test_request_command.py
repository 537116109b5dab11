"""`ctxlab request`: the body alone as JSON, the request for people, and the exit code where problems are left."""

from __future__ import annotations

import json

import pytest

from ctxlab.providers import built_in
from ctxlab.wires import PROVIDERS
from tests.cli.conftest import DATASETS

ROLEPLAY = DATASETS / "harbour_roleplay.session.json"
CODING = DATASETS / "coding_chat.session.json"


def test_the_help_names_every_provider() -> None:
    assert tuple(built_in()) == tuple(PROVIDERS)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("file", [ROLEPLAY, CODING])
def test_json_is_the_body_alone(run, provider: str, file) -> None:
    result = run("request", file, "--provider", provider, "--format", "json")

    assert result.code == 0, result
    body = json.loads(result.out)
    assert {"messages", "input", "contents"} & set(body)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_people_see_the_vendor_the_address_and_the_first_words(run, provider: str) -> None:
    result = run("request", ROLEPLAY, "--provider", provider, "--budget", "1800")

    assert result.code == 0, result
    assert built_in()[provider].title in result.out
    assert "POST http" in result.out
    assert "no problem is left" in result.out
    assert "You are 沈砚" in result.out


def test_the_run_is_built_for_the_vendors_model(run) -> None:
    """Without a model of its own the vendor's usual one decides, as files and budgets depend on it."""
    result = run("request", ROLEPLAY, "--provider", "anthropic", "--format", "json")

    assert json.loads(result.out)["model"].startswith("claude")
