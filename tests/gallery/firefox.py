"""Firefox without a window, driven by WebDriver BiDi, the protocol that every Firefox of today speaks by itself."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websocket import WebSocket, create_connection

from tests.gallery.fonts import fonts_for_browser
from tests.gallery.pages import NoBrowser
from tests.machine_use import used

NAMES = ("firefox-esr", "firefox")
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
SECONDS = 60
"""A command that isn't answered by then fails."""
QUIET = """
user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("toolkit.telemetry.enabled", false);
"""
"""It asks nobody for anything: every foreign address leads to a port of this machine where nobody listens."""
DRAWN = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (!window.ctxlabHost) await frame();
  await frame();
  await frame();
}"""


def installed() -> str | None:
    """The machine's own Firefox, or the one that CTXLAB_FIREFOX names."""
    return os.environ.get("CTXLAB_FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """One tab; `errors` are what its console complained about."""

    def __init__(self, socket: WebSocket) -> None:
        self.errors: list[str] = []
        self._socket = socket
        self._numbers = itertools.count(1)
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._tab = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, file: Path) -> None:
        """Load a page of widgets, and wait until it is drawn."""
        self._send("browsingContext.navigate", context=self._tab, url=file.as_uri(), wait="complete")
        self.run(DRAWN)

    def run(self, function: str) -> Any:
        """What a JavaScript function without arguments gives, by way of JSON."""
        found = self._send(
            "script.callFunction",
            functionDeclaration=f"async () => JSON.stringify(await ({function})() ?? null)",
            awaitPromise=True,
            target={"context": self._tab},
        )
        assert found["type"] == "success", found["exceptionDetails"]["text"]
        return json.loads(found["result"]["value"])

    def type(self, text: str) -> None:
        """Press the keys of a text, one after the other, where the focus is."""
        keys = [{"type": kind, "value": each} for each in text for kind in ("keyDown", "keyUp")]
        self._send("input.performActions", context=self._tab, actions=[{"type": "key", "id": "keys", "actions": keys}])

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            heard = json.loads(self._socket.recv())
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self.errors.append(str(heard["params"]["text"]))
            if heard.get("id") == number:
                assert heard["type"] == "success", f"{method}: {heard.get('message')}"
                return heard["result"]


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Raises NoBrowser where there is none."""
    found = installed()
    if found is None:
        raise NoBrowser("no Firefox: install firefox-esr, or name one in CTXLAB_FIREFOX")
    used("browsers", found)
    with TemporaryDirectory() as home:
        (Path(home) / "user.js").write_text(QUIET, encoding="utf-8")
        command = [found, "--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0"]
        with subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "HOME": home, **fonts_for_browser()},
        ) as process:
            try:
                url = next(match[1] for line in process.stderr or () if (match := LISTENING.search(line)))
                with closing(create_connection(f"{url}/session", timeout=SECONDS, suppress_origin=True)) as socket:
                    yield Firefox(socket)
            finally:
                process.terminate()
