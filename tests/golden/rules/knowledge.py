"""Knowledge: where ours differs from the reference on purpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data, text_of
from tests.golden.rules.rule import Rule

STEP = ("knowledge_processor",)
POLICY = ("kb_policy", "knowledge_retrieval_policy")
EMPTY = "（未检索到相关知识）"
MARKS = ("【kb", "【knowledge")
ITEM_FIELDS = ("{kbName}", "{key}", "{content}", "{score}", "{tags}")


def rendered(results: Sequence[Data], settings: Data | None = None) -> str:
    """The text of these results in the reference's template, each put in literally and quoted on each line."""
    if not results:
        return EMPTY
    template = (settings or {}).get("resultTemplate") or "---\n📚 相关知识 (共 {count} 条)\n\n{items}\n---"
    items = "\n\n".join([_item(each) for each in results])
    count, _, rest = template.partition("{items}")
    return count.replace("{count}", str(len(results))) + items + rest


def _item(found: Data) -> str:
    entry = found["entry"]
    content = "\n> ".join(entry["content"].split("\n"))
    name = found.get("recallName") or "未知思绪集"
    return f"**[{name}]** {entry['key'] or '无标题'}\n> {content}\n(相关度: {found['score']:.2f})"


def _named(name: str) -> Callable[[Case], bool]:
    """Whether a case is about what its name says; for what the input doesn't show."""
    return lambda case: name in case.name


# --- numbers


def _has_percent(case: Case) -> bool:
    return "%" in case.input.get("text", "")


def _as_share(case: Case) -> Any:
    return [{**each, "minScore": each["minScore"] / 100} for each in case.expected]


def _asked(case: Case) -> Data:
    return case.input.get("req") or case.input


def _says_zero(case: Case) -> bool:
    asked = _asked(case)
    return 0 in (asked.get("limit"), asked.get("minScore"), (asked.get("settings") or {}).get("gateScanDepth"))


def _zero(case: Case) -> Any:
    asked = _asked(case)
    if isinstance(case.expected, bool):
        return False  # a gate that looks at no message finds no word
    return case.expected | {name: asked[name] for name in ("limit", "minScore") if name in asked}


# --- templates


def _formats(case: Case) -> bool:
    return case.file in POLICY and "results" in case.input and "maxChars" not in case.input


def _has_item_template(case: Case) -> bool:
    template = (case.input.get("settings") or {}).get("resultTemplate") or ""
    return _formats(case) and "{items}" not in template and any(field in template for field in ITEM_FIELDS)


def _filled_in(case: Case) -> str:
    (found,) = case.input["results"]
    entry, text = found["entry"], case.input["settings"]["resultTemplate"]
    tags = ", ".join([tag["name"] if isinstance(tag, dict) else tag for tag in entry.get("tags") or ()])
    values = (found["recallName"], entry["key"], entry["content"], f"{found['score']:.2f}", tags)
    for field, value in zip(ITEM_FIELDS, values, strict=True):
        text = text.replace(field, value)
    return text


def _contents(case: Case) -> list[str]:
    return [found["entry"]["content"] for found in case.input.get("results") or ()]


def _has_signs(case: Case) -> bool:
    return _formats(case) and any("$" in text or "{" in text for text in _contents(case))


def _has_lines(case: Case) -> bool:
    return _formats(case) and any("\n" in text for text in _contents(case))


def _literal(case: Case) -> str:
    return rendered(case.input["results"], case.input["settings"])


def _stub_has_signs(case: Case) -> bool:
    stub = case.input.get("stubbedRetrieval")
    return isinstance(stub, dict) and "$" in stub["content"]


def _stub_literal(case: Case) -> Any:
    text = text_of(case.input["messages"][0]).replace("【kb::lore】", case.input["stubbedRetrieval"]["content"])
    return _with_first(case, text)


def _with_first(case: Case, text: str, **more: Any) -> Any:
    first, *rest = case.expected["messages"]
    return {**case.expected, "messages": [{**first, "text": text}, *rest], **more}


# --- the step


def _search(case: Case) -> list[Data]:
    return (case.input.get("backend") or {}).get("search") or []


def _bindings(case: Case) -> list[Data]:
    config = (case.input.get("agent") or {}).get("knowledgeBaseConfig") or {}
    return [each for each in config.get("bindings") or () if each["enabled"]]


def _bound(case: Case) -> set[str]:
    return {each["kbName"] for each in _bindings(case)}


def _leaks(case: Case) -> bool:
    """Whether pieces of a base that wasn't asked for were sent."""
    text = case.expected["messages"][0]
    found = {each["recallName"] for each in _search(case)}
    return "(共 2 条)" in text_of(text) and len(_bindings(case)) < len(found)


def _without_leak(case: Case) -> Any:
    return _with_first(case, rendered([each for each in _search(case) if each["recallName"] in _bound(case)]))


def _literal_pieces(case: Case) -> Any:
    settings = case.input["agent"]["knowledgeSettings"]
    pieces = [rendered([each for each in _search(case) if each["recallName"] == name], settings) for name in ("A", "B")]
    return _with_first(case, "".join(pieces))


def _idle(case: Case) -> Any:
    return _with_first(case, "", searches=[])


def _answered(case: Case) -> Any:
    return _with_first(case, rendered(_search(case)[:1]), searches=[{"query": "dragon", "bases": ["1"]}])


def _has_nameless(case: Case) -> bool:
    return any("未知思绪集" in text_of(message) for message in case.expected["messages"])


def _with_base_name(case: Case) -> Any:
    (base,) = _bound(case)
    return _with_first(case, case.expected["messages"][0]["text"].replace("未知思绪集", base))


def _loads_unbound(case: Case) -> bool:
    return "static::all" in text_of(case.input["messages"][0]) and len((case.input["backend"]).get("bases") or ()) > 1


def _only_bound(case: Case) -> Any:
    backend = case.input["backend"]
    ids = [entry["id"] for each in _bindings(case) for entry in backend["meta"][each["kbId"]]["entries"]]
    (base,) = _bound(case)
    found = [{"entry": each, "score": 1.0, "recallName": base} for each in backend["entries"] if each["id"] in ids]
    return _with_first(case, rendered(found))


def _user_asks(case: Case) -> bool:
    newest = next((m for m in reversed(case.input["messages"]) if m["role"] == "user"), {})
    return newest.get("sourceType") == "session_history" and any(mark in text_of(newest) for mark in MARKS)


def _user_answered(case: Case) -> Any:
    (number,) = [n for n, message in enumerate(case.input["messages"]) if "【kb::" in text_of(message)]
    messages = list(case.expected["messages"])
    words, _, _ = messages[number]["text"].partition("【kb::A】")
    messages[number] = {**messages[number], "text": words + rendered(_search(case)[:1])}
    return {"messages": messages, "searches": [{"query": words.strip(), "bases": ["1"]}]}


def _counted_too(case: Case) -> Any:
    first, second, *rest = case.expected
    return [first, second, {"raw": "【kb::x】", "messageIndex": 1, "kbName": "x", "mode": "always"}, *rest]


def _not_shifted(case: Case) -> Any:
    inserted, preset, *rest = case.expected["messages"]
    text = preset["text"].replace("【kb::A】", rendered(_search(case)[:1]))
    return {**case.expected, "messages": [inserted, {**preset, "text": text}, *rest]}


def _in_preview(case: Case) -> bool:
    presets = case.input["agentConfig"].get("presetMessages") or []
    return any(mark in (preset.get("content") or "") for preset in presets for mark in MARKS)


def _with_original(case: Case) -> Any:
    contents = [preset["content"] for preset in case.input["agentConfig"]["presetMessages"]]
    presets = [{**each, "original": contents[each["index"]]} for each in case.expected["presets"]]
    return {**case.expected, "presets": presets}


RULES = (
    Rule(
        "decisions, Knowledge: a minimum is a share",
        "80% is 0.8; the reference reads 80, which nothing reaches.",
        ("kb_placeholder_grammar",),
        _has_percent,
        _as_share,
    ),
    Rule(
        "decisions, Knowledge: 0 is a value",
        "0 pieces, 0 messages and a minimum of 0 are what they say; the reference takes its default.",
        ("kb_policy",),
        _says_zero,
        _zero,
    ),
    Rule("D20", "An item's fields work in the template, as its setting says.", POLICY, _has_item_template, _filled_in),
    Rule("D21", "What was found is put in as it is, whatever signs it has.", POLICY, _has_signs, _literal),
    Rule("D21, lines", "Each line of what was found is quoted, not the first alone.", POLICY, _has_lines, _literal),
    Rule(
        "D21, placeholders",
        "What was found is put in as it is, and no placeholder in it is carried out.",
        ("knowledge_placeholders",),
        _stub_has_signs,
        _stub_literal,
    ),
    Rule("D21, in the step", "The same in the step.", STEP, _named("result_containing_placeholder"), _literal_pieces),
    Rule(
        "D18",
        "A gate looks at the conversation, which its own placeholder is no part of; turns count the user's messages.",
        STEP,
        lambda case: "self_trigger" in case.name or "counts_preset_user" in case.name,
        _idle,
    ),
    Rule("D19", "A search by vectors answers.", STEP, _named("vector_engine"), _answered),
    Rule(
        "decisions, Knowledge: words beside files",
        "The user's words are searched by also where the message has parts.",
        STEP,
        _named("multimodal"),
        _answered,
    ),
    Rule("D22", "What comes by itself shifts no placeholder.", STEP, _named("auto_insert_shifts"), _not_shifted),
    Rule("D36", "static::all means all entries of the bases bound to the agent.", STEP, _loads_unbound, _only_bound),
    Rule(
        "decisions, Knowledge: a piece has its base's name",
        "An entry that was taken by its id is of the base that it was taken from.",
        STEP,
        _has_nameless,
        _with_base_name,
    ),
    Rule(
        "decisions, Knowledge: only what was asked",
        "A piece of a base that wasn't asked for isn't sent, whatever a search gives.",
        STEP,
        _leaks,
        _without_leak,
    ),
    Rule(
        "S1, 1.12: user input",
        "A placeholder that the user typed last is carried out.",
        STEP,
        _user_asks,
        _user_answered,
    ),
    Rule(
        "S1, 1.12: user input counts",
        "A placeholder that the user typed last counts.",
        ("knowledge_placeholders",),
        lambda case: "messages" in case.input and _user_asks(case),
        _counted_too,
    ),
    Rule(
        "decisions, Knowledge: a query has no placeholders",
        "A placeholder of knowledge is no part of the query, as another is none.",
        ("kb_query_preprocess",),
        lambda case: "【kb" in case.input["query"],
        lambda case: {"cleanedQuery": "dragon", "tokens": ["dragon"], "matchedTags": [], "cleanStage": "dragon"},
    ),
    Rule(
        "decisions, Knowledge: a preview has the placeholder",
        "A preset that knowledge came into is shown with its words as they were written.",
        ("preview_builder",),
        _in_preview,
        _with_original,
    ),
)
