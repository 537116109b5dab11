"""Each file's cases through ctxlab's public API, with the reference's settings wherever ours has the setting.

`run` gives our result of a case, `expected` the reference's, both in one comparable form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.context import AssetRef, BuildInput, Context, Draft
from ctxlab.documents import Agent, ModelMatch, ModelProfile, Session, UserProfile
from ctxlab.engines.model_match import model_fits
from ctxlab.engines.tokens import (
    DEFAULT_RULES,
    ImageCost,
    Tokenizer,
    image_cost,
    image_tokens,
    media_tokens,
)
from ctxlab.engines.tool_text import definitions_text, usage_text
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import BudgetTooSmall, Pipeline, Processor, Services, Trace
from ctxlab.processors import (
    ConvertSystem,
    EnsureAlternating,
    InjectionAssembler,
    MergeConsecutive,
    MergeSystem,
    SessionLoader,
    TokenLimiter,
)
from ctxlab.processors.injection.read_preset_placement import Anchor
from tests.golden import (
    agents,
    cards,
    compressing,
    exporting,
    files,
    languages,
    layouts,
    lore,
    lorebooks,
    previewing,
    regexes,
    requests,
    tasks,
    topics,
    trees,
    variables,
)
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data, Form, drafts_of, form_of_draft, form_of_message, forms_by_key, kind_of, text_of
from tests.golden.materials import (
    AGENT,
    MARKER,
    PLACEHOLDERS,
    agent_of,
    model_of,
    request_of,
    shared_of,
    stored,
    tokenizer_of,
    utf16_length,
)

HTML_NOTE = "\n[note: this message was converted from HTML to Markdown for context compression]"
ANCHORS: list[Data] = [{"id": "user_profile", "hasTemplate": True}, {"id": "chat_history", "hasTemplate": False}]
TOO_SMALL = "BudgetTooSmall"


def run(case: Case) -> Any:
    adapter = ADAPTERS[case.file]
    return adapter.whole(case) if adapter.whole else adapter.run(case.input)


def expected(case: Case) -> Any:
    return ADAPTERS[case.file].expected(case)


# --- session_loader


def _load(data: Data) -> Any:
    optimization = (data.get("settings") or {}).get("contextOptimization") or {}
    agent, newest = agent_of(data), optimization.get("htmlToMdLastMessages")
    settings = {
        "session-loader.tool_role": "tool" if _tool_config(agent).get("convertToolRoleToUser") is False else "user",
        "session-loader.html_to_markdown": bool(optimization.get("convertHtmlToMd")),
        "session-loader.html_keep_newest": 5 if newest is None else newest,
        "session-loader.html_note": HTML_NOTE,
    }
    trace = _run([SessionLoader], request_of(with_empty_root(data)), settings=settings)
    return [_spoken(form_of_draft(draft, {})) for draft in trace.result.drafts]


def _loaded(case: Case) -> Any:
    return [_spoken(form_of_message(message)) for message in case.expected["messages"]]


def with_empty_root(data: Data) -> Data:
    """The case with a root that says nothing: the reference never sends one, ours is a message where it has words."""
    detail = data.get("detail") or {}
    nodes = detail.get("nodes") or {}
    empty = {"content": "", "attachments": None}
    roots = {key: {**node, **empty} for key, node in nodes.items() if not node.get("parentId")}
    return {**data, "detail": {**detail, "nodes": {**nodes, **roots}}} if roots else data


def _spoken(form: Form) -> Form:
    """Blanks beside a file are no words: vendors refuse a text of nothing else."""
    return {**form, "text": ""} if form["text"].isspace() else form


# --- model_match


def _match(data: Data) -> bool:
    context = data.get("context") or {}
    names = {"id": context.get("modelId"), "name": context.get("modelName"), "profileName": context.get("profileName")}
    rule = data.get("modelMatch")
    model = stored(ModelProfile, {name: value for name, value in names.items() if value is not None})
    return model_fits(stored(ModelMatch, rule) if rule else None, model).fits


# --- injection_assembler, injection_depth


def _assemble(data: Data) -> Any:
    inputs = forms_by_key(data["messages"])
    return [form_of_draft(draft, inputs) for draft in _assembled(_with_tools(data))]


TOOLS: Data = {"type": "function", "function": {"name": "tide", "description": "The next high water."}}
TOLD = {"{{tools}}": definitions_text([TOOLS]), "{{tool_usage}}": usage_text(), "{{tool_context}}": ""}
"""The reference's cases leave these macros as they are; here they are expanded with one tool."""


def _with_tools(data: Data) -> Data:
    """The case with a tool in the text where its agent tells of tools."""
    agent = data.get("agentConfig") or {}
    config = agent.get("toolCallConfig")
    if not config:
        return data
    return {**data, "agentConfig": {**agent, "tools": [TOOLS], "toolCallConfig": {"protocol": "vcp", **config}}}


def _assembled_by_reference(case: Case) -> Any:
    return _forms_of([_told(message) for message in case.expected["messages"]])


def _told(message: Data) -> Data:
    content = message["content"]
    for macro, text in TOLD.items():
        content = content.replace(macro, text) if isinstance(content, str) else content
    if message.get("sourceId") != "auto-tool-macro":
        return {**message, "content": content}
    written = {name: value for name, value in message.items() if name != "sourceIndex"}  # no file holds it
    return {**written, "content": content, "sourceId": ""}


def _assembled(data: Data) -> Sequence[Draft]:
    user, anchors = data.get("userProfile"), shared_of(data).get("anchorDefinitions") or ()
    build_input = BuildInput(
        Session(), agent=agent_of(data), user=stored(UserProfile, user) if user else None, model=model_of(data)
    )
    known = [Anchor(anchor["id"], has_template=bool(anchor.get("hasTemplate"))) for anchor in anchors]
    return _run([InjectionAssembler(anchors=known)], build_input, data["messages"]).result.drafts


def _inject(data: Data) -> Any:
    return [(str(draft.text), kind_of(draft)) for draft in _assembled(assembler_input(data))]


def assembler_input(data: Data) -> Data:
    """A case of injection_depth as one of injection_assembler."""
    messages = [
        {"role": role, "content": f"h{n}", "sourceType": "session_history", "sourceId": f"h{n}"}
        for n, role in zip(
            range(1, data["historyLength"] + 1), ["user", "assistant"] * data["historyLength"], strict=False
        )
    ]
    presets = [
        {"id": f"p{i}", "role": "system", "content": f"I{i}", "injectionStrategy": strategy}
        for i, strategy in enumerate(data["strategies"])
    ]
    return {
        "messages": messages,
        "agentConfig": {**AGENT, "presetMessages": presets},
        "shared": {"anchorDefinitions": ANCHORS},
    }


# --- token_limiter


def _limit(data: Data) -> Any:
    limiter = TokenLimiter(TokenLimiter.Settings(marker=MARKER, overhead_tokens=0))
    tokenizer = tokenizer_of(data)
    try:
        trace = _run([limiter], BuildInput(Session(), agent=agent_of(data)), data["messages"], tokenizer=tokenizer)
    except BudgetTooSmall:
        return TOO_SMALL
    kept, before = trace.result.drafts, {draft.key: draft for draft in trace.start.drafts}
    forms = _forms(trace, data["messages"])
    report = trace.result.report(BudgetReport)
    if report is None or not before:
        return {"messages": forms}
    shortened = {draft.key for draft in kept if str(draft.text) != str(before[draft.key].text)}
    assert report.shortened == len(shortened)
    messages = [
        {
            **form,
            "tokens": tokenizer.count_draft(draft),
            "characters": utf16_length(str(draft.text)),
            "shortened": draft.key in shortened,
        }
        for form, draft in zip(forms, kept, strict=True)
    ]
    total = report.protected_tokens + report.history_tokens
    return {
        "messages": messages,
        "counts": {
            "history": report.history,
            "kept": sum(not draft.pinned for draft in kept),
            "cut": len(before) - len(kept) + len(shortened),
            "preset_tokens": sum(tokenizer.count_draft(draft) for draft in kept if draft.pinned),
            "total_tokens": total,
            "saved_tokens": sum(map(tokenizer.count_draft, before.values())) - total,
            "characters": sum(utf16_length(str(draft.text)) for draft in before.values()),
        },
    }


def _limited(case: Case) -> Any:
    expected = case.expected
    stats = (expected.get("shared") or {}).get("tokenLimiterStats")
    if not stats:
        return {"messages": [form_of_message(message) for message in expected["messages"]]}
    return {
        "messages": [counted(message) for message in expected["messages"]],
        "counts": {
            "history": stats["originalHistoryCount"],
            "kept": stats["finalHistoryCount"],
            "cut": stats["truncatedCount"],
            "preset_tokens": stats["presetTokens"],
            "total_tokens": stats["totalTokens"],
            "saved_tokens": stats["savedTokens"],
            "characters": stats["originalTotalChars"],
        },
    }


def counted(message: Data) -> Data:
    """A message with the reference's counts, as form."""
    counts = {"tokens": message["tokenCount"], "characters": message["charCount"]}
    return {**form_of_message(message), **counts, "shortened": message.get("isTruncated", False)}


# --- message_tokens, media_tokens, token_estimator


def _count_message(data: Data) -> Any:
    tokenizer = tokenizer_of({"counter": data.get("textCounter"), "shared": {"model": data.get("modelProps")}})
    message = {"role": "user", "content": data["text"], "_attachments": data.get("attachments")}
    (draft,) = drafts_of([message])
    costs = [(asset.kind, media_tokens(asset, tokenizer.media).tokens) for asset in draft.assets]
    return {
        "count": tokenizer.count_draft(draft),
        "textTokenCount": tokenizer.count_text(draft.text),
        "mediaTokenCount": sum(tokens for _, tokens in costs),
        **{f"{kind}TokenCount": sum(n for of, n in costs if of == kind) for kind in ("image", "video", "audio")},
        "isEstimated": tokenizer.draft_is_estimated(draft),
        "tokenizerName": tokenizer.name,
    }


def _count_media(data: Data) -> int:
    if data["kind"] == "image":
        return image_tokens(data["width"], data["height"], image_cost(data.get("cost")) or ImageCost())
    return media_tokens(AssetRef("", data["kind"], metadata={"duration": data.get("duration")}), DEFAULT_RULES).tokens


def _estimate(data: Data) -> Any:
    tokenizer = tokenizer_of({"counter": "estimator"})
    return {"count": tokenizer.count(data["text"]), "isEstimated": tokenizer.estimated, "tokenizerName": tokenizer.name}


def _estimated(case: Case) -> Any:
    return {name: case.expected[name] for name in ("count", "isEstimated", "tokenizerName")}


# --- message_format_functions, message_formatter_processor

FORMATTERS: dict[str, tuple[type[Processor], tuple[str, ...]]] = {
    "handleMergeSystemToHead": (MergeSystem, ("separator",)),
    "handleMergeConsecutiveRoles": (MergeConsecutive, ("separator",)),
    "handleConvertSystemToUser": (ConvertSystem, ()),
    "handleEnsureAlternatingRoles": (EnsureAlternating, ("user_placeholder", "assistant_placeholder")),
}
DEFAULTS: dict[type[Processor], Data] = {MergeSystem: {"hoist": "all"}, EnsureAlternating: PLACEHOLDERS}


def _format(data: Data) -> Any:
    step, names = FORMATTERS[data["fn"]]
    given = {name: value for name, value in zip(names, data.get("args") or (), strict=False) if value is not None}
    made = step(step.Settings(**{**DEFAULTS.get(step, {}), **given}))
    trace = _run([made], BuildInput(Session()), data["messages"], settings={f"{step.id}.enabled": True})
    return _forms(trace, data["messages"])


def _format_all(data: Data) -> Any:
    steps = [step(step.Settings(**DEFAULTS.get(step, {}))) for step, _ in FORMATTERS.values()]
    trace = _run(steps, BuildInput(Session(), agent=agent_of(data), model=model_of(data)), data["messages"])
    return _grown(_forms(trace, data["messages"]), data)


def _forms(trace: Trace, messages: list[Data]) -> list[Data]:
    inputs = forms_by_key(messages)
    return [form_of_draft(draft, inputs) for draft in trace.result.drafts]


def _formatted(case: Case) -> Any:
    result = _grown(_forms_of(case.expected["messages"]), case.input)
    added = (case.expected.get("shared") or {}).get("postProcessingCharDelta")
    return result if added is None else {**result, "added": added}


def _grown(messages: list[Form], data: Data) -> Data:
    """The messages, and what the formatters added in UTF-16 units."""
    before = sum(utf16_length(text_of(message)) for message in data["messages"])
    return {"messages": messages, "added": sum(utf16_length(form["text"]) for form in messages) - before}


# --- what they share


def _tool_config(agent: Agent) -> Data:
    return agent.tool_call_config or {}


def _run(
    steps: Sequence[Processor | type[Processor]],
    build_input: BuildInput,
    messages: Sequence[Data] = (),
    *,
    settings: Data | None = None,
    tokenizer: Tokenizer | None = None,
) -> Trace:
    pipeline = Pipeline.of(steps).with_settings(settings or {})
    return pipeline.run(Context(build_input, drafts_of(messages)), Services(tokenizer or tokenizer_of({})))


def _forms_of(messages: list[Data]) -> Any:
    return [form_of_message(message) for message in messages]


ADAPTERS: dict[str, Adapter] = {
    "session_loader": Adapter(_load, _loaded),
    "model_match": Adapter(_match, lambda case: case.expected),
    "injection_assembler": Adapter(_assemble, _assembled_by_reference),
    "injection_depth": Adapter(
        _inject, lambda case: list(zip(case.expected["order"], case.expected["sourceTypes"], strict=True))
    ),
    "token_limiter": Adapter(_limit, _limited),
    "message_tokens": Adapter(_count_message, lambda case: case.expected),
    "media_tokens": Adapter(_count_media, lambda case: case.expected),
    "token_estimator": Adapter(_estimate, _estimated),
    "message_format_functions": Adapter(_format, lambda case: _forms_of(case.expected)),
    "message_formatter_processor": Adapter(_format_all, _formatted),
    "tree_ops": Adapter(trees.run, trees.expected),
    "export": Adapter(exporting.export, exporting.exported),
    "session_import": Adapter(exporting.import_, exporting.imported),
    "preview_builder": Adapter(previewing.preview, previewing.previewed),
    "pipeline_full": Adapter(previewing.full, previewing.full_expected),
    **languages.ADAPTERS,
    **regexes.ADAPTERS,
    **variables.ADAPTERS,
    **tasks.ADAPTERS,
    **topics.ADAPTERS,
    **compressing.ADAPTERS,
    **lore.ADAPTERS,
    **cards.ADAPTERS,
    **lorebooks.ADAPTERS,
    **agents.ADAPTERS,
    **files.ADAPTERS,
    **requests.ADAPTERS,
    **layouts.ADAPTERS,
}
