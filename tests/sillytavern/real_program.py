"""The real program, where `make sillytavern` has put it: its page is driven, and its requests are kept.

It gets a configuration and a data folder of its own, and an endpoint that answers each request with a short reply. It
is bound to this machine alone, since the guards with which it would face others are off.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from tests.sillytavern.case_folder import as_bytes, json_of

INSTALLED = Path(sys.prefix) / "sillytavern"
PROGRAM = INSTALLED / "node_modules" / "sillytavern"
LIBRARIES = INSTALLED / "libraries"
"""What the program compiles for its page at its first start."""
HERE = "127.0.0.1"
OLDEST_NODE = 20
PATIENCE_SECONDS = 300
"""For the first start on a busy machine, which compiles."""
REPLY = "So it goes."
CONFIG: Mapping[str, Any] = {
    "listen": False,
    "listenAddress": {"ipv4": HERE},
    "protocol": {"ipv4": True, "ipv6": False},
    "whitelistMode": False,
    "securityOverride": True,  # without a whitelist it would not start; nothing but this machine reaches it
    "disableCsrfProtection": True,
    "skipContentCheck": True,
    "enableDownloadableTokenizers": False,
    "browserLaunch": {"enabled": False},
    "extensions": {"enabled": True, "autoUpdate": False, "models": {"autoDownload": False}},
}
WITHOUT = (
    *("assets", "caption", "connection-manager", "expressions", "gallery", "memory", "quick-reply", "sd"),
    *("stable-diffusion", "token-counter", "translate", "tts", "vectors"),
)
"""Extensions that are off: they ask for more than the chat."""
READY = """() => {
    const context = window.SillyTavern?.getContext();
    return context?.onlineStatus && context.onlineStatus !== "no_connection" && context.chat.length > 0;
}"""
BUTTONS: Mapping[str, str] = {
    "normal": "#send_but",
    "regenerate": "#option_regenerate",
    "continue": "#option_continue",
    "impersonate": "#option_impersonate",
    "swipe": ".last_mes .swipe_right",
}
"""What is clicked for a kind of turn."""
BEING_WRITTEN = ("backups", "*.json.*", "*.jsonl.*")
PREPARES = """async () => {
    window.program = await import("/script.js");
    const { promptManager } = await import("/scripts/openai.js");
    promptManager.tryGenerate = () => Promise.resolve();
}"""
"""Whenever its panel of prompts is drawn, it builds a prompt to count it, in which variables are set and counted up."""
SAVE = """async () => {
    await program.saveSettings();
    await program.saveChatConditional();
}"""
IDLE = "() => !program.is_send_press && !program.isChatSaving"
"""Asked at once: a promise would count as a yes."""


class NoProgram(Exception):
    """It isn't there, or can't be started; the message says what to do."""


@dataclass(slots=True)
class RealProgram:
    """The running program: its user's data folder, its address, and the endpoint that it asks."""

    data: Path
    address: str
    endpoint: Endpoint
    browser: BrowserContext

    @contextmanager
    def opened(self) -> Iterator[OpenChat]:
        """A page of its own, with the settings that are in the folder now, and the chat that they have open."""
        settings = self.data / "settings.json"
        settings.write_bytes(as_bytes(self._complete(json_of(settings))))
        page = self.browser.new_page()
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        page.goto(self.address, wait_until="domcontentloaded")
        page.wait_for_function(READY)
        page.evaluate(PREPARES)
        try:
            yield OpenChat(self.data, page, self.endpoint)
        finally:
            page.close()

    def _complete(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Settings on top of those that the program brings, with the endpoint."""
        usual = json_of(PROGRAM / "default" / "content" / "settings.json")
        here: dict[str, Any] = {
            "firstRun": False,
            "main_api": "openai",
            "oai_settings": {
                "chat_completion_source": "custom",
                "custom_url": self.endpoint.address,
                "bypass_status_check": True,
                "stream_openai": False,
            },
            "power_user": {"auto_connect": True, "auto_load_chat": True, "onboarding_complete": True},
            "extension_settings": {"disabledExtensions": list(WITHOUT)},
        }
        return _over(_over(usual, own), here)


@dataclass(slots=True)
class OpenChat:
    """A chat in the program's page."""

    data: Path
    page: Page
    endpoint: Endpoint

    def save(self, copy: Path) -> Path:
        """Let the program write everything, and copy its folder."""
        self.page.evaluate(SAVE)
        self.page.wait_for_function(IDLE)
        return shutil.copytree(self.data, copy, ignore=shutil.ignore_patterns(*BEING_WRITTEN))

    def send(self, text: str | None, kind: str) -> list[Mapping[str, Any]]:
        """Type a text, if there is one, and ask for a turn: the messages of the request."""
        if text is not None:
            self.page.fill("#send_textarea", text)
        self.page.dispatch_event(BUTTONS[kind], "click")
        request = self.endpoint.requests.get(timeout=PATIENCE_SECONDS)
        self.page.wait_for_function(IDLE)
        assert self.endpoint.requests.empty()
        return request["messages"]


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two objects as one; what is above counts."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _over(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged


@contextmanager
def running(folder: Path, browser: Browser) -> Iterator[RealProgram]:
    """The program with an empty data folder below `folder`; raises NoProgram."""
    node = _node()
    data, port = folder / "data", _free_port()
    data.mkdir(parents=True)
    LIBRARIES.mkdir(exist_ok=True)
    (data / "_webpack").symlink_to(LIBRARIES, target_is_directory=True)
    config = folder / "config.yaml"
    config.write_bytes(as_bytes({**CONFIG, "dataRoot": str(data), "port": port}))
    address = f"http://{HERE}:{port}"
    with _endpoint() as endpoint, _process(node, config, data, folder / "log"):
        _wait_for(address, folder / "log")
        context = browser.new_context(locale="en-US", timezone_id="UTC", viewport={"width": 1200, "height": 800})
        yield RealProgram(data / "default-user", address, endpoint, context)
        context.close()


@contextmanager
def _process(node: str, config: Path, data: Path, log: Path) -> Iterator[None]:
    command = [node, "server.js", "--configPath", str(config), "--dataRoot", str(data)]
    # The version of what is compiled has git's revision in it: this project's own would make each commit compile again.
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(INSTALLED.parent), "NODE_ENV": "production"}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=PROGRAM, env=env, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def _node() -> str:
    """The machine's own node where it is new enough, else the one of the environment."""
    if not (PROGRAM / "server.js").exists():
        raise NoProgram("SillyTavern is not here: run make sillytavern")
    for node in (shutil.which("node"), shutil.which("node", path=str(Path(sys.prefix) / "bin"))):
        if node is not None:
            told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
            if int(told.strip().removeprefix("v").partition(".")[0]) >= OLDEST_NODE:
                return node
    raise NoProgram(f"SillyTavern needs node {OLDEST_NODE} or newer: install one, then run make sillytavern")


def _free_port() -> int:
    with socket.socket() as held:
        held.bind((HERE, 0))
        return held.getsockname()[1]


def _wait_for(address: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    told = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:])
    raise NoProgram(f"SillyTavern did not answer in {PATIENCE_SECONDS} seconds; it said:\n{told}")


class Endpoint(ThreadingHTTPServer):
    """What the program takes for a vendor: it keeps the body of each request, and answers with `replies` in order."""

    def __init__(self) -> None:
        super().__init__((HERE, 0), _Answers)
        self.requests: Queue[Mapping[str, Any]] = Queue()
        self.replies: list[str] = []

    def forget(self) -> None:
        """Drop what nobody has asked for."""
        self.replies.clear()
        while not self.requests.empty():
            self.requests.get()

    @property
    def address(self) -> str:
        return f"http://{HERE}:{self.server_address[1]}/v1"


class _Answers(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, format: str, *args: Any) -> None:
        """It says nothing."""

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": "gpt-4o", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        self.server.requests.put(body)
        reply = self.server.replies.pop(0) if self.server.replies else REPLY
        message = {"role": "assistant", "content": reply}
        self._answer({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})

    def _answer(self, data: Any) -> None:
        body = as_bytes(data)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def _endpoint() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, daemon=True)
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.shutdown()
            thread.join()
