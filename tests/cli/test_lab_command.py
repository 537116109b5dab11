"""`ctxlab lab` copies the notebooks, puts the user's file in one of them and starts JupyterLab, which asks nobody."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

import ctxlab
from ctxlab.cli.commands import lab
from ctxlab_widgets.lab_page import LabPage

NOTEBOOKS = sorted(path.name for path in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Commands that were started; none is."""
    commands: list[list[str]] = []
    monkeypatch.setattr(lab.subprocess, "call", lambda command: commands.append(command) or 0)
    monkeypatch.setattr(lab, "find_spec", lambda name: name)
    monkeypatch.chdir(tmp_path)
    return commands


def first_code(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_the_notebooks_are_copied_and_the_index_is_opened(run, started, tmp_path: Path) -> None:
    result = run("lab")

    folder = tmp_path / "ctxlab-notebooks"
    assert (result.code, result.err) == (0, "")
    assert str(folder) in result.out.replace("\n", "")
    assert sorted(path.name for path in folder.iterdir()) == NOTEBOOKS
    (command,) = started
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert command[-1] == str(folder / "index.ipynb")
    assert "--LabApp.news_url=None" in command
    assert "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate" in command
    assert "--LabApp.extension_manager=readonly" in command
    assert "--no-browser" not in command


def test_a_file_is_put_into_a_notebook_of_its_own(run, started, tmp_path: Path) -> None:
    file = tmp_path / 'my "chat".json'
    file.write_text("[]")

    assert run("lab", file.name, "--no-browser", "--folder", "mine").code == 0

    path = tmp_path / "mine" / 'my "chat".ipynb'
    assert f"FILE = {str(file)!r}" in first_code(path)
    assert "ChatPanel(" in first_code(path)
    compile(first_code(path), "cell", "exec")
    assert "FILE = None" in first_code(tmp_path / "mine" / "index.ipynb")
    assert started[0][-2:] == [
        f"--ServerApp.root_dir={path.parent}",
        "--LabApp.default_url=/lab/tree/my%20%22chat%22.ipynb",
    ]
    assert "--no-browser" in started[0]


def test_what_is_there_is_opened_again_and_never_overwritten(run, started, tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text("[]")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "chat.json").write_text("[]")
    run("lab", "chat.json")
    folder = tmp_path / "ctxlab-notebooks"
    mine, index = folder / "chat.ipynb", folder / "index.ipynb"
    mine.write_text(mine.read_text(encoding="utf-8").replace("nbformat", "nbformat "), encoding="utf-8")
    index.write_text("mine")
    before = mine.read_text(encoding="utf-8")

    run("lab", "chat.json")
    run("lab", "other/chat.json")

    assert (mine.read_text(encoding="utf-8"), index.read_text()) == (before, "mine")
    assert [Path(command[-1]).name for command in started] == ["chat.ipynb", "chat.ipynb", "chat-2.ipynb"]


def test_a_notebook_is_opened_where_it_is(run, started, tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text("{}")

    assert run("lab", "x.ipynb").code == 0

    assert started[0][-1] == str(tmp_path / "x.ipynb")
    assert [path.name for path in tmp_path.iterdir()] == ["x.ipynb"]


def test_a_missing_file_and_a_file_in_the_way_are_refused_before_anything_is_written(
    run, started, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("mine")

    assert run("lab", "no.json").err.startswith("ctxlab: no.json does not exist; ctxlab lab takes ")
    assert run("lab", "--folder", "taken").err.startswith("ctxlab: taken is no folder; ")
    assert started == []
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_without_jupyterlab_one_line_says_how_to_install_it(
    run, started, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda name: None)

    result = run("lab")

    assert result.code == 2
    assert result.err == (
        "ctxlab: ctxlab lab needs JupyterLab, which is not installed here; pip install jupyterlab brings it\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_notebook_of_a_file_says_nothing_that_is_true_of_the_bundled_conversation_alone(
    run, started, tmp_path: Path
) -> None:
    card = tmp_path / "card.json"
    card.write_text("{}")

    run("lab", card.name, "--no-browser", "--folder", "mine")

    words = (tmp_path / "mine" / "card.ipynb").read_text(encoding="utf-8").lower()
    assert [word for word in ("lamp", "light", "keeper", "lit at") if word in words] == []


def test_a_workspace_opens_with_all_its_views(run, started, tmp_path: Path) -> None:
    workspace = ctxlab.open_workspace(tmp_path / "my 'chats' 雾")
    workspace.add(ctxlab.example("harbour"))
    names: dict[str, object] = {}

    assert run("lab", workspace.place, "--no-browser", "--folder", "mine").code == 0
    run("lab", workspace.place, "--no-browser", "--folder", "mine")
    path = tmp_path / "mine" / "my 'chats' 雾.ipynb"
    exec(first_code(path), names)

    assert all(command[-1].endswith(quote(path.name)) for command in started)
    assert len(started) == 2
    assert isinstance(names["page"], LabPage)
    assert names["page"].workspace.workspace.place == workspace.place
    names["page"].close()


def test_an_empty_workspace_opens_as_its_list(run, started, tmp_path: Path) -> None:
    workspace = ctxlab.open_workspace(tmp_path / "new")
    names: dict[str, object] = {}

    run("lab", workspace.place, "--no-browser", "--folder", "mine")
    exec(first_code(tmp_path / "mine" / "new.ipynb"), names)

    assert isinstance(names["page"], ctxlab.Workspace)


def test_a_recording_opens_in_its_view(run, started, tmp_path: Path) -> None:
    recording = Path(__file__).parents[2] / "datasets" / "tidebook_agent.ctxrec.jsonl"
    names: dict[str, object] = {}

    assert run("lab", recording, "--no-browser", "--folder", "mine").code == 0
    path = tmp_path / "mine" / "tidebook_agent.ipynb"
    lines = first_code(path).splitlines()
    exec("\n".join(lines[:-1]), names)

    assert lines[-1] == "RecordingView(recording)"
    assert len(names["recording"]) == 50  # type: ignore[arg-type]
    assert started[0][-1].endswith("tidebook_agent.ipynb")
