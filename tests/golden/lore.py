"""Worldbooks in the pipeline: the cases through ctxlab's public API.

The reference's step decides and places at once; ours decides, and the assembler places, so both run. A result has the
entries that fire, with the keys that were found, sorted by book and id, and the messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ctxlab.context import BuildInput, Context
from ctxlab.documents import Session, UserProfile
from ctxlab.pipeline import Pipeline, Services
from ctxlab.processors import InjectionAssembler, WorldbookProcessor
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data, drafts_of, form_of_draft, form_of_message
from tests.golden.materials import agent_of, books_of, model_of, stored, tokenizer_of
from tests.reports import left

LOOPS = 20
"""Passes after which the reference stops whatever is said."""
PRESETS = "agent_preset"


class Scripted(Mapping[str, float]):
    """Rolls of the dice in the order in which they are asked for; the last repeats, without any it is the middle."""

    def __init__(self, rolls: Sequence[float]) -> None:
        self.rolls = list(rolls) or [0.5]
        self.known: dict[str, float] = {}

    def __contains__(self, id: object) -> bool:
        return True

    def __getitem__(self, id: str) -> float:
        if id not in self.known:
            self.known[id] = self.rolls.pop(0) if len(self.rolls) > 1 else self.rolls[0]
        return self.known[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


def run(data: Data) -> Data:
    user = data.get("userProfile")
    build_input = BuildInput(
        Session(),
        agent=agent_of(data),
        user=stored(UserProfile, user) if user else None,
        model=model_of(data),
        books=books_of(data),
        dice=Scripted(data.get("random") or ()),
    )
    services, drafts = Services(tokenizer_of(data)), drafts_of(data["messages"])
    pipeline = Pipeline.of([WorldbookProcessor]).with_settings(_settings(data))
    decided = pipeline.run(Context(build_input, drafts), services).result
    presets = [message for message in data["messages"] if message.get("sourceType") == PRESETS]
    agent = agent_of({"agentConfig": {"id": "ag", "presetMessages": presets}})
    history = tuple(draft for draft in decided.drafts if draft.origin.kind != PRESETS)
    start = Context(replace(build_input, agent=agent), history, reports=decided.reports)
    assembler = InjectionAssembler(InjectionAssembler.Settings(lore_places="reference"))
    placed = Pipeline.of([assembler]).run(start, services).result
    return {
        "activated": sorted([row["book"], str(row["uid"]), row["keys"]] for row in _fired(decided)),
        "messages": [_bare(form_of_draft(draft, {})) for draft in placed.drafts],
    }


def expected(case: Case) -> Data:
    return {
        "activated": sorted([row["book"], str(row["uid"]), row["matchedKeys"]] for row in case.expected["activated"]),
        "messages": [_bare(form_of_message(message)) for message in case.expected["messages"]],
    }


def _fired(ctx: Context) -> list[Data]:
    return [row for row in (left(ctx, "lore") or ()) if row["fired"]]


def _settings(data: Data) -> Data:
    settings = data.get("settings") or {}
    books, steps = settings.get("worldbook") or {}, settings.get("world_info_max_recursion_steps") or LOOPS
    depth = books.get("defaultScanDepth")
    said = {
        "compat": "reference",
        "budget_percent": 0,
        "recursion": not books.get("disableRecursion"),
        "scan_depth": 2 if depth is None else depth,
        "max_passes": min(LOOPS, steps),
    }
    return {f"worldbook-processor.{name}": value for name, value in said.items()}


def _bare(form: Data) -> Data:
    """Role, words and where from; presets lose their names, which those that are messages already don't have."""
    kept = {name: value for name, value in form.items() if name in ("role", "text", "source")}
    kind, id = kept.get("source", ("", ""))
    if kind == PRESETS:
        return {**kept, "source": (kind, "")}
    # The second entry of the same book and id has a key of its own.
    return {**kept, "source": (kind, id.partition("@")[0])} if kind else kept


ADAPTERS: dict[str, Adapter] = {"worldbook": Adapter(run, expected)}
