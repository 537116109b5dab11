"""One HTML file with a widget in it, or several behind tabs: no kernel, no server, no request."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.split_secrets import masked_state

HOST = Path(__file__).parent / "static" / "host.js"

# Nothing may be fetched, whatever the texts say; `blob:` is what comes along: the widget's code, and files of messages.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; media-src blob:"
)

STYLE = """
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 1200px; padding: 16px; background: #fff; color: #1b1e24 }
header { margin-bottom: 12px; font: 12px/16px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif }
h1 { margin: 0; font-size: 15px; line-height: 24px; font-weight: 600; overflow-wrap: anywhere }
header p { margin: 0; color: #474d58; overflow-wrap: anywhere }
header p.summary { font-size: 13px; line-height: 20px; font-weight: 600; color: inherit }
header a { color: inherit; text-decoration: underline 1px #858c98; text-underline-offset: 3px }
nav {
  display: flex; flex-wrap: wrap; gap: 4px 16px; margin-bottom: 12px; border-bottom: 1px solid #858c98;
  font: 12px/16px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif;
}
nav > button {
  margin: 0; padding: 6px 2px; border: 0; border-bottom: 3px solid transparent; background: none;
  font: inherit; color: inherit; cursor: pointer;
}
nav > button:hover { border-color: #858c98 }
nav > [aria-selected=true] { font-weight: 600; border-color: currentColor }
nav > button:focus-visible, header a:focus-visible { outline: 2px solid #0b57d0; outline-offset: 1px }
@media (max-width: 700px) { body { padding: 8px } }
@media (forced-colors: active) { nav > [aria-selected=true] { border-color: Highlight } }
@media print {
  nav, main > section { display: none }
  main > section:first-child { display: block !important }
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) body { background: #1a1c20; color: #e7e9ec }
  :root:not([data-theme=light]) header p:not(.summary) { color: #b6bcc6 }
  :root:not([data-theme=light]) :is(header a, nav > button):focus-visible { outline-color: #8ab4f8 }
}
[data-theme=dark] body { background: #1a1c20; color: #e7e9ec }
[data-theme=dark] header p:not(.summary) { color: #b6bcc6 }
[data-theme=dark] :is(header a, nav > button):focus-visible { outline-color: #8ab4f8 }
"""


@dataclass(frozen=True, slots=True)
class ReportView:
    """A view behind a tab: its bundle and its traits. Without a bundle `left_out` says why it isn't in the page."""

    name: str
    title: str
    bundle: Path | None = None
    state: str = ""
    left_out: str = ""


def page(widget: Path, state: Mapping[str, Any], *, title: str, about: str = "", parts: Collection[str] = ()) -> str:
    """The page of one widget: `widget` is a bundle, `state` its traits, title and about are plain text.

    A page is for others to open, so secrets are masked in it, each character of one as a `*`; `parts` are those of
    secrets that the page has in pieces.
    """
    title, about = masked(title), masked(about)
    code = as_json({"code": widget.read_text(encoding="utf-8")})
    body = f"""<header><h1>{escape(title)}</h1><p>{escape(about)}</p></header>
<main id="ctxlab-widget"></main>
{_held("ctxlab-held", f'{code[:-1]},"state":{masked_state(as_json(state), parts)}}}')}"""
    return _document(title, body)


def page_of_views(
    views: Sequence[ReportView],
    *,
    title: str,
    summary: Sequence[tuple[str, str]],
    about: str = "",
    parts: Collection[str] = (),
) -> str:
    """The page of several views, each behind a tab, the first one open.

    `summary` is a sentence in parts: plain text, and the name of the view that it leads to, or an empty one. `parts`
    are as for `page`.
    """
    there = {view.name for view in views}
    sentence = "".join(
        f'<a href="#{name}">{escape(words)}</a>' if name in there else escape(words) for words, name in summary
    )
    tabs = "".join(
        f'<button type="button" role="tab" id="ctxlab-tab-{view.name}" data-view="{view.name}"'
        f' aria-controls="ctxlab-view-{view.name}" aria-selected="{"false" if n else "true"}"'
        f' tabindex="{-1 if n else 0}">{escape(view.title)}</button>'
        for n, view in enumerate(views)
    )
    panels = "\n".join(
        f'<section role="tabpanel" id="ctxlab-view-{view.name}" aria-labelledby="ctxlab-tab-{view.name}"'
        f"{' hidden' if n else ''}>{f'<p>{escape(view.left_out)}</p>' if view.left_out else ''}</section>"
        for n, view in enumerate(views)
    )
    held = "\n".join(
        _held(f"ctxlab-code-{view.name}", as_json({"code": view.bundle.read_text(encoding="utf-8")}))
        + "\n"
        + _held(f"ctxlab-state-{view.name}", masked_state(view.state, parts))
        for view in views
        if view.bundle is not None
    )
    title, about = masked(title), masked(about)
    body = f"""<header><h1>{escape(title)}</h1><p class="summary">{sentence}</p><p>{escape(about)}</p></header>
<nav role="tablist" aria-label="Views of the run">{tabs}</nav>
<main>
{panels}
</main>
{held}"""
    return _document(title, body)


def _held(id: str, json: str) -> str:
    """JSON in which nothing can end the element that holds it."""
    for sign in "<>&":
        json = json.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{id}">{json}</script>'


def _document(title: str, body: str) -> str:
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
{body}
<noscript>This report draws itself with JavaScript, which is switched off.</noscript>
<script type="module">{HOST.read_text(encoding="utf-8")}</script>
</body>
</html>
"""
