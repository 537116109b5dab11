"""The search index: what a hit says, filters, order, streams, and a file that may be broken, old or shared."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import BrokenFile, ReadError, WrongArgument
from ctxlab.storage.search import SearchIndex

SAID = 'say "hi"\nback\\slash 写'
TALK = {
    "id": "s1",
    "name": "The harbour 港口",
    "rootNodeId": "root",
    "activeLeafId": "a2",
    "updatedAt": "2026-03-09T00:00:00Z",
    "nodes": {
        "root": {"id": "root", "role": "system", "content": ""},
        "u1": {
            "id": "u1", "parentId": "root", "role": "user", "content": "🙂🙂 灯塔的灯 is lit",
            "timestamp": "2026-03-01T10:00:00Z",
        },
        "a1": {
            "id": "a1", "parentId": "u1", "role": "assistant", "content": "Another branch with a lamp",
            "isEnabled": False,
        },
        "a2": {
            "id": "a2", "parentId": "u1", "role": "assistant", "content": "A lamp.",
            "timestamp": "2026-03-02T10:00:00Z",
            "metadata": {
                "agentId": "keeper", "modelId": "gpt-x", "reasoningContent": "think of the lamp",
                "translation": {"content": "一盏灯"},
                "toolCallsRequested": [{"id": "c", "toolName": "write", "args": {"path": "a.py", "text": SAID}}],
            },
        },
    },
}  # fmt: skip


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    with SearchIndex(tmp_path / "search.db") as made:
        made.put("session", ctxlab.Session.model_validate(TALK), "1")
        made.put("agent", ctxlab.Agent(id="keeper", name="Keeper", tags=("sea",)), "1")
        yield made


def keys(index: SearchIndex, query: str, **options: Any) -> list[str]:
    return [hit.key for hit in index.search(query, **options)]


class Values:
    """A source of values by kind and id; what is an error is raised."""

    def __init__(self, values: Mapping[tuple[str, str], object]) -> None:
        self.values = dict(values)
        self.loaded: list[tuple[str, str]] = []

    def stamps(self) -> dict[tuple[str, str], str]:
        return {
            key: str(hash(str(value.to_data()) if hasattr(value, "to_data") else ""))
            for key, value in self.values.items()
        }

    def load(self, kind: str, id: str) -> object:
        self.loaded.append((kind, id))
        if isinstance(found := self.values[kind, id], Exception):
            raise found
        return found


def chat(id: str, *words: str) -> ctxlab.Session:
    session = ctxlab.Session(id=id)
    for i, each in enumerate(words):
        session = session.append(each, id=f"n{i}", timestamp=f"2026-01-01T00:00:{i:02}Z")
    return session


def test_a_hit_names_its_place_and_its_characters(index: SearchIndex) -> None:
    (hit,) = index.search("塔的", mode="exact")

    assert (hit.session, hit.node, hit.field, hit.role, hit.time) == (
        "s1",
        "u1",
        "content",
        "user",
        "2026-03-01T10:00:00Z",
    )
    assert hit.spans == ((4, 6),)
    assert index.text_of(hit)[4:6] == "塔的"
    assert hit.path() == ("root", "u1")
    assert hit.snippet.text == "🙂🙂 灯塔的灯 is lit"
    assert hit.enabled
    assert hit.on_active_path


def test_a_disabled_message_of_another_branch_says_so(index: SearchIndex) -> None:
    (hit,) = index.search("branch")

    assert not hit.enabled
    assert not hit.on_active_path
    assert hit.time is None
    assert keys(index, "lamp") == ["node:a2", "node:a1"]
    assert keys(index, "lamp", only_enabled=True) == keys(index, "lamp", only_active_path=True) == ["node:a2"]


def test_all_texts_of_a_message_are_found_and_arguments_without_their_escapes(index: SearchIndex) -> None:
    (hit,) = index.search("lamp think", mode="and")

    assert [match.field for match in hit.matches] == ["content", "reasoning"]
    for query, field in (
        ('say "hi"\nback\\slash', "call"),
        ("一盏", "translation"),
        ("a.py", "call"),
        ("write", "call"),
    ):
        (hit,) = index.search(query, mode="exact")
        assert (hit.node, hit.field) == ("a2", field)
    assert keys(index, "toolName", mode="exact") == []


def test_words_are_whole_and_an_exact_text_is_found_inside_of_them(index: SearchIndex) -> None:
    assert keys(index, "lam") == []
    assert keys(index, "LAM", mode="exact") == ["node:a2", "node:a1"]
    assert keys(index, "灯") == ["node:a2", "node:u1"]
    assert keys(index, "branch lamp") == ["node:a1"]
    assert keys(index, "branch nothing", mode="or") == ["node:a1"]
    assert keys(index, "🙂") == ["node:u1"]


def test_words_of_a_session_may_be_in_several_of_its_messages(index: SearchIndex) -> None:
    index.put("session", chat("s2", "only a lamp"), "1")

    assert keys(index, "lit branch") == []
    assert [(hit.id, hit.key) for hit in index.search("lit lamp", within="session")] == [
        ("s1", "node:a2"),
        ("s1", "node:a1"),
        ("s1", "node:u1"),
    ]
    assert keys(index, "only branch", within="session") == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"role": "user"}, ["u1"]),
        ({"role": ["user", "assistant"]}, ["a2", "a1", "u1"]),
        ({"agent": "keeper"}, ["a2"]),
        ({"model": "gpt-x"}, ["a2"]),
        ({"tag": "SEA"}, ["a2"]),
        ({"tag": "land"}, []),
        ({"session": "s1", "kinds": "session"}, ["a2", "a1", "u1"]),
        ({"session": "s2"}, []),
        ({"kinds": ["agent"]}, []),
        ({"since": "2026-03-02"}, ["a2"]),
        ({"until": "2026-03-02"}, ["a1", "u1"]),
        ({"since": "2026-03-01T10:00:00Z", "until": "2026-03-01T10:00:00.001Z"}, ["a1", "u1"]),
    ],
)
def test_filters_leave_what_fits(index: SearchIndex, filters: dict[str, Any], expected: list[str]) -> None:
    found = index.search("lamp lit", mode="or", **filters)

    assert [hit.node for hit in found] == expected


def test_a_time_that_is_none_is_refused(index: SearchIndex) -> None:
    with pytest.raises(WrongArgument, match="since takes an ISO time"):
        index.search("lamp", since="yesterday")
    with pytest.raises(WrongArgument, match="mode"):
        index.search("lamp", mode="fuzzy")  # type: ignore[arg-type]


def test_the_best_hit_comes_first_where_that_is_asked_for(index: SearchIndex) -> None:
    index.put("session", chat("s2", "lamp lamp lamp", "one lamp among very many other words that are said here"), "1")

    best = list(index.search("lamp", order="best", session="s2"))

    assert [hit.node for hit in best] == ["n0", "n1"]
    assert best[0].score is not None
    assert best[1].score is not None
    assert best[0].score > best[1].score > 0


def test_of_very_many_matches_the_newest_are_ranked_and_those_with_a_rare_word(
    index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ["a wick and a flame"] + ["lamp " * (1 + n % 3) + f"at night {n}" for n in range(40)]
    index.put("session", chat("s2", *said), "1")
    asked: dict[str, Any] = {"mode": "or", "order": "best", "session": "s2", "limit": None}
    whole = {hit.key: hit.score for hit in index.search("lamp wick", **asked)}

    monkeypatch.setattr("ctxlab.storage.search.best_first.RANKED", 5)
    monkeypatch.setattr("ctxlab.storage.search.best_first.RARE", 3)
    some = list(index.search("lamp wick", **asked))

    assert some[0].key == "node:n0"
    assert {hit.key for hit in some[1:6]} == {f"node:n{n}" for n in range(36, 41)}
    assert len(some) == len(whole)
    assert {hit.key: hit.score for hit in some} == pytest.approx(whole)


def test_a_long_talk_put_message_by_message_leaves_few_parts(tmp_path: Path) -> None:
    session = chat("s1", "a lamp")
    with SearchIndex(tmp_path / "search.db") as index:
        for n in range(120):
            session = session.append(f"lamp {n}")
            index.put("session", session, str(n))

        assert parts(index) < 20
        index.optimize()
        assert parts(index) == 1
        assert index.search("lamp").total() == 121


def parts(index: SearchIndex) -> int:
    with index._database.reader() as connection:
        return int(str(connection.execute("SELECT count(DISTINCT segid) FROM fts_idx").get))


def test_what_differs_is_written_and_what_is_removed_is_gone(index: SearchIndex) -> None:
    session = ctxlab.Session.model_validate(TALK).append("A new lamp", id="u3", timestamp="2026-03-05T00:00:00Z")
    index.put("session", session, "2")

    assert keys(index, "lamp") == ["node:u3", "node:a2", "node:a1"]
    index.put("session", session.update("u3", content="A new lantern"), "3")
    assert keys(index, "lamp") == ["node:a2", "node:a1"]
    index.remove("session", "s1")
    assert keys(index, "lamp lantern", mode="or") == []
    assert index.stamps() == {("agent", "keeper"): "1"}


def test_catching_up_loads_what_changed_alone_and_names_what_cannot_be_read(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "search.db")
    source = Values({("session", "s1"): chat("s1", "one"), ("session", "s2"): chat("s2", "two")})
    seen: list[tuple[int, int]] = []

    first = index.catch_up(source, progress=lambda done, total: seen.append((done, total)))
    source.values["session", "s2"] = chat("s2", "three")
    source.values["session", "s3"] = BrokenFile("s3.json is no JSON")
    del source.values["session", "s1"]
    source.loaded.clear()
    second = index.catch_up(source)

    assert (first.put, first.removed, seen) == (2, 0, [(2, 2)])
    assert (second.put, second.removed) == (1, 1)
    assert source.loaded == [("session", "s2"), ("session", "s3")]
    assert ["s3.json is no JSON" in note.text for note in second.notes] == [True]
    assert keys(index, "one two three", mode="or") == ["node:n0"]


def test_a_search_can_be_cancelled_and_gives_no_more_hits(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "search.db")
    index.put("session", chat("s1", *["a lamp"] * 50), "1")

    found = index.search("lamp", limit=None)
    hits = iter(found)
    next(hits)
    found.cancel()

    assert list(hits) == []
    assert found.cancelled
    assert len(list(found)) == 1


def test_a_result_streams_counts_and_pages(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "search.db")
    index.put("session", chat("s1", *[f"lamp {i}" for i in range(50)]), "1")

    page = index.search("lamp", limit=3, offset=2)

    assert [hit.node for hit in page] == ["n47", "n46", "n45"]
    assert (page.total(), page.total(at_most=7)) == (50, 7)
    assert list(page.frame()["start"]) == [0, 0, 0]
    assert [hit.node for hit in page] == ["n47", "n46", "n45"]
    assert not index.search("")
    assert "&lt;" not in page._repr_html_()
    assert pickle.loads(pickle.dumps(page[0])).path() == page[0].path()


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_broken_file_is_made_anew_and_that_is_said(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "search.db"
    path.write_bytes(content)

    index = SearchIndex(path)

    assert [note.text for note in index.notes] == [f"the search index {path} was broken and is made anew"]
    index.put("session", chat("s1", "a lamp"), "1")
    assert keys(index, "lamp") == ["node:n0"]


def test_a_file_that_breaks_later_is_emptied_and_filled_again(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    source = Values({("session", "s1"): chat("s1", *["a lamp and its keeper"] * 300)})
    with SearchIndex(path) as made:
        made.catch_up(source)
    data = bytearray(path.read_bytes())
    data[16 * 4096 :] = b"\x55" * (len(data) - 16 * 4096)
    path.write_bytes(data)

    index = SearchIndex(path)
    with pytest.raises(ReadError, match="was broken and is empty now"):
        for _ in range(3):
            index.catch_up(source)
            list(index.search("lamp", limit=None))
            list(index.search("xy,", mode="exact", limit=None))
    index.catch_up(source)

    assert index.search("lamp").total() == 300


def test_an_index_of_another_version_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "search.db"
    with SearchIndex(path) as old:
        old.put("session", chat("s1", "a lamp"), "1")
    monkeypatch.setattr("ctxlab.storage.search.database.VERSION", 999)

    index = SearchIndex(path)

    assert index.stamps() == {}
    assert ["another version" in note.text for note in index.notes] == [True]


WRITER = """
import sys, ctxlab
from ctxlab.storage.search import SearchIndex
index = SearchIndex(sys.argv[1])
for i in range(15):
    index.put("session", ctxlab.Session(id=f"{sys.argv[2]}-{i}").append("a lamp"), "1")
"""


def test_several_processes_write_while_threads_read(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    index = SearchIndex(path)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "ab"]
    counts: list[list[int]] = [[], []]

    def read(mine: list[int]) -> None:
        while any(writer.poll() is None for writer in writers):
            mine.append(index.search("lamp").total())

    readers = [Thread(target=read, args=(mine,)) for mine in counts]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()

    assert [writer.wait() for writer in writers] == [0, 0]
    assert all(mine == sorted(mine) for mine in counts)
    assert index.search("lamp").total() == 30


def test_an_added_message_costs_as_much_in_a_long_session_as_in_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ctxlab.storage.search.known_session as known_session

    index = SearchIndex(tmp_path / "search.db")
    session = chat("s1", *["a lamp"] * 50)
    index.put("session", session, "0")
    made: list[str] = []
    message_row = known_session.message_row
    monkeypatch.setattr(
        known_session, "message_row", lambda *args, **options: made.append(args[1]) or message_row(*args, **options)
    )

    index.put("session", session.append("a new lamp", id="new"), "1")

    assert sorted(made) == ["n49", "new"]
    assert keys(index, "new") == ["node:new"]


def test_presets_books_rules_and_actions_are_found(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "search.db")
    harbour = ctxlab.example("harbour")
    index.put("agent", harbour.agent(), "1")
    index.put("book", harbour.book(), "1")
    index.put("rules", harbour.rules[0], "1")
    action = ctxlab.QuickAction(id="q", label="Quote", content="quoted {{input}}")
    index.put("actions", ctxlab.QuickActionSet(id="set", name="Wraps", actions=(action,)), "1")

    assert "keys" in {match.field for hit in index.search("灯塔", kinds="book") for match in hit.matches}
    assert keys(index, "quoted") == ["action:0"]
    assert all(hit.node is None and hit.session is None for hit in index.search("the", mode="exact"))
    assert {hit.key.partition(":")[0] for hit in index.search("the", mode="exact", limit=None)} >= {"preset", "entry"}
