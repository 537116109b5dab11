from dataclasses import replace
from typing import Any

import pytest

from ctxlab.context import AssetRef, Cause, Draft, Origin, Part, Text, merged_draft
from ctxlab.documents import AgentFile, Asset, AssetSource, InlineFile, LibraryFile, LinkedFile, ToolCall, UploadedFile

WHY = Cause("test", "rule")
CALL = ToolCall("c1", "look", "{}")


def draft(key: str = "a", said: str = "hello", **fields: Any) -> Draft:
    origin = Origin("node", key)
    return replace(Draft(key, "assistant", (Text.of(said, origin),), origin), **fields)


def picture(id: str) -> AssetRef:
    return AssetRef(id, "image")


def test_several_texts_are_read_with_a_line_between() -> None:
    two = draft(body=(Text.of("a", Origin("node", "1")), picture("p"), Text.of("b", Origin("node", "2"))))

    assert str(two.text) == "a\nb"
    assert [span.origin.kind for span in two.text.spans] == ["node", "separator", "node"]
    assert two.assets == (picture_in(two),)


def picture_in(draft: Draft) -> AssetRef:
    return next(part for part in draft.body if isinstance(part, AssetRef))


def test_the_same_words_give_the_same_draft() -> None:
    one = draft()

    assert one.edit_text(lambda text: text) is one


def test_other_words_keep_the_files() -> None:
    one = draft(body=(Text.of("look", Origin("node", "a")), picture("p")))

    other = one.edit_text(lambda text: Text.of("see", Origin("node", "a")))

    assert str(other.text) == "see"
    assert other.assets == one.assets


def test_a_merged_draft_keeps_every_field_of_its_parts() -> None:
    first = draft("a", "one", reasoning="because", meta={"x": 1, "y": 1}, body=(draft().text, picture("p")))
    second = draft("b", "two", calls=(CALL,), reasoning="so", pinned=True, priority=3, meta={"y": 2, "z": 3})

    whole = merged_draft([first, second], separator=" / ", cause=WHY)

    assert (whole.key, whole.role, str(whole.text)) == ("a", "assistant", "hello / two")
    assert whole.calls == (CALL,)
    assert whole.reasoning == "because\nso"
    assert [asset.id for asset in whole.assets] == ["p"]
    assert (whole.pinned, whole.priority) == (True, 3)
    assert whole.meta == {"x": 1, "y": 1, "z": 3}
    assert whole.merged == (Part("a", Origin("node", "a")), Part("b", Origin("node", "b")))
    assert whole.text.origins() >= {Origin("node", "b"), Origin("separator", "rule")}


def test_a_draft_that_was_not_merged_is_its_own_part() -> None:
    assert draft("a").parts == (Part("a", Origin("node", "a")),)


@pytest.mark.parametrize(
    ("artifacts", "replayed"),
    [
        ([{"replayPolicy": "always"}], True),
        ([{}], True),
        ([{"replayPolicy": "never"}], False),
        ([], False),
        (None, False),
        (5, False),
        ("text", False),
        ([7], False),
    ],
)
def test_reasoning_is_replayed_unless_its_artifacts_say_never(artifacts: Any, replayed: bool) -> None:
    assert draft(meta={"reasoningArtifacts": artifacts}).replays_reasoning is replayed


@pytest.mark.parametrize(
    ("extra", "source"),
    [
        ({"path": "lib/p.png"}, LibraryFile("lib/p.png")),
        ({}, LibraryFile(None)),
        ({"url": "https://x.org/p.png"}, LinkedFile("https://x.org/p.png")),
        ({"fileId": "file-1"}, UploadedFile("file-1")),
        ({"inlineData": {"base64": "AAAA"}}, InlineFile("AAAA")),
        ({"inlineData": {"base64": "AAAA", "mimeType": "image/gif"}, "url": "u"}, InlineFile("AAAA", "image/gif")),
        ({"inlineData": {"base64": "", "mimeType": 5}, "url": "u"}, LinkedFile("u")),
        ({"inlineData": {"base64": ["no"]}, "url": {}, "fileId": 7, "path": "lib/p.png"}, LibraryFile("lib/p.png")),
    ],
)
def test_an_asset_knows_where_its_bytes_are(extra: dict[str, Any], source: AssetSource) -> None:
    stored = Asset.model_validate({"id": "p", "type": "image", "name": "p.png", "mimeType": "image/png", **extra})

    ref = AssetRef.of(stored)

    assert (ref.id, ref.kind, ref.name, ref.mime_type) == ("p", "image", "p.png", "image/png")
    assert ref.source == source


@pytest.mark.parametrize(
    ("source", "data"),
    [
        (InlineFile("QUJD", "image/png"), {"kind": "inline", "mimeType": "image/png"}),
        (LinkedFile("https://x.org/p.png"), {"kind": "url", "url": "https://x.org/p.png"}),
        (LinkedFile("data:image/png;base64,QUJD"), {"kind": "url", "url": "data:image/png;base64,"}),
        (UploadedFile("file-1"), {"kind": "file-id", "file_id": "file-1"}),
        (LibraryFile("lib/p.png"), {"kind": "asset-library", "path": "lib/p.png"}),
        (AgentFile("ag", "a/p.png"), {"kind": "agent-private", "agentId": "ag", "relativePath": "a/p.png"}),
    ],
)
def test_a_source_shows_its_place_and_never_its_bytes(source: AssetSource, data: dict[str, Any]) -> None:
    assert AssetRef("p", "image", source=source).as_data()["source"] == data
    assert "QUJD" not in repr(source)
