"""The laws of a registry under any order of starts, answers, failures, cancels and retries."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.assets.transcription import TranscriptionRegistry
from ctxlab.context import Transcript
from ctxlab.errors import CtxlabError
from tests.assets.transcription.gated_work import PATIENCE, GatedWork

KEYS = "abcd"
Action = tuple[str, str]
actions = st.lists(
    st.tuples(st.sampled_from(["start", "start", "answer", "fail", "cancel", "retry"]), st.sampled_from(KEYS)),
    max_size=14,
)


class Model:
    """A registry of two places, and what each task must be by the actions so far."""

    def __init__(self) -> None:
        self.registry = TranscriptionRegistry(max_running=2)
        self.works = {key: GatedWork() for key in KEYS}
        self.ids: dict[str, str] = {}
        self.states: dict[str, str] = {}
        self.begun = dict.fromkeys(KEYS, 0)
        self.texts: dict[str, Transcript | None] = {}

    def begin_waiting(self) -> None:
        for key in self.ids:
            if self.states[key] == "waiting" and list(self.states.values()).count("running") < 2:
                self.states[key] = "running"
                self.begun[key] += 1
                self.works[key].gate(self.begun[key] - 1)

    def do(self, action: str, key: str) -> None:
        state = self.states.get(key)
        if action == "start":
            task = self.registry.start(self.works[key], key=key, asset=key, kind="audio")
            assert self.ids.setdefault(key, task.id) == task.id
            if state in (None, "failed"):
                self.states[key] = "waiting"
        elif state is None:
            return
        elif action == "retry":
            self.registry.retry(self.ids[key])
            if state in ("failed", "cancelled"):
                self.states[key] = "waiting"
        elif action == "cancel":
            self.registry.cancel(self.ids[key])
            if state in ("waiting", "running"):
                self.states[key] = "cancelled"
        elif state == "running":
            outcome = f"{key}{self.begun[key]}" if action == "answer" else CtxlabError("no")
            self.works[key].gate(self.begun[key] - 1).put(outcome)
            self.registry.wait(self.ids[key], timeout_seconds=PATIENCE)
            self.states[key] = "done" if action == "answer" else "failed"
        self.begin_waiting()

    def check(self) -> None:
        tasks = {task.asset: task for task in self.registry.tasks()}
        assert {key: task.state for key, task in tasks.items()} == self.states
        assert {key: len(work.gates) for key, work in self.works.items()} == self.begun
        for key, task in tasks.items():
            assert (task.transcript is not None) == (task.state == "done")
            assert bool(task.error) == (task.state == "failed")
            if task.state == "done":
                assert str(task.transcript) == f"{key}{self.begun[key]}", "the answer of the newest beginning"
                assert self.texts.setdefault(key, task.transcript) is task.transcript


@given(actions)
@settings(max_examples=150, deadline=None)
def test_a_task_is_what_was_done_to_it_and_an_answer_never_changes(done: Sequence[Action]) -> None:
    model = Model()
    try:
        for action, key in done:
            model.do(action, key)
            model.check()
    finally:
        for work in model.works.values():
            work.open_all()
