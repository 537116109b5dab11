"""Every field, slider and button of every widget used once: what is typed and clicked in the page arrives in Python.

The controls are those that are in the page, so that a new one is used by itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Locator

from ctxlab_widgets._shared.widget import Widget
from tests.browser.conftest import Opened
from tests.gallery.samples import SAMPLES

MOST = 300
"""Controls of one widget; more than these would be a list of rows that are counted as controls."""
CLICK_MS = 3000

# The next control that was not used yet, marked so that it can be found; null when all were.
# Controls that differ only in numbers, and more than a few of one class, are alike.
NEXT = """(root, { used, number }) => {
  const FIELD = "input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea";
  const KINDS = [
    ["field", FIELD],
    ["slider", "input[type=range], [role=slider]"],
    ["choice", "select"],
    ["button", "button, summary, input[type=checkbox], input[type=radio], [role=button], [role=switch]"],
  ];
  for (const [kind, found] of KINDS) {
    const perClass = {};
    for (const each of root.querySelectorAll(found)) {
      if (each.disabled || each.readOnly || each.getAttribute("aria-disabled") === "true") continue;
      if (!each.checkVisibility({ visibilityProperty: true }) || !each.offsetWidth) continue;
      const named = document.getElementById(each.getAttribute("aria-labelledby")) ?? each.labels?.[0];
      const own = kind === "button" ? each.textContent : "";
      const words = each.getAttribute("aria-label") || named?.textContent || own || each.name || each.title
        || each.placeholder || "";
      const alike = `${kind} ${each.tagName} ${each.className}`;
      const name = `${kind} ${words.replace(/[\\d,]+/g, "#").slice(0, 40)}`;
      perClass[alike] = (perClass[alike] ?? 0) + 1;
      if (used.includes(name) || (kind === "button" && perClass[alike] > 6)) continue;
      each.dataset.used = number;
      const { value, min, max, step, type } = each;
      const options = kind === "choice" ? [...each.options].filter((o) => !o.disabled).map((o) => o.value) : [];
      return { kind, name, value: value ?? "", min, max, step, type, options };
    }
  }
  return null;
}"""


@dataclass
class Ears:
    """What Python hears of the page, messages and values of traits, and what went wrong while it answered."""

    heard: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])

    def listen(self, patch: pytest.MonkeyPatch) -> None:
        for name in ("_on_message", "set_state"):
            patch.setattr(Widget, name, self._listening(getattr(Widget, name)))

    def _listening(self, carry_out: Any) -> Any:
        def hears(widget: Widget, *words: Any) -> Any:
            self.heard.append(json.dumps(words[1] if len(words) > 1 else words[0], default=str))
            try:
                return carry_out(widget, *words)
            except Exception as problem:
                self.broken.append(repr(problem))
                raise

        return hears


@dataclass
class Hands:
    """Use the controls of one widget as a person would, and note what Python did not hear."""

    opened: Opened
    widget: Widget
    ears: Ears
    root: Locator
    used: list[str] = field(default_factory=list[str])
    unheard: list[str] = field(default_factory=list[str])

    def use_all(self) -> None:
        while len(self.used) < MOST:
            number = str(len(self.used))
            control = self.root.evaluate(NEXT, {"used": self.used, "number": number})
            if control is None:
                return
            self.used.append(control["name"])
            try:
                self._use(control, self.root.locator(f"[data-used='{number}']").first)
            except Error as problem:  # a control may go while it is reached for, such as one of a row that moves
                if self.root.locator(f"[data-used='{number}']").count():
                    self.unheard.append(f"{control['name']} can't be used: {problem.message.splitlines()[0]}")
        raise AssertionError(f"controls without end: {self.used[-5:]}")

    def _use(self, control: dict[str, Any], found: Locator) -> None:
        match control["kind"]:
            case "field":
                self._type(control, found)
            case "slider":
                found.focus(timeout=CLICK_MS)
                if not any(self._heard_after(lambda key=key: found.press(key, timeout=CLICK_MS)) for key in ARROWS):
                    self.unheard.append(control["name"])
            case "choice":
                others = [value for value in control["options"] if value != control["value"]]
                if others:
                    found.select_option(others[0], timeout=CLICK_MS)
                    self._settle()
            case _:
                self._point_at(found)
                found.click(timeout=CLICK_MS)
                self._settle()

    def _point_at(self, found: Locator) -> None:
        """Move the pointer there: some buttons come only when it is over their row."""
        found.scroll_into_view_if_needed(timeout=CLICK_MS)
        if box := found.bounding_box(timeout=CLICK_MS):
            self.opened.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def _type(self, control: dict[str, Any], found: Locator) -> None:
        """A value that was not there, and Enter; with Control where Enter alone begins a new line.

        A search may stay in the page: then what is found is shown. So may what can't be read: then the field says so.
        """
        typed, drawn = another(control), self.root.inner_html()
        before = len(self.ears.heard)
        found.fill(typed, timeout=CLICK_MS)
        for keys in ("Control+Enter", "Enter") if control["type"] == "textarea" else ("Enter", "Control+Enter"):
            if not self.root.locator(":focus").count():
                break
            self.opened.page.keyboard.press(keys)
            if self._heard_since(before, typed if control["type"] == "number" else ""):
                return
        if found.get_attribute("aria-invalid") == "true":  # the page says itself that it is no JSON
            return
        if control["type"] != "search" or self.root.inner_html() == drawn:
            self.unheard.append(f"{control['name']}: {typed!r} and Enter")

    def _heard_after(self, act: Any) -> bool:
        before = len(self.ears.heard)
        act()
        return self._heard_since(before, "")

    def _heard_since(self, before: int, words: str) -> bool:
        for _ in range(10):
            self._settle()
            if any(words in one for one in self.ears.heard[before:]):
                return True
        return False

    def _settle(self) -> None:
        """Let what was done reach Python, and wait until the answer is drawn."""
        self.opened.painted()
        self.opened.pump(self.widget)


ARROWS = ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown")


def another(control: dict[str, Any]) -> str:
    """A value that the field may have and has not."""
    if control["type"] != "number":
        return f"{control['value']}a"
    step = float(control["step"]) if control["step"] not in ("", "any") else 1.0
    value = float(control["value"] or control["min"] or 0)
    larger = value + step
    found = larger if control["max"] in ("", None) or larger <= float(control["max"]) else value - step
    return f"{found:.6f}".rstrip("0").rstrip(".")


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_control_is_used_and_heard(
    opened: Opened, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ears = Ears()
    ears.listen(monkeypatch)  # before it is made: it takes its methods then
    widget = SAMPLES[name]()
    page = opened.show(widget, tmp_path)
    hands = Hands(opened, widget, ears, page.locator(f".ctxlab[data-view='{name}']").first)

    hands.use_all()

    assert len(hands.used) > 3
    assert hands.unheard == []
    assert ears.broken == []
