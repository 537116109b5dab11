"""The nearest change: the smallest that would have made an entry fire, through all gates that stand in its way.

A change is plain data: `entry` has fields of the entry as in its file, `message` the words of one more message at the
end, `settings` rules of the scan, `book` fields of the book. What is offered holds for the same dice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxlab.engines.worldbook.activation import Activation, Pass
from ctxlab.engines.worldbook.counterfactual.groups_and_budget import Contest
from ctxlab.engines.worldbook.counterfactual.one_more_message import OneMore
from ctxlab.engines.worldbook.keys import Key
from ctxlab.engines.worldbook.prepared_entry import Lore
from ctxlab.engines.worldbook.scan_input import SWITCHES

Change = Mapping[str, Any]
Fields = dict[str, Any]


class Nearest:
    """Finds the nearest change for entries of a scan that is over."""

    def __init__(self, scan: Activation) -> None:
        self.scan, self.sight, self.maker = scan, scan.sight, scan.maker
        self._contests = {this.number: Contest(this, scan) for this in scan.passes}
        self._one_more: OneMore | None = None

    def of(self, lore: Lore) -> Change:
        """What would make an entry fire that didn't."""
        fields: Fields = {}
        for refusal in self.scan.refused.get(lore.index, ()):
            fields.update(refusal.fix)
        changed = self.maker.changed(lore, fields) if fields else lore
        way = self._way(changed)
        if way is None:
            return self._said(changed, fields)
        more, this = way
        fields |= more
        if more:
            changed = self.maker.changed(lore, fields)
        change = self._through(changed, this, fields)
        if this.is_beyond:
            change["settings"] = {"max_passes": this.number}
        return change

    def _said(self, lore: Lore, fields: Fields) -> Change:
        """With one more message that has its words, or without need for any."""
        if self._one_more is None:
            self._one_more = OneMore(self.scan)
        words, more = self._one_more.words_for(lore)
        fields |= more
        if words is not None:
            return {"message": words, **({"entry": fields} if fields else {})}
        fields |= {"constant": True} | ({"delayUntilRecursion": False} if lore.level_of_delay else {})
        return self._through(self.maker.changed(lore, fields), self.scan.passes[0], fields)

    def _through(self, lore: Lore, this: Pass, fields: Fields) -> dict[str, Any]:
        """With what it takes to win its groups, to be lucky and to fit in a pass where it is its turn."""
        contest = self._contests[this.number]
        if lore.groups:
            fields |= contest.group_fix(lore)
        if not self.scan.has_luck(lore) and not self.scan.clock.is_sticky(lore):
            fields["probability"] = 100
        if not contest.has_room_for(lore):
            fields["ignoreBudget"] = True
        return {"entry": fields} if fields else {}

    # --- being called

    def _way(self, lore: Lore) -> tuple[Fields, Pass] | None:
        """Fields that make it its turn without another word being said, and the pass in which it comes."""
        this = self._comes_in(lore)
        if this is not None:
            return {}, this
        reachable = lore.is_certain or self.sight.is_anywhere(lore.own)
        if not reachable and not any(isinstance(key, Key) and not key.is_plain for key in lore.primary):
            return None
        for fields in self._deeper(lore):
            return fields, self.scan.passes[0]
        for fields in self._looser(lore):
            this = self._comes_in(self.maker.changed(lore, fields))
            if this is not None:
                return fields, this
        return None

    def _comes_in(self, lore: Lore) -> Pass | None:
        """The first pass in which it would be its turn."""
        if not lore.is_certain and not lore.entry.sticky and not self.sight.is_anywhere(lore.own):
            return None
        return next((this for this in self.scan.passes if self.scan.what_stops(lore, this) is None), None)

    def _deeper(self, lore: Lore) -> Iterator[Fields]:
        """Scan depths at which its keys stand in the messages: the usual case, without making the entry anew."""
        if lore.level_of_delay or lore.is_certain:
            return
        for depth in self._depths(lore):
            if self.sight.matches(lore, before=1, depth=depth):
                if self.sight.agrees(lore, before=1, depth=depth):
                    yield {"scanDepth": depth}
                elif depth == lore.depth:
                    yield {"selective": False}
                else:
                    yield {"scanDepth": depth, "selective": False}

    def _depths(self, lore: Lore) -> list[int]:
        """The depth it has, then those at which one more key comes into sight: agreeing ones before others."""
        own = [hit.text + 1 for n in lore.own if (hit := self.sight.chat.get(n))]
        if not own:
            return []
        least = min(own)
        if not lore.secondary or not lore.entry.selective:
            return [max(least, lore.depth)]
        more = [hit.text + 1 for n in lore.second if (hit := self.sight.chat.get(n))]
        depths = sorted({max(depth, least, lore.depth) for depth in (*own, *more)})
        agreeing = [depth for depth in depths if self.sight.agrees(lore, before=1, depth=depth)]
        return agreeing[:1] or depths[:1]

    def _looser(self, lore: Lore) -> Iterator[Fields]:
        """Switches that keep its keys from being seen, one at a time first."""
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
            if source in self.sight.about and source not in lore.sources:
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


def keeps_out(lore: Lore, matched_keys: tuple[str, ...], scan: Activation) -> Change:
    """What would have kept an entry out that fired: the keys that were found, where it has no other reason."""
    rest = [(key.text, n) for key, n in zip(lore.primary, lore.own, strict=True) if key.text not in matched_keys]
    free = not lore.groups and scan.asked.rules.budget_tokens is None and lore.book_limit is None
    plain = free and not lore.is_certain and not lore.entry.sticky and not lore.entry.keys
    plain = plain and not scan.passes[-1].is_beyond and len(lore.primary) == len(lore.entry.key)
    if plain and matched_keys and not scan.sight.is_anywhere([n for _, n in rest]):
        return {"entry": {"key": [text for text, _ in rest]}}
    return {"entry": {"disable": True}}


def _alias(field: str) -> str:
    head, *more = field.split("_")
    return head + "".join(part.capitalize() for part in more)
