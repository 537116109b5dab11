"""Laws of full-text search: the index finds what a look at every text finds, however the texts came into it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import category

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.storage.search import Hit, SearchIndex
from ctxlab.storage.search.folding import aligned, folded
from ctxlab.storage.search.rows import rows_of
from ctxlab.storage.search.tokens import PAIRED_BLOCKS

PIECES = [
    *(
        "lamp",
        "Lamp",
        "lam",
        "p",
        "a",
        "the",
        "keeper",
        "keep",
        "er",
        "42",
        "x1",
        "été",
        "éte\u0301",
        "ﬁn",
        "ＬＡＭＰ",
        "ß",
        "İ",
    ),
    *("灯", "塔", "灯塔", "灯塔守", "守", "沈砚", "ひかり", "カﾞ", "가나", "가", "ไฟ", "й", "и\u0306", "𠀀"),
    *("🙂", "👩‍🚀", "❤️", "→", "\u0301", "\u200d", "\x00", "\ufeff"),
    *(
        " ",
        " ",
        " ",
        "\n",
        "\r\n",
        "\u3000",
        "\t",
        ".",
        "，",
        '"',
        "\\",
        "'",
        "*",
        "(",
        ")",
        "AND",
        "OR",
        "NEAR",
        "-",
        "_",
        ":",
        "^",
    ),
    *("a" * 40, "ab" * 50, "tokens:lamp"),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=9).map("".join)


@st.composite
def talks(draw: st.DrawFn) -> ctxlab.Session:
    """Small trees whose messages have any text, some reasoning, and times that go up."""
    session = ctxlab.Session(id=draw(st.sampled_from(["s1", "s2", "灯"])), name=draw(TEXTS))
    for i in range(draw(st.integers(0, 5))):
        parent = draw(st.sampled_from([*session.nodes, None])) if session.nodes else None
        session = session.append(
            draw(TEXTS),
            id=f"n{i}",
            parent=parent,
            role=draw(st.sampled_from(["user", "assistant"])),
            timestamp=f"2026-01-0{i + 1}T00:00:00Z",
            metadata={"reasoningContent": draw(TEXTS)},
        )
    return session


def queries(sessions: list[ctxlab.Session]) -> st.SearchStrategy[str]:
    """Pieces of what was said, cut anywhere, and texts that may not be there."""
    said = [text for session in sessions for row in rows_of(session) for _, text in row.texts if text]
    cuts = st.sampled_from(said).flatmap(
        lambda text: st.tuples(st.just(text), st.integers(0, len(text) - 1), st.integers(1, 12))
    )
    anything = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join)
    return (cuts.map(lambda cut: cut[0][cut[1] : cut[1] + cut[2]]) | anything) if said else anything


def is_letter(character: str) -> bool:
    """Whether a word goes on with the character: a letter, digit or accent of a script whose words are set apart."""
    return category(character)[0] in "LNM" and not any(a <= ord(character) <= b for a, b in PAIRED_BLOCKS)


def says(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        goes_on_before = at > 0 and is_letter(text[at - 1]) and is_letter(text[at])
        goes_on_after = end < len(text) and is_letter(text[end - 1]) and is_letter(text[end])
        if not goes_on_before and not goes_on_after:
            return True
        at = text.find(word, at + 1)
    return False


def scan(sessions: list[ctxlab.Session], query: str, mode: str) -> set[tuple[str, str]]:
    """Hits by looking at each text."""
    found: set[tuple[str, str]] = set()
    words = folded(query).split()
    for session in sessions:
        for row in rows_of(session):
            texts = [folded(text) for _, text in row.texts]
            if mode == "exact":
                is_hit = query != "" and any(folded(query) in text for text in texts)
            else:
                enough = all if mode == "and" else any
                is_hit = bool(words) and enough(any(says(text, word) for text in texts) for word in words)
            if is_hit:
                found.add((session.id, row.key))
    return found


FOLDER = TemporaryDirectory()


@cache
def shared_index(name: str) -> SearchIndex:
    """An index for all examples: making the file is what takes time."""
    return SearchIndex(Path(FOLDER.name) / name)


def index_of(sessions: list[ctxlab.Session], name: str = "one.db") -> SearchIndex:
    """An index of these sessions; what was in it before is taken out of it."""
    index = shared_index(name)
    for key in index.stamps():
        index.remove(*key)
    for session in sessions:
        index.put("session", session, "1")
    return index


def by_id(sessions: list[ctxlab.Session]) -> list[ctxlab.Session]:
    return list({session.id: session for session in sessions}.values())


@given(st.lists(talks(), max_size=3).map(by_id), st.data())
@settings(max_examples=60, deadline=None)
def test_the_index_finds_what_a_look_at_each_text_finds(sessions: list[ctxlab.Session], data: st.DataObject) -> None:
    index = index_of(sessions)
    for _ in range(6):
        mode = data.draw(st.sampled_from(["exact", "and", "or"]))
        query = data.draw(queries(sessions)) + data.draw(st.sampled_from(["", " ", " lamp"]))
        expected = scan(sessions, query, mode)

        for order in ("newest", "best"):
            hits = list(index.search(query, mode=mode, order=order, limit=None))

            assert {(hit.id, hit.key) for hit in hits} == expected, (query, mode)
            assert len(hits) == len(expected)
            assert all(matches_are_where_they_say(index, hit, query, mode) for hit in hits)


def matches_are_where_they_say(index: SearchIndex, hit: Hit, query: str, mode: str) -> bool:
    wanted = [folded(query)] if mode == "exact" else folded(query).split()
    for match in hit.matches:
        text = index.text_of(hit, match.field)
        for start, end in match.spans:
            if not any(word in folded(text[start:end]) for word in wanted):
                return False
        if "\n" in match.snippet.text or not match.snippet.spans:
            return False
    return True


@given(TEXTS)
def test_each_character_of_a_folded_text_has_its_place_in_the_original(text: str) -> None:
    where = aligned(text)

    assert where.folded == folded(text)
    spans = [where.original(i, i + 1) for i in range(len(where.folded))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
    if spans:
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)


def contents(index: SearchIndex) -> Iterator[tuple[object, ...]]:
    """All that a search can tell: rows in their order, and the messages that each word and pair finds."""
    with index._database.reader() as connection:
        docs = "SELECT kind, id, name, is_session FROM docs ORDER BY kind, id"
        yield from connection.execute(docs)
        rows = (
            "SELECT docs.id, key, row >> 20, parent, flags, role, agent, model, time, digest, texts"
            " FROM rows JOIN docs USING(doc) ORDER BY docs.id, key"
        )
        yield from connection.execute(rows)


def changed(session: ctxlab.Session, data: st.DataObject) -> ctxlab.Session:
    """The session after one verb of many kinds."""
    keys = [node.id for node in session.nodes.values() if node.parent_id is not None]
    verb = data.draw(st.sampled_from(["append", "edit", "delete", "switched", "disable", "graft", "time", "name"]))
    if verb == "append" or not keys:
        return session.append(
            data.draw(TEXTS), parent=data.draw(st.sampled_from([*session.nodes, None])) if keys else None
        )
    key = data.draw(st.sampled_from(keys))
    if verb == "edit":
        return session.update(key, content=data.draw(TEXTS))
    if verb == "time":
        return session.update(key, timestamp="2026-02-02T00:00:00Z")
    if verb == "name":
        return session.with_(name=data.draw(TEXTS))
    if verb == "graft":
        other = data.draw(st.sampled_from(list(session.nodes)))
        return session.graft(key, other) if session.relation(key, other) in ("sibling", "other") else session
    return getattr(session, verb)(key)


@given(talks(), st.data())
@settings(max_examples=60, deadline=None)
def test_what_is_put_version_by_version_is_as_if_it_were_put_at_once(
    session: ctxlab.Session, data: st.DataObject
) -> None:
    step_by_step = index_of([session])
    for version in range(data.draw(st.integers(1, 6))):
        session = changed(session, data)
        step_by_step.put("session", session, f"v{version}")
    at_once = index_of([session], "two.db")

    assert list(contents(step_by_step)) == list(contents(at_once))
    query = data.draw(queries([session]))
    found, same = (facts(index, query) for index in (step_by_step, at_once))
    assert found == same
    assert {key for key, *_ in found} == {key for _, key in scan([session], query, "exact")}
    on_path = {f"node:{node.id}" for node in session.path()}
    assert all(active == (key in on_path) for key, active, _ in found if key != "name")


def facts(index: SearchIndex, query: str) -> list[tuple[str, bool, tuple[str, ...]]]:
    hits = index.search(query, mode="exact", limit=None)
    return sorted((hit.key, hit.on_active_path, hit.path()) for hit in hits)
