"""`llms-full.txt`: all pages and all public docstrings as one text, for models that read."""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
PACKAGES = ("ctxlab", "ctxlab_widgets")
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
LIVE = re.compile(r"^```\{live\}[^\n]*\n(?::[^\n]*\n)*", re.MULTILINE)


def llms_full(root: Path = ROOT) -> str:
    """The text: llms.txt, the README, the pages in the order of the site, and each public name with its docstrings.

    Generated pages of reference are in it where a build of the site has made them.
    """
    pages = [root / "llms.txt", root / "README.md", *site_pages(root / "docs")]
    parts = [_page(path, root) for path in pages]
    parts += [f"# API of {name}\n\n" + "\n\n".join(_names(import_module(name))) for name in PACKAGES]
    return "\n\n---\n\n".join(part.strip() for part in parts) + "\n"


def site_pages(docs: Path, name: str = "index") -> list[Path]:
    """The pages below one, in the order of its tables of contents, each once."""
    found: dict[Path, None] = {}
    for tree in TOCTREE.findall((docs / f"{name}.md").read_text(encoding="utf-8")):
        for line in tree.splitlines():
            entry = line.rpartition("<")[2].rstrip("> ").strip()
            path = docs / f"{entry}.md"
            if entry and not entry.startswith(":") and path.is_file():
                found |= dict.fromkeys([path, *site_pages(docs, entry)])
    return list(found)


def _page(path: Path, root: Path) -> str:
    text = TOCTREE.sub("", path.read_text(encoding="utf-8"))
    return f"<!-- {path.relative_to(root).as_posix()} -->\n\n{LIVE.sub('```python' + chr(10), text)}"


def _names(package: ModuleType) -> Iterator[str]:
    for name in package.__all__:
        value = getattr(package, name)
        yield _entry(f"{package.__name__}.{name}", value)
        if inspect.isclass(value):
            yield from (_entry(f"{name}.{member}", found) for member, found in _members(value))


def _members(cls: type) -> Iterator[tuple[str, object]]:
    """Methods and properties that a class defines itself and says something of."""
    for name, value in vars(cls).items():
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and (inspect.isroutine(plain) or isinstance(plain, property)) and plain.__doc__:
            yield name, plain


def _entry(name: str, value: object) -> str:
    said = inspect.cleandoc(value.__doc__ or "") if not isinstance(value, str | int | tuple | dict) else ""
    return f"## {name}{_signature(value)}\n\n{said}".rstrip()


def _signature(value: object) -> str:
    if not (inspect.isroutine(value) or inspect.isclass(value)):
        return ""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def write(app: Sphinx, exception: Exception | None) -> None:
    """Put llms.txt and llms-full.txt beside the pages of a site that was built."""
    if exception is None:
        out = Path(app.outdir)
        shutil.copyfile(ROOT / "llms.txt", out / "llms.txt")
        (out / "llms-full.txt").write_text(llms_full(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write both when the site is built."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
