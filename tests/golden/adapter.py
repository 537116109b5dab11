"""How the cases of a file are run, and how their expected results are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.golden.cases import Case
from tests.golden.forms import Data


class Adapter(NamedTuple):
    """`whole` runs a case whose input alone doesn't say what is done: its name does."""

    run: Callable[[Data], Any]
    expected: Callable[[Case], Any]
    whole: Callable[[Case], Any] | None = None
