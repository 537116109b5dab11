"""JupyterLab over a copy of the notebooks, and a headless browser that reaches nothing else."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser

from tests.browser.conftest import browser as browser
from tests.lab.pages import Lab, Server
from tests.lab.serving import free_port, serving

ROOT = Path(__file__).parents[2]
HERE = str(Path(__file__).parent) + os.sep
# No news, no looking for updates, and every cell in the page, also those far below.
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "docmanager-extension/plugin": {"autosave": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
FOLDERS = {
    "IPYTHONDIR": "ipython",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "run",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(HERE):
            for mark in ("browser", "slow"):
                item.add_marker(mark)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab; nothing of the user's own settings is read or written."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: pip install 'ctxlab[lab]'")
    base = tmp_path_factory.mktemp("lab")
    for name, values in SETTINGS.items():
        file = base / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    root = base / "root"
    shutil.copytree(ROOT / "notebooks", root / "notebooks", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    (root / "datasets").symlink_to(ROOT / "datasets")

    port, token = free_port(), "only-for-this-test"
    url = f"http://127.0.0.1:{port}"
    words = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"]
    words += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}", "--ServerApp.port_retries=0"]
    words += ["--LabApp.expose_app_in_browser=True"]
    env = {name: str(base / folder) for name, folder in FOLDERS.items()} | {"JUPYTER_PLATFORM_DIRS": "1"}
    with serving(words, answers_at=f"{url}/api/status?token={token}", folder=base, env=env):
        yield Server(url, token, root)


@pytest.fixture(scope="module")
def started(browser: Browser, server: Server) -> Iterator[Lab]:
    """JupyterLab in a page, once for all notebooks."""
    context = browser.new_context(viewport={"width": 1280, "height": 1600}, color_scheme="light")
    lab = Lab(context.new_page(), server)
    lab.start()
    yield lab
    context.close()


@pytest.fixture
def lab(started: Lab) -> Iterator[Lab]:
    """The light theme and no notebook; nothing may have gone wrong when the test ends."""
    started.dark(on=False)
    yield started
    foreign, errors = started.foreign.copy(), started.errors.copy()
    started.foreign.clear()
    started.errors.clear()
    assert foreign == []
    assert errors == []
