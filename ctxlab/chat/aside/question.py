"""A question to a model beside the conversation: the request that it becomes, and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxlab.chat.compression.summariser import is_cut_short
from ctxlab.chat.model import ChatModel, FunctionModel, VendorModel
from ctxlab.context import BuildInput, Context
from ctxlab.documents import Session
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.errors import CtxlabError, SendFailed
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import SessionLoader
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.deltas import ReplyInPieces

Message = Mapping[str, str]
"""A message of a question: its `role` and its `content`, which is sent as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The words of an answer and the request that it answers; `error` is a sentence where there are none or too few.

    `status` is the HTTP status of a failure, `may_pass` whether the same request may do better later.
    """

    text: str = ""
    request: Payload | None = None
    error: str | None = None
    cut_short: bool = False
    status: int | None = None
    may_pass: bool = False


def question_of(model: ChatModel, messages: Sequence[Message]) -> Payload:
    """The request that asks a model with these messages alone: no agent, no lore, no macros."""
    return model.request(trace_of_messages(messages))


def answer_of(model: ChatModel, request: Payload) -> Answer:
    """The answer to a request, waited for. What the model or the network does wrong is the answer's error."""
    refused = model.refused(request)
    if refused is not None:
        return Answer(request=request, error=refused)
    try:
        reply = opened(model, request)
        try:
            for _ in reply:
                pass
            return read_answer(model, request, reply)
        finally:
            reply.close()
    except SendFailed as failed:
        return Answer(request=request, error=str(failed), status=failed.status, may_pass=failed.may_pass)
    except CtxlabError as failed:
        return Answer(request=request, error=str(failed))


def opened(model: ChatModel, request: Payload) -> ReplyInPieces:
    """The reply to a request, which is on its way."""
    return model.open(request, lambda number: None, lambda failure, seconds: None)


def read_answer(model: ChatModel, request: Payload, reply: ReplyInPieces) -> Answer:
    """The answer that a reply is, once all its pieces have come."""
    message = model.read(reply.reply(), request)
    if message.refusal:
        return Answer(request=request, error="the model refused to answer")
    return Answer(message.content, request, cut_short=is_cut_short(message.finish_reason))


def asked_with(model: ChatModel, parameters: Mapping[str, Any]) -> ChatModel:
    """The model with these parameters under those that it was given; a function has none."""
    if not isinstance(model, VendorModel):
        return model
    return replace(model, parameters={**parameters, **model.parameters})


def name_of_model(model: ChatModel, request: Payload) -> str:
    """The name of a model as settings have it: `provider:model`, or that of a function."""
    return model.name if isinstance(model, FunctionModel) else f"{request.provider.name}:{request.model.name}"


def trace_of_messages(messages: Sequence[Mapping[str, Any]]) -> Trace:
    """Messages as a run, without agents, lore and budgets."""
    session = Session(id="aside")
    for message in messages:
        session = session.append(str(message["content"]), role=message["role"])
    services = Services(tokenizer_named("chars4+4"))
    return Pipeline.of([SessionLoader()]).run(Context(BuildInput(session)), services)
