"""Calls of tools, run one after the other or side by side; every call gets one result, whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

import orjson

from ctxlab.chat.events import ApprovalAsked, ToolFinished, ToolStarted
from ctxlab.chat.tools.approval import Approval, Approve, refusal_of
from ctxlab.chat.tools.failure_text import failure_text
from ctxlab.chat.tools.jobs import Job, settled
from ctxlab.chat.tools.results import MOST_CHARACTERS, Status, ToolResult, node_of_result, result_of
from ctxlab.chat.tools.tool import Tool
from ctxlab.display.short_texts import short
from ctxlab.documents import ToolCall
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.engines.tool_text import reason_it_is_broken
from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass

MOST_AT_ONCE = 8
"""Calls that run side by side."""

CANCELLED = "cancelled before it ended; what it gives later is not taken"
NOT_BEGUN = "cancelled before it began"
CUT_OFF = (
    "not carried out: the reply reached its greatest length in this call, so that its arguments may not be whole. "
    "Call again, with shorter arguments."
)

Event = ApprovalAsked | ToolStarted | ToolFinished


@dataclass(frozen=True, slots=True, eq=False)
class Runner:
    """Runs the calls of a reply with these tools, as the agent's toolCallConfig says.

    `approve` is asked about calls that need a word: a function of the call, or names of tools that need none.
    """

    tools: Sequence[Tool]
    config: ToolCallConfig = field(default_factory=lambda: ToolCallConfig(enabled=True, default_auto_approve=True))
    approve: Approve = None
    most_characters: int = MOST_CHARACTERS

    def __post_init__(self) -> None:
        Approval(self.config, self.approve)

    def __repr__(self) -> str:
        return f"Runner({len(self.tools)} tools)"

    def run(
        self,
        calls: Sequence[ToolCall],
        *,
        is_cancelled: Callable[[], bool] = lambda: False,
        last_is_cut: bool = False,
    ) -> Iterator[Event]:
        """Run the calls; their results come in the order of the calls. With `last_is_cut` the last one isn't run."""
        planned = [self._planned(call) for call in calls]
        if last_is_cut and planned:
            planned[-1].result = _failed(CUT_OFF)
        yield from self._asked(planned, is_cancelled)
        at_once = MOST_AT_ONCE if self.config.parallel_execution else 1
        for start in range(0, len(planned), at_once):
            yield from self._ran(planned[start : start + at_once], is_cancelled)

    def states(self) -> dict[str, dict[str, Any]]:
        """The states of the tasks that calls have begun, for `ctxlab.build(..., tasks=...)`."""
        return {id: state for tool in self.tools if tool.tasks is not None for id, state in tool.tasks.states().items()}

    # --- before they run

    def _planned(self, call: ToolCall) -> _Planned:
        tool = next((each for each in self.tools if each.name == call.name), None)
        if tool is None or not self.config.is_on(tool.name):
            return _Planned(call, result=_failed(self._unknown(call, is_off=tool is not None)))
        try:
            arguments = _arguments_of(call)
            arguments = tool.check(arguments) if tool.check is not None else arguments
        except WrongArgument as wrong:
            return _Planned(call, tool, result=_failed(f"{wrong}. Call {call.name!r} again with other arguments."))
        except Exception as error:  # a validator of the tool's own types
            return _Planned(call, tool, result=_failed(failure_text(error)))
        return _Planned(call, tool, arguments)

    def _unknown(self, call: ToolCall, *, is_off: bool) -> str:
        if not call.name:
            broken = reason_it_is_broken(call.arguments)
            return f"the call can't be read: {broken}" if broken else "the call names no tool"
        known = [tool.name for tool in self.tools if self.config.is_on(tool.name)]
        state = "is switched off" if is_off else "is not known"
        return f"tool {short(call.name)!r} {state}{did_you_mean(call.name, known)}"

    def _asked(self, planned: Sequence[_Planned], is_cancelled: Callable[[], bool]) -> Iterator[ApprovalAsked]:
        """Get the word for those that need one; without it a call has its result already."""
        approval = Approval(self.config, self.approve)
        waiting = [each for each in planned if each.result is None and each.tool and approval.waits(each.tool)]
        if not waiting:
            return
        if not approval.asks:
            for each in waiting:
                each.refuse(approval.refusal_by_rule(each.call.name))
            return
        yield ApprovalAsked(tuple(each.call.id for each in waiting))
        ask = cast("Callable[[ToolCall], Any]", self.approve)
        for each in waiting:
            if is_cancelled():
                return
            job = Job(lambda call=each.call: ask(call)).start()
            end = job.wait(is_cancelled)
            if end == "failed":
                each.refuse(f"refused: the question about it failed with {failure_text(job.error or OSError())}")
            elif end == "done":
                each.refuse(refusal_of(job.value))

    # --- running

    def _ran(self, planned: Sequence[_Planned], is_cancelled: Callable[[], bool]) -> Iterator[Event]:
        for each in planned:
            if each.result is None and is_cancelled():
                each.result = ToolResult(NOT_BEGUN, status="cancelled")
            if each.result is None:
                yield ToolStarted(each.call.id, each.call.name)
                each.job = self._job(each).start()
        for each in planned:
            if each.job is not None:
                each.result = self._awaited(each.job, is_cancelled)
            yield self._finished(each)

    def _job(self, planned: _Planned) -> Job:
        tool, arguments = cast("Tool", planned.tool), planned.arguments

        def work() -> ToolResult:
            return result_of(settled(tool.call(**arguments)), most_characters=self.most_characters)

        def begin() -> ToolResult:
            tasks = tool.tasks
            assert tasks is not None
            return result_of(tasks.begin(planned.call.id or tool.name, work))

        timeout = tool.timeout_seconds if tool.timeout_seconds is not None else self.config.timeout_seconds
        return Job(work if tool.tasks is None else begin, timeout)

    def _awaited(self, job: Job, is_cancelled: Callable[[], bool]) -> ToolResult:
        match job.wait(is_cancelled):
            case "done":
                return job.value
            case "failed":
                return _failed(failure_text(job.error or OSError()))
            case "timed out":
                return ToolResult(f"no result within {job.timeout_seconds:g} seconds", status="timed out")
            case "cancelled":
                return ToolResult(CANCELLED, status="cancelled")

    def _finished(self, planned: _Planned) -> ToolFinished:
        result = planned.result or ToolResult(NOT_BEGUN, status="cancelled")
        seconds = planned.job.seconds if planned.job is not None else None
        node = node_of_result(result, planned.call, seconds=seconds, in_text=self.config.in_text)
        return ToolFinished(planned.call.id, planned.call.name, result.status, node, seconds)


@dataclass(slots=True, eq=False)
class _Planned:
    """A call with its tool and its arguments; `result` is there once it is known."""

    call: ToolCall
    tool: Tool | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: ToolResult | None = None
    job: Job | None = None

    def refuse(self, reason: str) -> None:
        if reason:
            self.result = ToolResult(reason, status="refused")


def _failed(text: str, status: Status = "failed") -> ToolResult:
    return ToolResult(text, status=status)


def _arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """The arguments of a call, which are none where it writes none."""
    if not call.arguments.strip():
        return {}
    if broken := reason_it_is_broken(call.arguments):
        raise WrongArgument(f"the call can't be read: {broken}")
    try:
        found: object = orjson.loads(call.arguments.encode("utf-8", "replace"))
    except ValueError:
        shown = short(call.arguments)
        raise WrongArgument(f"the arguments {shown!r} can't be read as JSON") from None
    if not isinstance(found, Mapping):
        raise WrongArgument(f"the arguments {short(call.arguments)!r} are no JSON object")
    return cast("Mapping[str, Any]", found)
