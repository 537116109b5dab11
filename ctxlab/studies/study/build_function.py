"""The function that builds a context, handed in from above: studies build, and never import what `ctxlab.build` is."""

from __future__ import annotations

from typing import Any, Protocol

from ctxlab.documents import Session
from ctxlab.pipeline import Trace


class BuildFunction(Protocol):
    """`ctxlab.build`, or something that takes its place; it pickles."""

    def __call__(self, session: Session, /, **options: Any) -> Trace: ...
