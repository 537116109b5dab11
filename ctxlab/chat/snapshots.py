"""The participants of a turn, as the metadata of its messages keep them."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import Any

from ctxlab.context import BuildInput
from ctxlab.documents.frozen_json import FrozenDict, frozen
from ctxlab.pipeline import Trace
from ctxlab.providers.payload import Payload
from ctxlab.secrets import without_secret_fields


def reply_metadata(build_input: BuildInput) -> dict[str, Any]:
    """The agent that is to write a reply; the model is known when its request goes out."""
    agent = build_input.agent
    found: dict[str, Any] = {}
    if agent is not None:
        found |= {"agentId": agent.id, "agentName": agent.name, "agentDisplayName": agent.shown_name}
        found |= {"agentIcon": agent.icon, "profileId": agent.profile_id}
    return {name: value for name, value in found.items() if value}


def question_metadata(build_input: BuildInput) -> dict[str, Any]:
    """The user profile under which a message is sent."""
    user = build_input.user
    if user is None:
        return {}
    found = {"userProfileId": user.id, "userProfileName": user.name, "userProfileDisplayName": user.display_name}
    return {name: value for name, value in found.items() if value}


def sent_parameters(request: Payload) -> FrozenDict:
    """The parameters of a request as JSON, without fields of one's own, which may hold keys."""
    given = request.parameters.given()
    plain = {name: _plain(value) for name, value in given.items() if name not in ("stream", "stream_options")}
    return FrozenDict(frozen(without_secret_fields(plain)))


def counted_tokens(trace: Trace, text: str) -> dict[str, Any]:
    """The tokens of a reply's text, as the run's tokenizer counts them."""
    tokenizer = trace.services.tokenizer
    found: dict[str, Any] = {"tokenCount": tokenizer.count(text)}
    return {**found, "tokenCountEstimated": True} if tokenizer.estimated else found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: each for name, each in asdict(value).items() if each is not None}
    return list(value) if isinstance(value, tuple) else value
