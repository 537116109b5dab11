"""The wheel holds all that is needed at run time, and works from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.package.__main__ import MODULES, extras, first_half_of_readme
from tests.package.archives import built, contents, unpacked

pytest.importorskip("hatchling")

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout by the build backend that is installed."""
    return built("wheel", ROOT, tmp_path_factory.mktemp("dist"))


def committed(folder: str, pattern: str) -> set[str]:
    return {path.relative_to(ROOT / folder).as_posix() for path in (ROOT / folder).rglob(pattern)}


def test_it_holds_the_code_the_bundles_the_conversations_and_the_notebooks(wheel: Path) -> None:
    names = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    code = {f"ctxlab/{name}" for pattern in ("*.py", "*.pyi", "*.js") for name in committed("ctxlab", pattern)}
    widgets = {
        f"ctxlab_widgets/{name}"
        for pattern in ("*.py", "*.pyi", "static/*.js")
        for name in committed("widgets/ctxlab_widgets", pattern)
    }
    typed = {"ctxlab/py.typed", "ctxlab_widgets/py.typed"}
    data = {f"ctxlab/bundled/{name}" for name in committed("datasets", "*.json")}
    data |= {
        f"ctxlab/bundled/{name}" for kind in ("*.toml", "*.jsonl", "*.jinja") for name in committed("datasets", kind)
    }
    data |= {f"ctxlab/bundled/harbour_files/{path.name}" for path in (ROOT / "datasets" / "harbour_files").iterdir()}
    notebooks = {f"ctxlab/bundled/notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")}
    extra = {"ctxlab/bundled/README.md", "ctxlab/bundled/llms.txt"}
    assert all((widgets, data, notebooks))
    assert code | widgets | typed | data | notebooks <= names
    assert {
        name for name in names - code - widgets - typed - data - notebooks - extra if "/ranks/" not in name
    } == set()


def test_the_sdist_makes_the_same_wheel_and_has_what_its_tests_need(wheel: Path, tmp_path: Path) -> None:
    tree = unpacked(built("sdist", ROOT, tmp_path / "dist"), tmp_path / "tree")

    assert contents(built("wheel", tree, tmp_path / "again")) == contents(wheel)
    for needed in (
        "tests/test_house.py",
        "docs/conf.py",
        "action.yml",
        "requirements.lock",
        "Makefile",
        "widgets/package.json",
    ):
        assert (tree / needed).is_file()


def test_the_check_of_the_package_knows_every_extra_and_runs_the_readme() -> None:
    assert set(extras()) == set(MODULES)
    assert first_half_of_readme()


def test_installed_it_runs_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    ZipFile(wheel).extractall(site)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), sysconfig.get_path("purelib")])}
    code = (
        "import ctxlab, sys; from ctxlab.cli import main; print(ctxlab.__file__);"
        "print(ctxlab.build(ctxlab.example('harbour'), budget_tokens=1800));"
        "print(ctxlab.example('harbour_attachments'));"
        "sys.exit(main(['demo']) or main(['demo', '--notebook']))"
    )

    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=elsewhere, env=env, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(str(site))
    assert "messages the same" in done.stdout
    assert "Library(1 session, 1 agent, 11 files)" in done.stdout
    assert [path.name for path in elsewhere.iterdir()] == ["ctxlab-demo.ipynb"]
