"""Files that sessions and agents name come along when they are read, and go out again."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, Library, Session
from ctxlab.formats import read_bytes, sessions_zip
from ctxlab.formats.files.attached import MOST_BYTES, Files
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.results import Import

FACE, HORN = b"\x89PNG face", b"RIFF horn"


def asset(path: str | None, id: str = "f", **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "image", "name": "a.png", **({"path": path} if path else {}), **more}


def talk(*assets: dict[str, Any], id: str = "s") -> Session:
    return Session(id=id).append("", role="system", id="root").append("Look.", id="u", attachments=list(assets))


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def path_of(found: Library, node: str = "u") -> str | None:
    return (found.sessions[0][node].attachments or ())[0].path


# --- beside a file, and in a folder


def test_files_beside_a_session_come_along(tmp_path: Path) -> None:
    put(tmp_path / "图" / "灯塔.png", FACE)
    put(tmp_path / "other.png", b"named by nobody")
    file = put(tmp_path / "s.json", talk(asset("图/灯塔.png"), asset("gone.png")).to_json())

    found = ctxlab.read(file)

    assert (found.files, found.losses) == ({"图/灯塔.png": FACE}, ())


@pytest.mark.parametrize("path", ["../secret.png", "/etc/hostname", "sub/../../secret.png", "..\\secret.png"])
def test_a_path_that_leads_out_is_refused_and_named(tmp_path: Path, path: str) -> None:
    put(tmp_path / "secret.png", b"secret")
    file = put(tmp_path / "in" / "s.json", talk(asset(path)).to_json())

    found = ctxlab.read(file)

    assert found.files == {}
    assert [str(loss) for loss in found.losses] == [f"{path}: its path leads out of the folder; not read"]


def test_links_and_hidden_files_do_not_come_along(tmp_path: Path) -> None:
    put(tmp_path / "out" / "a.png", FACE)
    put(tmp_path / "in" / ".key" / "a.png", FACE)
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")
    file = put(tmp_path / "in" / "s.json", talk(asset("link/a.png"), asset(".key/a.png", "g")).to_json())

    assert ctxlab.read(file).files == {}


def test_in_a_folder_attached_files_are_no_losses_and_one_path_twice_stays_two_files(tmp_path: Path) -> None:
    for folder, data in (("a", FACE), ("b", HORN)):
        put(tmp_path / folder / "p.png", data)
        put(tmp_path / folder / "s.json", talk(asset("p.png"), id=folder).to_json())

    found = ctxlab.read(tmp_path)

    paths = [(session["u"].attachments or ())[0].path or "" for session in found.sessions]
    assert [found.files[path] for path in paths] == [FACE, HORN]
    assert found.losses == ()


def test_what_is_too_large_together_is_named_and_not_read(tmp_path: Path) -> None:
    put(tmp_path / "a.png", b"x" * 8)
    put(tmp_path / "b.png", b"y" * 8)

    found = Files(FolderShelf(tmp_path), room=10).along_with(Import((talk(asset("a.png"), asset("b.png", "g")),)))

    assert list(found.files) == ["a.png"]
    assert [loss.place for loss in found.losses] == ["b.png"]
    assert "256 MB of files come along in all" in found.losses[0].text


def test_files_of_chatgpt_are_found_by_their_ids(tmp_path: Path) -> None:
    part = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Ab1", "width": 2, "height": 3}
    newer = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_00ff"}
    content = {"content_type": "multimodal_text", "parts": [part, newer, "See?"]}
    uploads = {"attachments": [{"id": "file-Zz9", "name": "report.pdf"}]}
    message = {"author": {"role": "user"}, "content": content, "metadata": uploads}
    mapping = {"r": {"children": ["u"]}, "u": {"parent": "r", "children": [], "message": message}}
    data = [{"id": "c", "mapping": mapping, "current_node": "u"}]
    files = {"file-Ab1-灯塔.png": FACE, "user-1/file_00ff-sanitized.png": HORN, "file-Zz9-report.pdf": b"%PDF"}
    packed = zipped(
        {"export/conversations.json": json.dumps(data).encode(), **{f"export/{k}": v for k, v in files.items()}}
    )

    found = read_bytes(packed, "export.zip")

    assert found.files == files
    assert [each.path for each in found.sessions[0]["u"].attachments or ()] == list(files)
    for name, each in files.items():
        put(tmp_path / name, each)
    assert ctxlab.read(put(tmp_path / "conversations.json", json.dumps(data).encode())).files.keys() == {
        "file-Ab1-灯塔.png",
        "file-Zz9-report.pdf",
    }


# --- zips


PATHS = st.one_of(
    st.sampled_from(
        ["a.png", "A.png", "metadata.json", "agent.json", "sessions/x.json", "appdata://i/a.png", "artifact:0f"]
    ),
    st.from_regex(r"[\w .:~-]{1,8}(/[\w .:~-]{1,8}){0,2}", fullmatch=True).filter(
        lambda path: ".." not in path.split("/")
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(PATHS, st.binary(max_size=20), max_size=5), st.data())
def test_a_zip_gives_back_the_files_that_it_was_given(files: dict[str, bytes], draw: st.DataObject) -> None:
    named = draw.draw(st.lists(st.sampled_from(sorted(files)), max_size=3)) if files else []
    session = talk(*(asset(path, str(n)) for n, path in enumerate(named)))
    agent = Agent(id="a", name="A", assets=({"id": "x", "path": named[0]},) if named else ())

    export = sessions_zip([session], agents=[agent], files=files)
    found = read_bytes(export.data, "all.zip")

    assert (dict(found.files), found.losses, export.losses) == (files, (), ())
    assert (found.sessions, found.agents) == ((session,), (agent,))


def test_a_path_that_leads_out_stays_out_of_a_zip() -> None:
    export = sessions_zip([talk()], files={"../a.png": FACE})

    assert [str(loss) for loss in export.losses] == ["../a.png: its path leads out of the archive; left out"]
    assert read_bytes(export.data, "x.zip").files == {}


def test_hostile_members_of_a_zip_are_refused() -> None:
    about = {"format": "ctxlab-sessions", "files": [{"path": "../a", "file": "a"}, {"path": "b", "file": "../b"}, 5]}
    session = talk(asset("../c.png")).to_json()

    found = read_bytes(
        zipped({"metadata.json": json.dumps(about).encode(), "s.json": session, "a": FACE, "../b": b"b"}), "x"
    )

    assert found.files == {}
    assert {loss.place for loss in found.losses} == {"../a", "b", "s.json, ../c.png"}


def test_a_member_that_says_it_is_huge_is_named_and_not_unpacked() -> None:
    packed = zipped({"s.json": talk(asset("bomb.png")).to_json(), "bomb.png": b"\0" * 5_000_003})
    huge = packed.replace((5_000_003).to_bytes(4, "little"), (MOST_BYTES + 1).to_bytes(4, "little"))

    found = read_bytes(huge, "x.zip")

    assert found.files == {}
    assert "256 MB are too much" in str(found.losses[0])


def test_files_that_are_not_at_hand_are_named_by_the_writer() -> None:
    losses = sessions_zip([talk(asset("a.png"), asset("b.png", "g"))], files={"a.png": FACE}).losses

    assert [str(loss) for loss in losses] == ["session 's': 'b.png' not at hand; named, not contained"]


def test_a_picked_session_takes_its_own_files_alone(tmp_path: Path) -> None:
    both = Library(
        sessions=(talk(asset("a.png"), id="a"), talk(asset("b.png"), id="b")), files={"a.png": b"a", "b.png": b"b"}
    )

    ctxlab.write(both, tmp_path / "a.zip", pick="a")

    assert ctxlab.read(tmp_path / "a.zip").files == {"a.png": b"a"}


# --- other forms


@pytest.mark.parametrize("ending", [".json", ".branch.json"])
def test_a_form_without_room_for_files_names_them(tmp_path: Path, ending: str) -> None:
    library = Library(sessions=(talk(asset("a.png")),), files={"a.png": FACE})

    losses = ctxlab.write(library, tmp_path / f"out{ending}").losses

    assert "files: 'a.png' is named, not contained: a .zip holds them" in map(str, losses)


def test_a_list_of_messages_has_the_bytes_inside(tmp_path: Path) -> None:
    library = Library(sessions=(talk(asset("a.png", mimeType="image/png")),), files={"a.png": FACE})

    export = ctxlab.write(library, tmp_path / "out.openai.json")

    again = ctxlab.load(tmp_path / "out.openai.json")
    inside = next(node for node in again.nodes.values() if node.attachments)
    assert export.losses == ()
    assert again.path()[-1].attachments == inside.attachments
    assert (inside.attachments or ())[0].size == len(FACE)


def test_markdown_has_the_text_of_text_files(tmp_path: Path) -> None:
    export = ctxlab.write(ctxlab.example("harbour_attachments"), tmp_path / "out.md")

    words = export.data.decode()
    assert "“海燕号”吃水四点二米" in words
    assert "【file::" not in words
    assert "%PDF" not in words
    assert "attachments: 8 are named at most, not contained" in map(str, export.losses)


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}


@pytest.mark.parametrize(
    ("part", "kind", "mime_type", "name"),
    [
        (PICTURE, "image", "image/png", ""),
        ({"type": "document", "title": "雾", "source": {"type": "text", "data": "水"}}, "document", "text/plain", "雾"),
        ({"type": "input_image", "image_url": "data:image/png;base64,iVBORw=="}, "image", "image/png", ""),
        (
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"},
            "document",
            "application/pdf",
            "a.pdf",
        ),
    ],
)
def test_parts_of_other_shapes_are_attachments(part: dict[str, Any], kind: str, mime_type: str, name: str) -> None:
    found = ctxlab.read_data([{"role": "user", "content": [{"type": "text", "text": "See"}, part]}])

    (attachment,) = found.sessions[0].path()[-1].attachments or ()
    assert (attachment.type, attachment.mime_type, attachment.name) == (kind, mime_type, name)
    assert found.losses == ()


def test_an_attachment_that_is_a_link_out_of_the_folder_is_a_loss_and_told_once(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("secret")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").symlink_to(tmp_path / "out.txt")
    files = [{"id": id, "type": "document", "name": "a.txt", "path": "a.txt"} for id in ("f1", "f2")]
    node = {"id": "a", "parentId": "root", "role": "user", "content": "look", "attachments": files}
    nodes = {"root": {"id": "root", "role": "system", "content": "", "childrenIds": ["a"]}, "a": node}
    place = tmp_path / "in" / "mine.json"
    place.write_text(json.dumps({"id": "s", "rootNodeId": "root", "activeLeafId": "a", "nodes": nodes}))

    found = ctxlab.read(place)

    assert not found.files
    assert [str(loss) for loss in found.losses if "link" in str(loss)] == [
        "a.txt: it is a link, which is not followed; it is named only"
    ]
