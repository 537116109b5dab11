"""Inclusion groups: of the entries that share a group's name, one fires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ctxlab.engines.worldbook.prepared_entry import Lore


@dataclass(slots=True, eq=False)
class Contender:
    """An entry whose turn it is: how many of its keys are there, and whether it fires out of stickiness."""

    lore: Lore
    score: int = 0
    sticky: bool = False


@dataclass(slots=True)
class Settled:
    """Who goes on, in which order, and to whom the others lost."""

    winners: list[Contender]
    lost: dict[int, Lore] = field(default_factory=dict[int, Lore])


def settle(
    contenders: Sequence[Contender], taken: Mapping[str, Lore], dice: Callable[[str], float], *, reference: bool
) -> Settled:
    """Contenders come in the order of their standing; `taken` are groups of which an entry has fired already.

    An entry of several groups has to win each of them, only in the reference one is enough.
    """
    members: dict[str, list[Contender]] = {}
    for contender in contenders:
        for name in contender.lore.groups:
            members.setdefault(name, []).append(contender)
    if not members:
        return Settled(list(contenders))
    if reference:
        return _each_on_its_own(contenders, members, taken, dice)
    lost: dict[int, Lore] = {}
    with_sticky = {name for name, group in members.items() if _keep_sticky(group, lost)}
    for name, group in members.items():
        if name not in with_sticky:
            _keep_best(group, lost)
    for name, group in members.items():
        if name in with_sticky:
            continue
        standing = [member for member in group if member.lore.index not in lost]
        if name in taken:
            lost.update(dict.fromkeys([member.lore.index for member in standing], taken[name]))
        elif len(standing) > 1:
            winner = _winner(name, standing, dice).lore
            lost.update({member.lore.index: winner for member in standing if member.lore is not winner})
    return Settled([contender for contender in contenders if contender.lore.index not in lost], lost)


def _each_on_its_own(
    contenders: Sequence[Contender],
    members: Mapping[str, Sequence[Contender]],
    taken: Mapping[str, Lore],
    dice: Callable[[str], float],
) -> Settled:
    winners = [contender for contender in contenders if not contender.lore.groups]
    beaten: dict[int, Lore] = {}
    for name, group in members.items():
        winner = None if name in taken else _winner(name, group, dice)
        if winner is not None and winner not in winners:
            winners.append(winner)
        for member in group:
            beaten.setdefault(member.lore.index, taken[name] if winner is None else winner.lore)
    for winner in winners:
        beaten.pop(winner.lore.index, None)
    return Settled(winners, beaten)


def _keep_sticky(group: Sequence[Contender], lost: dict[int, Lore]) -> bool:
    """Entries that still fire push the others out."""
    sticky = next((member for member in group if member.sticky), None)
    if sticky is None:
        return False
    lost.update({member.lore.index: sticky.lore for member in group if not member.sticky})
    return True


def _keep_best(group: Sequence[Contender], lost: dict[int, Lore]) -> None:
    """Of entries that want to be scored, those stay that have as many keys in the text as the best."""
    standing = [member for member in group if member.lore.index not in lost]
    if not any(member.lore.scored for member in standing):
        return
    best = max(standing, key=lambda member: member.score)
    lost.update(
        {member.lore.index: best.lore for member in standing if member.lore.scored and member.score < best.score}
    )


def _winner(name: str, group: Sequence[Contender], dice: Callable[[str], float]) -> Contender:
    """The first that is to win, else one by lot, according to the weights."""
    overriding = next((member for member in group if member.lore.entry.group_override), None)
    if overriding is not None or len(group) == 1:
        return overriding or group[0]
    left = dice(f"lore-group:{name}") * sum(max(0.0, member.lore.entry.group_weight) for member in group)
    for member in group:
        left -= max(0.0, member.lore.entry.group_weight)
        if left <= 0:
            return member
    return group[-1]
