"""Tokens: exact for OpenAI's models, estimated for others, and what media and wire formats add."""

from ctxlab.engines.tokens.character_tokenizer import CharacterTokenizer
from ctxlab.engines.tokens.encodings import encoding
from ctxlab.engines.tokens.estimate import estimate_tokens
from ctxlab.engines.tokens.media_rules import (
    DEFAULT_RULES,
    MediaRules,
    MediaTokens,
    media_tokens,
)
from ctxlab.engines.tokens.model_encodings import ModelName, read_model_name
from ctxlab.engines.tokens.named_tokenizer import tokenizer_named
from ctxlab.engines.tokens.overhead import Overhead
from ctxlab.engines.tokens.picture_formulas import ImageCost, image_cost, image_tokens
from ctxlab.engines.tokens.text_tokenizer import TextTokenizer
from ctxlab.engines.tokens.tokenizer import Tokenizer
from ctxlab.public_names import listed

__all__ = [
    "DEFAULT_RULES",
    "CharacterTokenizer",
    "ImageCost",
    "MediaRules",
    "MediaTokens",
    "ModelName",
    "Overhead",
    "TextTokenizer",
    "Tokenizer",
    "encoding",
    "estimate_tokens",
    "image_cost",
    "image_tokens",
    "media_tokens",
    "read_model_name",
    "tokenizer_named",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
