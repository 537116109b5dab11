"""`ctxlab lab`: JupyterLab on the notebooks that come with ctxlab."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from ctxlab.cli.notebook_files import (
    ENDING,
    INDEX,
    copy_notebooks,
    is_recording,
    is_workspace,
    notebook_of_recording,
    notebook_of_workspace,
    notebook_with,
)
from ctxlab.cli.output.terminal import Screen
from ctxlab.errors import CtxlabError, MissingExtra

# JupyterLab asks its makers for news and newer versions, and an index for extensions, unless it is told not to.
ASKS_NOBODY = (
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
    "--log-level=WARN",  # the address is said all the same
)


def open_lab(file: Path | None, *, folder: Path, browser: bool) -> int:
    """Copy the notebooks, say where they are, open the one for the file, and give JupyterLab's exit code."""
    if find_spec("jupyterlab") is None:
        raise MissingExtra("ctxlab lab needs JupyterLab, which is not installed here; pip install jupyterlab brings it")
    if file is not None and not file.exists():
        raise CtxlabError(f"{file} does not exist; ctxlab lab takes a conversation's file, a folder or a notebook")
    notebook = _notebook(file, folder, browser=browser)
    return subprocess.call(lab_command(notebook, browser=browser))


def _way(file: Path) -> Callable[[Path, Path], Path]:
    """The function that makes the notebook for a file or a folder, by what is in it."""
    if is_workspace(file):
        return notebook_of_workspace
    return notebook_of_recording if is_recording(file) else notebook_with


def lab_command(notebook: Path, *, browser: bool) -> list[str]:
    """The command that opens a notebook in the JupyterLab of this Python."""
    command = [sys.executable, "-m", "jupyterlab", *ASKS_NOBODY]
    command += [] if browser else ["--no-browser"]  # then the address that is printed leads to the notebook
    command += ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    place = notebook.resolve()
    if browser:
        return [*command, str(place)]
    opens = f"--LabApp.default_url=/lab/tree/{quote(place.name)}"
    return [*command, f"--ServerApp.root_dir={place.parent}", opens]


def _notebook(file: Path | None, folder: Path, *, browser: bool) -> Path:
    screen = Screen()
    if file is not None and file.suffix == ENDING:
        return file
    new = copy_notebooks(folder)
    notebook = folder / f"{INDEX}{ENDING}" if file is None else _way(file)(file, folder)
    kept = "" if new else "; all of them were there, and stay as they are"
    screen.line(("notebooks are in ", "label"), str(folder.resolve()), kept)
    screen.line(("the notebook is " if not browser else "opening ", "label"), (str(notebook), "command"))
    return notebook
