"""Files that options name count by what is in them: edited ones make other cells, moved ones don't."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import ctxlab
from ctxlab.api.options import BuildOptions
from ctxlab.api.sources import AgentSource, FilePath
from ctxlab.assets.build_files import BuildFiles
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.pipeline import Services
from ctxlab.studies.study.batches import BatchStream
from ctxlab.studies.study.files_read import FOLDERS, READ, FilesRead
from tests.studies.study.samples import plan, run, session

COUNTER = tokenizer_named("chars4+4")
Named = Callable[[Path], Any]


def book(path: Path, words: str) -> None:
    entries = {"0": {"uid": 0, "key": [], "content": words, "constant": True}}
    path.write_text(json.dumps({"name": "Lore", "entries": entries}))


def agent(path: Path, words: str) -> None:
    prompt = {"id": "p", "role": "system", "content": words, "injectionStrategy": {"type": "default"}}
    path.write_text(json.dumps({"id": "a", "name": "A", "presetMessages": [prompt], "version": 2}))


def knowledge(path: Path, words: str) -> None:
    path.write_bytes(json.dumps(ctxlab.knowledge_base("K", entries={"a": words}).to_data()).encode())


def keys(option: str, value: Any, *, of: str = "case") -> set[str]:
    options = {option: value}
    case = ctxlab.Case("a", "a", session(0), options=options if of == "case" else {})
    changes: dict[str, Any] = {"options": options} if of == "plan" else {}
    if of == "variant":
        changes = {"variants": [ctxlab.Variant("a", options=options)]}
    study = plan(**changes)
    files = FilesRead()
    stream = BatchStream([case], files.plan(study), (), size=10, files=files)
    list(stream)
    return set(stream.keys)


FORMS: dict[str, tuple[str, Callable[[Path, str], None], Named]] = {
    "text": ("books", book, lambda path: [str(path)]),
    "one text": ("books", book, str),
    "path": ("books", book, lambda path: (path,)),
    "library": ("library", book, lambda path: path),
    "agent": ("agent", agent, str),
    "knowledge": ("knowledge", knowledge, lambda path: [path]),
    "agents": ("agents", agent, lambda path: [path]),
    "folder": ("assets", lambda path, words: book(path, words), lambda path: path.parent),
    "files": ("services", book, lambda path: Services(COUNTER, assets=BuildFiles(folder=path.parent))),
}


@pytest.mark.parametrize("of", ["case", "plan", "variant"])
@pytest.mark.parametrize("form", FORMS)
def test_an_edited_file_makes_other_cells(tmp_path: Path, form: str, of: str) -> None:
    option, write, named = FORMS[form]
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "one.json"
    found: list[set[str]] = []
    for words in ("It rains.", "It rains.", "It snows."):
        write(path, words)
        found.append(keys(option, named(path), of=of))

    assert found[0] == found[1]
    assert found[0].isdisjoint(found[2])


def test_a_moved_file_makes_the_same_cells(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        book(tmp_path / folder / "one.json", "It rains.")

    assert keys("books", [tmp_path / "a/one.json"]) == keys("books", [str(tmp_path / "b/one.json")])


def test_every_option_that_may_be_a_path_is_read() -> None:
    hints = {**get_type_hints(BuildOptions, include_extras=True), "agent": AgentSource}

    assert {name for name, kind in hints.items() if _holds_a_path(kind)} == {*READ, *FOLDERS}


def _holds_a_path(kind: Any) -> bool:
    return kind == FilePath or any(_holds_a_path(each) for each in get_args(kind))


@pytest.mark.parametrize("named", [str, Path])
def test_cells_of_a_folder_follow_a_file_that_is_edited(tmp_path: Path, named: Named) -> None:
    path = tmp_path / "book.json"
    case = ctxlab.Case("a", "a", session(0), options={"books": [named(path)]})
    tokens: list[Any] = []
    for words in ("It rains.", "It snows, and it goes on until the morning."):
        book(path, words)
        result = run(tmp_path / "cells", source=[case], budgets=(200,))
        tokens.append(result.frame()["tokens"].tolist())
        direct = ctxlab.build(case.session, books=[path], budget_tokens=200, tokenizer=result.plan.tokenizer)
        assert result.trace("a", "sliding").tokens == direct.tokens

    assert tokens[0] != tokens[1]
    path.unlink()
    assert result.trace("a", "sliding").tokens == direct.tokens


def test_a_session_that_is_named_by_its_path_counts_by_what_is_in_it(tmp_path: Path) -> None:
    path: Any = tmp_path / "chat.session.json"
    tokens: list[Any] = []
    for messages in (3, 5):
        ctxlab.write(session(0, messages), path)
        tokens.append(
            run(tmp_path / "cells", source=[ctxlab.Case("a", "a", path)], scorers=[]).frame()["tokens"].tolist()
        )

    assert tokens[0] != tokens[1]


def test_a_file_that_can_not_be_read_is_a_row_with_its_error(tmp_path: Path) -> None:
    case = ctxlab.Case("a", "a", session(0), options={"books": [str(tmp_path / "none.json")]})

    def errors() -> set[Any]:
        return set(run(tmp_path / "cells", source=[case]).frame()["error"])

    assert "which is no file" in str(errors())
    (tmp_path / "none.json").write_text("{")
    assert "which is no file" not in str(errors())
    assert errors() != {None}
    book(tmp_path / "none.json", "It rains.")
    assert errors() == {None}
