"""The widgets in marimo, as they are: drawn, and heard in Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.gallery.looking import colours_of
from tests.lab.serving import free_port, serving

APP = Path(__file__).parent / "app_for_marimo.py"
OWN = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the app answers; it looks for no updates, and reads and writes nothing of the user's."""
    pytest.importorskip("marimo", reason="marimo is not installed: pip install 'ctxlab[test]'")
    base = tmp_path_factory.mktemp("marimo")
    settings = base / "XDG_CONFIG_HOME" / "marimo" / "marimo.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[display]\ntheme = "system"\n')
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    words = [sys.executable, "-m", "marimo", "-q", "run", str(APP), "--headless", "--no-token"]
    words += ["--host", "127.0.0.1", "--port", str(port)]
    env = {name: str(base / name) for name in OWN} | {"MARIMO_SKIP_UPDATE_CHECK": "1"}
    with serving(words, answers_at=f"{url}/health", folder=base, env=env):
        yield url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_widgets_are_drawn_and_heard(browser: Browser, app: str, scheme: str) -> None:
    foreign: list[str] = []
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 1600}, color_scheme=scheme)  # pyright: ignore[reportArgumentType]
    page = context.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    own = (app, app.replace("http", "ws", 1), "data:", "blob:")
    page.on("request", lambda asked: None if asked.url.startswith(own) else foreign.append(asked.url))

    page.goto(app)
    steps = page.get_by_role("region", name="Step debugger")
    budget = page.get_by_role("region", name="Token budget")
    for widget in (steps, budget):
        widget.wait_for(timeout=90_000)
        assert widget.get_attribute("data-theme") == scheme
        assert colours_of(widget) > 24
    before = int(page.get_by_text("told 0").inner_text().split("position ")[1].split(",")[0])
    back = steps.get_by_role("button", name="Back")
    back.click()  # from what is sent to the last step
    steps.get_by_text(f"after {before} of").wait_for()
    back.click()
    steps.get_by_text(f"after {before - 1} of").wait_for()
    budget.get_by_role("spinbutton", name="Budget in tokens").fill("600")
    page.keyboard.press("Enter")
    budget.get_by_text("budget 600").first.wait_for()
    page.get_by_role("button", name="Tell").click()

    page.get_by_text(f"told 1: position {before - 1}, budget 600").wait_for()
    context.close()
    assert foreign == []
    assert errors == []
