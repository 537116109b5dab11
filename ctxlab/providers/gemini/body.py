"""The body of Gemini's requests."""

from __future__ import annotations

from typing import Any

from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.model_facts import ModelFacts
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters


def write_body(
    prompt: Prompt, parameters: RequestParameters, model: ModelFacts, provider: Provider, out: BodyWriter
) -> None:
    """Put messages, tools and parameters into the body."""
    turns: list[dict[str, Any]] = []
    out.body["contents"] = turns
    for draft in prompt.drafts:
        out.place(("contents", len(turns), "content"), draft, draft.text)
        turns.append({"role": draft.role, "content": str(draft.text)})
