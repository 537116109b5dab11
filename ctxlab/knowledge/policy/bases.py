"""The bases that a placeholder may search: those bound to the agent, found by name, and why another isn't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxlab.context import KnowledgeBaseFacts
from ctxlab.display.short_texts import nearest, short
from ctxlab.documents.agent.knowledge import KnowledgeBaseConfig, KnowledgeBinding
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class BoundBase:
    """A base bound to an agent; `barred` says why it isn't searched, empty where it is.

    `is_switched_off` is true where switching a binding on would let it be searched.
    """

    id: str
    name: str
    binding: KnowledgeBinding | None = None
    facts: KnowledgeBaseFacts | None = None
    barred: str = ""
    is_switched_off: bool = False


@dataclass(frozen=True, slots=True)
class ChosenBases:
    """The bases that a placeholder searches, those it names that are switched off, and a clause on what is amiss."""

    bases: tuple[BoundBase, ...] = ()
    switched_off: tuple[BoundBase, ...] = ()
    problem: str = ""


def bound_bases(config: KnowledgeBaseConfig | None, facts: Sequence[KnowledgeBaseFacts]) -> tuple[BoundBase, ...]:
    """The bases bound to an agent. To one without a config all are bound that can be searched.

    A binding finds its base by id, else by name, since ids differ from one machine to another.
    """
    if config is None:
        return tuple([BoundBase(base.id, base.name, facts=base) for base in facts])
    by_id = {base.id: base for base in facts}
    by_name = {base.name: base for base in reversed(facts)}
    return tuple([_bound(each, by_id, by_name, is_on=config.enabled) for each in config.bindings])


def chosen_bases(
    name: str, bound: Sequence[BoundBase], facts: Sequence[KnowledgeBaseFacts], *, all_on: bool = False
) -> ChosenBases:
    """The bases for a placeholder that names one, or for one that names none: all that are bound and switched on.

    With `all_on` bindings that are switched off count too.
    """
    open_ones = [base for base in bound if not base.barred or (all_on and base.is_switched_off)]
    if not name:
        there = {base.id: base for base in reversed(open_ones)}
        bases = tuple([base for base in open_ones if there[base.id] is base])
        off = tuple([base for base in bound if base.is_switched_off and not all_on])
        return ChosenBases(bases, off, "" if bases else _nothing_bound(bound, facts))
    named = [base for base in bound if name in (base.name, base.id)]
    usable = next((base for base in named if base in open_ones), None)
    if usable is not None:
        return ChosenBases((usable,))
    if named:
        return ChosenBases((), tuple(named[:1]) if named[0].is_switched_off else (), named[0].barred)
    if any(name in (base.name, base.id) for base in facts):
        return ChosenBases(problem=f"the base {short(name)!r} is not bound to the agent")
    known = [base.name for base in bound]
    hint = nearest(name, known) if known else "; none is bound to the agent"
    return ChosenBases(problem=f"there is no base {short(name)!r}{hint}")


def _bound(
    binding: KnowledgeBinding,
    by_id: Mapping[str, KnowledgeBaseFacts],
    by_name: Mapping[str, KnowledgeBaseFacts],
    *,
    is_on: bool,
) -> BoundBase:
    facts = by_id.get(binding.kb_id) or by_name.get(binding.kb_name)
    name = binding.kb_name or (facts.name if facts else binding.kb_id)
    id = facts.id if facts else binding.kb_id
    if facts is None:
        return BoundBase(id, name, binding, None, f"the base {short(name)!r} is bound, but can't be searched here")
    if not is_on:
        return BoundBase(id, name, binding, facts, "the agent's knowledge is switched off", is_switched_off=True)
    if not binding.enabled:
        barred = f"the binding of the base {short(name)!r} is switched off"
        return BoundBase(id, name, binding, facts, barred, is_switched_off=True)
    return BoundBase(id, name, binding, facts)


def _nothing_bound(bound: Sequence[BoundBase], facts: Sequence[KnowledgeBaseFacts]) -> str:
    if bound:
        return bound[0].barred if len({base.barred for base in bound}) == 1 else "no bound base can be searched"
    return "no base is bound to the agent" if facts else "there is no knowledge base"
