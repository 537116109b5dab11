"""Files of messages in SillyTavern's chats."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.formats import chat_lines
from ctxlab.formats.sillytavern.chats.reader import chat_from

HEADER: dict[str, Any] = {"user_name": "Ann", "character_name": "沈砚", "chat_metadata": {}}
PICTURE = f"data:image/png;base64,{b64encode(b'wave').decode()}"


def line(**extra: Any) -> dict[str, Any]:
    return {"name": "Ann", "is_user": True, "mes": "See?", "extra": extra}


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"image": "/user/images/沈砚/a.png", "title": "a lamp"}, [("image", "a.png", "user/images/沈砚/a.png")]),
        ({"image": PICTURE}, [("image", "", None)]),
        (
            {"file": {"url": "/user/files/9_n.txt", "name": "n.txt", "size": 3}},
            [("document", "n.txt", "user/files/9_n.txt")],
        ),
        (
            {"files": [{"url": "f/a.md"}, {"url": "f/b.md"}]},
            [("document", "a.md", "f/a.md"), ("document", "b.md", "f/b.md")],
        ),
        (
            {
                "media": [{"url": "i/a.png", "type": "image"}, {"url": "i/b.mp4", "type": "video"}],
                "media_display": "list",
            },
            [("image", "a.png", "i/a.png"), ("video", "b.mp4", "i/b.mp4")],
        ),
        ({"media": [{"url": "i/a.png"}, {"url": "i/b.png"}], "media_index": 1}, [("image", "b.png", "i/b.png")]),
        ({"media": [{"url": "i/a.png"}], "image": "i/a.png"}, [("image", "a.png", "i/a.png")]),
    ],
)
def test_files_that_a_message_names_are_attached(extra: dict[str, Any], expected: list[Any]) -> None:
    session, _ = chat_from([HEADER, line(**extra)])

    attached = session.path()[-1].attachments or ()
    assert [(asset.type, asset.name, asset.path) for asset in attached] == expected
    assert chat_lines(session).data == [HEADER, line(**extra)]
    assert chat_lines(session).losses == ()


def test_a_swipe_has_its_own_files() -> None:
    raw = {"name": "沈砚", "mes": "b", "swipes": ["a", "b"], "swipe_id": 1, "extra": {"image": "b.png"}}
    session, _ = chat_from([HEADER, {**raw, "swipe_info": [{"extra": {"image": "a.png"}}, {}]}])

    paths = {node.content: [asset.path for asset in node.attachments or ()] for node in session.nodes.values()}
    assert (paths["a"], paths["b"]) == (["a.png"], ["b.png"])


def test_files_in_the_folders_of_the_program_come_along(tmp_path: Path) -> None:
    chat = tmp_path / "chats" / "沈砚" / "first.jsonl"
    picture = tmp_path / "user" / "images" / "a.png"
    for path in (chat, picture):
        path.parent.mkdir(parents=True)
    picture.write_bytes(b"wave")
    chat.write_text("\n".join(json.dumps(each) for each in (HEADER, line(image="/user/images/a.png"))))

    found = ctxlab.read(tmp_path)

    assert (found.files, found.losses) == ({"user/images/a.png": b"wave"}, ())


def test_new_files_are_a_loss_that_names_them() -> None:
    session, _ = chat_from([HEADER, line()])
    node = session.path()[-1]

    changed = session.edit(node.id, attachments=[{"id": "f", "name": "雾.png", "type": "image"}])

    assert "its attachments (1) are left out, such as '雾.png'" in str(chat_lines(changed).losses)
