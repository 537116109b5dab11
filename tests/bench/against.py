"""An older commit and this checkout by turns: what share of its CPU time and memory each work takes now.

`make bench AGAINST=REF`, or `python -m tests.bench.against REF start.build_command large`. The older one is laid under
`build/against/` and uses the libraries of this environment, so that only what ctxlab does itself differs.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from types import FunctionType

from tests.bench import scenarios

ROOT = Path(__file__).parents[2]
ROUNDS = 9


def names(wanted: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The works that are asked for, by module or by name, each with its first line; all if none are."""
    for module in pkgutil.iter_modules(scenarios.__path__):
        if module.name == "__main__":
            continue
        loaded = importlib.import_module(f"tests.bench.scenarios.{module.name}")
        for name, work in vars(loaded).items():
            if not isinstance(work, FunctionType) or work.__module__ != loaded.__name__ or name.startswith("_"):
                continue
            full = f"{module.name}.{name}"
            if work.__doc__ and (not wanted or module.name in wanted or full in wanted):
                yield full, work.__doc__


def laid(ref: str) -> Path:
    """The older commit's packages in a folder."""
    commit = subprocess.check_output(["git", "rev-parse", f"{ref}^{{commit}}"], cwd=ROOT, text=True).strip()
    folder = ROOT / "build/against" / commit
    if not (folder / "ctxlab").exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = ["git", "archive", commit, "ctxlab", "widgets/ctxlab_widgets"]
        packed = subprocess.run(archive, cwd=ROOT, check=True, stdout=subprocess.PIPE)
        subprocess.run(["tar", "x"], cwd=folder, check=True, input=packed.stdout)
    return folder


def measured(name: str, packages: Path, folder: Path) -> tuple[float, float]:
    """CPU seconds and megabytes of a work, done with these packages in a process of its own."""
    path = os.pathsep.join(map(str, (packages, packages / "widgets", ROOT)))
    compiled = str(ROOT / "build/against/compiled")
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-P", "-m", "tests.bench.scenarios", name]
    seconds, megabytes = subprocess.check_output(command, text=True, cwd=folder, env=environment).split()[-2:]
    return float(seconds), float(megabytes)


def spread(ratios: Sequence[float]) -> str:
    """The median of the ratios, and the half of them that lies around it."""
    low, _, high = quantiles(ratios, n=4)
    return f"{median(ratios):.2f} ({low:.2f} to {high:.2f})"


def main(ref: str, wanted: Sequence[str], rounds: int = ROUNDS) -> None:
    old = laid(ref)
    print(
        f"| this checkout beside {ref}, medians of {rounds} by turns, and the half around them "
        "| CPU then | now | ratio | memory then | now | ratio |\n|---|--:|--:|--:|--:|--:|--:|"
    )
    for name, line in names(wanted):
        with TemporaryDirectory() as folder:
            pairs = [[measured(name, side, Path(folder)) for side in (old, ROOT)] for _ in range(rounds + 1)][1:]
        row = [line]
        for which, unit in enumerate(("s", "MB")):
            then, now = ([pair[side][which] for pair in pairs] for side in (0, 1))
            row += [f"{median(each):.3g} {unit}" for each in (then, now)]
            row.append(spread([b / a for a, b in zip(then, now, strict=True)]))
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:], int(os.environ.get("ROUNDS", ROUNDS)))
