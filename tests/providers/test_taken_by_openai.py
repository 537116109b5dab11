"""Requests that OpenAI really took: our rules take them too."""

from __future__ import annotations

import pytest

from ctxlab.providers import provider_named
from ctxlab.providers.models import model_info
from tests.wire_bodies import FOLDER, bodies


@FOLDER
@pytest.mark.parametrize("vendor", ["openai", "openai-responses"])
def test_what_was_taken_has_no_problem(vendor: str) -> None:
    provider = provider_named(vendor)

    found = {
        body.name: tuple(provider.check(body.body, model_info(body.model, provider), provider))
        for body in bodies(vendor=vendor, taken=True)
    }

    assert found
    assert {name: problems for name, problems in found.items() if problems} == {}
