"""The code that a cell is made by is found, not listed: edits of it change keys, and those of other rooms don't."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ctxlab.studies.study import code_version
from ctxlab.studies.study.code_reached import ROOT, modules, packages_of
from tests.studies.study.edited_code import OWN, copied, edited, missed

CHECKOUT = Path(__file__).parents[3]
GOES_THROUGH = (
    *("pipeline/shared_beginning.py", "studies/successive_builds.py", "studies/prefix_blame.py", "studies/turns.py"),
    *("studies/message_outcomes.py", "studies/study/cell_table.py", "engines/regexes/counted.js", "errors.py"),
)
GOES_BY = ("cli/app.py", "recordings/read.py", "studies/study_table/scores_figure.py", "storage/workspace.py")
NOT_IN_CELLS = frozenset(
    {"anywidget", "ipywidgets", "plotly", "rich", "typer"}  # what is drawn and printed
    | {"apsw", "cloudpickle", "filelock", "networkx", "pandas", "pyarrow"}  # what is kept, sent to processes, tabled
    | {"tenacity"}  # what is sent
)
"""Packages of ctxlab that no value of a cell goes through."""


def test_an_edit_of_a_module_that_cells_go_through_changes_their_keys(tmp_path: Path) -> None:
    found = edited(copied(tmp_path), [*GOES_THROUGH, *GOES_BY])

    noticed, scorers = found["noticed"], found["scorers"]
    assert missed(found) == []
    assert {file: noticed[file] for file in GOES_THROUGH} == dict.fromkeys(GOES_THROUGH, scorers)
    assert {file: noticed[file] for file in GOES_BY} == {file: [OWN] for file in GOES_BY}
    known = {path.relative_to(ROOT).as_posix(): module for module, path in modules().items()}
    assert {known[file] for file in found["ran"]} <= code_version.reached().modules


@cache
def import_graph() -> Any:
    import grimp

    return grimp.build_graph("ctxlab", exclude_type_checking_imports=True, cache_dir=None)


def test_what_a_module_of_a_cell_imports_is_found() -> None:
    """Held against a parser of Python; a package hands names on, so that what it imports itself is followed by name."""
    reached, graph = code_version.reached().modules, import_graph()

    def is_package(module: str) -> bool:
        return modules()[module].name == "__init__.py"

    missing = {
        (module, each)
        for module in reached
        if not is_package(module)
        for each in graph.find_modules_directly_imported_by(module)
        if each not in reached
    }
    assert missing == set()


@pytest.mark.parametrize(
    "source",
    [
        "from ctxlab.errors import CtxlabError",
        "from ctxlab.errors import (\n    CtxlabError,  # of all\n    WrongArgument,\n)",
        "import ctxlab.errors",
        "import json, ctxlab.errors as problems  # two",
        "def late():\n    from ctxlab.errors import CtxlabError as Error",
        'def late():\n    return import_module("ctxlab.errors")',
        "from ctxlab import errors",
        "from ctxlab import CtxlabError",
        "def late():\n    import ctxlab\n\n    return ctxlab.CtxlabError",
    ],
)
def test_every_form_of_an_import_leads_to_its_module(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ctxlab.studies.study import code_reached

    written = tmp_path / "made.py"
    written.write_text(source)
    monkeypatch.setattr(code_reached, "modules", lambda: {**modules(), "ctxlab.made": written})

    assert "ctxlab.errors" in code_reached.reached_from.__wrapped__("ctxlab.made").modules


def test_every_package_that_is_installed_with_ctxlab_counts_or_is_known_to_go_by_cells() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    ours = {re.split(r"[^\w-]", each, maxsplit=1)[0].replace("_", "-") for each in project["dependencies"]}

    counted = set(code_version.libraries())
    assert ours - counted == NOT_IN_CELLS & ours
    assert {"beautifulsoup4", "genai-prices", "numpy", "pydantic-core", "snowballstemmer"} <= counted


def test_a_package_under_another_name_is_found_without_a_list() -> None:
    assert packages_of(["dateutil"]) == packages_of(["python_dateutil"])


def test_every_group_of_plugins_that_builds_load_counts() -> None:
    groups = set(code_version.reached().groups)

    assert set(code_version.in_every_build()) == groups - {*code_version.NAMED, *code_version.NOT_IN_BUILDS}
    assert {*code_version.NAMED, *code_version.NOT_IN_BUILDS} <= groups
    assert {"anchors", "embedders", "macros", "processors", "providers", "rerankers"} <= groups
