"""Tables of a widget's keys, traits and methods, made of its code at each build.

    ```{widget_keys} LoreView
    ```

Also `widget_traits` and `widget_methods`. The build fails when a public widget has no page in `widgets/`.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from _ext.reference.markdown import code, plain, table
from _ext.widgets.keys import keys_of
from _ext.widgets.members import methods_of, traits_of
from _ext.widgets.public import page_of, public_widgets
from ctxlab_widgets._shared.widget import Widget


class WidgetKeys(SphinxDirective):
    """The keys of a widget."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A table."""
        return self.parse_text_to_nodes(self._text(widget_named(self.arguments[0])))

    def _text(self, widget: type[Widget]) -> str:
        return table(["keys", "what they do"], ([plain(keys), plain(does)] for keys, does in keys_of(widget)))


class WidgetTraits(WidgetKeys):
    """The public traits of a widget, first its own, then those of all widgets."""

    def _text(self, widget: type[Widget]) -> str:
        rows = ([code(each.name), code(each.type), plain(each.about)] for each in traits_of(widget))
        return table(["trait", "type", "what is in it"], rows)


class WidgetMethods(WidgetKeys):
    """The public methods of a widget."""

    def _text(self, widget: type[Widget]) -> str:
        rows = [[code("widget." + each.call), plain(each.about)] for each in methods_of(widget)]
        return table(["method", "what it does"], rows) if rows else "It has no methods of its own."


def widget_named(name: str) -> type[Widget]:
    """A public widget by the name of its class."""
    found = public_widgets().get(name)
    if found is None:
        raise ExtensionError(f"ctxlab_widgets has no widget {name!r}")
    return found


def check_pages(app: Sphinx) -> None:
    """Each public widget has a page."""
    folder = Path(app.srcdir) / "widgets"
    missing = [name for name in public_widgets() if not (folder / f"{page_of(name)}.md").is_file()]
    if missing:
        raise ExtensionError(f"no page in docs/widgets for {', '.join(missing)}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directives known."""
    app.add_directive("widget_keys", WidgetKeys)
    app.add_directive("widget_traits", WidgetTraits)
    app.add_directive("widget_methods", WidgetMethods)
    app.connect("builder-inited", check_pages)
    return {"parallel_read_safe": True}
