"""A model as the header of its GGUF file describes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.local_models.gguf_header import read_gguf_header
from ctxlab.local_models.local_model import LocalModel, ModelFact
from ctxlab.local_models.vocabulary import Vocabulary, gguf_vocabulary_problem

TEMPLATE: Final = "tokenizer.chat_template"
SPECIAL: Final = {"bos": "bos_token", "eos": "eos_token", "unknown": "unk_token", "padding": "pad_token"}
"""By a GGUF's name of a token, that of Hugging Face's files, which templates read."""
FACTS: Final = (
    "general.architecture",
    "general.name",
    "general.size_label",
    "tokenizer.ggml.model",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.add_bos_token",
    "tokenizer.ggml.add_space_prefix",
)


def gguf_model(path: Path) -> LocalModel:
    """The model of a GGUF; tensors are not looked at. Raises BrokenFile where it is none."""
    header = read_gguf_header(path)
    kind = str(header.get("general.architecture", ""))
    window_key = f"{kind}.context_length"
    window = header.get(window_key)
    window = window if isinstance(window, int) and window > 0 else None
    facts = [ModelFact(key, header[key], f"{path.name}: {key}") for key in FACTS if key in header]
    if window is not None:
        facts.append(ModelFact("context_length", window, f"{path.name}: {window_key}"))
    tokens = header.get("tokenizer.ggml.tokens")
    if isinstance(tokens, list):
        facts.append(ModelFact("vocabulary size", len(tokens), f"{path.name}: tokenizer.ggml.tokens"))  # pyright: ignore[reportUnknownArgumentType]
    name = header.get("general.name")
    name = name if isinstance(name, str) and name else path.stem
    problem = gguf_vocabulary_problem(header)
    if problem:
        facts.append(ModelFact("no exact counts", problem, f"{path.name}: tokenizer.ggml.model"))
    return LocalModel(
        name,
        _templates(header, path),
        None if problem else Vocabulary.of_file(path, "gguf").tokenizer(name),
        _special_tokens(header, tokens),
        window,
        tuple(facts),
    )


def _templates(header: dict[str, Any], path: Path) -> FrozenDict:
    found: dict[str, JinjaTemplate] = {}
    for key, source in header.items():
        if isinstance(source, str) and (key == TEMPLATE or key.startswith(f"{TEMPLATE}.")):
            name = key.removeprefix(TEMPLATE).removeprefix(".") or "default"
            found[name] = JinjaTemplate(source, name, f"{path}: {key}")
    return FrozenDict({name: found[name] for name in sorted(found, key=lambda name: (name != "default", name))})


def _special_tokens(header: dict[str, Any], tokens: Any) -> FrozenDict:
    found: dict[str, str] = {}
    for name, token in SPECIAL.items():
        id = header.get(f"tokenizer.ggml.{name}_token_id")
        if isinstance(id, int) and isinstance(tokens, list) and 0 <= id < len(tokens):  # pyright: ignore[reportUnknownArgumentType]
            found[token] = str(tokens[id])  # pyright: ignore[reportUnknownArgumentType]
    return FrozenDict(found)
