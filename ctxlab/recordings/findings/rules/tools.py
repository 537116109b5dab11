"""Rules on the tools that requests offer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Final

import orjson

from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import fields_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import PromptPart
from ctxlab.recordings.findings.checked_context import (
    CheckedContext,
    RequestStep,
    added,
    field_text,
    listed_names,
    quoted_name,
)
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.findings.rules.prefix import cost_of_breaks

FEWEST_ANSWERS: Final = 3
"""Answers from which on a tool that none of them called counts as not called."""
NEAR: Final = 0.8
FEWEST_WORDS: Final = 8
WORD: Final = lazy_pattern(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
"""A word, or one Chinese character."""


@finding_rule(
    "unused-tools",
    "Tools that are never called",
    "Speaks of tools that three requests offered, or that stood before three answers, and that no call names, "
    "where the names of all calls are known.",
    "warning",
)
def unused_tools(checked: CheckedContext) -> Iterator[Found]:
    """Functions that are offered and never called; of a vendor's own tools calls can't be seen in every log."""
    called = {part.name for part in checked.all_parts() if part.source == "calls"}
    if "" in called or any(checked.node(id).role == "tool" and id not in checked.call_of for id in checked.nodes):
        return  # the log doesn't tell the name of every call
    offered: dict[str, _Offered] = {}
    unused: dict[str, list[PromptPart]] = {}
    seen: Counter[str] = Counter()
    for request in checked.requests:
        before = seen[request.agent]
        seen[request.agent] += 1
        for part in _functions(checked.parts.of_head(request.head)):
            each = offered.setdefault(part.name, _Offered(request.id))
            each.requests += 1
            if each.of_agent[request.agent] == before:  # each request of the agent has offered it
                each.answers = max(each.answers, checked.answers_up_to.get(request.leaf, 0))
                each.of_agent[request.agent] += 1
            if part.name not in called and part not in unused.setdefault(request.head.id, []):
                unused[request.head.id].append(part)
    idle = {name for name, each in offered.items() if name not in called and each.is_enough}
    chosen = {id: [part for part in parts if part.name in idle] for id, parts in unused.items()}
    tokens, usd = added(checked.head_cost(checked.heads[id][0], parts) for id, parts in chosen.items() if parts)
    if not idle:
        return
    names = sorted(idle, key=lambda name: (-offered[name].requests, name))
    many = f"{len(names):,} of {counted(len(offered), 'tool')}" if len(offered) > 1 else "The only tool"
    verb = "is" if len(names) == 1 else "are"
    counts = [offered[name].requests for name in names]
    most = f"{'up to ' if min(counts) < max(counts) else ''}{counted(max(counts), 'request')}"
    yield Found(
        f"{many} {verb} never called, though offered in {most}: {listed_names(names)}.",
        "Leave them out of the request, or offer them where they are needed.",
        tuple(FindingPlace(offered[name].first, name=quoted_name(name)) for name in names),
        tokens,
        usd,
    )


@dataclass(slots=True)
class _Offered:
    """A tool: the first request that offered it, how many did, and the answers of a prompt that it stood before.

    It stood before all answers of a prompt if each request of the agent up to that one has offered it.
    """

    first: str
    requests: int = 0
    answers: int = 0
    of_agent: Counter[str] = field(default_factory=Counter[str])

    @property
    def is_enough(self) -> bool:
        return max(self.requests, self.answers) >= FEWEST_ANSWERS


@finding_rule(
    "similar-tools",
    "Two tools described alike",
    "Speaks of two tools of one request whose descriptions share at least 80 % of their different words, of 8 or more.",
    "warning",
)
def similar_tools(checked: CheckedContext) -> Iterator[Found]:
    """Tools that a model can hardly tell from an earlier one; those that are like the same one are told together."""
    seen: set[tuple[str, str]] = set()
    for head, request in checked.heads.values():
        for one, alike in _alike(_functions(checked.parts.of_head(head))):
            new = [(part, share) for part, share in alike if (one.name, part.name) not in seen]
            if not new:
                continue
            seen.update((one.name, part.name) for part, _ in new)
            others = [part for part, _ in new]
            spared = [min(one, others[0], key=lambda part: part.tokens)] if len(others) == 1 else others
            tokens, usd = checked.head_cost(head, spared)
            least = f"{'' if len(new) == 1 else 'at least '}{round(100 * min(share for _, share in new))} %"
            first, names = quoted_name(one.name), listed_names([part.name for part in others])
            if len(new) == 1:
                said = f"Tools {first} and {names} are described with the same words"
            else:
                said = f"{counted(len(new), 'tool')} are described with the same words as {first} ({names})"
            yield Found(
                f"{said}: {least} of them are in both descriptions.",
                "Make one tool of them, or say in each description when it is the one to call.",
                tuple(FindingPlace(request.id, name=quoted_name(part.name)) for part in (one, *others[:20])),
                tokens,
                usd,
            )


def _alike(parts: Sequence[PromptPart]) -> list[tuple[PromptPart, list[tuple[PromptPart, float]]]]:
    """Tools, each with the later ones whose words are like its own and like those of no tool before it."""
    found: list[tuple[PromptPart, frozenset[str], list[tuple[PromptPart, float]]]] = []
    for part in parts:
        words = _words_of(part)
        if len(words) < FEWEST_WORDS:
            continue
        for one, first, alike in found:
            both = len(first & words)
            if one.name != part.name and both >= NEAR * (len(first) + len(words) - both):
                alike.append((part, both / (len(first) + len(words) - both)))
                break
        else:
            found.append((part, words, []))
    return [(one, alike) for one, _, alike in found if alike]


@finding_rule(
    "tools-changed",
    "Tools change in mid-session",
    "Speaks of a request whose tools are not those of the one before it in the same conversation.",
    "warning",
    ("recording",),
)
def tools_changed(checked: CheckedContext) -> Iterator[Found]:
    """Tools come first in a prompt, so that another list of them ends the cached prefix at its beginning."""
    changes: dict[tuple[str, str], list[RequestStep]] = {}
    for step in checked.steps:
        before, request, shared = step
        if before.whole and request.whole and shared and before.head is not request.head:
            changes.setdefault((before.head.id, request.head.id), []).append(step)
    for steps in changes.values():
        before, request, shared = steps[0]
        old, new = (_by_name(checked.parts.of_head(each.head)) for each in (before, request))
        if not old or not new or [*old.items()] == [*new.items()]:
            continue
        came, gone = [name for name in new if name not in old], [name for name in old if name not in new]
        other = [name for name in new if name in old and new[name] != old[name]]
        kinds = (("added", came), ("gone", gone), ("changed", other))
        words = "; ".join(f"{kind}: {listed_names(names)}" for kind, names in kinds if names) or "in another order"
        also = f"; so it is in {counted(len(steps) - 1, 'other request')}" if len(steps) > 1 else ""
        names = (*came, *other, *gone)[:20]
        yield Found(
            f"Request {request.id} has other tools than {before.id} ({words}), and tools stand before the "
            f"{counted(checked.parts.tree.tokens[shared], 'token')} of messages that both have{also}.",
            "Offer the same tools in the same order in every request of a conversation.",
            (
                *(FindingPlace(request.id, name=quoted_name(name)) for name in names),
                *(FindingPlace(step.request.id) for step in (steps if not names else steps[1:])),
            ),
            *cost_of_breaks(checked, steps),
        )


@finding_rule(
    "unoffered-tool",
    "Call of an unknown tool",
    "Speaks of an answer that calls a function which its request did not offer.",
    "warning",
    ("recording",),
)
def unoffered_tool(checked: CheckedContext) -> Iterator[Found]:
    """Names of tools that a model made up, or that a program no longer offers."""
    for request in checked.requests:
        parts = checked.parts.of_head(request.head)
        names = [part.name for part in parts if part.source == "tools"]
        if not request.whole or not names or len(_functions(parts)) < len(names):
            continue
        for id in checked.answers_to(request):
            wrong = [part for part in checked.parts_of(id) if part.source == "calls" and part.name not in names]
            if wrong:
                yield Found(
                    f"The answer to {request.id} calls {listed_names(part.name for part in wrong)}, which none of the "
                    f"{counted(len(names), 'tool')} of the request is.",
                    "Answer such a call with the names that there are, and look for words in the prompt that name it.",
                    tuple(checked.place_of(part) for part in wrong),
                    *checked.cost(wrong),
                )


def _by_name(parts: tuple[PromptPart, ...]) -> dict[str, str]:
    return {f"{part.name}": part.text for part in parts if part.source == "tools"}


def _functions(parts: tuple[PromptPart, ...]) -> list[PromptPart]:
    """Tools that the program itself answers; a vendor's own have a type and no description of parameters."""
    return [part for part in parts if part.source == "tools" and part.name and _function(part) is not None]


def _function(part: PromptPart) -> dict[str, Any] | None:
    fields = fields_of(_parsed(part.text))
    inner = fields_of(fields.get("function")) or fields
    known = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "description")
    return inner if any(name in inner for name in known) else None


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _words_of(part: PromptPart) -> frozenset[str]:
    description = field_text((_function(part) or {}).get("description"))
    return frozenset(WORD.findall(description.lower()))
