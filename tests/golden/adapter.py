"""How the cases of a file are run, and how their expected results are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.golden.cases import Case
from tests.golden.forms import Data


class Adapter(NamedTuple):
    run: Callable[[Data], Any]
    expected: Callable[[Case], Any]
