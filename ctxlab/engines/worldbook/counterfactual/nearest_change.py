"""The nearest change: the smallest that would have made an entry fire, through all gates that stand in its way.

What is offered holds for the same dice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ctxlab.engines.worldbook.counterfactual.change import NearestChange
from ctxlab.engines.worldbook.counterfactual.groups_and_budget import Contest
from ctxlab.engines.worldbook.counterfactual.one_more_message import OneMoreMessage
from ctxlab.engines.worldbook.keys import Key
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import SWITCHES
from ctxlab.engines.worldbook.scan_passes import Activation, Pass

Fields = dict[str, Any]


class NearestChanges:
    """Finds the nearest change for entries of a scan that is over."""

    def __init__(self, scan: Activation) -> None:
        self.scan, self.key_matches, self.maker = scan, scan.key_matches, scan.maker
        self._contests = {this.number: Contest(this, scan) for this in scan.passes}
        self._one_more: OneMoreMessage | None = None

    def of(self, lore: PreparedEntry) -> NearestChange:
        """The nearest change that makes a blocked entry fire."""
        fields: Fields = {}
        for refusal in self.scan.refused.get(lore.index, ()):
            fields.update(refusal.fix)
        changed = self.maker.changed(lore, fields) if fields else lore
        way = self._way(changed)
        if way is None:
            return self._with_message(changed, fields)
        more, this = way
        fields |= more
        if more:
            changed = self.maker.changed(lore, fields)
        change = self._through(changed, this, fields)
        return replace(change, settings={"max_passes": this.number}) if this.is_beyond else change

    def _with_message(self, lore: PreparedEntry, fields: Fields) -> NearestChange:
        """A change with one more message that has the entry's key, or one that makes keys unnecessary."""
        if self._one_more is None:
            self._one_more = OneMoreMessage(self.scan)
        words, more = self._one_more.words_for(lore)
        fields |= more
        if words is not None:
            return NearestChange(message=words, entry=fields)
        fields |= {"constant": True} | ({"delayUntilRecursion": False} if lore.level_of_delay else {})
        return self._through(self.maker.changed(lore, fields), self.scan.passes[0], fields)

    def _through(self, lore: PreparedEntry, this: Pass, fields: Fields) -> NearestChange:
        """Fields needed to win its groups, pass its probability and fit the budget in this pass."""
        contest = self._contests[this.number]
        if lore.groups:
            fields |= contest.group_fix(lore)
        if not self.scan.would_have_luck(lore) and not self.scan.clock.is_sticky(lore):
            fields["probability"] = 100
        if not contest.has_room_for(lore):
            fields["ignoreBudget"] = True
        return NearestChange(entry=fields)

    # --- being called

    def _way(self, lore: PreparedEntry) -> tuple[Fields, Pass] | None:
        """Fields that make its keys match without another message, and the pass in which they do."""
        this = self._comes_in(lore)
        if this is not None:
            return {}, this
        reachable = lore.is_certain or self.key_matches.is_anywhere(lore.own)
        if not reachable and not any(isinstance(key, Key) and not key.is_plain for key in lore.primary):
            return None
        for fields in self._deeper(lore):
            return fields, self.scan.passes[0]
        for fields in self._looser(lore):
            this = self._comes_in(self.maker.changed(lore, fields))
            if this is not None:
                return fields, this
        return None

    def _comes_in(self, lore: PreparedEntry) -> Pass | None:
        """The first pass in which keys and recursion gates let the entry take part."""
        if not lore.is_certain and not lore.entry.sticky and not self.key_matches.is_anywhere(lore.own):
            return None
        return next((this for this in self.scan.passes if self.scan.what_stops(lore, this) is None), None)

    def _deeper(self, lore: PreparedEntry) -> Iterator[Fields]:
        """Scan depths at which its keys are found in messages: the usual case, without preparing it again."""
        if lore.level_of_delay or lore.is_certain:
            return
        for depth in self._depths(lore):
            if self.key_matches.matches(lore, before=1, depth=depth):
                if self.key_matches.agrees(lore, before=1, depth=depth):
                    yield {"scanDepth": depth}
                elif depth == lore.depth:
                    yield {"selective": False}
                else:
                    yield {"scanDepth": depth, "selective": False}

    def _depths(self, lore: PreparedEntry) -> list[int]:
        """The depth it has, then those at which one more key comes into sight: agreeing ones before others."""
        own = [hit.text + 1 for n in lore.own if (hit := self.key_matches.chat.get(n))]
        if not own:
            return []
        least = min(own)
        if not lore.secondary or not lore.entry.selective:
            return [max(least, lore.depth)]
        more = [hit.text + 1 for n in lore.second if (hit := self.key_matches.chat.get(n))]
        depths = sorted({max(depth, least, lore.depth) for depth in (*own, *more)})
        agreeing = [depth for depth in depths if self.key_matches.agrees(lore, before=1, depth=depth)]
        return agreeing[:1] or depths[:1]

    def _looser(self, lore: PreparedEntry) -> Iterator[Fields]:
        """Settings that make its keys match less strictly, one at a time first."""
        switches: list[Fields] = []
        if lore.level_of_delay:
            switches.append({"delayUntilRecursion": False})
        if lore.entry.exclude_recursion:
            switches.append({"excludeRecursion": False})
        strict = [key for key in lore.primary if isinstance(key, Key) and not key.is_plain]
        if any(key.case_sensitive for key in strict):
            switches.append({"caseSensitive": False})
        if any(key.whole_words for key in strict):
            switches.append({"matchWholeWords": False})
        for source, switch in SWITCHES.items():
            if source in self.key_matches.about and source not in lore.sources:
                switches.append({_alias(switch): True})
        if lore.secondary and lore.entry.selective:
            switches.append({"selective": False})
        yield from switches
        for i, first in enumerate(switches):
            for second in switches[i + 1 :]:
                yield first | second
        loosest: Fields = {}
        for fields in switches:
            loosest |= fields
        if len(switches) > 2:
            yield loosest
        for depth in self._depths(self.maker.changed(lore, loosest)):
            if depth > lore.depth:
                yield from ({**fields, "scanDepth": depth} for fields in (*switches, loosest))


def keeps_out(lore: PreparedEntry, matched_keys: tuple[str, ...], scan: Activation) -> NearestChange:
    """The change that blocks a fired entry: its matched keys removed if nothing else makes it fire, else disabled."""
    rest = [(key.text, n) for key, n in zip(lore.primary, lore.own, strict=True) if key.text not in matched_keys]
    free = not lore.groups and not scan.budget_can_bind and lore.book_limit is None
    plain = free and not lore.is_certain and not lore.entry.sticky and not lore.entry.keys
    plain = plain and not scan.passes[-1].is_beyond and len(lore.primary) == len(lore.entry.key)
    if plain and matched_keys and not scan.key_matches.is_anywhere([n for _, n in rest]):
        return NearestChange(entry={"key": [text for text, _ in rest]})
    return NearestChange(entry={"disable": True})


def _alias(field: str) -> str:
    head, *more = field.split("_")
    return head + "".join(part.capitalize() for part in more)
