"""Knowledge bases are made of files, folders, conversations and entries, and are at hand for a build."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import ctxlab
from ctxlab.context.knowledge_hit import QueryPart
from ctxlab.errors import ReadError, WrongArgument


def test_each_file_is_an_entry_cut_by_its_kind_and_what_is_not_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Tides\nThe tide turns.\n")
    (tmp_path / "boat.py").write_text("def row():\n    pass\n")
    (tmp_path / "港口.txt").write_text("港口的灯塔。", encoding="utf-8")
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")

    base = ctxlab.knowledge_base("All", tmp_path)

    kinds = {entry.key: entry.kind for entry in base.entries}
    assert {kinds.pop("notes.md"), kinds.pop("boat.py"), kinds.pop("港口.txt")} == {"markdown", "code", "text"}
    (chat,) = [entry for entry in base.entries if entry.key in kinds]
    assert (chat.kind, chat.content) == ("chat", "user: Hi\n\nassistant: Ho\n\n")
    assert len(chat.parts) == 2
    assert base.losses == ("picture.png: left out; there is no reader for a PNG picture",)


def test_messages_of_a_conversation_are_found_by_their_ids() -> None:
    base = ctxlab.knowledge_base("chat", ctxlab.example("harbour"))

    (hit, *_) = ctxlab.KnowledgeRetriever(base).search([QueryPart("whose hand keeps the lamp log")], engine="keyword").hits

    assert hit.place in ctxlab.example("harbour").session().nodes
    assert "lamp log" in hit.text


def test_sizes_are_those_that_are_asked_for() -> None:
    base = ctxlab.knowledge_base("words", entries=["word " * 100], chunk_characters=50, overlap_characters=0, engine="keyword")

    chunks = ctxlab.KnowledgeRetriever(base).entries("words")

    assert len(chunks) == 10
    assert all(len(chunk.text) <= 50 for chunk in chunks)
    assert base.settings.engine == "keyword"


def test_nothing_that_can_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")

    with pytest.raises(ReadError, match="nothing can be read for knowledge base 'x': a.png"):
        ctxlab.knowledge_base("x", tmp_path)
    with pytest.raises(WrongArgument, match="there is no file or folder 'nowhere'"):
        ctxlab.knowledge_base("x", "nowhere")


def test_a_build_can_search_what_it_is_given_and_what_its_agent_names() -> None:
    session = ctxlab.Session(id="s").append("", role="system", id="r").append("Hi", id="u")
    given, bound, other = [ctxlab.knowledge_base(name, entries=[name]) for name in ("given", "bound", "other")]
    config = {"knowledgeBaseConfig": {"enabled": True, "bindings": [{"kbId": "bound", "kbName": "bound"}]}}
    agent = ctxlab.Agent.model_validate({"id": "a", "name": "A", **config})
    library = ctxlab.Library(knowledge_bases=(bound, other))

    trace = ctxlab.build(session, agent, library=library, knowledge=[given])
    without = ctxlab.build(session)

    assert trace.services.retriever is not None
    assert [base.id for base in trace.services.retriever.bases()] == ["given", "bound"]
    assert without.services.retriever is None
    assert pickle.loads(pickle.dumps(trace)).messages == trace.messages


def test_a_retriever_of_ones_own_is_taken_as_it_is() -> None:
    session = ctxlab.Session(id="s").append("", role="system", id="r").append("Hi", id="u")
    own = ctxlab.KnowledgeRetriever(ctxlab.knowledge_base("own", entries=["a"]))

    assert ctxlab.build(session, knowledge=own).services.retriever is own
