"""Pictures of every widget in light, dark and narrow, for the README. Run by `make pictures`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from playwright.sync_api import Browser

from ctxlab_widgets._shared.widget import Widget
from tests.gallery.pages import browsing, open_widget
from tests.gallery.samples import SAMPLES, WITH_FILES

LOOKS: dict[str, tuple[Literal["light", "dark"], int]] = {
    "light": ("light", 960),
    "dark": ("dark", 960),
    "narrow": ("light", 420),
}

PICTURED = {name: make for name, make in SAMPLES.items() if name != "section_form"} | {
    "settings_form": SAMPLES["section_form"],
    "user_form": WITH_FILES["section_form, user"],
    "sent_text": WITH_FILES["sent_view, text"],
}
"""What is drawn, by the name of its page; two forms share one folder."""

HIGHEST = 1200
"""Pixels of a view that a picture shows: what is longer goes on as it begins."""


def picture(browser: Browser, widget: Widget, look: str, path: Path) -> None:
    scheme, width = LOOKS[look]
    context = browser.new_context(
        viewport={"width": width, "height": 1400}, color_scheme=scheme, reduced_motion="reduce"
    )
    with TemporaryDirectory() as folder:
        page = open_widget(context.new_page(), widget, Path(folder))
        page.wait_for_timeout(300)
        box = page.locator(".ctxlab").bounding_box()
        assert box is not None
        page.screenshot(path=path, clip={**box, "height": min(box["height"], HIGHEST)}, full_page=True)
    context.close()


def main() -> None:
    """Writes `<folder>/<widget>-<look>.png`; the first argument is the folder, the others name widgets."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    names = sys.argv[2:] or list(PICTURED)
    with browsing() as browser:
        for name in names:
            widget = PICTURED[name]()
            for look in LOOKS:
                path = folder / f"{name}-{look}.png"
                picture(browser, widget, look, path)
                print(f"{path} {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
