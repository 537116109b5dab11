"""What verbs, undo, ledger, comparison and the strategies cost at 10,000 messages."""

from __future__ import annotations

import ctxlab
from ctxlab.engines.tokens import encoding
from ctxlab.testing import generated_agent, generated_session
from tests.bench.timing import Work, forget_counts, ms, timed

SIZE = 10_000
STRATEGIES = ("sliding", "head-and-tail", "whole-exchanges", "by-priority", "middle-out", "block", "bm25")


def verbs(session: ctxlab.Session) -> dict[str, Work]:
    """Each verb once, near the leaf of a long conversation; the index of children is there already."""
    session.children("")
    path = [node.id for node in session.path()]
    leaf, above = path[-1], path[-2]
    user = next(node.id for node in reversed(session.path()) if node.role == "user")
    forked = session.branch(user)
    return {
        "append": Work(lambda: session.append("hi")),
        "append_pair": Work(lambda: session.append_pair("hi")),
        "edit": Work(lambda: session.edit(leaf, "other words")),
        "branch": Work(lambda: session.branch(user)),
        "branch_from_edit": Work(lambda: session.branch_from_edit(user, "other words")),
        "regenerate": Work(lambda: session.regenerate(user)),
        "update": Work(lambda: session.update(leaf, name="x")),
        "disable": Work(lambda: session.disable(leaf)),
        "graft": Work(lambda: session.graft(leaf, path[1])),
        "move": Work(lambda: session.move(above, path[1])),
        "delete": Work(lambda: session.delete(leaf)),
        "switched": Work(lambda: session.switched(above)),
        "switched_to_sibling": Work(lambda: forked.switched_to_sibling(forked.leaf or "")),
    }


def undo(session: ctxlab.Session) -> Work:
    """Fifty steps back, one by one."""
    history = ctxlab.History(session)

    def again() -> None:
        while history.can_redo:
            history.redo()

    for i in range(50):
        history.do(ctxlab.Session.append, f"message {i}")

    def back() -> None:
        while history.can_undo:
            history.undo()

    return Work(back, before=again)


def main() -> None:
    session = ctxlab.read_data(generated_session(SIZE, seed=1)).pick()
    agent = ctxlab.read_data(generated_agent()).agents[0]
    times = timed({**verbs(session), "undo of the last 50": undo(session)})
    print("\n| verb, 10,000 nodes | CPU |\n|---|--:|")
    for name, seconds in times.items():
        print(f"| {name} | {seconds * 1e3:.2f} ms |")

    runs = {
        name: ctxlab.build(session, agent, budget_tokens=128_000, settings={"token-limiter.strategy": name})
        for name in STRATEGIES
    }
    trace = runs["sliding"]
    encode = encoding("o200k_base").encode_ordinary
    texts = [node.content for node in session.nodes.values()]
    wide = timed(
        {
            "count every text once": Work(lambda: [encode(text) for text in texts]),
            "ledger, counts empty": Work(trace.ledger, before=forget_counts),
            "ledger": Work(trace.ledger),
            "compare of two": Work(lambda: ctxlab.compare({"a": trace, "b": runs["block"]}).frame()),
        }
    )
    base = wide["count every text once"]
    print("\n| 10,000 messages | CPU | vs counting |\n|---|--:|--:|")
    for name, seconds in wide.items():
        print(f"| {name} | {ms(seconds)} | {seconds / base:.2f}x |")

    limiters = timed(
        {
            name: Work(lambda run=run: run.pipeline.stage("token-limiter").processor(before(run), run.services))
            for name, run in runs.items()
        }
    )
    print("\n| strategy, 10,000 messages to 128k, counts there | CPU | vs sliding |\n|---|--:|--:|")
    for name, seconds in limiters.items():
        print(f"| {name} | {ms(seconds)} | {seconds / limiters['sliding']:.1f}x |")
    least_budgets(session, agent)
    remedies_of_all(session, agent)


def least_budgets(session: ctxlab.Session, agent: ctxlab.Agent) -> None:
    """What would keep one cut message, for the newest, the middle and the oldest of those that were cut."""
    ways = {name: {"strategy": name, "retained_characters": 0} for name in STRATEGIES}
    heads = {"retained_characters": 200, "retain": "each"}
    print("\n| least budget of one message, 10,000 messages, 8k, counts there | newest cut | middle | oldest |")
    print("|---|--:|--:|--:|")
    for name, way in {**ways, "sliding, heads of each": heads}.items():
        settings = {f"token-limiter.{setting}": value for setting, value in way.items()}
        run = ctxlab.build(session, agent, budget_tokens=8_000, settings=settings)
        gone = cut_keys(run)
        asked = {place: gone[at] for place, at in (("newest", -1), ("middle", len(gone) // 2), ("oldest", 0))}
        times = timed({place: Work(lambda run=run, key=key: run.why(key).least_budget) for place, key in asked.items()})
        print(f"| {name} | {' | '.join(ms(seconds) for seconds in times.values())} |")


def remedies_of_all(session: ctxlab.Session, agent: ctxlab.Agent) -> None:
    """What would keep all cut messages: for four times as many messages at most five times as long."""
    from ctxlab.pipeline.remedies import remedies

    print("\n| remedies of all cut messages | a third of the room: 500 | 2,000 | ratio | 8k: 500 | 2,000 | ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    heads = {"retained_characters": 200, "retain": "each"}
    names = (*STRATEGIES, "recent-and-relevant", "summary-and-relevant")
    path = session.path()
    for name, way in {**{name: {"strategy": name} for name in names}, "sliding, heads of each": heads}.items():
        settings = {f"token-limiter.{setting}": value for setting, value in way.items()}
        cells: list[str] = []
        for budget in (None, 8_000):
            works: dict[str, Work] = {}
            for messages in (500, 2_000):
                whole = ctxlab.build(session, agent, leaf=path[messages].id, budget_tokens=10**9)
                run = whole.rerun({**settings, "token-limiter.budget_tokens": budget or whole.tokens // 3})
                works[f"{messages:,}"] = Work(lambda run=run: remedies(run, cut_keys(run)))
            few, many = timed(works).values()
            cells += [ms(few), ms(many), f"{many / few:.1f}"]
        print(f"| {name} | {' | '.join(cells)} |")


def cut_keys(run: ctxlab.Trace) -> list[str]:
    """What the limiter cut, the oldest first."""
    step = run.step("token-limiter")
    gone = {draft.key for group in step.after.dropped if group.needed is not None for draft in group.drafts}
    return [draft.key for draft in step.before.drafts if draft.key in gone]


def before(run: ctxlab.Trace) -> ctxlab.Context:
    return run.step("token-limiter").before
