"""Lore: passes over all entries until nothing new comes."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]


def read(given: Json) -> Json:
    """The entries that fire and what stops the others."""
    return _Scan(given).result()


class _Scan:
    def __init__(self, given: Json) -> None:
        self.given = given
        self.rules = given.get("settings", {})
        self.texts = [each["content"] for each in given["messages"]]
        self.length = len(self.texts)
        self.fired: list[Json] = []
        self.why: dict[str, str] = {}
        self.lore: list[str] = []
        self.spent = 0
        self.full = False
        self.unlucky: set[int] = set()

    def result(self) -> Json:
        waiting = [each for each in self.given["entries"] if not self._shut(each)]
        number, calling = 1, True
        while calling:
            coming = self._in_order([each for each in waiting if each not in self.fired and self._comes(each, number)])
            if number > self.rules.get("maxPasses", 20):
                self.why |= {str(each["uid"]): "pass-limit" for each in coming}
                break
            new = self._paid([each for each in self._winners(coming) if self._lucky(each)])
            self.fired += new
            self.lore += [each["content"] for each in new if not each.get("preventRecursion")]
            calling = self.rules.get("recursion", True) and not self.full
            calling = calling and any(not each.get("preventRecursion") for each in new)
            number += 1
        done = {each["uid"] for each in self.fired}
        blocked = {uid: gate for uid, gate in self.why.items() if int(uid) not in done}
        return {"fired": [each["uid"] for each in self.fired], "blocked": blocked, "spent": self.spent}

    def _stop(self, entry: Json, gate: str) -> bool:
        self.why[str(entry["uid"])] = gate
        return False

    def _since(self, entry: Json) -> int | None:
        at = self.given.get("firedAt", {}).get(str(entry["uid"]))
        ids = [each["id"] for each in self.given["messages"]]
        return self.length - 1 - ids.index(at) if at in ids else None

    def _sticky(self, entry: Json) -> bool:
        since = self._since(entry)
        return since is not None and 0 < since < entry.get("sticky", 0)

    def _shut(self, entry: Json) -> bool:
        since, sticky = self._since(entry), entry.get("sticky", 0)
        names = [self.given.get("character")]
        decorator = entry["content"].split("\n")[0]
        for shut, gate in (
            (entry.get("disable"), "disabled"),
            ("triggers" in entry and self.given.get("trigger", "normal") not in entry["triggers"], "trigger"),
            ("only" in entry and not set(entry["only"]) & set(names), "character-filter"),
            (bool(set(entry.get("except", ())) & set(names)), "character-filter"),
            (self.length < entry.get("delay", 0), "delay"),
            (since is not None and max(sticky, 1) <= since < sticky + entry.get("cooldown", 0), "cooldown"),
            (decorator == "@@dont_activate", "decorator"),
        ):
            if shut:
                self._stop(entry, gate)
                return True
        return False

    def _comes(self, entry: Json, number: int) -> bool:
        if self._sticky(entry):
            return True
        if entry["uid"] in self.unlucky:
            return False
        if entry.get("delayUntilRecursion") and number == 1:
            return self._stop(entry, "recursion-only")
        if entry.get("excludeRecursion") and number > 1:
            named = any(self._in(key, self.lore, entry) for key in entry["keys"])
            return self._stop(entry, "not-in-recursion") if named else False
        if entry.get("constant") or entry["content"].startswith("@@activate\n"):
            return True
        places = self._places(entry)
        if not any(self._in(key, places, entry) for key in entry["keys"]):
            return self._stop(entry, "no-key")
        second = entry.get("secondary", [])
        if not second or entry.get("selective") is False:
            return True
        found = [self._in(key, places, entry) for key in second]
        tests = {"and_any": any(found), "and_all": all(found), "not_any": not any(found), "not_all": not all(found)}
        return tests[entry.get("logic", "and_any")] or self._stop(entry, "secondary-keys")

    def _places(self, entry: Json) -> list[str]:
        depth = entry.get("scanDepth", self.rules.get("scanDepth", 2))
        places = self.texts[self.length - min(depth, self.length) :]
        places = [*places, self.given.get("persona", "")] if entry.get("persona") else places
        return places if entry.get("excludeRecursion") else [*places, *self.lore]

    def _in(self, key: str, places: list[str], entry: Json) -> bool:
        key = key.replace("{{user}}", self.given.get("user", "{{user}}"))
        key = key.replace("{{char}}", self.given.get("character", "{{char}}"))
        if pattern := re.fullmatch("/(.+)/([a-z]*)", key):
            return any(re.search(pattern[1], text, re.I if "i" in pattern[2] else 0) for text in places)
        case = entry.get("caseSensitive", self.rules.get("caseSensitive", False))
        whole = entry.get("wholeWords", self.rules.get("wholeWords", False))
        edge = "(?<![A-Za-z0-9_])", "(?![A-Za-z0-9_])"
        pattern = (
            re.escape(key) if not whole or not key.isascii() or " " in key else f"{edge[0]}{re.escape(key)}{edge[1]}"
        )
        return any(re.search(pattern, text, 0 if case else re.I) for text in places)

    def _in_order(self, coming: list[Json]) -> list[Json]:
        def certain(each: Json) -> bool:
            return bool(each.get("constant")) or each["content"].startswith("@@activate\n")

        return sorted(coming, key=lambda each: (not self._sticky(each), not certain(each), -each.get("order", 100)))

    def _winners(self, coming: list[Json]) -> list[Json]:
        lost: set[int] = set()
        groups = dict.fromkeys(name for each in coming for name in each.get("group", "").split(",") if name)
        for name in groups:
            members = [each for each in coming if name in each.get("group", "").split(",")]
            if any(name in each.get("group", "").split(",") for each in self.fired):  # it was won in an earlier pass
                lost |= {each["uid"] for each in members}
                continue
            if any(each.get("scoring") for each in members):
                score = {
                    each["uid"]: sum(self._in(key, self._places(each), each) for key in each["keys"])
                    for each in members
                }
                members = [each for each in members if score[each["uid"]] == max(score.values())]
                lost |= score.keys() - {each["uid"] for each in members}
            winner = next((each for each in members if each.get("override")), None)
            if winner is None and len(members) > 1:
                weights = [each.get("weight", 100) for each in members]
                at = self.given["dice"][f"group:{name}"] * sum(weights)
                winner = next(each for n, each in enumerate(members) if at <= sum(weights[: n + 1]))
            lost |= {each["uid"] for each in members if winner is not None and each is not winner}
        for each in coming:
            if each["uid"] in lost:
                self._stop(each, "group")
        return [each for each in coming if each["uid"] not in lost]

    def _lucky(self, entry: Json) -> bool:
        chance = entry.get("probability", 100)
        if self._sticky(entry) or chance >= 100 or entry.get("useProbability") is False:
            return True
        if self.given["dice"][str(entry["uid"])] * 100 <= chance:
            return True
        self.unlucky.add(entry["uid"])
        return self._stop(entry, "probability")

    def _paid(self, winners: list[Json]) -> list[Json]:
        limits = [limit for limit in (self.rules.get("budget"), self.given.get("bookBudget")) if limit is not None]
        out: list[Json] = []
        for each in winners:
            words = each["content"].removeprefix("@@activate\n")
            cost = len(words) if self.given.get("counter", {}).get("unit") == "characters" else len(words.split())
            fits = not limits or (not self.full and self.spent + cost <= min(limits))
            if fits or each.get("ignoreBudget"):
                self.spent += cost
                out.append(each)
            else:
                self.full = self.rules.get("overflow", "stop") == "stop"
                self._stop(each, "budget")
        return out
