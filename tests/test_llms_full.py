"""`llms-full.txt` has every page of the site and every public name with its docstring."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import ctxlab
import ctxlab_widgets

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def made() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs"))
        return import_module("_ext.llms_full")


@pytest.fixture(scope="module")
def text(made: Any) -> str:
    return made.llms_full()


def test_every_public_name_is_in_it_with_what_its_docstring_says(text: str) -> None:
    for package in (ctxlab, ctxlab_widgets):
        for name in package.__all__:
            assert f"\n## {package.__name__}.{name}" in text
            value = getattr(package, name)
            if inspect.isroutine(value) or inspect.isclass(value):
                assert inspect.cleandoc(value.__doc__ or "") in text


def test_every_page_of_the_site_is_in_it_once_and_in_its_order(made: Any, text: str) -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in made.site_pages(ROOT / "docs")]
    marks = re.findall(r"^<!-- (\S+\.(?:md|txt)) -->$", text, re.MULTILINE)

    assert len(pages) > 5 and marks == ["llms.txt", "README.md", *pages]
    assert "{toctree}" not in text and "```{live}" not in text


def test_nothing_of_one_machine_is_in_it(text: str) -> None:
    assert not re.search(r"0x[0-9a-f]{6,}", text)
    assert str(ROOT) not in text


def test_a_page_that_two_tables_of_contents_name_is_there_once(made: Any, tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# I\n\n```{toctree}\n:caption: One\na\nNamed <b>\nnowhere\n```\n")
    (tmp_path / "a.md").write_text("# A\n\n```{toctree}\nb\n```\n")
    (tmp_path / "b.md").write_text("# B\n")

    assert [path.name for path in made.site_pages(tmp_path)] == ["a.md", "b.md"]
