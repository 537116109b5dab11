"""Random material for the promises: texts with a past, conversations with everything that real ones have, agents."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from ctxlab import default_pipeline
from ctxlab.context import Cause, Draft, Edit, Origin, Text
from ctxlab.documents import Agent, Session, ToolCall
from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.truncation import strategies as strategies_there_are
from ctxlab.testing.fakes import WordTokenizer

STRATEGIES = tuple(name for name in strategies_there_are().by_name if name not in ("embeddings", "hybrid"))
"""Truncation strategies that need no model, which not every machine has."""
CHARACTERS = "ab xy.\n{}<>\\1中文。🇩🇪👩‍👩‍👧é\u0301"
CALL_IDS = ("c1", "c2", "c3")

words = st.text(st.sampled_from(CHARACTERS), max_size=24)
spoken = st.lists(st.sampled_from(["yes", "no", "ship", "it", "好", "的", "👩‍👩‍👧"]), min_size=1, max_size=8).map(
    " ".join
)
origins = st.builds(Origin, st.sampled_from(["node", "preset", "macro"]), st.sampled_from("abc"))
causes = st.builds(Cause, st.sampled_from(["regex", "macros"]), st.sampled_from(["one", "two"]))
tokenizers = st.sampled_from(
    [
        WordTokenizer(),
        WordTokenizer(message_tokens=3, request_tokens=3),
        Tokenizer.counting("chars", len),
        Tokenizer.counting("chars+", len, message_tokens=4, name_tokens=1, call_tokens=2, request_tokens=2),
    ]
)
budgets = st.integers(1, 200)


@st.composite
def edits_of(draw: st.DrawFn, text: Text, *, max_size: int = 4) -> list[Edit]:
    """Edits in order, apart from one another: insertions, deletions and replacements."""
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=2 * max_size)))
    return [
        Edit(start, end, draw(words), draw(causes), draw(st.none() | origins))
        for start, end in zip(ends[::2], ends[1::2], strict=False)
    ]


@st.composite
def texts(draw: st.DrawFn) -> Text:
    """Texts of several hands, some of them edited before."""
    text = Text()
    for piece in draw(st.lists(words, max_size=4)):
        text += Text.of(piece, draw(origins), draw(st.none() | causes))
    for _ in range(draw(st.integers(0, 2))):
        text = text.splice(draw(edits_of(text)))
    return text


@st.composite
def draft_rows(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 8) -> tuple[Draft, ...]:
    """Drafts as the limiter may meet them: calls that reuse ids, results with and without a call, some pinned."""
    drafts: list[Draft] = []
    for n in range(draw(st.integers(min_size, max_size))):
        origin = Origin("node", f"n{n}")
        role = draw(st.sampled_from(["user", "assistant", "assistant", "tool", "system"]))
        calls = draw(st.lists(st.sampled_from(CALL_IDS), max_size=3)) if role == "assistant" else []
        drafts.append(
            Draft(
                f"node:n{n}",
                role,
                (Text.of(draw(spoken | st.just("")), origin),),
                origin,
                calls=tuple(ToolCall(id, "look", '{"at": "it"}') for id in calls),
                result_of=draw(st.sampled_from(CALL_IDS)) if role == "tool" else None,
                pinned=draw(st.sampled_from([False, False, False, True])),
            )
        )
    return tuple(drafts)


with_macros = st.sampled_from(
    ["{{user}} ship", "{{setvar::ship::no}}yes {{char}}", "it {{getvar::ship}}", "{{random::yes::no}}", "{{// hm}}"]
)
"""Messages with macros, which only SillyTavern expands."""
blanks = st.sampled_from(["  ", ""])


@st.composite
def messages(draw: st.DrawFn) -> list[dict[str, Any]]:
    """One thing that happens in a conversation, as nodes without links."""
    kind = draw(st.sampled_from(["user", "answer", "tools", "orphan", "summary", "system", "blank"]))
    if kind == "tools":
        asked = draw(st.lists(st.sampled_from(CALL_IDS), min_size=1, max_size=3))
        answered = draw(st.permutations(asked))[: draw(st.integers(0, len(asked)))]
        calls = [{"requestId": id, "toolName": "look", "args": {"at": id}} for id in asked]
        asking = {"role": "assistant", "content": draw(spoken | st.just("")), "metadata": {"toolCallsRequested": calls}}
        return [asking, *(_result(draw(spoken), id) for id in answered)]
    if kind == "orphan":
        return [_result(draw(spoken), draw(st.sampled_from(CALL_IDS)))]
    if kind == "summary":
        return [{"role": "system", "content": draw(spoken), "metadata": {"isCompressionNode": True}}]
    role = {"user": "user", "answer": "assistant", "system": "system", "blank": "user"}[kind]
    return [{"role": role, "content": draw(blanks) if kind == "blank" else draw(spoken | with_macros)}]


def _result(content: str, id: str) -> dict[str, Any]:
    return {"role": "tool", "content": content, "metadata": {"toolCall": {"requestId": id, "toolName": "look"}}}


@st.composite
def sessions(draw: st.DrawFn, *, max_size: int = 8, branches: bool = True) -> Session:
    """Conversations with branches, disabled messages, tool calls that reuse ids, orphans and summaries.

    Where a path has messages, one of them is sent: one whose messages are all left out is refused.
    """
    nodes: dict[str, dict[str, Any]] = {"root": {"id": "root", "role": "system", "content": ""}}
    above = "root"
    for group in draw(st.lists(messages(), max_size=max_size)):
        if branches and draw(st.integers(0, 9)) == 0:
            above = draw(st.sampled_from(sorted(nodes)))
        for message in group:
            id = f"n{len(nodes)}"
            nodes[id] = {"id": id, "parentId": above, **message}
            if draw(st.integers(0, 9)) == 0:
                nodes[id]["isEnabled"] = False
            if "isCompressionNode" in message.get("metadata", {}):
                hidden = draw(st.lists(st.sampled_from(sorted(nodes)), max_size=4, unique=True))
                nodes[id]["metadata"] = {**message["metadata"], "compressedNodeIds": hidden}
            above = id
    leaf = draw(st.sampled_from(sorted(nodes))) if branches and draw(st.integers(0, 4)) == 0 else above
    if leaf != "root" and not _is_any_sent(nodes, leaf):
        nodes["open"] = {"id": "open", "parentId": leaf, "role": "user", "content": "and now?"}
        leaf = "open"
    return Session.model_validate({"id": "s", "rootNodeId": "root", "activeLeafId": leaf, "nodes": nodes})


def _is_any_sent(nodes: dict[str, dict[str, Any]], leaf: str) -> bool:
    """Whether the path has words of the user's that are on and not hidden."""
    hidden = {id for node in nodes.values() for id in node.get("metadata", {}).get("compressedNodeIds", ())}
    above: str | None = leaf
    while above is not None:
        node = nodes[above]
        is_sent = node.get("isEnabled") is not False and above not in hidden
        if node["role"] == "user" and is_sent and node["content"].strip() and not node["content"].startswith("{{//"):
            return True
        above = node.get("parentId")
    return False


strategies_of_placing: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"type": st.just("default")}),
    st.fixed_dictionaries({"type": st.just("depth"), "depth": st.integers(-1, 6) | st.sampled_from([0.5, 1.5])}),
    st.fixed_dictionaries({"depth": st.integers(0, 6)}),
    st.fixed_dictionaries(
        {
            "type": st.just("advanced_depth"),
            "depthConfig": st.sampled_from(["0", "1, 3", "1~2", "2：2，9", "x", "", "2x, 1"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("anchor"),
            "anchorTarget": st.sampled_from(["chat_history", "user_profile", "world", "nowhere"]),
            "anchorPosition": st.sampled_from(["before", "after"]),
        }
    ),
)
orders = st.dictionaries(st.just("order"), st.integers(0, 3), max_size=1)
older_forms: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"insertionPoint": st.integers(-5, 5)}),
    st.fixed_dictionaries({"anchorPoint": st.sampled_from(["before", "after"])}),
    st.fixed_dictionaries({"anchorTarget": st.sampled_from(["world", "nowhere", "chat_history"])}),
)
places: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.builds(lambda strategy, order: {"injectionStrategy": {**strategy, **order}}, strategies_of_placing, orders),
    older_forms,
    st.just({"type": "chat_history"}),
    st.just({"type": "user_profile"}),
    st.just({"type": "placeholder", "id": "world"}),
)


PROGRAM_DIALECTS = ("sillytavern-1.19", "sillytavern-1.12")
DIALECTS = ("seed", *PROGRAM_DIALECTS)
dialects = st.sampled_from(DIALECTS)
PROMPTS: tuple[dict[str, Any], ...] = (
    {"type": "worldInfoBefore"},
    {"type": "worldInfoAfter"},
    {"type": "charDescription", "content": "{{char}} keeps the lamp.\r\n"},
    {"type": "dialogueExamples", "content": "<START>\n{{user}}: ship?\n{{char}}: yes\n<START>\nAnn: no"},
    {"metadata": {"stPromptName": "main"}, "content": "Write for {{char}}."},
    {"metadata": {"stPromptName": "authorsNote", "stInterval": 2}, "injectionStrategy": {"depth": 1}},
    {"metadata": {"stPromptName": "authorsNote", "stInterval": 1}, "injectionStrategy": {"depth": 0}},
    {"metadata": {"stPromptName": "depthPrompt"}, "injectionStrategy": {"depth": 1}, "role": "user"},
    {"metadata": {"stPromptName": "newMainChat"}, "content": "[A new talk]"},
    {"metadata": {"stPromptName": "continueNudge"}, "content": "Go on from: {{lastMessage}}"},
    {"metadata": {"stTriggers": ["continue", "quiet"]}},
    {"injectionStrategy": {"type": "anchor", "anchorTarget": "main", "anchorPosition": "after"}},
)
"""What a preset is in SillyTavern's prompt."""
PROGRAM_WORDS = ("  ", "{{// nothing}}", "{{setvar::ship::it}}", "ship {{getvar::ship}}", "two\nlines", "\\{x}", "\n")


@st.composite
def agents(draw: st.DrawFn, *, max_size: int = 6, of_program: bool | None = None) -> Agent:
    """Agents whose presets are placed in every way there is, some switched off or meant for another model.

    Where nothing is said every other one is of SillyTavern and brings its dialect, so that laws are tried in both.
    """
    of_program = draw(st.booleans()) if of_program is None else of_program
    presets: list[dict[str, Any]] = []
    for n in range(draw(st.integers(0, max_size))):
        preset = {
            "id": f"p{n}",
            "role": draw(st.sampled_from(["system", "system", "user", "assistant"])),
            "content": draw(st.sampled_from(["rules of {{char}}", "be kind", "\\{{user}}", "{{nothing}}", "", "好"])),
            **draw(places),
        }
        if of_program and draw(st.booleans()):
            preset["content"] = draw(st.sampled_from(PROGRAM_WORDS))
        if of_program and preset.get("type") != "chat_history" and draw(st.booleans()):
            preset |= draw(st.sampled_from(PROMPTS))
        # Where SillyTavern's history is switched off none is sent, which may leave nothing at all.
        marks_history = of_program and preset.get("type") == "chat_history"
        if not marks_history and draw(st.integers(0, 7)) == 0:
            preset["isEnabled"] = False
        if not marks_history and draw(st.integers(0, 7)) == 0:
            preset["modelMatch"] = {"enabled": True, "patterns": [draw(st.sampled_from(["gpt", "claude", "("]))]}
        presets.append(preset)
    dialect = {"macroDialect": "sillytavern"} if of_program else {}
    return Agent.model_validate({"id": "a", "name": "Ann", "presetMessages": presets, **dialect})


names = st.sampled_from(["Ann", "Bob", "小明"])
extras: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda name: {"name": name, "speaker": name}, names),
    st.just({"attachments": [{"id": "f", "type": "image", "name": "f.png", "metadata": {"width": 64, "height": 64}}]}),
    st.builds(lambda n: {"metadata": {"priority": n}}, st.integers(-2, 9)),
    st.builds(lambda said: {"metadata": {"reasoningContent": said}}, spoken),
    st.builds(lambda way: {"modelMatch": {"enabled": True, "patterns": [way]}}, st.sampled_from(["gpt", "other", "("])),
    st.builds(lambda status: {"status": status}, st.sampled_from(["generating", "error"])),
    st.sampled_from(
        [
            {"content": "<p>one <b>two</b></p>"},
            {"content": '<svar name="gold" op="+" value="2">has $[gold]'},
            {"content": "the lamp ((aside)) 灯塔"},
        ]
    ),
)


@st.composite
def rich_sessions(draw: st.DrawFn, *, max_size: int = 8) -> Session:
    """The same with names, speakers, files, priorities, reasoning, model filters, HTML, tags, and roots with text."""
    data = draw(sessions(max_size=max_size)).to_data()
    for key, node in data["nodes"].items():
        if draw(st.integers(0, 2)) == 0:
            extra = draw(extras)
            metadata = {**(node.get("metadata") or {}), **extra.get("metadata", {})}
            data["nodes"][key] = {**node, **extra, **({"metadata": metadata} if metadata else {})}
    if draw(st.integers(0, 3)) == 0:
        data["nodes"]["root"] |= {"role": draw(st.sampled_from(["system", "user"])), "content": draw(spoken)}
    return Session.model_validate(data)


UNSTEADY = {"regex-processor.timeout_seconds"}
"""Settings that measure the clock: what they do depends on the machine."""


def setting_names() -> list[str]:
    """Every setting of every step, with the switch and the place of each, as `build` takes them."""
    rows = default_pipeline().as_data()
    named = {f"{row['id']}.{name}" for row in rows for name, field in row["settings"].items() if _has_values(field)}
    return sorted(named - UNSTEADY | {f"{row['id']}.{name}" for row in rows for name in ("enabled", "priority")})


def _has_values(field: Mapping[str, Any]) -> bool:
    return field["type"] != "json"


@st.composite
def setting_changes(draw: st.DrawFn, *, max_size: int = 3, wrong: bool = False) -> dict[str, Any]:
    """Other values for some settings, within what their fields allow; if `wrong`, sometimes one that isn't."""
    found: dict[str, Any] = {}
    fields = {row["id"]: row["settings"] for row in default_pipeline().as_data()}
    chosen = draw(st.lists(st.sampled_from(setting_names()), max_size=max_size, unique=True))
    for name in chosen:
        step, _, setting = name.partition(".")
        if setting == "enabled":
            found[name] = draw(st.booleans())
        elif setting == "priority":
            found[name] = draw(st.sampled_from([50, 250, 310, 450, 850]))
        elif wrong and draw(st.integers(0, 9)) == 0:
            found[name], wrong = draw(st.sampled_from([-1, "no such value", [1]])), False
        else:
            known = {"strategy": STRATEGIES, "ranker": ("bm25",)}.get(setting)
            found[name] = draw(st.sampled_from(known) if known else values_of(fields[step][setting]))
    return found


def values_of(field: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a field allows: near its lower bound, where they make a difference to small conversations."""
    least = field["minimum"] if field["minimum"] is not None else 0
    most = field["maximum"]
    if field["type"] == "choice":
        values: st.SearchStrategy[Any] = st.sampled_from(field["choices"])
    elif field["type"] == "boolean":
        values = st.booleans()
    elif field["type"] == "integer":
        values = st.integers(least, least + 120 if most is None else most)
    elif field["type"] == "number":
        values = st.floats(least, least + 100 if most is None else most, width=16)
    else:
        values = st.sampled_from(["", " + ", "\n", "好"])
    return st.none() | values if field["optional"] else values
