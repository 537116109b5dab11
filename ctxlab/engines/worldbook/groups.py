"""Inclusion groups: of the entries that share a group's name, one fires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import Compat
from ctxlab.lazy_dataclass import dataclass


@dataclass(slots=True, eq=False)
class Contender:
    """An entry that takes part in a pass: how many of its keys matched, and whether it is sticky."""

    lore: PreparedEntry
    score: int = 0
    sticky: bool = False


@dataclass(slots=True)
class GroupResult:
    """The entries that won, in order, and for each other one the entry that it lost to."""

    winners: list[Contender]
    lost: dict[int, PreparedEntry] = field(default_factory=dict[int, PreparedEntry])


def resolve_groups(
    contenders: Sequence[Contender],
    taken: Mapping[str, PreparedEntry],
    dice: Callable[[str], float],
    *,
    compat: Compat,
) -> GroupResult:
    """The winners of each group. Contenders come in sort order; `taken` are groups that an entry has won already.

    An entry of several groups has to win each of them, only in the reference one is enough. In SillyTavern 1.19 one
    that lost a group beats the others of its next one all the same.
    """
    members: dict[str, list[Contender]] = {}
    for contender in contenders:
        for name in contender.lore.groups:
            members.setdefault(name, []).append(contender)
    if not members:
        return GroupResult(list(contenders))
    if compat == "reference":
        return _each_on_its_own(contenders, members, taken, dice)
    exact = compat == "sillytavern-1.19"
    lost: dict[int, PreparedEntry] = {}
    with_sticky = {name for name, group in members.items() if _keep_sticky(group, lost)}
    for name, group in members.items():
        if name not in with_sticky and exact:
            of_this: dict[int, PreparedEntry] = {}
            _keep_best(group, of_this)
            members[name] = [member for member in group if member.lore.index not in of_this]
            lost |= of_this
        elif name not in with_sticky:
            _keep_best(group, lost)
    for name, group in members.items():
        if name in with_sticky:
            continue
        remaining = group if exact else [member for member in group if member.lore.index not in lost]
        if name in taken:
            lost.update(dict.fromkeys([member.lore.index for member in remaining], taken[name]))
        elif len(remaining) > 1:
            winner = _winner(name, remaining, dice, by_order=exact).lore
            lost.update({member.lore.index: winner for member in remaining if member.lore is not winner})
    return GroupResult([contender for contender in contenders if contender.lore.index not in lost], lost)


def _each_on_its_own(
    contenders: Sequence[Contender],
    members: Mapping[str, Sequence[Contender]],
    taken: Mapping[str, PreparedEntry],
    dice: Callable[[str], float],
) -> GroupResult:
    winners = [contender for contender in contenders if not contender.lore.groups]
    beaten: dict[int, PreparedEntry] = {}
    for name, group in members.items():
        winner = None if name in taken else _winner(name, group, dice)
        if winner is not None and winner not in winners:
            winners.append(winner)
        for member in group:
            beaten.setdefault(member.lore.index, taken[name] if winner is None else winner.lore)
    for winner in winners:
        beaten.pop(winner.lore.index, None)
    return GroupResult(winners, beaten)


def _keep_sticky(group: Sequence[Contender], lost: dict[int, PreparedEntry]) -> bool:
    """Keep sticky entries of a group and drop the others."""
    sticky = next((member for member in group if member.sticky), None)
    if sticky is None:
        return False
    lost.update({member.lore.index: sticky.lore for member in group if not member.sticky})
    return True


def _keep_best(group: Sequence[Contender], lost: dict[int, PreparedEntry]) -> None:
    """Of entries with group scoring, keep those with as many matched keys as the best."""
    remaining = [member for member in group if member.lore.index not in lost]
    if not any(member.lore.scored for member in remaining):
        return
    best = max(remaining, key=lambda member: member.score)
    lost.update(
        {member.lore.index: best.lore for member in remaining if member.lore.scored and member.score < best.score}
    )


def _winner(
    name: str, group: Sequence[Contender], dice: Callable[[str], float], *, by_order: bool = False
) -> Contender:
    """The first with group override, or the one of these with the highest order, else one at random, by weight."""
    with_override = [member for member in group if member.lore.entry.group_override]
    if by_order:
        with_override.sort(key=lambda member: -member.lore.entry.order)
    overriding = next(iter(with_override), None)
    if overriding is not None or len(group) == 1:
        return overriding or group[0]
    left = dice(f"lore-group:{name}") * sum(max(0.0, member.lore.entry.group_weight) for member in group)
    for member in group:
        left -= max(0.0, member.lore.entry.group_weight)
        if left <= 0:
            return member
    return group[-1]
