"""The content router: its invariants over any artifact and any capabilities, its table of routes, its error rows."""

from __future__ import annotations

import io
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.assets.capabilities import Capabilities, capabilities_of
from ctxlab.assets.content_router import Artifact, ContentRouteResult, get_artifact, route_content, routing
from ctxlab.assets.content_router.artifact import decoded
from ctxlab.assets.descriptions import Language
from ctxlab.assets.llmservices import read_llmservices
from ctxlab.context import FileFacts, FileKind
from ctxlab.documents import Asset, AssetSource

AT_RANDOM = 2000
"""Assets for each of the five invariants: 10,000 in all, besides those that hypothesis thinks of."""
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x02\x08\x02\x00\x00\x00\xfd\xd4\x9as"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)
MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00" + b"\xff\xfb\x90\x64" + bytes(417) + b"\xff\xfb\x90\x64" + bytes(417)
MP4 = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + bytes(64)
NOISE = b"\x91\xfe\x01\x80\x02" * 20
SEEDS = [PNG, MP3, MP4, NOISE, b"%PDF-1.7\n", b"PK\x03\x04", b"GIF89a", b"\xff\xd8\xff\xe0", b"plain words"]
MIMES = [
    *("", "image/png", "image/jpeg", "audio/mpeg", "video/mp4", "application/pdf", "application/zip", "text/plain"),
    *("application/octet-stream", "IMAGE/PNG; a=b", "nonsense", "a/b", "application/vnd.ms-excel"),
]
NAMES = [
    "",
    "a.png",
    "报告.pdf",
    "x.mp3",
    "x.mp4",
    "x.docx",
    "script.sh",
    "no extension",
    "../../etc/passwd",
    "a\nb.png",
]

contents = st.one_of(st.binary(min_size=1, max_size=300), st.builds(bytes.__add__, st.sampled_from(SEEDS), st.binary()))
mime_types = st.one_of(st.sampled_from(MIMES), st.text(max_size=20))
names = st.one_of(st.sampled_from(NAMES), st.text(max_size=30))
capability_sets = st.builds(
    Capabilities,
    st.frozensets(st.sampled_from(["text", "vision", "file", "audio", "video"])).map(lambda inputs: inputs | {"text"}),
    st.booleans(),
)
languages = st.sampled_from(["zh", "en"])
binaries = st.builds(
    lambda data, mime, name, as_base64: Artifact(
        "abc123", b64encode(data).decode() if as_base64 else data, True, mime, meta={"filename": name}
    ),
    contents,
    mime_types,
    names,
    st.booleans(),
)
anything: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=20), st.binary(max_size=20), st.lists(st.integers())
)
broken = st.fixed_dictionaries(
    {},
    optional={
        "id": anything,
        "content": st.one_of(anything, contents),
        "isBinary": anything,
        "mimeType": anything,
        "type": anything,
        "meta": st.one_of(anything, st.dictionaries(st.just("filename"), anything)),
        "createdAt": anything,
        "size": anything,
    },
)
Law = Callable[[Artifact, Capabilities, Language], None]


def at_random(seed: int) -> Iterator[tuple[Artifact, Capabilities, Language]]:
    """Assets of random bytes, types and names; hypothesis takes forty times as long for each."""
    dice = Random(seed)
    for _ in range(AT_RANDOM):
        data = dice.choice([b"", b"", *SEEDS]) + dice.randbytes(dice.choice([1, 7, 40, 300]))
        mime_type = dice.choice(MIMES)
        content = dice.choice([data, b64encode(data).decode(), b64encode(data).decode()])
        inputs = {word for word in ("vision", "file", "audio", "video") if dice.random() < 0.5}
        able = Capabilities(frozenset({"text", *inputs}), known=dice.random() < 0.8)
        artifact = Artifact("abc123", content, True, mime_type, meta={"filename": dice.choice(NAMES)})
        yield artifact, able, dice.choice(["zh", "en"])


# --- the invariants


def nothing_of_a_binary_file_is_in_a_text(artifact: Artifact, able: Capabilities, language: Language) -> None:
    result = route_content(artifact, able, language=language)

    if result.routing != "text":
        return
    text = result.content or ""
    assert text[0] == "[" and len(text.splitlines()) == 3
    told = f"{artifact.filename} {artifact.mime_type} {_words(language)}"
    for payload in (b64encode(artifact.data).decode(), artifact.data.decode("latin-1")):
        assert [part for part in _pieces(payload, 12) if part in text and part not in told] == []


def a_text_stays_as_it_is(artifact: Artifact, able: Capabilities, language: Language) -> None:
    text = artifact.data.decode("latin-1")  # any characters; without a word on whether it is text it may be one too
    named, meta = artifact.mime_type, artifact.meta
    base64 = b64encode(artifact.data).decode()
    for as_text in (
        Artifact("t", text, False, named, meta=meta),
        Artifact("t", base64, False, named, meta=meta),
        Artifact("t", f"{text} 。", None),
    ):
        words = as_text.content
        result = route_content(as_text, able, language=language)

        assert (result.content_type, result.routing, result.content) == ("text", "text", words)


def what_is_called_binary_is_never_text(artifact: Artifact, able: Capabilities, language: Language) -> None:
    base64 = b64encode(artifact.data * 30).decode()
    for content in (base64, base64.replace("+", "-").replace("/", "_").rstrip("="), base64[:200] + "中" + base64[200:]):
        for called in (
            Artifact("t", content, mime_type="image/png"),
            Artifact("t", content, meta={"filename": "a.zip"}),
        ):
            result = route_content(called, able, language=language)

            assert result.content_type != "text"
            assert base64[:40] not in (result.content or "")


def type_and_capabilities_alone_decide(artifact: Artifact, able: Capabilities, language: Language) -> None:
    first = route_content(artifact, able, language=language)
    others = [Artifact("other", data, True, artifact.mime_type, "x", artifact.meta, "1999") for data in SEEDS]

    assert route_content(artifact, able, language=language) == first
    for second in (route_content(other, able, language=language) for other in others):
        if _was_read(first) and _was_read(second):
            same = first.metadata.binary_type == second.metadata.binary_type
            assert not same or (first.content_type, first.routing) == (second.content_type, second.routing)


def a_result_is_complete(artifact: Artifact, able: Capabilities, language: Language) -> None:
    result = route_content(artifact, able, language=language)
    data = result.as_data()

    field = {"text": "content", "image_url": "imageUrl", "file": "file"}[data["routing"]]
    assert data.keys() == {"contentType", "routing", "metadata", field}
    assert data["contentType"] in ("text", "image", "binary")
    assert data["metadata"]["id"] == artifact.id and result.reason
    if field == "content":
        assert isinstance(data["content"], str)
    elif field == "imageUrl":
        url = data["imageUrl"]["image_url"]["url"]
        assert (data["imageUrl"]["type"], data["contentType"]) == ("image_url", "image")
        assert re.match(r"data:image/[\w.+-]+;base64,", url) and decoded(url) == artifact.data
    else:
        file = data["file"]["file"]
        assert (data["file"]["type"], data["contentType"]) == ("file", "binary")
        assert file.keys() == {"filename", "mimeType", "data"} and decoded(file["data"]) == artifact.data


def a_model_that_reads_no_files_gets_words(artifact: Artifact, able: Capabilities, language: Language) -> None:
    for unable in (None, Capabilities(), Capabilities(known=able.known)):
        result = route_content(artifact, unable, language=language)

        assert (result.routing, type(result.content)) == ("text", str)


LAWS: tuple[Law, ...] = (
    nothing_of_a_binary_file_is_in_a_text,
    a_text_stays_as_it_is,
    what_is_called_binary_is_never_text,
    type_and_capabilities_alone_decide,
    a_result_is_complete,
    a_model_that_reads_no_files_gets_words,
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_invariants_hold_for_thousands_of_assets(law: Law) -> None:
    for artifact, able, language in at_random(seed=LAWS.index(law)):
        law(artifact, able, language)


@settings(max_examples=150, deadline=None)
@given(binaries, capability_sets, languages)
def test_the_invariants_hold_for_any_asset(artifact: Artifact, able: Capabilities, language: Language) -> None:
    for law in LAWS:
        law(artifact, able, language)


@settings(max_examples=150, deadline=None)
@given(broken, capability_sets, languages)
def test_whatever_a_store_hands_out_has_a_result(data: dict[str, Any], able: Capabilities, language: Language) -> None:
    result = route_content(Artifact.from_data(data), able, language=language)

    assert result.as_data()["contentType"] in ("text", "image", "binary")
    assert json.dumps(result.as_data())


def _pieces(payload: str, length: int) -> list[str]:
    """Pieces of a payload that is at least so long; a shorter one may be in any words by chance."""
    return [payload[start : start + length] for start in range(0, len(payload) - length + 1, 4)]


@cache
def _words(language: Language) -> str:
    """The words of the descriptions themselves."""
    described = [route_content(Artifact("abc123", content, True), None, language=language) for content in (NOISE, "")]
    return " ".join([result.content or "" for result in described])


def _was_read(result: ContentRouteResult) -> bool:
    """Whether the content could be read at all: one that is empty, encrypted or broken is its own error."""
    return result.routing != "text" or (
        "[文件处理失败" not in f"{result.content}" and "could not be" not in f"{result.content}"
    )


# --- the table of routes

EVERYTHING = "vision file audio video"
NEEDED = {"image": "vision", "audio": "audio", "video": "video", "document": "file", "other": "file"}
SAMPLES = {
    "image": (PNG, "image/png", "image_url", "image"),
    "audio": (MP3, "audio/mpeg", "file", "binary"),
    "video": (MP4, "video/mp4", "file", "binary"),
    "document": (NOISE, "application/vnd.ms-excel", "file", "binary"),
    "other": (NOISE, "application/x-thing", "file", "binary"),
}


def _able(words: str) -> Capabilities:
    return Capabilities(frozenset({"text", *words.split()}))


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("as_base64", [True, False])
@pytest.mark.parametrize("words", ["", "vision", "file", "audio", "video", "vision file", EVERYTHING])
def test_a_file_goes_where_the_table_says(kind: str, as_base64: bool, words: str) -> None:
    data, mime_type, routing, content_type = SAMPLES[kind]
    content = b64encode(data).decode() if as_base64 else data
    artifact = Artifact("a1", content, True, mime_type, "upload", {"filename": "n"}, "2026-11-01T08:00:00Z")

    result = route_content(artifact, _able(words)).as_data()

    reads = NEEDED[kind] in words.split()
    assert (result["contentType"], result["routing"]) == (content_type, routing if reads else "text")
    assert result["metadata"] == {
        "id": "a1",
        "type": "upload",
        "filename": "n",
        "mimeType": mime_type,
        "size": len(data),
        "createdAt": "2026-11-01T08:00:00Z",
        "binaryType": kind,
    }
    base64 = b64encode(data).decode()
    if not reads:
        assert result["content"].startswith("[无法读取] n (artifact:a1)\n类型: ")
    elif routing == "image_url":
        assert result["imageUrl"] == {"type": "image_url", "image_url": {"url": f"data:{mime_type};base64,{base64}"}}
    else:
        assert result["file"] == {"type": "file", "file": {"filename": "n", "mimeType": mime_type, "data": base64}}


def test_a_text_has_id_type_and_date_alone_beside_it() -> None:
    artifact = Artifact("a1", "body", False, "text/plain", "note", {}, "2026-11-01T08:00:00Z", 4)

    assert route_content(artifact, None).as_data() == {
        "contentType": "text",
        "routing": "text",
        "content": "body",
        "metadata": {"id": "a1", "type": "note", "createdAt": "2026-11-01T08:00:00Z"},
    }


def test_the_bytes_decide_where_name_and_type_lie() -> None:
    script = Artifact("a", b"#!/bin/sh\necho hello\n", True, "image/png", meta={"filename": "a.png"})
    picture = Artifact("b", PNG, True, "application/pdf", meta={"filename": "b.pdf"})

    assert route_content(script, _able("vision")).routing == "text"
    assert route_content(picture, _able("vision file")).routing == "image_url"


def test_a_vendor_gets_no_type_that_it_refuses_and_nothing_above_its_limit() -> None:
    claude = capabilities_of("claude-sonnet-4-5")
    archive = route_content(Artifact("z", NOISE, True, "application/x-thing"), claude)
    large = route_content(Artifact("p", PNG, True), Capabilities(frozenset({"vision"}), max_image_bytes=8))

    assert (archive.routing, archive.reason) == (
        "text",
        "the model has file input, but not for application/x-thing",
    )
    assert large.routing == "text"
    assert large.content is not None and large.content.endswith(
        f"文件大小为 {len(PNG)} 字节，超过上限 8 字节，未发送。"
    )


# --- the error rows


class Shelf:
    """A store that counts the bytes that are read of it."""

    def __init__(self, files: Mapping[str, tuple[Asset, Callable[[], BinaryIO]]]) -> None:
        self.files = files

    def get(self, ref: str) -> Asset | None:
        found = self.files.get(ref)
        return found[0] if found else None

    def open(self, source: AssetSource) -> BinaryIO | None:
        return next((make() for asset, make in self.files.values() if asset.source == source), None)


def shelf(data: bytes, **fields: Any) -> Shelf:
    asset = Asset(id="a1", path="artifact:a1", **fields)
    return Shelf({"artifact:a1": (asset, lambda: io.BytesIO(data))})


def test_an_artifact_that_is_not_there_is_an_error_with_its_reference() -> None:
    body = {"error": "artifact_not_found", "ref": "artifact:xxx", "message": "工件不存在或已被删除"}

    assert get_artifact("artifact:xxx", shelf(PNG), _able(EVERYTHING)).as_data() == body
    for ref in ("", "data:image/png;base64,AAAA", "https://example.org/a.png", "../../etc/passwd"):
        assert get_artifact(ref, shelf(PNG), None).as_data()["error"] == "artifact_not_found"


@pytest.mark.parametrize(
    "data", [{}, {"mimeType": 7, "meta": "gone", "isBinary": "yes"}, {"mimeType": "image", "meta": {"filename": None}}]
)
def test_with_broken_metadata_the_content_decides(data: dict[str, Any]) -> None:
    picture = Artifact.from_data({**data, "id": "a1", "content": b64encode(PNG).decode()})
    text = Artifact.from_data({**data, "id": "a2", "content": "abcd"})

    assert route_content(picture, _able("vision")).routing == "image_url"
    assert route_content(text, _able("vision")).content == "abcd"


def test_a_file_whose_type_cannot_be_detected_is_binary_and_described(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> FileFacts:
        raise RuntimeError("no luck")

    monkeypatch.setattr(routing, "facts_of", fails)
    result = route_content(Artifact("a1", PNG, True, "image/png", meta={"filename": "a.png"}), _able(EVERYTHING))

    assert (result.content_type, result.routing) == ("binary", "text")
    assert result.content == (
        "[无法读取] a.png (artifact:a1)\n类型: 二进制文件\n"
        "当前模型不支持读取此类文件。建议创建具备相应能力的智能体协助处理。"
    )
    assert result.reason == "its type could not be detected (RuntimeError)"


def _no_registry() -> Capabilities:
    raise KeyError("registry")


def test_where_capabilities_cannot_be_looked_up_the_model_reads_text_alone() -> None:
    services = read_llmservices(b"broken")
    for able in (None, _no_registry, lambda: services.capabilities_of("gpt-4-vision")):
        result = route_content(Artifact("a1", PNG, True, "image/png"), able)

        assert (result.content_type, result.routing) == ("image", "text")
        assert result.reason == "no vision input is known"


@pytest.mark.parametrize("content", ["not base64!", "图片", "abcde", "data:image/png,plain", "", None, "===="])
@pytest.mark.parametrize("able", [_able(EVERYTHING), _able("")])
def test_invalid_base64_has_an_error_body_of_its_own(content: str | None, able: Capabilities) -> None:
    artifact = Artifact("a1", content, True, "application/pdf", meta={"filename": "xxx.pdf"})

    assert route_content(artifact, able).as_data() == {
        "contentType": "binary",
        "routing": "text",
        "content": "[文件处理失败: xxx.pdf]\n错误: 无法读取文件内容\n请检查文件是否损坏",
        "metadata": {"id": "a1", "filename": "xxx.pdf", "mimeType": "application/pdf"},
    }


@pytest.mark.parametrize("content", ["iVBORw0KGgo", "iVBO\r\nRw0K\nGgo=", "data:image/png;base64,iVBORw0KGgo="])
def test_base64_may_be_folded_unpadded_or_a_data_url(content: str) -> None:
    assert Artifact("a", content, True).data == PNG[:8]


@pytest.mark.parametrize("kind", ["image", "document"])
def test_a_file_that_a_vendor_would_refuse_whole_is_an_error_body(kind: FileKind) -> None:
    empty = PNG[:16] + bytes(8) + PNG[24:]
    broken_pdf = b"%PDF-1.7\nand nothing after it\n"
    artifact = Artifact("a1", {"image": empty, "document": broken_pdf}[kind], True, meta={"filename": "x"})

    result = route_content(artifact, _able(EVERYTHING))

    assert (result.routing, result.reason != "") == ("text", True)
    assert result.content == "[文件处理失败: x]\n错误: 无法读取文件内容\n请检查文件是否损坏"


# --- from a store


class CountingFile(io.BytesIO):
    read_bytes = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        CountingFile.read_bytes += len(data)
        return data


def test_a_file_that_is_only_described_is_not_read_whole() -> None:
    data = MP4 + bytes(20_000_000)
    store = Shelf({"artifact:a1": (Asset(id="a1", name="a.mp4", path="artifact:a1"), lambda: CountingFile(data))})

    CountingFile.read_bytes = 0
    result = get_artifact("artifact:a1", store, _able("vision")).as_data()

    assert (result["routing"], result["metadata"]["size"]) == ("text", len(data))
    assert CountingFile.read_bytes < 1_000_000


def test_a_text_of_a_store_is_decoded_and_an_id_alone_is_a_reference() -> None:
    store = shelf("航海日志：东风三级，雾散。港口的灯亮着。".encode("gb18030"), name="log.txt", mime_type="text/plain")
    store.files = {"a1": store.files["artifact:a1"]}

    assert get_artifact("a1", store, None).as_data()["content"] == "航海日志：东风三级，雾散。港口的灯亮着。"
