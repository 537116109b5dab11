"""Cards of pages: each with its picture, its title and a line about it, as the pages themselves say.

    ```{gallery}
    why_was_this_cut
    who_wrote_this
    ```

A page begins with `picture:` (of `docs/pictures`, without look and ending) and `about:` between two lines `---`, then
its title. Its place in the table of contents is that of its card.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.cards import Card, card_of


class Gallery(SphinxDirective):
    """A card for each page that is named, and the pages in the table of contents."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A hidden table of contents, and a grid."""
        names = [line.strip() for line in self.content if line.strip()]
        folder = Path(self.env.doc2path(self.env.docname)).parent
        cards = "\n\n".join(self._card(card_of(folder / f"{name}.md")) for name in names)
        contents = "\n".join(["```{toctree}", ":hidden:", *names, "```"])
        return self.parse_text_to_nodes(f"{contents}\n\n::::{{grid}} 1 1 2 2\n:gutter: 3\n\n{cards}\n\n::::")

    def _card(self, card: Card) -> str:
        folder = Path(self.env.srcdir)
        self.env.note_dependency(str(Path(self.env.doc2path(self.env.docname)).parent / f"{card.name}.md"))
        pictures = []
        for look in ("light", "dark"):
            path = folder / "pictures" / f"{card.picture}-{look}.png"
            if not path.is_file():
                raise self.error(f"{card.name}.md: docs/pictures has no {path.name}")
            alt = f"{card.picture.replace('_', ' ')}, {look}"
            head = f"```{{image}} /pictures/{path.name}"
            pictures.append(f"{head}\n:alt: {alt}\n:class: only-{look} thumbnail\n```")
        body = "\n\n".join([*pictures, card.about])
        return f":::{{grid-item-card}} {card.title}\n:link: {card.name}\n:link-type: doc\n\n{body}\n:::"


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}
