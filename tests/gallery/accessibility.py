"""What keeps people out of a page, after axe-core."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from playwright.sync_api import Frame, Page

AXE = Path(__file__).parents[2] / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ["serious", "critical"]
"""Impacts that axe-core gives to what keeps people out."""

VIOLATIONS = """async (grave) => {
  const { violations } = await axe.run(document, { iframes: false, preload: false, resultTypes: ["violations"] });
  return violations
    .filter((one) => grave.includes(one.impact))
    .map((one) => `${one.id} (${one.impact}), ${one.nodes.length} times: ${one.nodes[0].html.slice(0, 200)}`);
}"""


def kept_out_by(shown: Page | Frame) -> list[str]:
    """A sentence for each kind of violation that is serious; frames inside are not looked into."""
    if not shown.evaluate("() => Boolean(window.axe)"):
        shown.evaluate(_source())
    return shown.evaluate(VIOLATIONS, GRAVE)


@cache
def _source() -> str:
    return AXE.read_text(encoding="utf-8")
