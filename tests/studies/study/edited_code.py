"""Edit modules of ctxlab in a copy, one after the other, and see which studies notice it by the keys of their cells.

`python -m tests.studies.study.edited_code [PART PARTS]` edits all of them (`1 4` every fourth). It says how many were
edited, and each that a scorer's cells went through without another key. That takes minutes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from inspect import CO_NEWLOCALS
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[3]
OWN = "a function of one's own"


def copied(folder: Path) -> Path:
    """A copy of ctxlab in a folder, with what comes with it."""
    kept_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "ctxlab", folder / "ctxlab", ignore=kept_out)
    (folder / "datasets").symlink_to(ROOT / "datasets")
    return folder


def edited(folder: Path, files: Iterable[str]) -> dict[str, Any]:
    """Files that cells with all scorers `ran`, and by file the scorers whose studies `noticed` an edit of it."""
    env = {"PYTHONPATH": f"{folder}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "tests.studies.study.edited_code", "--in-the-copy"]
    text = "\n".join(files)
    done = subprocess.run(command, cwd=folder, env=env, input=text, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def missed(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Scorers, and files that cells went through and whose edit a study of the scorer didn't notice."""
    went_through = set(found["ran"])
    edits = [(file, set(noticed)) for file, noticed in found["noticed"].items() if file in went_through]
    return [(name, file) for file, noticed in edits for name in found["scorers"] if name not in noticed]


def in_the_copy(files: Sequence[str]) -> dict[str, Any]:
    import ctxlab
    from ctxlab.studies.scorers.registry import scorers
    from ctxlab.studies.study import code_version

    package = Path(ctxlab.__file__).parent
    for name in ("versions_of", "packages_in", "_version"):  # which no edit changes, and which take their time
        setattr(code_version, name, cache(getattr(code_version, name)))
    studies: dict[str, Any] = dict(scorers().by_name)
    studies[OWN] = own
    ran = _run(list(studies.values()))
    before = _keys(studies)
    noticed: dict[str, list[str]] = {}
    for file in files:
        path = package / file
        text = path.read_bytes()
        path.write_bytes(text + (b"\n// edited\n" if path.suffix == ".js" else b"\n# edited\n"))
        noticed[file] = [name for name, keys in _keys(studies).items() if keys != before[name]]
        path.write_bytes(text)
    assert before == _keys(studies)
    return {"scorers": list(studies), "ran": ran, "noticed": noticed}


def own(run: Any) -> int:
    return len(run.trace.messages)


def _run(scorers: list[Any]) -> list[str]:
    """Files of which a function ran while cells were made."""
    import ctxlab
    from ctxlab.studies.study import batches

    harbour, coding = ctxlab.example("harbour"), ctxlab.example("coding")
    agent = {"agent": harbour.agent(), "books": list(harbour.books)}
    cases = [
        ctxlab.Case("a", "a", harbour.session(), options=agent, question="And then?", evidence=_some(harbour)),
        ctxlab.Case("b", "b", coding.session(), evidence=_some(coding)),
    ]
    study = ctxlab.Study(cases, ["summary-and-relevant"], [1500], scorers=scorers)
    batch = next(iter(batches.BatchStream(study.cases, study.plan, frozenset(), size=100)))
    files, rows = _ran(lambda: batches.rows_of_batch(study.plan, batch))
    assert not [row["error"] for row in rows if row["error"]]
    return files


def _some(library: Any) -> tuple[str, ...]:
    return tuple([node.id for node in library.session().path()][1:3])


def _keys(studies: dict[str, Any]) -> dict[str, list[str]]:
    """Keys of a study of each scorer, as a process has them that begins now."""
    import ctxlab
    from ctxlab.studies.study import code_version
    from ctxlab.studies.study.cell_key import CellKeys

    code_version.code_version.cache_clear()
    code_version.whole_code_version.cache_clear()
    case = ctxlab.Case("a", "a", ctxlab.Session(id="s").append("One."))
    found: dict[str, list[str]] = {}
    for name, scorer in studies.items():
        plan = ctxlab.Study([case], ["sliding"], [60], scorers=[scorer]).plan
        keys = CellKeys(plan)
        found[name] = [keys.of_cell(keys.of_case(case), cell) for cell in plan.cells()]
    return found


def _ran(run: Callable[[], Any]) -> tuple[list[str], Any]:
    """Files of ctxlab of which a function ran, and what came of it; a module that is loaded meanwhile doesn't count."""
    import ctxlab

    codes: set[Any] = set()

    def note(frame: Any, event: str, _: Any) -> None:
        codes.add(frame.f_code)

    sys.settrace(note)
    try:
        found = run()
    finally:
        sys.settrace(None)
    package = Path(ctxlab.__file__).parent
    paths = {Path(code.co_filename) for code in codes if code.co_flags & CO_NEWLOCALS}
    return sorted([path.relative_to(package).as_posix() for path in paths if path.is_relative_to(package)]), found


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["--in-the-copy"]:
        json.dump(in_the_copy(sys.stdin.read().split("\n")), sys.stdout)
        return 0
    part, parts = map(int, arguments or ("1", "1"))
    kinds = (".py", ".js")
    files = sorted([path.relative_to(ROOT / "ctxlab") for path in (ROOT / "ctxlab").rglob("*") if path.suffix in kinds])
    with TemporaryDirectory() as folder:
        found = edited(copied(Path(folder)), map(Path.as_posix, files[part - 1 :: parts]))
    wrong = missed(found)
    for name, file in wrong:
        print(f"missed: an edit of {file}, which cells of {name} go through")
    ran = set(found["ran"]).intersection(found["noticed"])
    told = {name: sum(name in each for each in found["noticed"].values()) for name in found["scorers"]}
    print(f"{len(found['noticed'])} files edited, {len(ran)} of which ran; noticed: {told}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
