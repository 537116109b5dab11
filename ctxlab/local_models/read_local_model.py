"""Reads what people have of a model that they run themselves: a folder, or one of its files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.local_models.gguf_header import MAGIC
from ctxlab.local_models.gguf_model import gguf_model
from ctxlab.local_models.hugging_face import MOST_JSON, NAMES, of_folder, of_json
from ctxlab.local_models.local_model import LocalModel, ModelFact
from ctxlab.local_models.sentence_pieces import read_sentence_pieces
from ctxlab.local_models.vocabulary import Vocabulary, read_bytes

TEMPLATE_ENDINGS: Final = (".jinja", ".jinja2", ".j2", ".txt")
MOST_TEMPLATE: Final = 4_000_000
JsonReader = Callable[[dict[str, Any], Path], LocalModel | None]
OTHER_JSON: Final[list[JsonReader]] = []
"""Readers of JSON that Hugging Face has no name for; each gives None for what isn't its own."""


@checked_arguments
def local_model(path: str | Path) -> LocalModel:
    """A model of one's own: a folder of Hugging Face's files, or one file.

    A file may be a GGUF (its header is read, never its tensors), a `tokenizer.json`, `tokenizer_config.json`,
    `chat_template.json`, `tekken.json`, a SentencePiece `.model`, or a template in Jinja. Each fact says from which
    file and key it is. Vocabularies are loaded when they first count.

    Raises BrokenFile for a file that can't be read, UnknownFormat for one of another kind.
    """
    path = Path(path).expanduser()
    if path.is_dir():
        return of_folder(path)
    if not path.is_file():
        raise BrokenFile(f"{path} is not there: give a model's folder or one of its files")
    head = _head(path)
    if head.startswith(MAGIC):
        return gguf_model(path)
    if path.name.lower() in NAMES or head.lstrip()[:1] == b"{":
        found = _of_json_file(path)
        if found is not None:
            return found
    if path.suffix.lower() == ".model":
        return _of_sentence_pieces(path)
    return _of_template(path)


def _of_json_file(path: Path) -> LocalModel | None:
    """The model of a file of JSON; None where it is a template, which may begin with a brace too."""
    import json

    data = read_bytes(path)
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        if path.suffix.lower() == ".json":
            raise BrokenFile(f"{path} is no JSON: {error}") from error
        return None
    if isinstance(found, dict):
        for reader in (of_json, *OTHER_JSON):
            model = reader(found, path)  # pyright: ignore[reportUnknownArgumentType]
            if model is not None:
                return model
    raise UnknownFormat(
        f"{path} is JSON, and neither a tokenizer, its configuration nor a template: give the model's folder, "
        f"or one of {', '.join(NAMES)}"
    )


def _of_sentence_pieces(path: Path) -> LocalModel:
    pieces = read_sentence_pieces(path, read_bytes(path))
    facts = (ModelFact("vocabulary size", len(pieces.pieces), path.name),)
    vocabulary = Vocabulary.of_file(path, "sentencepiece").tokenizer(path.stem)
    return LocalModel(path.stem, vocabulary=vocabulary, facts=facts)


def _of_template(path: Path) -> LocalModel:
    if path.suffix.lower() not in TEMPLATE_ENDINGS:
        raise UnknownFormat(
            f"{path} is no file of a model that can be read: give a folder, a .gguf, a tokenizer.json, a tekken.json, "
            f"a SentencePiece .model, or a template ({', '.join(TEMPLATE_ENDINGS)})"
        )
    try:
        source = read_bytes(path, most=MOST_TEMPLATE).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenFile(f"{path} can't be read as a template: {error}") from error
    template = JinjaTemplate(source, path.stem, str(path))
    return LocalModel(
        path.stem, FrozenDict({"default": template}), facts=(ModelFact("template", "default", path.name),)
    )


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(64)
    except OSError as error:
        raise BrokenFile(f"{path} can't be read: {error}") from error


def is_path(name: str | os.PathLike[str]) -> bool:
    """Whether a name is that of a file or folder that is there."""
    try:
        return Path(name).expanduser().exists()
    except (OSError, ValueError):
        return False


__all__ = ["MOST_JSON", "OTHER_JSON", "is_path", "local_model"]
