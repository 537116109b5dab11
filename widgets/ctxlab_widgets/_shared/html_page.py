"""One HTML file with a widget in it: no kernel, no server, no request."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from ctxlab_widgets._shared.json_values import as_json

HOST = Path(__file__).parent / "static" / "host.js"

# Nothing may be fetched, whatever the texts say; `blob:` is the widget's own code, which comes along.
POLICY = "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'"

STYLE = """
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 1200px; padding: 16px; background: #fff; color: #1b1e24 }
header { margin-bottom: 12px; font: 12px/16px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif }
h1 { margin: 0; font-size: 15px; line-height: 24px; font-weight: 600; overflow-wrap: anywhere }
header p { margin: 0; color: #474d58; overflow-wrap: anywhere }
@media (max-width: 700px) { body { padding: 8px } }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) body { background: #1a1c20; color: #e7e9ec }
  :root:not([data-theme=light]) header p { color: #b6bcc6 }
}
[data-theme=dark] body { background: #1a1c20; color: #e7e9ec }
[data-theme=dark] header p { color: #b6bcc6 }
"""


def page(widget: Path, state: Mapping[str, Any], *, title: str, about: str = "") -> str:
    """The page: `widget` is a bundle, `state` its traits, title and about are plain text.

    Texts stand in it as JSON in which nothing can end the element that holds it.
    """
    held = as_json({"code": widget.read_text(encoding="utf-8"), "state": state})
    for sign in "<>&":
        held = held.replace(sign, f"\\u{ord(sign):04x}")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header><h1>{escape(title)}</h1><p>{escape(about)}</p></header>
<main id="ctxlab-widget"></main>
<noscript>This report draws itself with JavaScript, which is switched off.</noscript>
<script type="application/json" id="ctxlab-held">{held}</script>
<script type="module">{HOST.read_text(encoding="utf-8")}</script>
</body>
</html>
"""
