"""Snapshots that no test looks at any more, found at the end of a run, over all processes of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.testing.context_assertions.snapshot_files import ENDING, FOLDER, test_stem


@dataclass(slots=True, eq=False)
class SnapshotUsage:
    """The tests that a run collected, which tests passed, and the snapshots that were looked at and written.

    `collected` are the tests by test file, only of files of which every test was collected.
    """

    collected: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    passed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    looked_at: set[str] = field(default_factory=set[str])
    written: set[str] = field(default_factory=set[str])

    def __repr__(self) -> str:
        return f"SnapshotUsage({len(self.looked_at)} looked at, {len(self.written)} written)"

    def add(self, other: SnapshotUsage) -> None:
        """Take over what another process saw."""
        for file, tests in other.collected.items():
            self.collected.setdefault(file, set()).update(tests)
        self.passed |= other.passed
        self.looked_at |= other.looked_at
        self.written |= other.written

    def as_data(self) -> dict[str, Any]:
        """Plain lists, as one process of a run sends them to another."""
        return {
            "collected": {file: sorted(tests) for file, tests in self.collected.items()},
            "passed": sorted(map(list, self.passed)),
            "looked_at": sorted(self.looked_at),
            "written": sorted(self.written),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> SnapshotUsage:
        """The usage that `as_data` gave."""
        return cls(
            {file: set(tests) for file, tests in data["collected"].items()},
            {(file, test) for file, test in data["passed"]},
            set(data["looked_at"]),
            set(data["written"]),
        )

    def unused(self) -> list[str]:
        """Snapshots without a test: its test is gone, or passed without looking at it.

        Only folders of test files that were collected whole are looked through, so that a part of a run says nothing of
        the rest.
        """
        return sorted(str(path) for file in self.collected for path in self._unused_of(Path(file)))

    def _unused_of(self, file: Path) -> Iterable[Path]:
        owners = {test_stem(test): test for test in self.collected[str(file)]}
        folder = file.parent / FOLDER / file.stem
        for path in folder.glob(f"*{ENDING}") if folder.is_dir() and not folder.is_symlink() else ():
            owner = owners.get(path.name.partition(".")[0])
            ran = owner is None or (str(file), owner) in self.passed
            if str(path) not in self.looked_at and ran:
                yield path
