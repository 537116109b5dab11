"""Files of agents: JSON, YAML, archives."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ctxlab.documents import Agent, Session, Worldbook
from ctxlab.errors import BrokenFile, WriteError
from ctxlab.formats import agents_data, agents_zip, convert, read, read_data, sessions_zip, write
from ctxlab.formats.files import zip_archive as session_zip
from ctxlab.formats.sillytavern.cards.png import with_chunks
from ctxlab.formats.yaml import as_yaml

ADA = Agent.model_validate(
    {
        "id": "ada",
        "name": "Ada",
        "profileId": "p",
        "modelId": "m",
        "createdAt": "2020",
        "tags": ["数学", "no"],
        "category": "expert",
        "worldbookIds": ["w"],
        "presetMessages": [
            {"id": "s", "role": "system", "content": "Be\n  exact.", "metadata": {"tokenCount": 3, "k": 1}}
        ],
        "greetings": [{"id": "g", "content": "Guten Tag"}],
        "assets": [{"id": "face", "path": "assets/face.png"}],
        "somethingNew": {"a": [1, 2.5, None]},
    }
)
BOOK = Worldbook.model_validate({"id": "w", "name": "Lore", "entries": {"0": {"uid": 0, "key": ["k"]}}})
OTHER = Worldbook.model_validate({"id": "other", "entries": {}})
FACE = bytes(range(256))


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def saved(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_what_belongs_to_a_library_stays_behind() -> None:
    data = agents_data([ADA]).data

    assert (data["version"], data["type"]) == (1, "AIO_Agent_Export")
    (agent,) = data["agents"]
    assert not {"id", "profileId", "createdAt", "lastUsedAt"} & agent.keys()
    assert agent["presetMessages"][0]["metadata"] == {"k": 1}
    assert agent["somethingNew"] == {"a": [1, 2.5, None]}


def test_files_and_books_that_are_not_contained_are_named() -> None:
    loss, of_book = agents_data([ADA]).losses

    assert str(loss) == "agent 'Ada': its file 'assets/face.png' is named, not contained"
    assert str(of_book) == "agent 'Ada': its book 'w' is named, not contained; write the library that has it"


@pytest.mark.parametrize("ending", [".agent.json", ".agent.yaml", ".agent.zip"])
def test_agents_and_their_books_come_back(tmp_path: Path, ending: str) -> None:
    source = saved(tmp_path / "in.zip", agents_zip([ADA], books=[BOOK], files={"assets/face.png": FACE}).data)
    convert(source, tmp_path / f"out{ending}")

    found = read(tmp_path / f"out{ending}")

    assert found.format == "agents"
    (agent,) = found.agents
    assert agents_data([agent]).data == agents_data([ADA]).data
    assert found.books == (BOOK,)
    assert agent.worldbook_ids == (found.books[0].book_id,)
    assert found.losses == ()


def test_the_same_file_gives_the_same_ids() -> None:
    data = agents_data([ADA, ADA, ADA.with_(name="Bob")]).data

    first, second = read_data(data), read_data(data)

    assert [agent.id for agent in first.agents] == [agent.id for agent in second.agents]
    assert len({agent.id for agent in first.agents}) == 3


def test_an_archive_carries_the_agents_own_files_byte_for_byte(tmp_path: Path) -> None:
    ada = ADA.with_(icon="appdata://icons/ada.png")
    files = {"assets/face.png": FACE, "appdata://icons/ada.png": b"icon"}

    losses = write(agents_zip([ada], books=[BOOK, OTHER], files=files), tmp_path / "ada.zip").losses

    found = read(tmp_path / "ada.zip")
    assert losses == ()
    assert found.files == {"assets/face.png": FACE, "assets/ada.png": b"icon"}
    assert found.agents[0].icon == "assets/ada.png"
    assert found.books == (BOOK,)


def test_files_that_are_not_at_hand_are_named() -> None:
    loss, of_book = agents_zip([ADA]).losses

    assert "'assets/face.png' is not at hand" in str(loss)
    assert "its book 'w' is named" in str(of_book)


@pytest.mark.parametrize("name", ["../evil.png", "/etc/evil", "assets\\..\\evil", "assets//x", "c:/x", "agents.json"])
def test_no_path_leads_out_of_an_archive(tmp_path: Path, name: str) -> None:
    export = agents_zip([ADA], files={name: b"x"})

    assert f"{name}: is no path inside an archive; left out" in map(str, export.losses)
    source = saved(tmp_path / "a.zip", zipped({"agents.json": b'{"agents": []}', "../evil.png": b"x"}))
    found = read(source)
    assert found.files == {}
    assert "leads out of the archive" in str(found.losses[0])


def test_an_archive_may_have_a_folder_around_it(tmp_path: Path) -> None:
    files = {
        "ada/agent.yaml": as_yaml({"name": "Ada", "presetMessages": [], "worldbookIds": ["w"]}),
        "ada/worldbooks/w.json": b'{"entries": {}}',
        "ada/assets/a.png": b"a",
        "__MACOSX/ada/agent.yaml": b"x",
    }

    found = read(saved(tmp_path / "a.zip", zipped(files)))

    assert [agent.name for agent in found.agents] == ["Ada"]
    assert [book.book_id for book in found.books] == ["w"]
    assert found.files == {"assets/a.png": b"a"}


def test_a_session_archive_with_an_agent_called_agent_stays_one(tmp_path: Path) -> None:
    packed = sessions_zip([Session(id="s").append("Hi")], agents=[Agent(id="agent", name="A")]).data

    assert read(saved(tmp_path / "s.zip", packed)).format == "zip"


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_zip, "LARGEST_BYTES", 10)
    source = saved(tmp_path / "a.zip", agents_zip([ADA]).data)

    with pytest.raises(BrokenFile, match="are allowed"):
        read(source)


def test_a_bundle_holds_an_archive() -> None:
    packed = base64.b64encode(agents_zip([ADA], files={"assets/face.png": FACE}).data).decode()

    found = read_data({"type": "AIO_Agent_Bundle", "version": 1, "zip": packed})

    assert [agent.name for agent in found.agents] == ["Ada"]
    assert found.files == {"assets/face.png": FACE}


def test_an_empty_bundle_is_refused() -> None:
    with pytest.raises(BrokenFile, match="no archive and no agent"):
        read_data({"type": "AIO_Agent_Bundle", "zip": "oops"})


def test_what_cannot_be_read_is_a_loss_with_its_place() -> None:
    agents: list[Any] = ["x", {"name": "A", "presetMessages": 5, "worldbookIds": ["gone"]}]

    found = read_data({"type": "AIO_Agent_Export", "version": 3, "agents": agents, "worldbooks": {}, "extra": 1})

    assert [str(loss) for loss in found.losses] == [
        "version: is 3; it is read like 1, the one that is known",
        "worldbooks: is dict, not a list; left out",
        "agents[0]: is str, not an object; left out",
        "agents[1], agent 'A': presetMessages is 5: Input should be a valid tuple; the default is used",
        "agent 'A': its worldbook 'gone' did not come along",
        "around the agents: extra: not part of an export; left out",
    ]


def test_a_file_of_agents_has_no_place_for_sessions(tmp_path: Path) -> None:
    session = {"id": "s", "nodes": {}, "rootNodeId": None}
    source = saved(tmp_path / "in.json", json.dumps({"sessions": [session], "agents": [ADA.to_data()]}).encode())

    losses = convert(source, tmp_path / "out.agent.json").losses

    assert "sessions: 1 have no place here; left out" in map(str, losses)


def test_a_file_without_agents_is_refused(tmp_path: Path) -> None:
    source = saved(tmp_path / "in.json", json.dumps({"id": "s", "nodes": {}, "rootNodeId": None}).encode())

    with pytest.raises(WriteError, match="holds no agent"):
        convert(source, tmp_path / "out.agent.yaml")


def test_users_bring_rules_and_books() -> None:
    user = {"id": "u", "name": "Al", "content": "likes tea", "worldbookIds": ["w"]}
    rules = {"regexConfig": {"presets": [{"id": "r", "rules": [{"id": "x", "regex": "a"}]}]}}

    found = read_data({**user, **rules})

    assert found.users[0].to_data() == {**user, **rules}
    assert found.users[0].regex_config is not None


def test_a_picture_may_hold_a_bundle(tmp_path: Path) -> None:
    pixel = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    packed = base64.b64encode(agents_zip([ADA], books=[BOOK], files={"assets/face.png": FACE}).data).decode()
    bundle = base64.b64encode(json.dumps({"type": "AIO_Agent_Bundle", "data": packed}).encode()).decode()

    found = read(saved(tmp_path / "ada.png", with_chunks(pixel, {"aiob": bundle})))

    assert [agent.name for agent in found.agents] == ["Ada"]
    assert found.books == (BOOK,)
    assert found.files == {"assets/face.png": FACE}
