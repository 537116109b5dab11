"""A template, a file or a model as a model that can be rendered for."""

from __future__ import annotations

from pathlib import Path

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.errors import BrokenFile
from ctxlab.local_models import LocalModel

BEGIN, END = "<s>", "</s>"
"""Tokens at the beginning and the end that a template alone gets, since its model isn't known."""


def read_template(source: LocalModel | JinjaTemplate | Path | str) -> LocalModel:
    """The model of a template or of a path; a model as it is."""
    if isinstance(source, LocalModel):
        return source
    if isinstance(source, JinjaTemplate):
        tokens = FrozenDict({"bos_token": BEGIN, "eos_token": END})
        return LocalModel(source.name, FrozenDict({"default": source}), special_tokens=tokens)
    path = Path(source)
    if not path.is_file():
        why = "is a folder" if path.is_dir() else "does not exist"
        raise BrokenFile(f"{path} {why}; name a file with a chat template")
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenFile(f"{path} is no text in UTF-8, so it is no template") from error
    except OSError as error:
        raise BrokenFile(f"{path} can't be read: {error.strerror}") from error
    return read_template(JinjaTemplate(text, path.stem, str(path)))
