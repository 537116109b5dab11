"""What strangers write, and whether anything is drawn."""

from __future__ import annotations

from base64 import b64encode

from playwright.sync_api import Locator, Page

HOSTILE = [
    "<script>document.title = 'gone'</script><img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script><!--",
    "\x1b[31mred\x1b[0m \u202egnp.exe\u202c \u2066left",
    "👩‍🚀 e\u0301 灯塔 \u2028 \ud83d half",
    "javascript:alert(3) &lt;b&gt; {{user}}",
]

# The browser reads its own picture: a hundred times as fast as Python, and no policy of the page forbids it.
COLOURS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const to = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
  to.drawImage(picture, 0, 0);
  return new Set(new Uint32Array(to.getImageData(0, 0, picture.width, picture.height).data.buffer)).size;
}"""


def colours_of(shown: Page | Locator) -> int:
    """How many different colours something has on the screen: a blank one has one or two."""
    page = shown if isinstance(shown, Page) else shown.page
    return page.evaluate(COLOURS, b64encode(shown.screenshot()).decode())


def colours_across(shown: Locator, share: float) -> int:
    """The number of different colours that a line from top to bottom has; `share` of the width is left of it."""
    shown.scroll_into_view_if_needed()
    box = shown.bounding_box()
    assert box is not None
    left = box["x"] + share * box["width"]
    picture = shown.page.screenshot(clip={"x": left, "y": box["y"], "width": 2, "height": box["height"]})
    return shown.page.evaluate(COLOURS, b64encode(picture).decode())
