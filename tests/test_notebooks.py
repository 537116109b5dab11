"""Notebooks run as they are, but for those that tests/lab runs in a browser; with a place for a file, on real ones."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.gallery.pages import installed
from tests.lab.notebooks import IN_LAB

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
    "11_attachments": "locomo/locomo_first5.json",
    "12_requests": "tau-bench/airline_60.json",
    "14_injection_ab": "swe-agent/demonstrations__function_calling_simple.traj",
    "15_branch_analytics": "oasst/trees_60.jsonl",
    "16_sending": "tau-bench/airline_60.json",
    "17_compression": "locomo/locomo_first5.json",
    "18_chat": "tau-bench/airline_60.json",
    "19_workspace_and_search": "oasst/trees_60.jsonl",
    "20_knowledge": "claude-code-log/representative_messages.jsonl",
    "21_what_a_program_really_sends": "recordings/claude-code-compaction/spotter-258c7280.jsonl",
    "index": "claude-code-log/representative_messages.jsonl",
}

UNANSWERED = "recordings/chat-exports/chatgpt-export.json"
"""Two conversations; in the first four calls have no result, and six messages are switched off."""

HAS_LAB = installed() is not None and find_spec("jupyterlab") is not None

pytestmark = [
    pytest.mark.notebook,
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # the kernel's own client warns
]


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[..., list[Any]]]:
    """Gives a notebook's cells of code after they ran, with a file put where the first asks for one.

    All notebooks run in one kernel, which knows no name of the one before.
    """
    import nbformat
    from nbclient import NotebookClient

    def runs(path: Path, *, file: Path | None = None) -> list[Any]:
        notebook = nbformat.read(path, as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        if file is not None:
            for cell in code:
                cell.source = cell.source.replace("FILE = None", f"FILE = {str(file)!r}")
        notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
        client.nb = notebook
        client.execute(cleanup_kc=False)
        return code

    folder = {"metadata": {"path": str(NOTEBOOKS[0].parent)}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        client = NotebookClient(nbformat.v4.new_notebook(), timeout=300, resources=folder)
        with client.setup_kernel():
            yield runs


def notebook(name: str) -> Path:
    return next(path for path in NOTEBOOKS if path.stem == name)


def shared(file: str) -> Path:
    if not (SHARED / file).exists():
        pytest.skip(f"{SHARED / file} is not there")
    return SHARED / file


def printed(cell: Any) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")


@pytest.mark.parametrize(
    "path", [one for one in NOTEBOOKS if not (HAS_LAB and one.stem in IN_LAB)], ids=lambda one: one.stem
)
def test_a_notebook_runs_without_an_error(path: Path, run: Callable[..., list[Any]]) -> None:
    code = run(path)

    assert all(cell.execution_count for cell in code)
    assert any(output.get("data", {}).get("text/html") for cell in code for output in cell.outputs)


@pytest.mark.parametrize(("name", "file"), REAL.items())
def test_a_notebook_runs_on_a_file_of_ones_own(name: str, file: str, run: Callable[..., list[Any]]) -> None:
    code = run(notebook(name), file=shared(file))

    assert all(cell.execution_count for cell in code)
    assert any(str(file) in cell.source for cell in code)


def test_messages_that_no_budget_would_send_are_not_counted_as_cut_for_want_of_room(
    run: Callable[..., list[Any]],
) -> None:
    first, *_, last = map(printed, run(notebook("07_token_budgets"), file=shared(UNANSWERED)))

    counts = re.match(r".*?conversation: (\d+); sent: (\d+); cut for want of room: (\d+)\.", last, re.DOTALL)
    assert counts is not None
    all_of_it, sent, cut = map(int, counts.groups())
    never = [int(number) for number in re.findall(r"whatever the room: (\d+), by", last)]
    assert (all_of_it, sent + cut + sum(never), never) == (16, 16, [6, 4])
    assert f"{sent + cut}; the whole prompt" in last
    assert "2 conversations; pick=0 takes the first" in first


def test_runs_that_keep_as_much_share_the_first_and_the_last_place(run: Callable[..., list[Any]]) -> None:
    last = printed(run(notebook("10_compare_truncation"), file=shared(UNANSWERED))[-1])

    assert "the least by sliding and whole-exchanges, 0%." in last
    assert "Of the end all keep the same share, 100%." in last


@pytest.mark.parametrize("name", ["07_token_budgets", "10_compare_truncation"])
def test_the_room_for_a_share_of_the_history_is_less_than_for_everything(
    name: str, run: Callable[..., list[Any]]
) -> None:
    whole, room = (int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", printed(run(notebook(name))[0])))

    assert room < whole


def test_every_notebook_with_a_place_for_a_file_is_tried_with_one() -> None:
    assert {path.stem for path in NOTEBOOKS if "FILE = None" in path.read_text(encoding="utf-8")} == set(REAL)


def test_a_notebook_knows_no_name_of_the_one_before(run: Callable[..., list[Any]], tmp_path: Path) -> None:
    import nbformat

    for at, source in enumerate(("left = 1", "print('left' in globals())")):
        file = tmp_path / f"{at}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), file)
        code = run(file)

    assert code[0].outputs[0].text == "False\n"
