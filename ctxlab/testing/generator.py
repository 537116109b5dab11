"""Sessions of any size from a seed: English and Chinese prose, code, logs and tool calls, no two messages alike."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import repeat
from random import Random
from typing import Any, Literal

Json = dict[str, Any]
Kind = Literal["user", "call", "result", "answer"]

START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
AGENT_ID = "agent-generated"
MODEL_ID = "gpt-4o"

#: What a message of each kind weighs against the others; scaled so that the mean comes out as asked.
WEIGHTS: dict[Kind, float] = {"user": 0.45, "call": 0.3, "result": 1.7, "answer": 1.35}

#: Every fourth round of tool calls asks for two at once.
RESULTS_PER_ROUND = 1.25

#: With more, a single exchange would need an unbounded number of rounds.
LARGEST_TOOL_SHARE = 0.45


def generated_session(
    messages: int = 1000,
    *,
    seed: int = 0,
    tokens_per_message: int = 120,
    tool_share: float = 0.15,
    branches: int = 0,
) -> Json:
    """A session as the stored JSON's plain data, the same for the same arguments, with dates from January 2026 on.

    `messages` counts the nodes below the root on the active path, `tokens_per_message` the mean of their contents in
    o200k_base (arguments of calls come on top), `tool_share` the part of them that are tool results, in [0, 0.45].
    Every call is answered before the next assistant message. `branches` is a number of further regenerated answers:
    leaves beside the path, not counted in `messages`.

    >>> session = generated_session(3, tool_share=0)
    >>> [node["role"] for node in session["nodes"].values()]
    ['system', 'user', 'assistant', 'user']
    """
    if messages < 0 or branches < 0 or tokens_per_message < 1:
        raise ValueError(
            f"messages and branches must be 0 or more and tokens_per_message 1 or more, "
            f"not {messages!r}, {branches!r} and {tokens_per_message!r}"
        )
    if not 0 <= tool_share <= LARGEST_TOOL_SHARE:
        raise ValueError(f"tool_share must lie in [0, {LARGEST_TOOL_SHARE}], not {tool_share!r}")
    kinds = _kinds(messages, tool_share)
    unit = tokens_per_message * len(kinds) / (sum(WEIGHTS[kind] for kind in kinds) or 1)
    writer = _Writer(seed, unit)
    nodes = writer.path(kinds)
    leaf = next(reversed(nodes))
    writer.add_branches(nodes, branches)
    return {
        "id": f"session-generated-{seed}",
        "name": f"{messages} generated messages",
        "createdAt": _stamp(START),
        "updatedAt": _stamp(writer.now),
        "rootNodeId": "root",
        "activeLeafId": leaf,
        "nodes": nodes,
    }


def generated_agent() -> Json:
    """The agent that the generated sessions name: a system preset, an anchor injection and one at depth 3."""
    history = {"id": "preset-history", "type": "chat_history", "role": "system", "content": "", "isEnabled": True}
    return {
        "id": AGENT_ID,
        "name": "Greenhouse",
        "displayName": "Greenhouse",
        "description": "Looks after the pumps, vents and sensors of a large greenhouse.",
        "profileId": "profile-generated",
        "modelId": MODEL_ID,
        "presetMessages": [
            _preset(
                "preset-role",
                "You look after a greenhouse with twelve bays. Read the sensors before you give advice, name the bay "
                "you speak of, and answer in the language of the question.",
            ),
            _preset(
                "preset-today",
                "The conversation with the gardeners follows. 以下是与园丁的对话。",
                {"type": "anchor", "anchorTarget": "chat_history", "anchorPosition": "before", "order": 100},
            ),
            history,
            _preset(
                "preset-units",
                "Degrees are Celsius, pressures bar, water litres per hour.",
                {"type": "depth", "depth": 3, "order": 100},
            ),
        ],
        "parameters": {
            "contextManagement": {"enabled": True, "maxContextTokens": 8000, "retainedCharacters": 200},
        },
        "toolCallConfig": {"enabled": True, "convertToolRoleToUser": False},
    }


def _preset(preset_id: str, content: str, strategy: Json | None = None) -> Json:
    preset: Json = {"id": preset_id, "role": "system", "content": content, "isEnabled": True}
    return preset if strategy is None else {**preset, "injectionStrategy": strategy}


def _kinds(messages: int, tool_share: float) -> list[Kind]:
    """The kinds of all messages in order; the rounds of calls are spread evenly, and none is left open at the end."""
    rounds_per_exchange = 2 * tool_share / (RESULTS_PER_ROUND - tool_share * (1 + RESULTS_PER_ROUND))
    kinds: list[Kind] = []
    owed, rounds = 0.0, 0
    while len(kinds) < messages:
        kinds.append("user")
        owed += rounds_per_exchange
        while owed >= 1:
            results = 2 if rounds % 4 == 3 else 1
            if len(kinds) + 1 + results > messages:
                break
            kinds.append("call")
            kinds.extend(repeat("result", results))
            owed, rounds = owed - 1, rounds + 1
        if len(kinds) < messages:
            kinds.append("answer")
    return kinds


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


class _Writer:
    """Writes the nodes of one session, `unit` tokens for a message of weight 1.

    What one text runs over its length is taken off the next, so that the mean isn't pushed up by whole sentences.
    """

    def __init__(self, seed: int, unit: float) -> None:
        self.random = Random(seed)
        self.unit = unit
        self.now = START
        self.surplus = 0.0
        self.seen: set[str] = set()
        self.calls = 0

    def path(self, kinds: list[Kind]) -> dict[str, Json]:
        """The root and one node per kind below it, each the only child of the one before."""
        root = _node("root", None, "system", "", START, {})
        nodes = {"root": root}
        open_calls: list[Json] = []
        parent = root
        for index, kind in enumerate(kinds, 1):
            self.now += timedelta(seconds=self.random.randrange(5, 240))
            metadata: Json = {}
            match kind:
                case "user":
                    role, content = "user", self.prose(kind)
                case "result":
                    call = open_calls.pop(0)
                    role, content = "tool", self.output(call["toolName"])
                    metadata = {"toolCall": self.answered(call)}
                case "call":
                    results = 2 if kinds[index : index + 2] == ["result", "result"] else 1
                    open_calls = [self.call() for _ in range(results)]
                    role, content = "assistant", self.prose(kind)
                    metadata = {"agentId": AGENT_ID, "modelId": MODEL_ID, "toolCallsRequested": list(open_calls)}
                case "answer":
                    role, content = "assistant", self.prose(kind)
                    metadata = {"agentId": AGENT_ID, "modelId": MODEL_ID}
            node = _node(f"m{index}", parent["id"], role, content, self.now, metadata)
            parent["childrenIds"] = [node["id"]]
            parent["lastSelectedChildId"] = node["id"]
            nodes[node["id"]] = parent = node
        return nodes

    def add_branches(self, nodes: dict[str, Json], count: int) -> None:
        """Put `count` leaves beside answers of the path, as first tries that were regenerated."""
        answers = [
            node
            for node in nodes.values()
            if node["role"] == "assistant" and "toolCallsRequested" not in node["metadata"]
        ]
        if count and not answers:
            raise ValueError(f"{count!r} branches need an answer to stand beside, and this session has none")
        for index in range(1, count + 1):
            kept = self.random.choice(answers)
            branch: Json = {**kept, "id": f"b{index}", "childrenIds": [], "content": self.prose("answer")}
            branch.pop("lastSelectedChildId", None)
            branch["metadata"] = dict(kept["metadata"])
            nodes[branch["id"]] = branch
            nodes[kept["parentId"]]["childrenIds"].insert(0, branch["id"])

    def call(self) -> Json:
        self.calls += 1
        tool = self.random.choice(TOOLS)
        bay, module = self.random.randrange(1, 13), self.random.choice(NOUNS)
        arguments: dict[str, Json] = {
            "read_file": {"path": f"controls/{module}_{bay}.py"},
            "read_log": {"bay": bay, "lines": self.random.randrange(20, 90)},
            "find_notes": {"query": self.random.choice(THINGS_ZH), "limit": self.random.randrange(3, 9)},
        }
        return {"requestId": f"call_{self.calls}", "toolName": tool, "args": arguments[tool], "status": "approved"}

    def answered(self, call: Json) -> Json:
        return {
            "requestId": call["requestId"],
            "toolName": call["toolName"],
            "status": "success",
            "durationMs": self.random.randrange(15, 900),
            "rawArgs": json.dumps(call["args"], ensure_ascii=False),
        }

    def prose(self, kind: Kind) -> str:
        """A message of a person or the model: mostly English, three in ten Chinese, some answers half code."""
        budget = self.budget(kind)
        chinese = self.random.random() < 0.3
        piece, rate, gap = (self.chinese, CHINESE_RATE, "") if chinese else (self.english, ENGLISH_RATE, " ")
        if kind == "answer" and self.random.random() < 0.25:
            words = self.text(budget * 0.5, piece, rate, gap)
            code = self.text(budget * 0.5, self.code, CODE_RATE, "\n")
            return f"{words}\n\n```python\n{code}\n```"
        return self.text(budget, piece, rate, gap)

    def output(self, tool: str) -> str:
        budget = self.budget("result")
        if tool == "read_file":
            return self.text(budget, self.code, CODE_RATE, "\n")
        if tool == "read_log":
            return self.text(budget, self.log, LOG_RATE, "\n")
        return self.text(budget, self.chinese, CHINESE_RATE, "\n")

    def budget(self, kind: Kind) -> float:
        return self.unit * WEIGHTS[kind] * self.random.uniform(0.5, 1.5)

    def text(self, budget: float, piece: Callable[[], str], rate: float, gap: str) -> str:
        """About `budget` tokens of pieces, at `rate` tokens per character; never empty, never twice the same."""
        pieces: list[str] = []
        size = self.surplus
        while not pieces or size < budget or gap.join(pieces) in self.seen:
            pieces.append(piece())
            size += (len(pieces[-1]) + len(gap)) * rate
        text = gap.join(pieces)
        self.seen.add(text)
        self.surplus = size - budget
        return text

    def english(self) -> str:
        pick = self.random.choice
        start, verb, thing, tail = pick(STARTS_EN), pick(VERBS_EN), pick(THINGS_EN), pick(TAILS_EN)
        return f"{start} {verb} {thing} {tail.format(self.random.randrange(2, 400))}"

    def chinese(self) -> str:
        pick = self.random.choice
        start, verb, thing, tail = pick(STARTS_ZH), pick(VERBS_ZH), pick(THINGS_ZH), pick(TAILS_ZH)
        return f"{start}{verb}{thing}，{tail.format(self.random.randrange(2, 400))}"

    def code(self) -> str:
        pick, number = self.random.choice, self.random.randrange(2, 400)
        return pick(CODE).format(a=pick(NOUNS), b=pick(NOUNS), verb=pick(VERBS_CODE), n=number)

    def log(self) -> str:
        rng = self.random
        level, part = rng.choice(LEVELS), rng.choice(NOUNS)
        seconds = rng.randrange(86_400)
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        return (
            f"{clock} {level} bay{rng.randrange(1, 13)}.{part} {rng.choice(EVENTS)} value={rng.randrange(4000) / 100}"
        )


def _node(node_id: str, parent_id: str | None, role: str, content: str, moment: datetime, metadata: Json) -> Json:
    return {
        "id": node_id,
        "parentId": parent_id,
        "childrenIds": [],
        "role": role,
        "content": content,
        "status": "complete",
        "isEnabled": True,
        "timestamp": _stamp(moment),
        "metadata": metadata,
    }


STARTS_EN = (
    "Before the sun reached the east wall, the night shift",
    "This morning Oda",
    "According to the paper log, somebody",
    "If I read the chart correctly, the controller",
    "Since we changed the glazing, the old thermostat",
    "Whenever the wind turns north, the vent motor",
    "The apprentice, who is careful with such things,",
    "Contrary to the manual, the second pump",
    "As far as I remember, nobody but the caretaker",
    "After the frost in bay nine, our supplier",
    "For reasons that I don't understand yet, the mixer",
    "On Thursdays the timer",
    "The sensor that we doubted most",
    "At half past five the sprinkler",
    "Judging by the puddle, the return valve",
    "Even with both doors open, the fan",
)
VERBS_EN = (
    "had already adjusted",
    "reported twice and then ignored",
    "compared",
    "quietly replaced",
    "never switched off",
    "seems to have doubled",
    "measured",
    "forgot about",
    "would rather not touch",
    "slowly emptied",
    "kept an eye on",
    "calibrated again",
    "lost track of",
    "cleaned",
)
THINGS_EN = (
    "the drip lines under the tomatoes",
    "the humidity near the orchid table",
    "the set point for the night",
    "the filter of the rain tank",
    "the readings from the soil probes",
    "the circulation in the propagation bench",
    "the shade cloth over the seedlings",
    "the nutrient mix for the peppers",
    "the boiler's return temperature",
    "the roof vents on the lee side",
    "the float switch in the lower basin",
    "the carbon dioxide valve",
    "the lamps above the lettuce",
    "the spare relay in the cabinet",
)
TAILS_EN = (
    "for {} minutes without anyone noticing.",
    "and wrote {} on the back of the delivery note.",
    "although the alarm stood at {}.",
    "until the counter showed {}.",
    "because row {} had been dry since Monday.",
    "which explains a difference of {} litres.",
    "so we should look at plot {} as well.",
    "and would like to know whether {} is still the limit.",
    "but that was {} days ago.",
    "in spite of order {}, which says the opposite.",
    "at a cost of about {} euros.",
    "as ticket {} asked us to.",
)
STARTS_ZH = (
    "今天清晨值班的同事",
    "三号棚的控制器",
    "据纸质记录，昨晚有人",
    "新来的学徒",
    "换过玻璃以后，旧的温控器",
    "一刮北风，天窗电机",
    "和说明书写的不一样，备用水泵",
    "不知为什么，搅拌器",
    "每逢周四，定时器",
    "我们最怀疑的那只探头",
    "看地上的水迹，回水阀",
    "就算两扇门都开着，风机",
)
VERBS_ZH = (
    "又调低了",
    "悄悄换掉了",
    "一直没有关",
    "重新校准了",
    "只检查了一半",
    "慢慢放空了",
    "误报了",
    "不再理会",
    "比较了",
    "清洗了",
)
THINGS_ZH = (
    "番茄架下的滴灌管",
    "兰花台旁的湿度",
    "夜间的设定温度",
    "雨水箱的滤网",
    "土壤探头的读数",
    "育苗床的水循环",
    "幼苗上方的遮阳网",
    "辣椒的营养液配比",
    "锅炉的回水温度",
    "背风面的天窗",
    "下层水池的浮球开关",
    "生菜上方的补光灯",
)
TAILS_ZH = (
    "前后用了{}分钟。",
    "送货单背面写着{}。",
    "可是报警值明明是{}。",
    "直到计数器走到{}。",
    "因为第{}行从周一起就是干的。",
    "正好能解释少掉的{}升水。",
    "所以第{}号地也该看一看。",
    "不过那已经是{}天前的事了。",
    "大约要花{}元。",
    "这正是第{}号工单要求的。",
)
NOUNS = ("pump", "vent", "boiler", "basin", "shade", "lamp", "mixer", "probe", "valve", "filter", "relay", "misting")
VERBS_CODE = ("open", "close", "measure", "smooth", "limit", "schedule", "drain", "compare", "reset", "delay")
CODE = (
    "def {verb}_{a}(reading: float, limit: float = {n}.0) -> float:\n    return min(reading, limit)",
    "{a}_{n} = {verb}({b}, seconds={n})",
    "if {a}.pressure > {n} and not {b}.is_open:\n    {b}.{verb}()",
    "for {a} in bay.{b}s[:{n}]:\n    {verb}({a}.value, into=totals)",
    'assert {verb}({a}={n}).state == {b}.state, "{a} and {b} disagree"',
    "{b}_history.append(({n}, {a}.{verb}()))",
    "# {a} number {n} answers late: {verb} it before the {b}",
    "with {a}.locked(timeout={n}) as held:\n    held.{verb}({b}_limit)",
    "@every(minutes={n})\ndef {verb}_{b}_again() -> None:\n    {a}.{verb}()",
    'return {{"{a}": {n}, "{b}": {verb}({b})}}',
)
LEVELS = ("INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR")
EVENTS = (
    "opened on schedule",
    "closed by hand",
    "no answer within two seconds",
    "reading outside of its band",
    "calibration stored",
    "flow lower than expected",
    "switched to the spare",
    "retry after a checksum error",
)
TOOLS = ("read_file", "read_log", "find_notes")

#: Tokens of o200k_base per character of each sort of text above.
ENGLISH_RATE = 0.206
CHINESE_RATE = 0.865
CODE_RATE = 0.275
LOG_RATE = 0.335
