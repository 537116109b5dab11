"""Transcripts that were made before: found by content, engine and version, in memory and in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.assets.transcription import CacheKey, TranscriptCache, forget_transcripts
from ctxlab.assets.transcription.cache import transcript_of
from ctxlab.context import Passage, Transcript

KEY = CacheKey("0" * 64, "ocr of image/png", "1.0")
TRANSCRIPT = Transcript((Passage("港口\n", "page 1"), Passage("tide", "page 2")), "ocr", ("page 3 is not read",))


@pytest.fixture(autouse=True)
def empty_memory() -> Iterator[None]:
    forget_transcripts()
    yield
    forget_transcripts()


def test_what_was_put_is_found_by_another_cache_of_the_process() -> None:
    TranscriptCache().put(KEY, TRANSCRIPT)

    assert TranscriptCache().get(KEY) is TRANSCRIPT


@pytest.mark.parametrize("field", [{"sha256": "1" * 64}, {"engine": "speech"}, {"version": "1.1"}])
def test_other_content_another_engine_and_another_version_are_not_mixed_up(
    tmp_path: Path, field: dict[str, str]
) -> None:
    TranscriptCache(tmp_path).put(KEY, TRANSCRIPT)

    assert TranscriptCache(tmp_path).get(KEY._replace(**field)) is None


def test_a_folder_has_it_for_the_next_process(tmp_path: Path) -> None:
    TranscriptCache(tmp_path / "new" / "folder").put(KEY, TRANSCRIPT)
    forget_transcripts()

    assert TranscriptCache(tmp_path / "new" / "folder").get(KEY) == TRANSCRIPT
    assert [path.suffix for path in (tmp_path / "new").rglob("*") if path.is_file()] == [".json"]


def test_an_engine_without_a_version_is_remembered_by_nobody(tmp_path: Path) -> None:
    cache = TranscriptCache(tmp_path)
    cache.put(KEY._replace(version=""), TRANSCRIPT)

    assert cache.get(KEY._replace(version="")) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"key": []}', b'{"key": ["x", "y", "z"], "transcript": {}}', b"\xff\xfe"],
)
def test_a_broken_file_counts_as_none_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    cache = TranscriptCache(tmp_path)
    cache.put(KEY, TRANSCRIPT)
    (file,) = (path for path in tmp_path.rglob("*.json"))
    file.write_bytes(content)
    forget_transcripts()

    assert cache.get(KEY) is None

    cache.put(KEY, TRANSCRIPT)
    forget_transcripts()
    assert cache.get(KEY) == TRANSCRIPT


def test_a_file_of_another_key_under_this_name_counts_as_none(tmp_path: Path) -> None:
    cache, other = TranscriptCache(tmp_path), KEY._replace(version="2.0")
    cache.put(other, TRANSCRIPT)
    (file,) = tmp_path.rglob("*.json")
    target = tmp_path / KEY.file_name[:2] / KEY.file_name
    target.parent.mkdir(exist_ok=True)
    file.rename(target)
    forget_transcripts()

    assert cache.get(KEY) is None


def test_a_folder_that_can_t_be_written_to_keeps_nothing_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    cache = TranscriptCache(tmp_path / "file")
    cache.put(KEY, TRANSCRIPT)

    assert cache.get(KEY) is TRANSCRIPT, "memory has it"


def test_memory_is_bounded_and_keeps_what_was_used_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.assets.transcription.cache.MOST_CHARACTERS", 25)
    cache = TranscriptCache()
    keys = [KEY._replace(version=str(n)) for n in range(3)]
    for key in keys[:2]:
        cache.put(key, Transcript.of("0123456789"))
    cache.get(keys[0])
    cache.put(keys[2], Transcript.of("0123456789"))

    assert [cache.get(key) is not None for key in keys] == [True, False, True]


texts = st.text(st.characters(exclude_categories=("Cs",)))


@given(st.lists(st.tuples(texts, texts)), texts, st.lists(texts))
def test_a_transcript_comes_back_as_it_was(passages: list[tuple[str, str]], engine: str, problems: list[str]) -> None:
    import orjson

    transcript = Transcript(tuple(Passage(*passage) for passage in passages), engine, tuple(problems))

    assert transcript_of(orjson.loads(orjson.dumps(transcript.as_data()))) == transcript
