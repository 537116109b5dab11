"""The tokenizer of a model, by its name."""

from __future__ import annotations

import re
from typing import Literal

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Wire = Literal["openai", "anthropic", "google"]

ESTIMATOR = "estimator"
BY_KIND, BY_KIND_SAFE = "by-kind", "by-kind-safe"
ESTIMATES = (ESTIMATOR, BY_KIND, BY_KIND_SAFE)
"""Names of counts without a vocabulary."""
# Harmony has o200k's pattern and ranks and more special tokens; as plain text is counted, they count alike.
ENCODINGS = {"cl100k_base": "cl100k_base", "o200k_base": "o200k_base", "o200k_harmony": "o200k_base"}
# How stored model profiles call their tokenizers.
ALIASES = (
    {"gpt4o": "o200k_base", "gpt4": "cl100k_base"}
    | dict.fromkeys(("deepseek_v3", "gemini", "llama3_2", "qwen3"), BY_KIND)
    | {"claude": BY_KIND_SAFE}
)


OFTEN_MEANT = (
    *(
        "gpt-4o",
        "gpt-4o-mini",
        "gpt-4.1",
        "gpt-4.1-mini",
        "gpt-4",
        "gpt-4-turbo",
        "gpt-3.5-turbo",
        "gpt-5",
        "gpt-5-mini",
    ),
    *("gpt-oss-120b", "gpt-oss-20b", "o1-mini", "o3-mini", "o4-mini"),
)
"""Names of models to which one that is not known may be near."""
NEAR = 0.83
"""Similarity from which a name is near: a letter that is missing or another one, and not another family (gpt-2)."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's bare name, its encoding (None: only an estimate) and its vendor's wire format."""

    bare: str
    encoding: str | None
    wire: Wire = "openai"

    @property
    def counted_by(self) -> str:
        """The encoding, or the estimate where there is none.

        Claude's own counts grow by more than those of any open vocabulary, nearly as the safe side does.
        """
        return self.encoding or (BY_KIND_SAFE if self.wire == "anthropic" else BY_KIND)


_END = r"(?![a-z0-9])"
_VENDOR = lazy_pattern(r"(?:[a-z][a-z-]*\.)*")  # Bedrock's: us.anthropic.claude-..., openai.gpt-oss-...

# tiktoken's table as of 0.14 (2026), open to dated, sized and fine-tuned names.
_FAMILIES: tuple[tuple[str, str | None, Wire], ...] = (
    (rf"gpt-oss{_END}", "o200k_harmony", "openai"),
    (rf"(?:gpt-(?:4o|4\.1|4\.5|5)|chatgpt-4o|o[134]|codex-mini){_END}", "o200k_base", "openai"),
    (rf"gpt-(?:4|3\.5|35)(?![a-z0-9.])|(?:davinci|babbage)-002{_END}", "cl100k_base", "openai"),
    (rf"text-embedding-(?:ada-002|3-small|3-large){_END}", "cl100k_base", "openai"),
    (r"claude", None, "anthropic"),
    (r"gemini|gemma|learnlm", None, "google"),
)


def read_model_name(model: str) -> ModelName:
    """Encoding and wire format of a model, from its name alone.

    Prefixes and suffixes of gateways don't matter: `openrouter:openai/gpt-4o-mini:free`, `ft:gpt-4o:acme::x1`,
    `us.anthropic.claude-opus-4-7`. Vendors without public ranks, and names never heard of, have no encoding: a wrong
    tokenizer that calls itself exact is worse than an estimate that says so.

    >>> read_model_name("openrouter:openai/gpt-4o-mini").encoding
    'o200k_base'
    """
    tail = model.strip().lower().rpartition("/")[2]
    for part in tail.split(":"):
        bare = _VENDOR.sub("", part, count=1)
        for pattern, encoding, wire in _FAMILIES:
            if re.match(pattern, bare):
                return ModelName(bare, encoding, wire)
    return ModelName(tail, None)


def model_meant(model: str) -> str | None:
    """A model whose name is nearly this one, which itself is not known; None for a known name and for other families.

    >>> model_meant("gpt4o"), model_meant("gpt-4o"), model_meant("qwen3-32b")
    ('gpt-4o', None, None)
    """
    bare = model.strip().lower().rpartition("/")[2][:60]
    if any(re.match(pattern, _VENDOR.sub("", part, count=1)) for part in bare.split(":") for pattern, *_ in _FAMILIES):
        return None
    from difflib import get_close_matches

    plain = {re.sub(r"[^a-z0-9]", "", known): known for known in OFTEN_MEANT}
    same = plain.get(re.sub(r"[^a-z0-9]", "", bare))
    return same or next(iter(get_close_matches(bare, OFTEN_MEANT, n=1, cutoff=NEAR)), None)
