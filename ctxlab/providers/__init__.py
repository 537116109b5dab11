"""Requests of vendors: the body that is posted, its places, what would be refused and what it has no room for."""

from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.models import model_info, read_model_facts
from ctxlab.providers.payload import Payload, payload
from ctxlab.providers.place import JsonPath, Place, path_text
from ctxlab.providers.problem import Fix, Problem
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.rates import Rates
from ctxlab.providers.registry import built_in, provider_named, provider_of_model
from ctxlab.providers.request_parameters import RequestParameters, Thinking
from ctxlab.providers.tokenizers import media_rules_for, tokenizer_for
from ctxlab.public_names import listed

__all__ = [
    "Fix",
    "JsonPath",
    "ModelInfo",
    "Payload",
    "Place",
    "Problem",
    "Prompt",
    "Provider",
    "Rates",
    "RequestLoss",
    "RequestParameters",
    "Thinking",
    "built_in",
    "media_rules_for",
    "model_info",
    "path_text",
    "payload",
    "provider_named",
    "provider_of_model",
    "read_model_facts",
    "tokenizer_for",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
