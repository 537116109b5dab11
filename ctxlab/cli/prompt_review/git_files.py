"""Files of a git checkout, those that changed since a commit, and how they were then."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from ctxlab.cli.inputs.files import Kind, paths_beside
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout, and the commit with which it is compared."""

    root: Path
    base: str

    @classmethod
    def at(cls, folder: Path, base: str) -> Checkout:
        """The checkout that a folder is in, compared with what it and `base` come from.

        Raises CtxlabError where there is no checkout, no git, or no such commit.
        """
        root = Path(_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}", may_fail=True)
        if not found:
            raise CtxlabError(f"there is no commit {base!r} in {root.name}; a shallow checkout has only the newest")
        commit = found.decode().strip()
        common = _git(root, "merge-base", commit, "HEAD", may_fail=True).decode().split()
        return cls(root, common[0] if common else commit)

    def changed_conversations(self, patterns: Sequence[str]) -> list[str]:
        """Paths that fit a pattern and changed, or whose agent, user, lore or rules beside them did."""
        changed = set(_names(_git(self.root, "diff", "--name-only", "--no-renames", "-z", self.base)))
        changed |= set(_names(_git(self.root, "ls-files", "--others", "--exclude-standard", "-z")))
        fits = [f":(glob){pattern}" for pattern in patterns]
        there = _names(_git(self.root, "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *fits))
        gone = _names(_git(self.root, "diff", "--name-only", "--diff-filter=D", "-z", self.base, "--", *fits))
        return sorted(name for name in {*there, *gone} if changed & {name, *beside(name)})

    def before(self, names: Iterable[str], folder: Path) -> None:
        """Write files as they were into a folder; those that weren't there are left out."""
        for name in names:
            blob = f"{self.base}:{name}"
            if _git(self.root, "cat-file", "-t", blob, may_fail=True).strip() != b"blob":
                continue
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_git(self.root, "cat-file", "blob", blob))


def beside(name: str) -> list[str]:
    """Paths of the files that would be read along with a conversation."""
    return [path.as_posix() for kind in get_args(Kind) for path in paths_beside(Path(name), kind)]


def _names(output: bytes) -> list[str]:
    return [each.decode("utf-8", "surrogateescape") for each in output.split(b"\0") if each]


def _git(folder: Path, *words: str, may_fail: bool = False) -> bytes:
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)
    except FileNotFoundError:
        raise CtxlabError("ctxlab review needs git, which is not installed") from None
    if done.returncode and may_fail:
        return b""
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it gave no reason"]
        raise CtxlabError(f"git {words[0]} failed: {said[0]}")
    return done.stdout
