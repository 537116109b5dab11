"""One table of sources: everything that shows a source is made from it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from ctxlab.cli.output.terminal import THEME
from ctxlab.cli.output.token_bar import BLOCKS
from ctxlab.display.source_styles import OF_KIND, OF_PART, OVERHEAD, PARTS, ROOM, SOURCES, Source
from ctxlab.display.theme import HATCHES, SOURCE_SIGNS, SOURCE_SYMBOLS, THEMES
from ctxlab.studies.budget_figure import ORDER

WIDGETS = Path(__file__).parents[2] / "widgets"
NAMES = [source.name for source in SOURCES]


def written() -> Any:
    """The module that writes what the browser half needs."""
    spec = importlib.util.spec_from_file_location("write_sources", WIDGETS / "write_sources.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("field", ["name", "title", "light", "dark", "sign", "icon", "block", "terminal"])
def test_no_two_sources_look_alike(field: str) -> None:
    values = [getattr(source, field) for source in SOURCES]

    assert len(set(values)) == len(values)


def test_entries_of_a_budget_and_kinds_of_origins_have_one_source_each() -> None:
    parts = [part for source in SOURCES for part in source.parts]
    kinds = [kind for source in SOURCES for kind in source.kinds]

    assert (len(set(parts)), len(set(kinds))) == (len(parts), len(kinds))
    assert (*parts, *ROOM) == PARTS
    assert {*OF_PART.values(), *OF_KIND.values()} <= set(NAMES)
    assert OVERHEAD in NAMES


def test_figures_and_the_terminal_show_every_source_in_the_order_of_the_table() -> None:
    assert [list(theme.sources) for theme in THEMES.values()] == [NAMES, NAMES]
    assert list(SOURCE_SYMBOLS) == list(HATCHES) == NAMES
    assert [*SOURCE_SIGNS][: len(NAMES)] == [*BLOCKS][: len(NAMES)] == NAMES
    assert [look for _, look, _ in ORDER] == [*NAMES, *ROOM]
    assert all(f"source.{name}" in THEME.styles for name in NAMES)


def test_the_browser_half_has_what_the_table_gives() -> None:
    assert written().main(["--check"]) == 0


def test_a_new_source_reaches_the_browser_half_from_the_table_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    weather = Source(
        "weather", "weather", "#123456", "#abcdef", "☂", "M0 0h1v1z", "w", "red", hatch="x", underline="wavy"
    )
    module = written()
    monkeypatch.setattr(module, "SOURCES", (*SOURCES, weather))

    css, script = module.css(), module.typescript()

    assert (css.count("--cx-weather: #123456;"), css.count("--cx-weather: #abcdef;")) == (1, 2)
    assert ".src-weather{--c:var(--cx-weather)}" in css
    assert ".fill.src-weather{" in css
    assert ".u-weather{text-decoration-style:wavy}" in css
    assert '"weather": [\n    "M0 0h1v1z"\n  ]' in script


def test_no_other_stylesheet_has_a_colour_of_a_source() -> None:
    colours = {colour for source in SOURCES for colour in (source.light, source.dark)}
    sheets = [path for path in (WIDGETS / "ctxlab_widgets").rglob("*.css") if path.name != "sources.css"]

    assert sheets
    for path in sheets:
        assert colours.isdisjoint(re.findall(r"#[0-9a-f]{6}\b", path.read_text(encoding="utf-8"))), path
