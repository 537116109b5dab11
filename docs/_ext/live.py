"""Code of the pages, run at each build in its order, with what it gives below it: text, tables, and widgets that work.

    ```{live}
    :height: 640
    import ctxlab, ctxlab_widgets

    ctxlab_widgets.LoreView(ctxlab.build(ctxlab.example("harbour")))
    ```

All code of a page shares its names. It runs in a folder of its own, in which `datasets` is. A widget is a page of its
own in a frame, without Python behind it: what needs Python isn't there, everything else works; `:title:` is its name.
A reader without scripts gets a picture of `docs/pictures`: the widget's own, or the one that `:picture:` names without
look and ending; `:alt:` says what is on it. `:hide:` leaves the code out, `:raises:` names an error that is wanted,
`:plugin:` a folder of `extending` that is installed while the block runs.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from anywidget import AnyWidget
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.installed_plugin import installed_plugin
from _ext.widgets.public import page_of
from ctxlab_widgets._shared.html_page import page
from ctxlab_widgets._shared.widget import Widget, bundle_path, synced_state

ROOT = Path(__file__).parents[2]
HEIGHT = 560
"""Of a frame, in pixels, where the page names none."""
FRAMES = "live"
PICTURES = "_images"
SHOWN = '<div class="cell_output shown" role="region" aria-label="What it gives" tabindex="0">'
"""Around a value; it scrolls where it is wide, by keys too."""


class Live(SphinxDirective):
    """A block of code with what it gives."""

    has_content = True
    option_spec = {  # noqa: RUF012
        "height": directives.positive_int,
        "title": directives.unchanged,
        "picture": directives.unchanged,
        "alt": directives.unchanged,
        "raises": directives.unchanged,
        "plugin": directives.unchanged,
        "hide": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """The block and its results."""
        code = "\n".join(self.content)
        runs = self.env.temp_data.setdefault("live", _Runs())
        try:
            plugin = self.options.get("plugin")
            with installed_plugin(plugin) if plugin else contextlib.nullcontext():
                printed, value = runs.run(code, self.options.get("raises"))
                results = [*self._text(printed), *self._value(value, runs)]
        except Exception as error:
            place = f"{self.env.docname}, line {self.lineno}"
            raise self.severe(f"{place}: the code raises {type(error).__name__}: {error}") from error
        shown = [] if "hide" in self.options else [nodes.literal_block(code, code, language="python")]
        return [*shown, *results]

    def _text(self, printed: str) -> Iterator[nodes.Node]:
        if printed.strip():
            yield nodes.literal_block(printed, printed.rstrip(), language="text", classes=["printed"])

    def _value(self, value: Any, runs: _Runs) -> Iterator[nodes.Node]:
        if value is None:
            return
        if isinstance(value, AnyWidget):
            yield self._frame(value, runs)
        elif hasattr(value, "_repr_html_"):
            yield nodes.raw("", f"{SHOWN}{value._repr_html_()}</div>", format="html")
        else:
            yield from self._text(repr(value))

    def _frame(self, widget: AnyWidget, runs: _Runs) -> nodes.Node:
        """A page of the widget beside the others, and a frame that shows it."""
        runs.frames += 1
        name = f"{self.env.docname.replace('/', '-')}-{runs.frames}.html"
        title = self.options.get("title") or type(widget).__name__
        folder = Path(self.env.app.outdir) / FRAMES
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(widget, Widget):
            widget.keep_for_page()
        state = {**synced_state(widget), "live": False}
        (folder / name).write_text(page(_bundle(widget, folder), state, title=title), encoding="utf-8")
        widget.close()
        up = "../" * self.env.docname.count("/")
        height = self.options.get("height", HEIGHT)
        return nodes.raw(
            "",
            f'<iframe class="live" src="{up}{FRAMES}/{name}" title="{escape(title)}" loading="lazy" '
            f'style="height:{height}px"></iframe><noscript>{self._picture(widget, title, up)}</noscript>',
            format="html",
        )

    def _picture(self, widget: AnyWidget, title: str, up: str) -> str:
        """The widget in light and dark, for readers without scripts; its files go beside those of the other images."""
        own = page_of(type(widget).__name__) if isinstance(widget, Widget) else ""
        name = self.options.get("picture") or own
        if not name:  # of a plugin
            return ""
        files = {look: Path(self.env.srcdir) / "pictures" / f"{name}-{look}.png" for look in ("light", "dark")}
        missing = [path.name for path in files.values() if not path.is_file()]
        if missing:
            raise self.error(
                f"docs/pictures has no {missing[0]}: `make pictures` draws each widget, `:picture:` names one"
            )
        folder = Path(self.env.app.outdir) / PICTURES
        folder.mkdir(parents=True, exist_ok=True)
        for path in files.values():
            self.env.note_dependency(str(path))
            shutil.copyfile(path, folder / path.name)
        light, dark = (f"{up}{PICTURES}/{escape(path.name)}" for path in files.values())
        alt = escape(self.options.get("alt") or f"{title}, as a picture")
        source = f'<source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        return f'<picture>{source}<img src="{light}" alt="{alt}"></picture>'


def _bundle(widget: AnyWidget, folder: Path) -> Path:
    """The script of a widget; that of a plugin may stand in its module, and is written beside the page."""
    if isinstance(widget, Widget):
        return bundle_path(type(widget))
    path = folder / f"{type(widget).__name__}.js"
    path.write_text(str(widget._esm), encoding="utf-8")
    return path


class _Runs:
    """The names of one page, and the folder in which its code runs."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.frames = 0
        self._folder = tempfile.TemporaryDirectory(prefix="ctxlab-docs-")
        Path(self._folder.name, "datasets").symlink_to(ROOT / "datasets")

    def run(self, code: str, raises: str | None) -> tuple[str, Any]:
        """What a block prints, and the value of its last line."""
        tree = ast.parse(code)
        last = tree.body[-1] if tree.body else None
        value: Any = None
        with contextlib.redirect_stdout(io.StringIO()) as printed, _inside(self._folder.name):
            try:
                if isinstance(last, ast.Expr):
                    tree.body.pop()
                exec(compile(tree, "<page>", "exec"), self.names)
                if isinstance(last, ast.Expr):
                    value = eval(compile(ast.Expression(last.value), "<page>", "eval"), self.names)
            except Exception as error:
                if type(error).__name__ != raises:
                    raise
                return f"{printed.getvalue()}{raises}: {error}", None
        if raises:
            raise AssertionError(f"{raises} isn't raised")
        return printed.getvalue(), value


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("live", Live)
    app.add_css_file("live.css")
    return {"parallel_read_safe": False}
