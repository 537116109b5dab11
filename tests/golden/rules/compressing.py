"""Compression of conversations: where ours differs from the reference on purpose."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules.rule import Rule

SUMMARY = "SUMMARY"
NUMBERS = ("protectRecentCount", "compressCount", "minHistoryCount", "tokenThreshold", "countThreshold")


class _Plain:
    """The steps of a case on dicts: whole exchanges, 0 is 0, earlier summaries are folded in."""

    def __init__(self, case: Case) -> None:
        self.events: set[str] = set()
        self.nodes: dict[str, Data] = deepcopy(case.input["detail"]["nodes"])
        self.leaf: str = case.input["detail"]["activeLeafId"]
        self.log: list[Data] = []
        self.requests: list[Data] = []
        self.made = 0
        for step in case.input["steps"]:
            self._do(*step)

    def result(self) -> Data:
        nodes = {key: _form(node) for key, node in sorted(self.nodes.items())}
        return {"log": self.log, "tree": {"leaf": self.leaf, "nodes": nodes}, "requests": self.requests}

    def _do(self, name: str, given: Any, summary: str = SUMMARY) -> None:
        if name == "disable":
            self.nodes[f"NEW{self.made}"]["isEnabled"] = False
            self.events.add("disabled summary")
            self.log[-1]["sent"] = self._sent()
        elif name == "addAfterLeaf":
            for n in range(given):
                self._hang(f"x{n}", self.leaf, "user" if n % 2 == 0 else "assistant", f"extra {n}")
                self.leaf = f"x{n}"
        elif name == "manual" or self._fires(given):
            self._compress(given, summary)
        else:
            self.log.append({"success": False, "messages": 0, "sent": self._sent()})

    def _fires(self, config: Data) -> bool:
        shown = self._shown()
        if not config["enabled"] or not config.get("autoTrigger", True) or len(shown) + 1 < config["minHistoryCount"]:
            return False
        if config.get("triggerMode") == "count":
            return len(shown) + 1 > config["countThreshold"]
        return sum(self.nodes[key]["metadata"].get("tokenCount", 0) for key in shown) > config["tokenThreshold"]

    def _compress(self, config: Data, summary: str) -> None:
        shown = self._shown()
        old = [key for key in shown if self._hides(key)]
        free = [key for key in shown if key not in old and self.nodes[key]["role"] != "system"]
        protect = config["protectRecentCount"]
        chosen = free[: max(0, len(free) - protect)][: config["compressCount"]]
        if protect == 0:
            self.events.add("zero")
        while chosen and not self._is_followed_by_user(chosen[-1], shown):
            chosen.pop()
            self.events.add("half an exchange")
        if not chosen:
            self.log.append({"success": False, "messages": 0, "sent": self._sent()})
            return
        hidden = [key for each in old for key in (*self._hides(each), each)] + chosen
        originals = [key for key in hidden if not self._hides(key)]
        self.events |= {"folded"} if old else set()
        texts = [self.nodes[key]["content"] for key in (*old, *chosen)]
        self.requests.append({"temperature": 0.3, "most": 4096, "messages": texts})
        self.made += 1
        new = f"NEW{self.made}"
        children = self.nodes[chosen[-1]]["childrenIds"]
        self.nodes[chosen[-1]]["childrenIds"] = []
        self._hang(new, chosen[-1], "system", summary)
        self.nodes[new]["childrenIds"] = list(children)
        for child in children:
            self.nodes[child]["parentId"] = new
        self.nodes[new]["metadata"] = {
            "isCompressionNode": True,
            "compressedNodeIds": hidden,
            "originalTokenCount": sum(self.nodes[key]["metadata"].get("tokenCount", 0) for key in originals),
            "originalMessageCount": len(originals),
            "triggerMode": config.get("triggerMode", "token"),
            "thresholds": {
                "tokenThreshold": config["tokenThreshold"],
                "countThreshold": config.get("countThreshold", 50),
            },
            "summaryRole": "system",
        }
        self.log.append({"success": True, "messages": len(chosen), "sent": self._sent()})

    def _hang(self, key: str, parent: str, role: str, content: str) -> None:
        links = {"parentId": parent, "childrenIds": []}
        self.nodes[key] = {**links, "role": role, "content": content, "isEnabled": True, "metadata": {}}
        self.nodes[parent]["childrenIds"] = [*self.nodes[parent]["childrenIds"], key]

    def _is_followed_by_user(self, key: str, shown: list[str]) -> bool:
        following = shown[shown.index(key) + 1 :]
        return not following or self.nodes[following[0]]["role"] == "user"

    def _hides(self, key: str) -> list[str]:
        return self.nodes[key]["metadata"].get("compressedNodeIds", [])

    def _shown(self) -> list[str]:
        """Ids of the messages on the path that are sent, oldest first."""
        path: list[str] = []
        key = self.leaf
        while self.nodes[key]["parentId"] is not None:
            path.insert(0, key)
            key = self.nodes[key]["parentId"]
        on = [key for key in path if self.nodes[key].get("isEnabled", True)]
        hidden = {each for key in on for each in self._hides(key)}
        return [key for key in on if key not in hidden]

    def _sent(self) -> list[str]:
        return [f"{self.nodes[key]['role']}: {self.nodes[key]['content']}" for key in self._shown()]


def _form(node: Data) -> Data:
    form = {name: node[name] for name in ("parentId", "childrenIds", "role", "content", "isEnabled")}
    return form | (node["metadata"] if "isCompressionNode" in node["metadata"] else {})


def _ours(case: Case) -> Any:
    return _Plain(case).result()


def _happens(case: Case, event: str) -> bool:
    return "steps" in case.input and event in _Plain(case).events


def _has_a_zero(case: Case) -> bool:
    return "config" in case.input and any(case.input["config"].get(name) == 0 for name in NUMBERS)


def _over(case: Case) -> bool:
    """Whether a prompt is over a token threshold that the case names, with as many messages as it needs by default."""
    size, config = case.input["context"], case.input["config"]
    return size["historyCount"] >= config.get("minHistoryCount", 15) and size["totalTokens"] > config["tokenThreshold"]


FILES = ("compression",)
RULES = (
    Rule(
        "decisions, Compression: 0 is a threshold",
        "None means the default and 0 means 0; the reference takes 0 for a value that is missing.",
        FILES,
        _has_a_zero,
        _over,
    ),
    Rule(
        "decisions, Compression: 0 protects nothing",
        "None means the default and 0 means 0; the reference takes 0 for a value that is missing.",
        FILES,
        lambda case: _happens(case, "zero"),
        _ours,
    ),
    Rule(
        "decisions, Compression: whole exchanges",
        "A question never goes without its answer; the reference counts messages.",
        FILES,
        lambda case: _happens(case, "half an exchange"),
        _ours,
    ),
    Rule(
        "decisions, Compression: folds earlier summaries in",
        "One summary stands for all; the reference adds one at each time and never passes the earlier one on.",
        FILES,
        lambda case: _happens(case, "folded"),
        _ours,
    ),
    Rule(
        "decisions, Nodes: a disabled summary hides itself",
        "A summary that is switched off is not sent beside the messages that it stood for.",
        FILES,
        lambda case: _happens(case, "disabled summary"),
        _ours,
    ),
)
