"""Work for a registry that begins, goes on and ends when a test says so."""

from __future__ import annotations

from collections.abc import Callable
from queue import Queue
from threading import Condition

from ctxlab.context import Transcript

PATIENCE = 30
"""Seconds after which a test that waits for a thread has failed."""


class GatedWork:
    """Each beginning waits at a gate of its own: for a text, an error that is raised, or a share that is told."""

    def __init__(self) -> None:
        self.gates: list[Queue[str | float | Exception]] = []
        self.ended = 0
        self._changed = Condition()

    def __call__(self, progress: Callable[[float], None]) -> Transcript:
        gate: Queue[str | float | Exception] = Queue()
        with self._changed:
            self.gates.append(gate)
            self._changed.notify_all()
        try:
            while True:
                outcome = gate.get(timeout=PATIENCE)
                if isinstance(outcome, Exception):
                    raise outcome
                if isinstance(outcome, str):
                    return Transcript.of(outcome, engine="gated")
                progress(outcome)
        finally:
            with self._changed:
                self.ended += 1
                self._changed.notify_all()

    def gate(self, number: int) -> Queue[str | float | Exception]:
        """The gate of the n-th beginning, waited for."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.gates) > number, PATIENCE)
            return self.gates[number]

    def wait_for_ends(self, number: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.ended >= number, PATIENCE)

    def open_all(self) -> None:
        for gate in self.gates:
            gate.put("late")
