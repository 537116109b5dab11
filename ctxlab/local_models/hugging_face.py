"""A model as Hugging Face's files describe it: in a folder, or one of them alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.tokens import Tokenizer
from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.local_models.local_model import LocalModel, ModelFact
from ctxlab.local_models.vocabulary import Vocabulary, read_bytes, read_json

CONFIG, TEMPLATES_JSON, TEMPLATE = "tokenizer_config.json", "chat_template.json", "chat_template.jinja"
MORE_TEMPLATES: Final = "additional_chat_templates"
TOKENIZER, TEKKEN, PIECES = "tokenizer.json", "tekken.json", "tokenizer.model"
SPECIAL, MODEL, GENERATION = "special_tokens_map.json", "config.json", "generation_config.json"
NAMES: Final = (TOKENIZER, CONFIG, TEMPLATES_JSON, TEKKEN, SPECIAL, MODEL, GENERATION)
MOST_JSON: Final = 32_000_000
"""Bytes of the largest file of settings; configurations with many tokens have 1.2 million."""
MOST_TEMPLATES: Final = 100
LONGEST_WINDOW: Final = 1_000_000_000
"""Tokens; transformers writes 10^30 where it doesn't know."""
WINDOWS: Final = ("max_position_embeddings", "n_positions", "seq_length", "max_seq_len")
SETTINGS: Final = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_new_tokens")
Data = Mapping[str, Any]


def of_folder(path: Path) -> LocalModel:
    """The model of a folder. Raises UnknownFormat where it has none of the files."""
    there = {name for name in (*NAMES, TEMPLATE, PIECES) if (path / name).is_file()}
    more = (path / MORE_TEMPLATES).is_dir()
    if not there - {GENERATION, MODEL} and not more:
        ggufs = sorted(each.name for each in path.glob("*.gguf"))
        if ggufs:
            raise UnknownFormat(f"{path} has GGUF files: give one of them, such as {path / ggufs[0]}")
        raise UnknownFormat(
            f"{path} has no file of a model: one of {', '.join((CONFIG, TOKENIZER, TEMPLATE))} is needed"
        )
    config = _data(path / CONFIG) if CONFIG in there else {}
    special = _data(path / SPECIAL) if SPECIAL in there else {}
    model = _data(path / MODEL) if MODEL in there else {}
    generation = _data(path / GENERATION) if GENERATION in there else {}
    templates = _templates_of_files(path, there, more=more) or _named(config.get("chat_template"), path / CONFIG)
    name = folder_name(path)
    vocabulary, facts = _vocabulary(path, there, name)
    window, window_facts = _window(model, config)
    kind = [ModelFact(key, model[key], f"{MODEL}: {key}") for key in ("model_type", "architectures") if key in model]
    settings = [ModelFact(key, generation[key], f"{GENERATION}: {key}") for key in SETTINGS if key in generation]
    tokens = {**_special_tokens(special), **_special_tokens(config)}
    facts = [*kind, *facts, *window_facts, *_facts_of(config), *settings]
    return LocalModel(name, templates, vocabulary, FrozenDict(tokens), window, tuple(facts))


def of_json(data: dict[str, Any], path: Path) -> LocalModel | None:
    """The model of one file; None where the file is none of these."""
    name = folder_name(path.absolute().parent) if path.name in NAMES else path.stem
    if isinstance(data.get("model"), dict) and "vocab" in data["model"]:
        size = ModelFact("vocabulary size", len(data["model"]["vocab"]), f"{path.name}: model.vocab")
        tokenizer = Vocabulary.of_file(path, "tokenizer.json").tokenizer(name)
        return LocalModel(name, vocabulary=tokenizer, facts=(size,))
    if isinstance(data.get("vocab"), list) and isinstance(data.get("config"), dict) and "pattern" in data["config"]:
        tokenizer = Vocabulary.of_file(path, "tekken").tokenizer(name)
        size = ModelFact("vocabulary size", data["config"].get("default_vocab_size"), f"{path.name}: config")
        return LocalModel(name, vocabulary=tokenizer, facts=(size,))
    if "chat_template" in data or "tokenizer_class" in data:
        window, facts = _window({}, data)
        templates = _named(data.get("chat_template"), path)
        return LocalModel(name, templates, None, FrozenDict(_special_tokens(data)), window, (*facts, *_facts_of(data)))
    return None


def folder_name(path: Path) -> str:
    """The name of a model by its folder; in Hugging Face's cache that of the repository.

    >>> folder_name(Path("/cache/models--Qwen--Qwen3-8B/snapshots/9c92"))
    'Qwen/Qwen3-8B'
    """
    path = path.absolute()
    if path.parent.name == "snapshots" and path.parent.parent.name.startswith("models--"):
        return path.parent.parent.name.removeprefix("models--").replace("--", "/")
    return path.name or "model"


def _data(path: Path) -> Data:
    data = read_json(path, most=MOST_JSON)
    if not isinstance(data, dict):
        raise BrokenFile(f"{path} is JSON of another kind: it should be an object")
    return cast("Data", data)


# --- templates


def _templates_of_files(path: Path, there: set[str], *, more: bool) -> FrozenDict | None:
    """The templates in files of their own, which take the place of those in the configuration, as in transformers."""
    found: dict[str, JinjaTemplate] = {}
    if TEMPLATE in there:
        found["default"] = _of_file(path / TEMPLATE, "default")
    elif TEMPLATES_JSON in there:
        found.update(_named(_data(path / TEMPLATES_JSON).get("chat_template"), path / TEMPLATES_JSON))
    if more:
        for file in sorted((path / MORE_TEMPLATES).glob("*.jinja"))[:MOST_TEMPLATES]:
            found[file.stem] = _of_file(file, file.stem)
    return FrozenDict(found) if found else None


def _of_file(path: Path, name: str) -> JinjaTemplate:
    try:
        return JinjaTemplate(read_bytes(path, most=MOST_JSON).decode("utf-8"), name, str(path))
    except UnicodeDecodeError as error:
        raise BrokenFile(f"{path} can't be read as a template: {error}") from error


def _named(value: Any, path: Path) -> FrozenDict:
    """The templates of a configuration: one text, or a list of names and texts."""
    place = f"{path}: chat_template"
    if isinstance(value, str):
        return FrozenDict({"default": JinjaTemplate(value, "default", place)})
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, list):
        for each in cast("list[Any]", value)[:MOST_TEMPLATES]:
            if isinstance(each, dict):
                pairs.append((cast("Data", each).get("name"), cast("Data", each).get("template")))
    elif isinstance(value, dict):
        pairs = [*cast("Data", value).items()][:MOST_TEMPLATES]
    found = {
        name: JinjaTemplate(source, name, f"{place}[{name!r}]")
        for name, source in pairs
        if isinstance(name, str) and isinstance(source, str)
    }
    return FrozenDict({name: found[name] for name in sorted(found, key=lambda name: name != "default")})


# --- the rest


def _vocabulary(path: Path, there: set[str], name: str) -> tuple[Tokenizer | None, list[ModelFact]]:
    if TOKENIZER in there:
        return Vocabulary.of_file(path / TOKENIZER, "tokenizer.json").tokenizer(name), [_counts_by(TOKENIZER)]
    if TEKKEN in there:
        return Vocabulary.of_file(path / TEKKEN, "tekken").tokenizer(name), [_counts_by(TEKKEN)]
    if PIECES in there:
        return Vocabulary.of_file(path / PIECES, "sentencepiece").tokenizer(name), [_counts_by(PIECES)]
    return None, []


def _counts_by(file: str) -> ModelFact:
    return ModelFact("vocabulary", file, file)


def _special_tokens(data: Data) -> dict[str, str]:
    """Tokens of a configuration by name: a text, or an object with its text."""
    found: dict[str, str] = {}
    for name, value in data.items():
        if not name.endswith("_token"):
            continue
        text = cast("Data", value).get("content") if isinstance(value, dict) else value
        if isinstance(text, str):
            found[name] = text
    return found


def _window(model: Data, config: Data) -> tuple[int | None, list[ModelFact]]:
    """The tokens that a model can read: as the model was made, else as its tokenizer says."""
    text = model.get("text_config")
    for data, before in ((model, ""), (cast("Data", text) if isinstance(text, dict) else {}, "text_config.")):
        for key in WINDOWS:
            if _is_window(data.get(key)):
                return int(data[key]), [ModelFact("context_length", data[key], f"{MODEL}: {before}{key}")]
    value = config.get("model_max_length")
    if _is_window(value):
        return int(cast("int", value)), [ModelFact("context_length", value, f"{CONFIG}: model_max_length")]
    return None, []


def _is_window(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < LONGEST_WINDOW


def _facts_of(config: Data) -> list[ModelFact]:
    keys = ("tokenizer_class", "add_bos_token", "add_prefix_space", "split_special_tokens")
    return [ModelFact(key, config[key], f"{CONFIG}: {key}") for key in keys if config.get(key) is not None]
