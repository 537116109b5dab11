"""Pictures for light and for dark: `<picture>`, as repositories show it, follows the own switch of the site."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

PICTURE = re.compile(r'^<picture><source [^>]*srcset="([^"]+)"><img src="([^"]+)" alt="([^"]*)"[^>]*></picture>$', re.M)
IMAGE = "```{{image}} {path}\n:class: only-{theme}\n:alt: {alt}\n```\n"


def both(app: Sphinx, page: str, source: list[str]) -> None:
    """Each picture twice, of which a page shows one."""
    source[0] = PICTURE.sub(
        lambda found: (
            "\n"
            + IMAGE.format(path=found[2], theme="light", alt=found[3])
            + "\n"
            + IMAGE.format(path=found[1], theme="dark", alt=found[3])
        ),
        source[0],
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at each page before it is read."""
    app.connect("source-read", both)
    return {"parallel_read_safe": True}
