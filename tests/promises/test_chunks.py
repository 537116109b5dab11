"""Chunks cover their entry, are slices of it, and are cut where a reader sees two characters."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.documents import ChunkSettings, EntryPart, KnowledgeEntry
from ctxlab.knowledge.chunks import chunks_of

PIECES = st.sampled_from(
    [
        *("# Head\n", "## 二级\n", "```py\n", "```\n", "\n\n", "\n", "\r\n", " ", "a word ", "我们去年在看书。", "真的！？”"),
        *("é", "e\u0301", "👨‍👩‍👧", "🇩🇪", "\ud83d", "\ude00", "def f():\n", "    x = 1\n", "x" * 30, "z" + "\u0301" * 9),
    ]
)
KINDS = st.sampled_from(["text", "markdown", "code", "chat"])
PARTS = st.sets(st.integers(0, 200), max_size=3).map(lambda starts: tuple(EntryPart(start=at) for at in sorted(starts)))
ONE = regex.compile(r"\X|[\ud800-\udbff][\udc00-\udfff]")


@given(st.lists(PIECES, max_size=40).map("".join), KINDS, st.integers(1, 60), st.integers(0, 40), PARTS)
def test_chunks_cover_the_text_and_never_cut_a_grapheme(
    text: str, kind: str, size: int, overlap: int, parts: tuple[EntryPart, ...]
) -> None:
    entry = KnowledgeEntry(content=text, kind=kind, parts=parts)
    edges = {0, len(text), *(match.end() for match in regex.finditer(r"\X", text))}

    at, before = 0, -1
    for chunk in chunks_of(entry, ChunkSettings(characters=size, overlap=overlap)):
        assert before < chunk.start <= at < chunk.end
        assert at - chunk.start <= overlap
        assert {chunk.start, chunk.end} <= edges
        assert chunk.end - chunk.start <= size or ONE.fullmatch(text[at : chunk.end])
        at, before = chunk.end, chunk.start

    assert at == len(text)


@given(st.lists(st.sampled_from(["一二三四五。", "六七！", "八九十？"]), min_size=5, max_size=40).map("".join))
def test_chinese_is_cut_behind_sentences(text: str) -> None:
    chunks = chunks_of(KnowledgeEntry(content=text), ChunkSettings(characters=20, overlap=0))

    assert {text[chunk.end - 1] for chunk in chunks} <= set("。！？")


@given(st.lists(st.sampled_from(["word word\n", "\n", "# A\n", "text. more\n"]), max_size=12).map("".join), st.integers(1, 9))
def test_fenced_code_that_fits_stays_whole(before: str, lines: int) -> None:
    fence = "```py\n" + "x = 1\n" * lines + "```\n"
    text = f"{before}{fence}{before}"

    chunks = chunks_of(KnowledgeEntry(content=text, kind="markdown"), ChunkSettings(characters=80, overlap=0))

    assert any(fence in text[chunk.start : chunk.end] for chunk in chunks)
