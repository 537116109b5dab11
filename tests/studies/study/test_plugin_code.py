"""The code of a plugin counts in the keys of the cells that it makes: by its text, wherever it is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.plugins import code_of_package, has_changed
from ctxlab.plugins import package_code as of_packages
from ctxlab.studies.study import plugins_used
from ctxlab.studies.study.study_record import record_line
from tests.studies.study.samples import run

ROOT = Path(__file__).parents[3]
NAMESPACE = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
POINTS = "[ctxlab.strategies]\nacme = acme_study:Acme\n[ctxlab.scorers]\nacme-score = acme_study:Score\n"
CODE = """
from dataclasses import dataclass
from ctxlab import ScoreColumn
from ctxlab.engines.truncation import Traits
import acme_numbers

class Acme:
    name = "acme"
    traits = Traits()

    def cut(self, window): raise NotImplementedError
    def kept(self, window, unit): raise NotImplementedError
    def describe(self): return "cuts"

@dataclass(frozen=True)
class Score:
    name: str = "acme-score"
    version: str = "1"
    columns = (ScoreColumn("acme", "acme", "number"),)

    def score(self, run):
        return {"acme": acme_numbers.ONE}
"""
KEYS = """
from tests.studies.study.samples import cases, plan
from ctxlab.studies.scorers.registry import scorers_of
from ctxlab.studies.study.cell_key import CellKeys

case = next(cases())
for variant, scorers in (("sliding", []), ("acme", []), ("sliding", ["acme-score"])):
    study = plan(variants=[variant], budgets=(60,), scorers=scorers_of(scorers))
    keys = CellKeys(study)
    print(*[keys.of_cell(keys.of_case(case), cell) for cell in study.cells()])
"""


def installed(folder: Path, *, editable: bool, code: str = CODE, numbers: str = "ONE = 1\n") -> list[Path]:
    """Folders of a path on which a package stands, as a wheel leaves it or as an install of its folder does."""
    site = folder / NAMESPACE
    sources = folder / "checkout" / "src" if editable else site
    about = site / "acme_study-1.0.dist-info"
    for each in (about, sources):
        each.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-study\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    names = ["_acme_study.pth"] if editable else ["acme_study.py", "acme_numbers.py"]
    (about / "RECORD").write_text("".join([f"{name},,\n" for name in names]))
    (sources / "acme_study.py").write_text(code)
    (sources / "acme_numbers.py").write_text(numbers)
    (sources / "other.py").write_text(f"ELSE = {editable}\n")
    return [site, sources]


def keys(folder: Path, **how: Any) -> list[str]:
    path = ":".join(map(str, [ROOT, *installed(folder, **how)]))
    env = {"PYTHONPATH": path, "PYTHONUSERBASE": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.check_output([sys.executable, "-c", KEYS], cwd=ROOT, env=env, text=True).splitlines()


def test_keys_are_those_of_the_code_in_an_editable_install_as_in_a_wheel(tmp_path: Path) -> None:
    wheel = keys(tmp_path / "a", editable=False)
    editable = keys(tmp_path / "b", editable=True)
    changed = keys(tmp_path / "b", editable=True, code=CODE.replace('name = "acme"', 'name = "acme"\n    extra = 1'))

    assert wheel == editable
    assert [a == b for a, b in zip(editable, changed, strict=True)] == [True, False, False]


def test_a_hash_is_that_of_the_texts_of_a_package_and_of_what_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def code(name: str, **how: Any) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(of_packages, "_installed_folders", lambda: frozenset([tmp_path / name / NAMESPACE]))
            for folder in installed(tmp_path / name, **how):
                patch.syspath_prepend(folder)
            return code_of_package("acme-study")

    first = code("a", editable=True)

    assert len(first) == 32
    assert first == code("b", editable=False) == code("c", editable=False, code=CODE.replace("\n", "\r\n"))
    others = [code("d", editable=each, numbers="ONE = 2\n") for each in (False, True)]
    assert others[0] == others[1] != first
    assert code_of_package("a-package-that-is-not-there") == ""


def test_files_that_change_after_they_were_loaded_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_packages, "_LOADED", {})
    for folder in installed(tmp_path, editable=True):
        monkeypatch.syspath_prepend(folder)
    of_packages.note_loaded("acme-study")

    assert not has_changed("acme-study")
    installed(tmp_path, editable=True, numbers="ONE = 2\n")
    assert has_changed("acme-study")


def test_the_sentence_names_the_plugins() -> None:
    made = {"ctxlab": "1", "code": "ab" * 16, "data": "cd" * 16, "plugins": {"p": {"version": "2", "code": "ef" * 16}}}

    assert (
        record_line(made) == "Made with ctxlab 1 (code abababababab), p 2 (code efefefefefef) from data cdcdcdcdcdcd."
    )
    for broken in ([1], {"p": 3}, None):
        assert record_line({**made, "plugins": broken}).startswith("Made with ctxlab 1 (code abababababab) from")


def test_a_study_is_refused_where_other_code_would_run_than_its_cells_are_kept_under(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plugins_used, "plugins_of", lambda plan: ("acme-study",))
    monkeypatch.setattr(plugins_used, "has_changed", lambda name: name == "acme-study")

    with pytest.raises(CtxlabError, match="files of package 'acme-study' changed since"):
        run()
