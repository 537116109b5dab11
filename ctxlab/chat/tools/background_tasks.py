"""Tasks that tools have begun and not awaited, in the form in which a build takes them as `tasks=`."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from ctxlab.chat.tools.failure_text import failure_text
from ctxlab.chat.tools.results import ToolResult
from ctxlab.lazy_dataclass import dataclass


@dataclass(slots=True, eq=False)
class BackgroundTasks:
    """Tasks under way and done, by id. A task runs in a thread of its own, until the program ends."""

    _states: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _threads: dict[str, threading.Thread] = field(default_factory=dict[str, threading.Thread])

    def __repr__(self) -> str:
        return f"BackgroundTasks({len(self._states)} begun)"

    def begin(self, id: str, work: Callable[[], Any]) -> dict[str, Any]:
        """Begin a task; gives the answer that names it."""
        with self._lock:
            name, number = id, 2
            while name in self._states:
                name, number = f"{id}-{number}", number + 1
            self._states[name] = {"status": "running"}
        run = contextvars.copy_context().run
        thread = threading.Thread(target=run, args=(self._run, name, work), daemon=True, name=f"task {name}")
        self._threads[name] = thread
        thread.start()
        return {"type": "async_task", "taskId": name, "status": "running"}

    def states(self) -> dict[str, dict[str, Any]]:
        """The present state of every task, for `ctxlab.build(..., tasks=...)`."""
        with self._lock:
            return {id: dict(state) for id, state in self._states.items()}

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """Wait until every task has ended; whether all have, the time-out being for each."""
        for thread in list(self._threads.values()):
            thread.join(timeout_seconds)
        return not any(thread.is_alive() for thread in self._threads.values())

    def _run(self, id: str, work: Callable[[], Any]) -> None:
        try:
            state = _state_of(work())
        except BaseException as error:  # a task that fails is a state, and its thread ends with it
            state: Mapping[str, Any] = {"status": "failed", "error": failure_text(error)}
        with self._lock:
            self._states[id] = dict(state)


def _state_of(result: Any) -> Mapping[str, Any]:
    """The state of a task that gave this; a result has its files beside its words, and may say that it is none."""
    if not isinstance(result, ToolResult):
        return {"status": "completed", "result": result}
    if result.status != "done":
        return {"status": "failed", "error": result.text}
    files = [asset.model_dump(by_alias=True, exclude_none=True) for asset in result.files]
    return {"status": "completed", "result": result.text, **({"attachments": files} if files else {})}
