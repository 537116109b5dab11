"""What a case is made of, as values of ours: session, agent, user, model, what is typed, and the counter it names."""

from __future__ import annotations

from typing import Any, TypeVar

from ctxlab.context import BuildInput, Pending
from ctxlab.documents import (
    Agent,
    ModelProfile,
    RegexConfig,
    Session,
    Stored,
    UserProfile,
    Worldbook,
    read_stored,
)
from ctxlab.engines.tokens import Tokenizer, estimate_tokens
from ctxlab.providers import media_rules_for
from tests.golden.forms import Data

MARKER = "\n...(已截断)"
PLACEHOLDERS = {"user_placeholder": "继续", "assistant_placeholder": "好的"}
AGENT: Data = {"id": "ag", "name": "Agent", "modelId": "m", "profileId": "p"}

S = TypeVar("S", bound=Stored)


def stored(kind: type[S], data: Any) -> S:
    return read_stored(kind, data or {}, place=kind.__name__)[0]


def shared_of(data: Data) -> Data:
    return data.get("shared") or {}


def agent_of(data: Data) -> Agent:
    return stored(Agent, data.get("agentConfig") or AGENT)


def model_of(data: Data) -> ModelProfile:
    agent, shared = data.get("agentConfig") or AGENT, shared_of(data)
    profile = {"id": agent.get("modelId") or "", "profileName": (shared.get("profile") or {}).get("name")}
    return stored(ModelProfile, {**profile, **(shared.get("model") or {})})


def pending_of(data: Data | None) -> Pending | None:
    return data and Pending(data.get("text") or "", tuple(data.get("attachments") or ()), data.get("originalText"))


def request_of(data: Data) -> BuildInput:
    """Everything that a case says of the request: which leaf of which tree, for whom, with what typed."""
    user, shared = data.get("userProfile"), shared_of(data)
    return BuildInput(
        stored(Session, data.get("detail")),
        leaf=shared.get("contextPreviewTargetNodeId") or None,
        pending=pending_of(shared.get("pendingInput")),
        agent=agent_of(data),
        user=stored(UserProfile, user) if user else None,
        model=model_of(data),
        books=books_of(data),
        rules=rules_of(data),
    )


def books_of(data: Data) -> tuple[Worldbook, ...]:
    return tuple(stored(Worldbook, book) for book in shared_of(data).get("loadedWorldbooks") or ())


def rules_of(data: Data) -> RegexConfig:
    """The rules that are in force everywhere."""
    return stored(RegexConfig, (data.get("settings") or {}).get("regexConfig"))


def tokenizer_of(data: Data) -> Tokenizer:
    """The counter that a case names, without any overhead, and what media cost with its model."""
    media = media_rules_for(
        stored(ModelProfile, {"capabilities": (shared_of(data).get("model") or {}).get("capabilities")})
    )
    if data.get("counter") == "estimator":
        return Tokenizer.counting("estimator", estimate_tokens, estimated=True, media=media)
    return Tokenizer.counting("chars", utf16_length, media=media)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
