"""What the limiter and the whole pipeline cost, beside encoding alone and beside langchain-core. Run by `make bench`.

One run, medians of 5, CPU time, so that the ratios hold whatever else the machine is doing.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from statistics import median
from time import process_time
from typing import Any

import ctxlab
from ctxlab.engines.tokens import encoding
from ctxlab.testing import generated_agent, generated_session
from tests.bench import (
    assets,
    languages,
    lore,
    prefixes,
    ranking,
    recorder,
    recordings,
    requests,
    search,
    studies,
    templates,
    trees,
    what_if,
    widgets,
)
from tests.bench.timing import ENCODING, ROUNDS, Work, forget_counts, ms, timed

SIZES = (100, 1_000, 10_000)
BUDGETS = (8_000, 128_000)
BUILD = "import ctxlab; ctxlab.build"
TOKENS = "from ctxlab.engines.tokens import encoding"
RANKS = "encoding('o200k_base')"


@dataclass(frozen=True)
class Case:
    session: ctxlab.Session
    agent: ctxlab.Agent
    budget: int

    def build(self) -> ctxlab.Trace:
        return ctxlab.build(self.session, self.agent, budget_tokens=self.budget)


def case(size: int, budget: int) -> Case:
    session = ctxlab.read_data(generated_session(size, seed=1)).pick()
    agent = ctxlab.read_data(generated_agent()).agents[0]
    return Case(session, agent, budget)


def langchain(session: ctxlab.Session, budget: int) -> Callable[[], Any]:
    """langchain-core's trimming of the same messages, counting each with the same encoding."""
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages

    encode = encoding(ENCODING).encode_ordinary
    messages: list[BaseMessage] = [SystemMessage("You are a careful assistant.")]
    for node in session.path()[1:]:
        if node.role == "user":
            messages.append(HumanMessage(node.content))
        elif node.role == "tool":
            messages.append(ToolMessage(node.content, tool_call_id=node.result_of or ""))
        else:
            calls = [{"name": c.name, "args": {}, "id": c.id} for c in node.tool_calls]
            messages.append(AIMessage(node.content, tool_calls=calls))

    def count(some: list[BaseMessage]) -> int:
        return sum(len(encode(str(message.content))) + 3 for message in some)

    return lambda: trim_messages(
        messages, max_tokens=budget, token_counter=count, strategy="last", include_system=True, start_on="human"
    )


def texts_of(draft: ctxlab.Draft) -> list[str]:
    """Everything of a message that takes tokens."""
    calls = [text for call in draft.calls for text in (call.name, call.arguments)]
    return [str(draft.text), *calls, *([draft.result_of] if draft.result_of else [])]


def measure(size: int, budget: int) -> dict[str, float]:
    chosen = case(size, budget)
    trace = chosen.build()
    limiter = trace.step("token-limiter")
    stage = trace.pipeline.stage("token-limiter")
    kept = [text for draft in limiter.after.drafts for text in texts_of(draft)]
    encode = encoding(ENCODING).encode_ordinary

    def limit() -> None:
        stage.processor(limiter.before, trace.services)

    times = timed(
        {
            "encode": Work(lambda: [encode(text) for text in kept]),
            "limiter_cold": Work(limit, before=forget_counts),
            "limiter_warm": Work(limit),
            "pipeline_cold": Work(chosen.build, before=forget_counts),
            "pipeline_warm": Work(chosen.build),
            "trim_messages": Work(langchain(chosen.session, budget)),
        }
    )
    return {"kept": len(limiter.after.drafts), **times}


def rerun_seconds() -> float:
    trace = case(1_000, 8_000).build()
    return timed({"rerun": Work(lambda: trace.rerun({"token-limiter.budget_tokens": 7_000}))})["rerun"]


def long_seconds(size: int) -> tuple[float, float]:
    """A long conversation cut to 2,000 tokens: building it, and printing the run as the terminal does."""
    from types import SimpleNamespace

    from ctxlab.cli.commands.build import print_text

    session = ctxlab.read_data(generated_session(size, seed=1)).pick()
    inputs: Any = SimpleNamespace(losses=(), options=SimpleNamespace(until=None))

    def show() -> None:
        with redirect_stdout(StringIO()):
            print_text(inputs, trace)

    trace = ctxlab.build(session, budget_tokens=2_000)
    works = {
        "build": Work(lambda: ctxlab.build(session, budget_tokens=2_000), before=forget_counts),
        "show": Work(show, before=forget_counts),
    }
    times = timed(works)
    return times["build"], times["show"]


def trace_megabytes() -> float:
    """What a trace of 1,000 messages needs beyond its session."""
    chosen = case(1_000, 128_000)
    chosen.build()
    gc.collect()
    tracemalloc.start()
    trace = chosen.build()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(trace.steps) > 3
    return size / 1e6


def fresh_seconds(first: str, work: str) -> float:
    """CPU seconds of `work` in a process of its own, after `first`."""
    code = f"import time; {first}; t = time.process_time(); {work}; print(time.process_time() - t)"
    return median(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(ROUNDS))


def main() -> None:
    started = process_time()
    rows = {(size, budget): measure(size, budget) for size in SIZES for budget in BUDGETS}
    print("| messages | budget | kept | encode kept (a) | limiter cold | vs (a) | limiter warm | pipeline cold |"
          " pipeline warm | trim_messages (b) | pipeline cold vs (b) |")  # fmt: skip
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for (size, budget), row in rows.items():
        cells = [f"{size:,}", f"{budget // 1000}k", f"{row['kept']:.0f}", ms(row["encode"]), ms(row["limiter_cold"])]
        cells += [f"{row['limiter_cold'] / row['encode']:.2f}x", ms(row["limiter_warm"]), ms(row["pipeline_cold"])]
        cells += [ms(row["pipeline_warm"]), ms(row["trim_messages"])]
        cells += [f"{row['pipeline_cold'] / row['trim_messages']:.2f}x"]
        print("| " + " | ".join(cells) + " |")
    small, large = rows[1_000, 8_000], rows[10_000, 8_000]
    half, long = long_seconds(30_000), long_seconds(60_000)
    print()
    facts = {
        "limiter rerun, 1,000 messages": ms(rerun_seconds()),
        "10,000 / 1,000 messages, 8k, cold": f"{large['pipeline_cold'] / small['pipeline_cold']:.1f}x",
        "10,000 / 1,000 messages, 8k, warm": f"{large['pipeline_warm'] / small['pipeline_warm']:.1f}x",
        "60,000 messages cut to 2,000 tokens, built and printed": f"{ms(long[0])}, {ms(long[1])}",
        "beside 30,000": f"{long[0] / half[0]:.1f}x, {long[1] / half[1]:.1f}x",
        "trace of 1,000 messages, all kept": f"{trace_megabytes():.2f} MB",
        "import ctxlab": f"{fresh_seconds('pass', 'import ctxlab'):.3f} s",
        "import ctxlab and ctxlab.build, which loads the library": f"{fresh_seconds('pass', BUILD):.3f} s",
        "pydantic's share of that": f"{fresh_seconds('pass', 'from pydantic import BaseModel'):.3f} s",
        "loading the o200k_base ranks, once per process": f"{fresh_seconds(TOKENS, RANKS):.3f} s",
        "the whole benchmark": f"{process_time() - started:.0f} s",
    }
    for name, value in facts.items():
        print(f"- {name}: {value}")
    trees.main()
    ranking.main()
    recorder.main()
    recordings.main()
    prefixes.main()
    templates.main()
    print("\n| the small languages | CPU |\n|---|--:|")
    for work, cost in (*lore.lore_rows(), *lore.timeline_rows(), *languages.regex_rows(), *what_if.replay_rows()):
        print(f"| {work} | {cost} |")
    assets.main()
    requests.main()
    search.main()
    studies.main()
    widgets.main()


if __name__ == "__main__":
    main()
