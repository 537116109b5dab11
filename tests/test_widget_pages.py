"""Pages of the documentation about widgets and questions: made of the code, and each with its card."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ctxlab_widgets import TokenView

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of the site's extensions by name."""
    monkeypatch.syspath_prepend(DOCS)

    def named(name: str) -> Any:
        return import_module(f"_ext.{name}")

    return named


def test_each_public_widget_has_a_page_with_its_keys_traits_and_methods(extension: Any) -> None:
    public, keys, members = (extension(f"widgets.{name}") for name in ("public", "keys", "members"))

    for name, widget in public.public_widgets().items():
        page = (DOCS / "widgets" / f"{public.page_of(name)}.md").read_text(encoding="utf-8")
        assert all(f"{{{table}}} {name}\n" in page for table in ("widget_keys", "widget_traits", "widget_methods"))
        assert keys.keys_of(widget)
        assert {"selected", "error"} <= {row.name for row in members.traits_of(widget)}
        assert all(row.about for row in members.methods_of(widget))


def test_keys_are_those_of_the_list_in_the_page(extension: Any) -> None:
    rows = extension("widgets.keys").keys_of(TokenView)

    assert ("\u2190 \u2192", "the token before, the next one") in rows
    assert rows[-1] == ("Escape", "in the search: clear it, then back to the text")


def test_a_list_of_keys_that_cannot_be_read_is_named(
    extension: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = extension("widgets.keys")
    (tmp_path / "widget.ts").write_text('const KEYS: KeyList = [\n  ["Esc", words()],\n];\n', encoding="utf-8")

    def folder_of(_: object) -> Path:
        return tmp_path

    monkeypatch.setattr(keys, "folder_of", folder_of)

    with pytest.raises(ValueError, match=r"words\(\)"):
        keys.keys_of(TokenView)


@pytest.mark.parametrize("folder", ["questions", "widgets"])
def test_each_page_has_a_card_with_a_picture_that_is_there(extension: Any, folder: str) -> None:
    pages = {path.stem for path in (DOCS / folder).glob("*.md")} - {"index"}
    gallery = re.search(r"^```\{gallery\}\n(.*?)^```", (DOCS / folder / "index.md").read_text("utf-8"), re.M | re.S)

    assert gallery is not None
    assert sorted(gallery[1].split()) == sorted(pages)
    for name in pages:
        card = extension("cards").card_of(DOCS / folder / f"{name}.md")
        assert card.title
        assert card.about
        assert (DOCS / "pictures" / f"{card.picture}-light.png").is_file()
        assert (DOCS / "pictures" / f"{card.picture}-dark.png").is_file()


def test_a_page_without_a_head_is_named(extension: Any, tmp_path: Path) -> None:
    page = tmp_path / "why.md"
    page.write_text("# Why?\n", encoding="utf-8")

    with pytest.raises(ValueError, match=r"why\.md"):
        extension("cards").card_of(page)
