"""Copies of the notebooks that come with ctxlab, in a folder of the user's; a file that is there stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from ctxlab.api.examples import bundled
from ctxlab.errors import CtxlabError
from ctxlab.storage.arrangement import PATH as ARRANGEMENT

ENDING = ".ipynb"
INDEX = "index"
CHAT = "18_chat"
DEMO = "00_two_minutes"
PLACE = "FILE = None"
"""The words in a notebook where a path of the user's goes."""
WORKSPACE_WORDS = """# A workspace

The session that was opened last, and under *Workspace* all others: find words in them, open one in any view,
save it there."""
WORKSPACE_CODE = """import ctxlab
from ctxlab_widgets import lab

{line}
page = lab(workspace=workspace) if workspace.sessions() else workspace
page"""

RECORDING_WORDS = """# A recording

Each request with what was in it and where from, what broke the cached prefix, findings at their place, any two
requests side by side."""
RECORDING_CODE = """import ctxlab
from ctxlab_widgets import RecordingView

{line}
RecordingView(recording)"""


def copy_notebooks(folder: Path) -> int:
    """Put the notebooks that aren't there into a folder, which is made where there is none; the number of new ones."""
    if folder.exists() and not folder.is_dir():
        raise CtxlabError(f"{folder} is no folder; give another place with --folder")
    folder.mkdir(parents=True, exist_ok=True)
    return sum(_write_new(folder / path.name, path.read_text(encoding="utf-8")) for path in _notebooks())


def notebook_with(file: Path, folder: Path) -> Path:
    """The notebook of the chat with the path of this file in it: one that is there already, else a new one."""
    line = f"FILE = {str(file.resolve())!r}"
    text = _text(CHAT).replace(PLACE, json.dumps(line, ensure_ascii=False)[1:-1], 1)
    return _there_or_new(folder, file.stem, text, sign=json.dumps(line, ensure_ascii=False)[1:-1])


def is_workspace(folder: Path) -> bool:
    """Whether a folder is that of a workspace, by the file that each has."""
    return (folder / ARRANGEMENT).is_file()


def is_recording(file: Path) -> bool:
    """Whether a file is one that `ctxlab record` made, by its first bytes."""
    from ctxlab.recordings.recorder.read_records import is_record_file

    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return is_record_file(opened.read(128))


def notebook_of_recording(file: Path, folder: Path) -> Path:
    """A notebook that opens a recording: one that is there already, else a new one."""
    line = f"recording = ctxlab.read_recording({str(file.resolve())!r})"
    stem = file.stem.removesuffix(".ctxrec")
    return _notebook_of(RECORDING_WORDS, RECORDING_CODE.format(line=line), folder, stem, sign=line)


def notebook_of_workspace(workspace: Path, folder: Path) -> Path:
    """A notebook that opens a workspace with all its views: one that is there already, else a new one."""
    line = f"workspace = ctxlab.open_workspace({str(workspace.resolve())!r})"
    code = WORKSPACE_CODE.format(line=line)
    return _notebook_of(WORKSPACE_WORDS, code, folder, workspace.resolve().name, sign=line)


def _notebook_of(words: str, code: str, folder: Path, stem: str, *, sign: str) -> Path:
    """A notebook of a text and a cell, told from others of its name by a line in it."""
    notebook = json.loads(_text(INDEX))
    notebook["cells"] = [_cell("cell-00", "markdown", words), _cell("cell-01", "code", code)]
    text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    return _there_or_new(folder, stem, text, sign=json.dumps(sign, ensure_ascii=False)[1:-1])


def _cell(id: str, kind: str, source: str) -> dict[str, Any]:
    """A cell as notebooks keep it; one of code has not run."""
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": id, "metadata": {}, **code, "source": source.splitlines(keepends=True)}


def demo_notebook(folder: Path) -> Path:
    """The notebook of the demo as `ctxlab-demo.ipynb`: one that is there unchanged, else a new one."""
    text = _text(DEMO)
    return _there_or_new(folder, "ctxlab-demo", text, sign=text)


def _notebooks() -> Iterator[Path]:
    return (path for path in sorted(bundled("notebooks").iterdir()) if path.suffix == ENDING)


def _text(name: str) -> str:
    return (bundled("notebooks") / f"{name}{ENDING}").read_text(encoding="utf-8")


def _there_or_new(folder: Path, stem: str, text: str, *, sign: str) -> Path:
    """The first of `stem`, `stem-2`, ... that has the sign in it; else the text is written to the first free one."""
    for number in count(1):
        path = folder / f"{stem}{f'-{number}' if number > 1 else ''}{ENDING}"
        if _write_new(path, text) or sign in path.read_text(encoding="utf-8", errors="replace"):
            return path
    raise AssertionError("count() never ends")


def _write_new(path: Path, text: str) -> bool:
    """Whether the file is new; one that is there stays as it is."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True
