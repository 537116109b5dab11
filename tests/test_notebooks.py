"""Every notebook runs from top to bottom, and those that take a file run on real ones too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[2] / "shared")) / "data"
REAL = {
    "04_rules_and_macros": "sillytavern/default_Seraphina.png",
    "05_lore": "sillytavern/Eldoria.json",
    "06_step_debugger": "swe-agent/demonstrations__function_calling_simple.traj",
    "07_token_budgets": "tau-bench/airline_60.json",
    "08_injection_positions": "sillytavern/default_Seraphina.png",
    "09_branches": "oasst/trees_60.jsonl",
    "10_compare_truncation": "memorybank/memory_bank_cn.json",
    "index": "claude-code-log/representative_messages.jsonl",
}

pytestmark = [
    pytest.mark.notebook,
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # the kernel's own client warns
]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = run(path, monkeypatch)

    assert all(cell.execution_count for cell in code)
    assert any(output.get("data", {}).get("text/html") for cell in code for output in cell.outputs)


@pytest.mark.parametrize(("name", "file"), REAL.items())
def test_a_notebook_runs_on_a_file_of_ones_own(name: str, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (SHARED / file).exists():
        pytest.skip(f"{SHARED / file} is not there")
    path = next(path for path in NOTEBOOKS if path.stem == name)

    code = run(path, monkeypatch, file=SHARED / file)

    assert all(cell.execution_count for cell in code)
    assert any(str(file) in cell.source for cell in code)


def test_every_notebook_with_a_place_for_a_file_is_tried_with_one() -> None:
    assert {path.stem for path in NOTEBOOKS if "FILE = None" in path.read_text(encoding="utf-8")} == set(REAL)


def run(path: Path, monkeypatch: pytest.MonkeyPatch, *, file: Path | None = None) -> list[Any]:
    """The notebook's cells of code after they ran, with a file put where a cell asks for one."""
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code if file is not None else ():
        cell.source = cell.source.replace("FILE = None", f"FILE = {str(file)!r}")

    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    return code
