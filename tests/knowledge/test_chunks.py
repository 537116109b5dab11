"""Chunks know where they stand: under which headings, on which page, in which lines, in which message."""

from __future__ import annotations

from ctxlab.documents import ChunkSettings, EntryPart, KnowledgeEntry
from ctxlab.knowledge.chunks import chunks_of

SMALL = ChunkSettings(characters=60, overlap=0)


def texts(entry: KnowledgeEntry, settings: ChunkSettings = SMALL) -> list[tuple[str, str]]:
    return [(chunk.place, entry.content[chunk.start : chunk.end]) for chunk in chunks_of(entry, settings)]


def test_an_entry_that_fits_is_one_chunk() -> None:
    assert texts(KnowledgeEntry(content="A short one.")) == [("", "A short one.")]
    assert texts(KnowledgeEntry()) == []


def test_markdown_is_cut_at_headings_and_says_which() -> None:
    entry = KnowledgeEntry(
        kind="markdown",
        content="# Tides\nThey come and go twice a day, all year.\n## Spring tide\nAt full moon and at new moon, as ever.\n",
    )

    assert [place for place, _ in texts(entry)] == ["Tides", "Tides > Spring tide"]


def test_a_heading_inside_of_code_is_none() -> None:
    code = "```sh\n# no heading, only a remark of a program\nls\n```\n"
    entry = KnowledgeEntry(kind="markdown", content=f"# Head\n{code}")

    assert {place for place, _ in texts(entry)} == {"Head"}


def test_code_is_cut_before_definitions_with_their_decorators() -> None:
    entry = KnowledgeEntry(kind="code", content="import os\nimport sys\nimport json\n\n\n@cache\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n")

    found = texts(entry, ChunkSettings(characters=50, overlap=0))

    assert found[0] == ("lines 1-5", "import os\nimport sys\nimport json\n\n\n")
    assert [text.split("(")[0] for _, text in found[1:]] == ["@cache\ndef one", "def two"]


def test_pages_and_messages_have_chunks_of_their_own() -> None:
    entry = KnowledgeEntry(content="One.Two.", parts=(EntryPart(start=0, place="page 1"), EntryPart(start=4, place="page 2")))

    assert texts(entry) == [("page 1", "One."), ("page 2", "Two.")]


def test_a_chunk_repeats_whole_sentences_of_the_one_before() -> None:
    entry = KnowledgeEntry(content="".join([f"Sentence number {i:02}. " for i in range(9)]))

    found = texts(entry, ChunkSettings(characters=60, overlap=25))

    assert len(found) > 3
    assert all(text.startswith("Sentence") for _, text in found)
    assert all(one[-20:] == two[:20] for (_, one), (_, two) in zip(found, found[1:], strict=False))
