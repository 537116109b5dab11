"""Build both archives, install the wheel where nothing else is, and ask it things; `--extras NAME,NAME` or `none`."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
import tomllib
from pathlib import Path
from time import perf_counter

from tests.package.archives import ROOT, built, contents, unpacked
from tests.package.fresh_environment import FreshEnvironment

MODULES = {
    "lab": ["jupyterlab"],
    "ocr": ["rapidocr", "onnxruntime"],
    "speech": ["faster_whisper"],
    "transcription": ["rapidocr", "faster_whisper"],
    "openai": ["openai"],
    "anthropic": ["anthropic"],
    "gemini": ["google.genai"],
    "vendors": ["openai", "anthropic", "google.genai"],
    "keyring": ["keyring"],
    "fast": ["toktok"],
    "local": ["tokenizers", "fastokens"],
    "lancedb": ["lancedb"],
    "remote": ["fsspec"],
    "embeddings": ["wordllama"],
    "studies": ["joblib", "pyarrow", "scipy"],
    "dask": ["distributed"],
    "mcp": ["mcp.server", "ctxlab.cli.mcp_server.server"],
}
"""What each extra brings, by the modules that ctxlab imports of it."""
FOR_DEVELOPERS = {"test", "docs"}
OWN_FILE = [
    {"role": "system", "content": "You keep the tide tables."},
    {"role": "user", "content": "When is the ebb? 几点退潮？"},
]


def extras() -> list[str]:
    """The extras of pyproject.toml that are for users."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in project["optional-dependencies"] if name not in FOR_DEVELOPERS]


def first_half_of_readme() -> list[str]:
    """The blocks of Python in the first half of the README, by lines."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines(keepends=True)
    half = "".join(lines[: len(lines) // 2])
    return re.findall(r"^```python\n(.*?)^```", half, re.MULTILINE | re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make package", description=__doc__)
    parser.add_argument("--extras", default=",".join(extras()), help="extras to try, with commas between, or none")
    wanted = [name for name in parser.parse_args().extras.split(",") if name != "none"]
    dist = ROOT / "build" / "package"
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="ctxlab-package-") as folder:
        wheel, sdist = archives(dist, Path(folder))
        first_answer(wheel, Path(folder) / "base")
        for name in wanted:
            one_extra(wheel, name, Path(folder) / name)
    print(f"package: {wheel.name} and {sdist.name} are good")


def archives(dist: Path, folder: Path) -> tuple[Path, Path]:
    """Build both, and the wheel once more from the sdist."""
    wheel, sdist = built("wheel", ROOT, dist), built("sdist", ROOT, dist)
    again = built("wheel", unpacked(sdist, folder / "sdist"), folder / "again")
    differ = contents(wheel).items() ^ contents(again).items()
    if differ:
        raise SystemExit(f"the sdist makes another wheel: {sorted({name for name, _ in differ})[:10]}")
    for path in (wheel, sdist):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    return wheel, sdist


def first_answer(wheel: Path, folder: Path) -> None:
    """From nothing to the first answer on a file of one's own; then the demo and the README, without extras."""
    start = perf_counter()
    fresh = FreshEnvironment(folder)
    seconds = fresh.install(str(wheel))
    (fresh.work / "mine.json").write_text(json.dumps(OWN_FILE), encoding="utf-8")
    said = fresh.run("ctxlab", "build", "mine.json")
    print(f"installed: {seconds:.1f} s, {fresh.megabytes:.0f} MB")
    print(f"from nothing to the first answer on one's own file: {perf_counter() - start:.1f} s")
    if "几点退潮" not in said:
        raise SystemExit(f"ctxlab build did not show the file:\n{said}")
    print(f"uvx --from the wheel, ctxlab demo: {fresh.run_once(wheel, 'ctxlab', 'demo'):.1f} s")
    fresh.run("ctxlab", "demo")
    fresh.run("ctxlab", "check", "mine.json", "--fail-on", "never")
    (fresh.work / "readme.py").write_text(MADE_FILES + "\n".join(first_half_of_readme()), encoding="utf-8")
    fresh.run("python", "readme.py")
    print("the demo, a check and the first half of the README work without extras")


def one_extra(wheel: Path, name: str, folder: Path) -> None:
    """An extra alone beside the base: what it is for is imported."""
    fresh = FreshEnvironment(folder)
    seconds = fresh.install(f"{wheel}[{name}]")
    fresh.run("python", "-c", f"import ctxlab, ctxlab_widgets, {', '.join(MODULES[name])}")
    print(f"[{name}]: {seconds:.1f} s, {fresh.megabytes:.0f} MB", flush=True)
    shutil.rmtree(folder)


MADE_FILES = """
import json
from pathlib import Path
import ctxlab
from ctxlab import formats
harbour = ctxlab.example("harbour")
Path("chats").mkdir()
ctxlab.write(harbour.session(), "chats/one.session.json")
ctxlab.write(ctxlab.example("coding").session(), "chats/two.openai.json")
card = harbour.agent().with_(worldbook_ids=(harbour.book().book_id,))
ctxlab.write(ctxlab.Library(agents=(card,), books=harbour.books), "card.png")
ctxlab.write(harbour.agent().with_(id="guide", name="Guide", profile_name="Guide"), "agents.json")
ctxlab.write(harbour.book(), "lore.json", format="lorebook")
Path("preset.json").write_bytes(formats.preset_json(harbour.agent()).as_bytes().data)
Path("chat.json").write_text(json.dumps([{"role": "user", "content": "Is it flaky?"}]))
for name in ("chat.jsonl", "conversations.json"):
    Path(name).write_bytes(Path("chats/two.openai.json").read_bytes())
Path("datasets").symlink_to(Path(ctxlab.__file__).parent / "bundled")
"""
"""The files that the README's examples name, made by what is installed."""

if __name__ == "__main__":
    main()
