"""Files of snapshots: their names, made of the tests' names, and reading and replacing them inside their folder."""

from __future__ import annotations

import hashlib
from difflib import unified_diff
from pathlib import Path

from ctxlab.assets.safe_path import path_inside, safe_name
from ctxlab.display.one_line import visible
from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

FOLDER = "__ctxlab__"
ENDING = ".txt"
LONGEST_NAME = 100
MOST_DIFF_LINES = 200
HOW_TO_UPDATE = "If that is meant, run pytest with --ctxlab-update and review the change of the file."


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """The file of one snapshot of a test: `__ctxlab__/<test file>/<test>.txt` beside the test file.

    `label` is for tests with several snapshots: `<test>.<label>.txt`.
    """

    test_file: Path
    test: str
    label: str = ""

    @property
    def folder(self) -> Path:
        return self.test_file.parent / FOLDER / self.test_file.stem

    @property
    def path(self) -> Path:
        label = f".{stem_of(self.label, self.label)}" if self.label else ""
        return self.folder / f"{test_stem(self.test)}{label}{ENDING}"

    @property
    def shown_path(self) -> str:
        """The path from the folder of the test file."""
        return self.path.relative_to(self.test_file.parent).as_posix()

    def read(self) -> str | None:
        """The text of the file; None where there is none. Raises CtxlabError for a link that leads elsewhere."""
        self._refuse_links()
        if not self.path.is_file():
            return None
        if path_inside(self.test_file.parent, self.shown_path) is None:
            raise CtxlabError(f"{self.shown_path} is a link that leads elsewhere; a snapshot is a file of its own")
        return self.path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")

    def write(self, text: str) -> None:
        """Replace the file in one step, so that tests at the same time see the old text or the new."""
        self._refuse_links()
        self.folder.mkdir(parents=True, exist_ok=True)
        replace_file(self.path, text.encode("utf-8", "surrogatepass"))

    def _refuse_links(self) -> None:
        for folder in (self.folder, self.folder.parent):
            if folder.is_symlink():
                raise CtxlabError(
                    f"{folder.name} beside {self.test_file.name} is a link; snapshots need a folder there"
                )


def test_stem(name: str) -> str:
    """A name that a file may have, and that no other test's has: what had to be changed is followed by a hash.

    >>> test_stem("test_a[one]"), test_stem("TestX::test_a")
    ('test_a[one]', 'TestX-test_a')
    """
    test, bracket, values = name.partition("[")
    joined = test if "-" in test else test.replace("::", "-")  # no name in Python has a hyphen
    return stem_of(name, joined + bracket + values, is_taken="::" not in test and "-" in test)


def stem_of(name: str, wanted: str, *, is_taken: bool = False) -> str:
    """The wanted name of a file, followed by a hash where the file can't have it, or another name may want it.

    Names that differ only in upper and lower case are one on some systems.
    """
    plain = safe_name(wanted.replace("::", "-").replace("/", "_").replace("\\", "_")).replace(".", "_")
    values = wanted.partition("[")[2]
    if plain == wanted and len(plain) <= LONGEST_NAME and values == values.lower() and "~" not in name and not is_taken:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{plain[:LONGEST_NAME]}~{digest}"


test_stem.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]  # its name isn't that of a test


def difference(stored: str, now: str, path: str) -> str:
    """The differences in words: the pieces that came, went, moved or changed, then the lines of both files."""
    lines = list(
        unified_diff(stored.splitlines(), now.splitlines(), f"{path} (stored)", f"{path} (now)", lineterm="", n=2)
    )
    shown = [visible(line) for line in lines[:MOST_DIFF_LINES]]
    more = len(lines) - len(shown)
    return "\n".join([*_in_words(stored, now), *shown, *([f"… and {more:,} more lines"] if more else [])])


def _in_words(stored: str, now: str) -> list[str]:
    from ctxlab.pipeline.alignment import moved_keys

    old, new = _order(stored), _order(now)
    moved = set(moved_keys([k for k in old if k in set(new)], [k for k in new if k in set(old)]))
    named = (
        ("new", [key for key in new if key not in old]),
        ("gone", [key for key in old if key not in new]),
        ("moved", [key for key in new if key in moved]),
    )
    return [visible(f"{what}: {', '.join(keys)}") for what, keys in named if keys]


def _order(text: str) -> list[str]:
    """The keys in the order section of a snapshot."""
    keys: list[str] = []
    for line in text.partition("order:\n")[2].split("\n"):
        if not line.startswith("  "):
            break
        words = line.split()
        if len(words) > 1 and words[0] != "tool":
            keys.append(words[1])
    return keys
