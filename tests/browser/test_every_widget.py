"""What all widgets owe to whoever looks at them: they draw, can be read, are named, and take text as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pydantic import BaseModel, Field

import ctxlab
import ctxlab_widgets
from ctxlab import Agent, Session, Trace
from ctxlab_widgets._shared.widget import Widget
from tests.browser.conftest import Opened
from tests.gallery.accessibility import kept_out_by
from tests.gallery.looking import HOSTILE, colours_across, colours_of
from tests.gallery.recordings import recording_of_strangers
from tests.gallery.samples import FOLDERS, SAMPLES, WITH_FILES
from tests.gallery.studies import made_up_result

CONTRAST = (Path(__file__).parents[1] / "gallery" / "contrast.js").read_text(encoding="utf-8")
WIDGETS = Path(ctxlab_widgets.__file__).parent
CONTROLS = {
    *("button", "checkbox", "combobox", "grid", "listbox", "menuitem", "option", "radio", "radiogroup", "searchbox"),
    *("slider", "spinbutton", "switch", "tab", "textbox", "toolbar", "tree", "treeitem"),
}
TREE_COLOURS = ("role-root", "role-user", "role-assistant", "role-tool", "ring", "edge", "attachment")
HOSTILE_NAME = "<img src=x onerror=alert(9)><b>bold</b>\u202egnp"


@cache
def made(name: str) -> Widget:
    return {**SAMPLES, **WITH_FILES}[name]()


@pytest.fixture(params=sorted({**SAMPLES, **WITH_FILES}), scope="module")
def name(request: pytest.FixtureRequest) -> str:
    """Of the module, so that all tests of one widget follow each other in the page that has it."""
    return request.param


@pytest.fixture
def forced(opened: Opened) -> Iterator[Opened]:
    """A page whose colours the system has forced."""
    opened.page.emulate_media(forced_colors="active")
    yield opened
    opened.page.emulate_media(forced_colors="none")


@pytest.fixture
def still(opened: Opened) -> Iterator[Opened]:
    """A page for somebody who wants no motion."""
    opened.page.emulate_media(reduced_motion="reduce")
    yield opened
    opened.page.emulate_media(reduced_motion="no-preference")


@pytest.fixture(params=[1100, 420], ids=["wide", "narrow"])
def width(request: pytest.FixtureRequest) -> int:
    return request.param


def test_it_draws(opened: Opened, name: str, theme: str, tmp_path: Path) -> None:
    page = opened.show(made(name), tmp_path)

    ground = page.evaluate("() => getComputedStyle(document.querySelector('.ctxlab .w')).backgroundColor")

    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(26, 28, 32)"}[theme]
    assert colours_of(page.locator(".ctxlab")) > 30


def test_it_keeps_nobody_out(opened: Opened, name: str, tmp_path: Path) -> None:
    page = opened.show(made(name), tmp_path)

    assert kept_out_by(page) == []


def test_it_can_be_read(opened: Opened, name: str, theme: str, width: int, tmp_path: Path) -> None:
    opened.resize(width)
    page = opened.show(made(name), tmp_path)

    found = page.evaluate(CONTRAST)

    assert found["texts"] > 5
    assert found["shapes"] > 3
    assert found["wrong"] == []


def test_the_measure_of_contrast_finds_what_is_too_pale(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(made("step_debugger"), tmp_path)
    page.add_style_tag(
        content=".ctxlab .answer { color: #bbb !important } .ctxlab .btn { border-color: #eee !important }"
    )

    wrong = page.evaluate(CONTRAST)["wrong"]

    assert any(line.startswith("text") for line in wrong)
    assert any(line.startswith("edge") for line in wrong)


def test_every_control_has_a_name(opened: Opened, name: str, tmp_path: Path) -> None:
    page = opened.show(made(name), tmp_path)
    session = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()

    controls = [node for node in nodes if node.get("role", {}).get("value") in CONTROLS and not node.get("ignored")]

    assert controls
    assert [node["role"]["value"] for node in controls if not node.get("name", {}).get("value", "").strip()] == []


def test_it_fits_a_narrow_page(opened: Opened, name: str, tmp_path: Path) -> None:
    opened.resize(420)
    page = opened.show(made(name), tmp_path)

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420


# Of all that is current, checked, selected or pressed: no frame, or the frame of a neighbour that isn't.
UNMARKED = """() => {
  const marked = ["current", "checked", "selected", "pressed"].map((state) => `aria-${state}`);
  const frame = (element) => {
    const { outlineStyle, outlineWidth, outlineColor, borderTopStyle, borderTopWidth, borderTopColor,
      borderLeftWidth, borderLeftColor, borderBottomWidth } = getComputedStyle(element);
    const outline = outlineStyle === "none" ? "" : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
    const border = borderTopStyle === "none" ? "" : [borderTopWidth, borderTopColor, borderLeftWidth, borderLeftColor,
      borderBottomWidth].join(" ");
    return { outline, border };
  };
  const seen = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const wrong = [];
  for (const state of marked)
    for (const element of document.querySelectorAll(`.ctxlab [${state}]:not([${state}="false"])`)) {
      if (!seen(element) || element.matches("input")) continue;
      const { outline, border } = frame(element);
      const others = [...element.parentElement.children].filter((each) =>
        each !== element && each.tagName === element.tagName && each.className === element.className && seen(each)
        && (each.getAttribute(state) ?? "false") === "false");
      const differs = others.every((each) => frame(each).outline !== outline || frame(each).border !== border);
      if ((outline || border) && differs) continue;
      wrong.push(`${state} ${element.className}: ${element.textContent.slice(0, 40)}`);
    }
  return wrong;
}"""
# Buttons that can't be pressed and look like those that can.
ALIKE = """() => {
  const look = (element) => [getComputedStyle(element).color, getComputedStyle(element).borderTopColor].join();
  const all = [...document.querySelectorAll(".ctxlab button")].filter((each) => each.checkVisibility());
  const off = (each) => each.disabled || each.getAttribute("aria-disabled") === "true";
  const on = new Set(all.filter((each) => !off(each) && each.matches(".btn")).map(look));
  return all.filter((each) => off(each) && on.has(look(each))).map((each) => each.textContent || each.ariaLabel);
}"""
MOVING = """() => [...document.querySelectorAll(".ctxlab *")].flatMap((element) =>
  [null, "::before", "::after"].flatMap((part) => {
    const { transitionDuration, animationDuration, animationName } = getComputedStyle(element, part);
    const times = animationName === "none" ? transitionDuration : `${transitionDuration}, ${animationDuration}`;
    const moves = times.split(", ").some((time) => parseFloat(time) > 0);
    return moves ? [`${element.tagName} ${element.className} ${part ?? ""}`] : [];
  }))"""


def test_forced_colours_leave_what_is_current_or_chosen_a_frame_of_its_own(
    forced: Opened, name: str, tmp_path: Path
) -> None:
    page = forced.show(made(name), tmp_path)

    assert page.evaluate("() => matchMedia('(forced-colors: active)').matches")
    assert page.evaluate(UNMARKED) == []


def test_forced_colours_leave_buttons_that_cannot_be_pressed_a_look_of_their_own(
    forced: Opened, name: str, tmp_path: Path
) -> None:
    page = forced.show(made(name), tmp_path)

    assert page.evaluate(ALIKE) == []


def test_forced_colours_leave_the_track_of_a_slider_in_sight(forced: Opened, name: str, tmp_path: Path) -> None:
    page = forced.show(made(name), tmp_path)

    for slider in page.locator(".ctxlab input[type=range]").all():
        if slider.is_visible():
            # The thumb covers one end at most, and has another colour than the ground.
            assert [colours_across(slider, share) > 1 for share in (0.06, 0.94)] == [True, True]


def test_the_looks_at_forced_colours_and_motion_find_what_is_wrong(forced: Opened, tmp_path: Path) -> None:
    page = forced.show(made("lore_view"), tmp_path)
    plain = "outline: none !important; border: 0 !important; color: red !important; forced-color-adjust: none"
    page.add_style_tag(content=f".ctxlab button {{ {plain}; transition: color 1s }}")
    page.evaluate("() => [...document.querySelectorAll('.ctxlab .btn')].at(-1).setAttribute('aria-disabled', 'true')")

    assert page.evaluate(UNMARKED)
    assert page.evaluate(ALIKE)
    assert page.evaluate(MOVING)


def test_the_look_at_sliders_finds_one_without_a_track(forced: Opened, tmp_path: Path) -> None:
    page = forced.show(made("token_budget"), tmp_path)
    slider = page.locator(".ctxlab input[type=range]:visible").first

    page.add_style_tag(content=".ctxlab input::-webkit-slider-runnable-track { background: Canvas !important }")

    assert min(colours_across(slider, share) for share in (0.06, 0.94)) == 1


def test_no_motion_is_left_for_those_who_want_none(still: Opened, name: str, tmp_path: Path) -> None:
    page = still.show(made(name), tmp_path)

    assert page.evaluate(MOVING) == []


def test_it_leaves_nothing_behind(opened: Opened, name: str, tmp_path: Path) -> None:
    page = opened.show(made(name), tmp_path)

    page.evaluate("() => window.ctxlabHost.stop()")

    assert page.locator(".ctxlab").count() == 0


def test_two_of_a_kind_on_one_page_are_each_their_own(opened: Opened, name: str, tmp_path: Path) -> None:
    page = opened.show(made(name), tmp_path)

    page.evaluate(
        "() => { const el = document.body.appendChild(document.createElement('div'));"
        " const { widget, model } = window.ctxlabHost; window.second = widget.render({ model, el }) }"
    )
    page.evaluate("() => window.ctxlabHost.stop()")

    assert page.locator(".ctxlab").count() == 1
    assert page.locator(".ctxlab .w").bounding_box() is not None


def test_a_bundle_is_small() -> None:
    bundles = list(WIDGETS.glob("*/static/widget.js"))

    assert {bundle.parents[1].name for bundle in bundles} == set(SAMPLES)
    larger = {"branch_tree": 112_000, "chat_panel": 200_000}  # with an editor; with the parser of Markdown
    limits = {bundle: larger.get(bundle.parents[1].name, 100_000) for bundle in bundles}
    assert [bundle for bundle, limit in limits.items() if bundle.stat().st_size >= limit] == []


@pytest.fixture(scope="module")
def hostile() -> Trace:
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": text} for i, text in enumerate(HOSTILE)]
    session: Session = ctxlab.read_data(said).pick().model_copy(update={"name": HOSTILE_NAME})
    book = ctxlab.Worldbook(
        name=HOSTILE_NAME,
        entries={"0": ctxlab.LoreEntry(uid=0, key=("red", HOSTILE_NAME), comment=HOSTILE_NAME, content=HOSTILE[0])},
    )
    rule = ctxlab.RegexRule(id="r<i>", name=HOSTILE_NAME, regex="half", replacement="<b>whole</b>")
    return ctxlab.build(session, Agent(name=HOSTILE_NAME), books=[book], rules=[rule], budget_tokens=4000)


def study_of_strangers() -> Widget:
    names = [HOSTILE_NAME, *HOSTILE]
    scores = {name.encode("utf-8", "replace").decode(): (0.2 + i / 10, 0.5, "block") for i, name in enumerate(names)}
    widget = ctxlab_widgets.Study(made_up_result(conversations=7, cases=2, variants=scores, words=HOSTILE_NAME))
    widget.picked, widget.listed = widget.table.variants[:2], True
    return widget


def compression_of_strangers(session: Session) -> Widget:
    settings = {"protectRecentCount": 0}
    made = ctxlab.compress(session, everything=True, compression=settings, must_keep=HOSTILE)
    return ctxlab_widgets.CompressionView(made.with_summary(f"{HOSTILE[0]} {HOSTILE_NAME}"))


def chat_of_strangers(trace: Trace) -> Widget:
    given = trace.start.input
    chat = ctxlab_widgets.ChatPanel(given.session, given.agent, books=list(given.books), draft_wait_seconds=0.0)
    chat.input = f"{HOSTILE_NAME} {' '.join(HOSTILE)}".encode("utf-8", "replace").decode()
    chat.rest(20)
    chat._handle_custom_msg({"command": "got", "key": given.session.path()[-1].id}, [])
    return chat


def workspace_of_strangers(trace: Trace, *, as_table: bool) -> Widget:
    FOLDERS.append(TemporaryDirectory())
    kept, given = ctxlab.open_workspace(FOLDERS[-1].name), trace.start.input
    session, book = given.session.with_(id="s"), given.books[0].with_(id="b")
    for value in (session, book):
        kept.save(value)
        kind: Any = "books" if value is book else "sessions"
        kept.tag(value.id, [HOSTILE_NAME], kind=kind)
        kept.move_to_folder(value.id, HOSTILE_NAME, kind=kind)
    view = ctxlab_widgets.WorkspaceView(kept)
    if as_table:
        view.show_tab("books")
        view.open_value("b")
    else:
        view.search("half")
        view.show_preview("s")
    return view


def base_of_strangers() -> Widget:
    fields = {"key": HOSTILE_NAME, "tags": [HOSTILE_NAME], "source": HOSTILE_NAME}
    entries = [{**fields, "id": str(n), "content": text} for n, text in enumerate(HOSTILE)]
    base = ctxlab.knowledge_base(HOSTILE_NAME, entries=entries, description=HOSTILE_NAME)
    view = ctxlab_widgets.KnowledgeBaseView(base.with_(losses=(HOSTILE_NAME,)))
    view.open_entry("0")
    return view


def settings_of_strangers() -> Widget:
    class Odd(BaseModel):
        text: str = Field(HOSTILE[0], title=HOSTILE_NAME, description=HOSTILE_NAME)

    section = ctxlab.SettingsSection(HOSTILE_NAME, HOSTILE_NAME, Odd, HOSTILE_NAME)
    stored = {"plugins": {HOSTILE_NAME: {"text": 3}, f"gone {HOSTILE_NAME}": {}}}
    return ctxlab_widgets.SettingsForm(ctxlab.plugin_settings(stored, sections=[section]), models=[HOSTILE_NAME])


def user_of_strangers() -> Widget:
    user = ctxlab.UserProfile(id=HOSTILE_NAME, name=HOSTILE_NAME, content=HOSTILE[0], worldbook_ids=(HOSTILE_NAME,))
    return ctxlab_widgets.UserForm(user, bound_to=HOSTILE_NAME)


def of_strangers(name: str, trace: Trace) -> Widget:
    made = {
        "agent_form": lambda: ctxlab_widgets.AgentForm(trace.start.input.agent),
        "section_form": settings_of_strangers,
        "section_form, user": user_of_strangers,
        "branch_tree": lambda: ctxlab_widgets.BranchTree(trace.start.input.session),
        "chat_panel": lambda: chat_of_strangers(trace),
        "compare": lambda: ctxlab_widgets.Compare(trace, strategies=["middle-out"]),
        "compression_view": lambda: compression_of_strangers(trace.start.input.session),
        "knowledge_base_view": base_of_strangers,
        "recording_view": recording_of_strangers,
        "run_history": lambda: ctxlab_widgets.lab(trace).head,
        "study": study_of_strangers,
        "workspace_view": lambda: workspace_of_strangers(trace, as_table=False),
        "workspace_view, book": lambda: workspace_of_strangers(trace, as_table=True),
    }
    kind = "".join(word.title() for word in name.partition(",")[0].split("_"))
    return made[name]() if name in made else getattr(ctxlab_widgets, kind)(trace)


def clicks(opened: Opened) -> Iterator[None]:
    """Whatever opens is opened: rows, messages, folds."""
    page = opened.page
    for chosen in ("[role=row]", "[role=option]", "article", ".foldrow", "[data-key]", "canvas"):
        for each in page.locator(f".ctxlab {chosen}").all()[:8]:
            if each.is_visible():
                each.click(force=True)
                yield


def test_strangers_text_is_text(opened: Opened, hostile: Trace, name: str, tmp_path: Path) -> None:
    widget = of_strangers(name, hostile)
    page = opened.show(widget, tmp_path)

    for _ in clicks(opened):
        opened.pump(widget)
        assert page.locator(".ctxlab img, .ctxlab script, .ctxlab iframe, .ctxlab i > b, .ctxlab a").count() == 0
        assert "\u202e" not in page.locator(".ctxlab").inner_text()
        assert "\x1b" not in page.locator(".ctxlab").inner_text()


@pytest.mark.parametrize("theme_name", ["light", "dark"])
def test_what_a_canvas_draws_stands_out(theme_name: str) -> None:
    tokens: dict[str, str] = {}
    for file in ("tokens.css", "sources.css"):
        css = (WIDGETS / "_shared" / file).read_text(encoding="utf-8")
        block = re.search(rf'\[data-theme="{theme_name}"\][^{{]*\{{(.*?)\}}', css, re.DOTALL)
        assert block is not None
        tokens |= dict(re.findall(r"--cx-([\w-]+):\s*(#\w{6});", block[1]))

    assert [name for name in TREE_COLOURS if contrast(tokens[name], tokens["s0"]) < 3] == []


def contrast(one: str, other: str) -> float:
    more, less = sorted((luminance(one), luminance(other)), reverse=True)
    return (more + 0.05) / (less + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_in_a_page_undo_and_redo_are_the_pages_wherever_the_focus_is(opened: Opened, name: str, tmp_path: Path) -> None:
    widget = made(name)
    widget.views = ["steps", "lore"]
    page = opened.show(widget, tmp_path)
    page.locator(".ctxlab button:visible").first.focus()
    opened.sent()

    said: list[str] = []
    for key in ("Control+z", "Control+Shift+z"):
        page.keyboard.press(key)
        opened.rest()  # a view may send one command after the other
        said += [each["command"].removeprefix("page_") for each in opened.pump(widget)]
    widget.error, widget.views = "", []

    assert [each for each in said if each in ("undo", "redo")] == ["undo", "redo"]


JUPYTERLAB = """
.jp-OutputArea-output dl, .jp-OutputArea-output dt, .jp-OutputArea-output dd { display: block; }
.jp-OutputArea-output dl { width: 100%; overflow: hidden; padding: 0; margin: 0; }
.jp-OutputArea-output dt { font-weight: bold; float: left; width: 20%; padding: 0; margin: 0; }
.jp-OutputArea-output dd { float: left; width: 80%; padding: 0; margin: 0; }
"""
"""JupyterLab's rule for lists of terms in an output."""
UNDER_RULE = """(rule) => {
  const all = [...document.querySelectorAll("dt, dd")];
  const looks = () => all.map((each) => [getComputedStyle(each), each.getBoundingClientRect()])
    .map(([style, box]) => [style.float, style.fontWeight, Math.round(box.width)].join(" "));
  const before = looks();
  const style = document.createElement("style");
  style.textContent = rule;
  document.head.append(style);
  document.body.classList.add("jp-OutputArea-output");
  const after = looks();
  style.remove();
  document.body.classList.remove("jp-OutputArea-output");
  return all.map((each, i) => [each.textContent.slice(0, 30), before[i], after[i]]).filter(([, a, b]) => a !== b);
}"""


def test_terms_look_the_same_in_jupyterlab(opened: Opened, name: str, tmp_path: Path) -> None:
    page = opened.show(made(name), tmp_path)

    assert page.evaluate(UNDER_RULE, JUPYTERLAB) == []
