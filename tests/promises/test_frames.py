"""One rule for frames: a method gives them, rows are numbered, keys are columns, one name for one thing."""

from __future__ import annotations

import ast
import atexit
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import pandas as pd

import ctxlab
from ctxlab.engines.compression import SourceText, compression_report
from ctxlab.engines.tokens import Tokenizer
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.storage.search import SearchIndex
from ctxlab.studies import sent_prompt
from tests.sillytavern.small_folder import write_folder
from tests.studies.synthetic_study import study_frame

ROOT = Path(__file__).parents[2]
TEXT, COUNT, SHARE, FLAG = "text", "count", "share", "flag"
SHARED = {
    **dict.fromkeys(("key", "node", "step", "role", "rule", "reason", "text", "layer", "source"), TEXT),
    **dict.fromkeys(("book", "title", "gate", "where", "kind", "words", "run", "setting"), TEXT),
    **dict.fromkeys(("tokens", "characters", "start", "end", "messages", "budget", "left", "needed", "hits"), COUNT),
    **dict.fromkeys(("kept_messages", "cut_messages", "shortened_messages", "left_out_messages"), COUNT),
    "share": SHARE,
    **dict.fromkeys(("fired", "enabled"), FLAG),
}
"""Columns that mean the same in every frame that has them, and what is in them."""
OTHER_WORDS = ("message", "id_", "msg", "index", "tokens_count", "uuid", "from_layer", "processor")
"""Names of things that have a column above."""


def kept_workspace(session: ctxlab.Session) -> ctxlab.Workspace:
    """A workspace with a session, and with one in the trash."""
    folder = mkdtemp()
    atexit.register(rmtree, folder, ignore_errors=True)
    workspace = ctxlab.open_workspace(folder)
    for id in ("kept", "gone"):
        workspace.save(session.model_copy(update={"id": id}))
    workspace.delete("gone")
    return workspace


def recording() -> ctxlab.Recording:
    """A recording of one request."""
    builder = RecordingBuilder("talk")
    builder.body({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}, "openai-chat")
    return builder.recording()


def compressed_recording() -> ctxlab.Recording:
    """A recording of two requests, the second behind a summary."""
    builder = RecordingBuilder("talk")
    summary = {"role": "user", "content": "Summary of the conversation so far: never mind."}
    talk = [{"role": role, "content": f"Never open door {n}."} for n, role in enumerate(["user", "assistant", "user"])]
    for sent in (talk, [summary, {"role": "user", "content": "Go on."}]):
        builder.body({"model": "m", "messages": sent}, "openai-chat")
    return builder.recording()


def sillytavern_turn() -> ctxlab.SillyTavernTurn:
    with TemporaryDirectory() as folder:
        return ctxlab.sillytavern(write_folder(Path(folder), worlds={"sea": "Oil."}, metadata={"world_info": "sea"}))


@cache
def frames() -> dict[str, pd.DataFrame]:
    session = ctxlab.load(ROOT / "datasets/harbour_roleplay.session.json")
    agent = ctxlab.load_agent(ROOT / "datasets/harbour_roleplay.agent.json")
    (book,) = ctxlab.read(ROOT / "datasets/harbour_lore.json").books
    (rules,) = ctxlab.read(ROOT / "datasets/harbour_rules.json").rules
    trace = ctxlab.build(session, agent, budget_tokens=1800, books=[book], rules=[rules])
    comparison = ctxlab.compare({"a": trace, "b": trace.rerun({"token-limiter.budget_tokens": 1600})})
    analysis = ctxlab.analyze(session, agents=[agent])
    with TemporaryDirectory() as folder, SearchIndex(f"{folder}/search.db") as index:
        index.put("session", session, "1")
        index.put("book", book, "1")
        hits = index.search("the lamp 灯", mode="or", order="best").frame()
    names = {report.name for report in trace.result.reports}
    workspace = kept_workspace(session)
    harbour = ctxlab.example("harbour")
    return {
        **{f"Trace.table {name}": trace.table(name) for name in names},
        "Analysis.shares": analysis.shares(),
        "Analysis.structure": analysis.structure(),
        "Ablation.frame": ctxlab.ablate(harbour, budget_tokens=1800, only=["setting", "entry", "rule"]).frame(),
        "CompressionReport.frame": compression_report(
            [SourceText(node.id, node.role, node.content) for node in session.path() if node.content], "沈砚, 3 lamps"
        ).frame(),
        "Changes.frame": trace.changes("token-limiter").frame(),
        "Comparison.causes": comparison.causes(),
        "Comparison.changes": comparison.changes(),
        "Comparison.frame": comparison.frame(),
        "Comparison.totals": comparison.totals(),
        "Compression.frame": ctxlab.compress(harbour).frame(),
        "SessionCompressions.frame": ctxlab.compressions(ctxlab.compress(harbour).session).frame(),
        "LegalCuts.frame": ctxlab.legal_cuts(session).frame(),
        "EnsuredTranscripts.frame": ctxlab.ensure_transcripts(ctxlab.example("harbour"), timeout_seconds=0).frame(),
        "LabelledCases.frame": ctxlab.retention_cases(
            ctxlab.Library(sessions=(session,)),
            [{"session": session.id, "question": "?", "evidence": [session.active_leaf_id], "kind": "single fact"}],
        ).frame(),
        "LoreScan.frame": ctxlab.lore_scan(book, "The old lighthouse, 灯塔").frame(),
        "LoreTimeline.frame": ctxlab.lore_timeline(session, agent, books=[book]).frame(),
        "Minimised.frame": ctxlab.minimise(trace, keeps="preset:0").frame(),
        "Occurrences.frame": trace.where("沈砚").frame(),
        "Pipeline.describe": trace.pipeline.describe(),
        "Pipeline.settings": trace.pipeline.settings(),
        "Replay.frame": ctxlab.replay(harbour, {"budget_tokens": 1800}, {"budget_tokens": 100}).frame(),
        "RequestComparison.frame": ctxlab.compare_requests(
            ctxlab.payload(trace, "openai"), ctxlab.payload(trace, "anthropic")
        ).frame(),
        "Findings.frame": ctxlab.check(recording()).frame(),
        "PrefixReport.frame": recording().prefix().frame(),
        "Recording.frame": recording().frame(),
        "RecordedCompressions.frame": compressed_recording().compressions().frame(),
        "RecordingComparison.frame": ctxlab.compare_recordings([recording()]).frame(),
        "RegexSteps.frame": ctxlab.regex_steps("((OOC: brb)) *waves*", rules).frame(),
        "SearchResult.frame": hits,
        "Prompt.frame": trace.prompt.frame(),
        "SentPrompt.frame": sent_prompt(trace).frame(),
        "RenderedPrompt.frame": ctxlab.rendered(trace, ctxlab.JinjaTemplate("{{ messages[-1].content }}")).frame(),
        "ServedPrompt.frame": served(trace).frame(),
        "RenderedPrompt.ledger": ctxlab.rendered(trace, ROOT / "datasets/chatml.jinja").ledger(),
        "TextPlaces.frame": ctxlab.rendered(trace, ROOT / "datasets/chatml.jinja").where("沈砚").frame(),
        "Sweep.frame": ctxlab.sweep(harbour, what="preset:10", depths=[0, -1], anchors=["before chat_history"]).frame(),
        "Interval.frame": ctxlab.mean_score(study_frame()).interval.frame(),
        "MeanScore.frame": ctxlab.mean_score(study_frame()).frame(),
        "PairedDifference.frame": ctxlab.paired_difference(study_frame(), "lexical", "sliding").frame(),
        "Session.frame": session.frame(),
        "SillyTavernTurn.settings": sillytavern_turn().settings(),
        "SessionBranches.branches": ctxlab.branches(session).branches(),
        "SessionBranches.clusters": ctxlab.branches(session).clusters(likeness=0.1),
        "SessionBranches.frame": ctxlab.branches(session).frame(),
        "SessionBranches.summary": ctxlab.branches(session).summary(),
        "TurnPrefixes.frame": ctxlab.prefix([trace, trace]).frame(),
        "TurnPrefixes.by_step": ctxlab.prefix([trace, comparison.traces["b"]]).by_step(),
        "TokenizerErrors.frame": ctxlab.tokenizer_error(trace).frame(),
        "TokenFlow.frame": ctxlab.token_flow(trace).frame(),
        "StudyTable.frame": ctxlab.study_table(study_frame()).frame(),
        "StudyResult.frame": ctxlab.survey(session, budgets=[900, 1800], progress=False).frame(),
        "Trace.cuts": trace.cuts(),
        "Turn.frame": ctxlab.send(session, "Why?", model=lambda messages: "Because.").frame(),
        "Trace.ledger": trace.ledger(),
        "Worldbook.frame": book.frame(),
        "Rows.frame": workspace.sessions().frame(),
        "JournalEntries.frame": workspace.journal().frame(),
        "TrashEntries.frame": workspace.trash().frame(),
    }


def served(trace: ctxlab.Trace) -> ctxlab.ServedPrompt:
    """A run on a server that leaves out its oldest messages."""
    template = ctxlab.JinjaTemplate((ROOT / "datasets/chatml.jinja").read_text("utf-8"))
    model = ctxlab.LocalModel("mine", {"default": template}, Tokenizer.counting("characters", len))
    whole = len(ctxlab.rendered(trace, model, engine="llama.cpp").text)
    found = ctxlab.rendered(trace, model, server=ctxlab.local_server("ollama", context=whole - 1)).served
    assert found is not None
    assert found.cuts
    return found


def _is_frame(node: ast.FunctionDef) -> bool:
    return node.returns is not None and ast.unparse(node.returns).endswith("DataFrame")


def methods_that_give_frames() -> dict[str, list[str]]:
    """Public methods of classes in ctxlab that return a DataFrame, with their decorators."""
    found: dict[str, list[str]] = {}
    for path in (ROOT / "ctxlab").rglob("*.py"):
        for kind in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)):
            for node in kind.body:
                if isinstance(node, ast.FunctionDef) and _is_frame(node) and node.name[0] != "_":
                    found[f"{kind.name}.{node.name}"] = [ast.unparse(each) for each in node.decorator_list]
    return found


def test_what_gives_a_frame_is_a_method_and_is_looked_at_here() -> None:
    found = methods_that_give_frames()

    assert found
    assert {name for name, decorators in found.items() if "property" in decorators} == set()
    assert set(found) - {name.partition(" ")[0] for name in frames()} == set()


def test_no_function_of_the_package_gives_a_frame() -> None:
    from_package = {name: getattr(ctxlab, name) for name in ctxlab.__all__}

    annotated = {name: getattr(value, "__annotations__", {}).get("return") for name, value in from_package.items()}

    assert [name for name, returns in annotated.items() if "DataFrame" in str(returns)] == []


def test_rows_are_numbered_and_keys_are_columns() -> None:
    for name, frame in frames().items():
        assert isinstance(frame.index, pd.RangeIndex), name
        assert frame.index.name is None, name
        assert all(isinstance(column, str) for column in frame.columns), name


def test_one_column_has_one_name_and_one_kind_of_value() -> None:
    for name, frame in frames().items():
        if name == "Worldbook.frame":
            continue
        assert set(frame.columns).isdisjoint(OTHER_WORDS), name
        for column in set(frame.columns) & set(SHARED):
            kinds = {_kind(value) for value in frame[column].tolist() if not _is_missing(value)}
            assert kinds <= {SHARED[column]}, (name, column)


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value != value


def _kind(value: object) -> str:
    return {str: TEXT, int: COUNT, float: SHARE, bool: FLAG}.get(type(value), type(value).__name__)


def test_a_frame_of_nothing_has_its_columns() -> None:
    empty = ctxlab.build(ctxlab.Session(id="s"))

    for frame, column in (
        (ctxlab.lore_scan(ctxlab.Worldbook(), "x").frame(), "fired"),
        (empty.where("x").frame(), "state"),
        (empty.changes("session-loader").frame(), "kind"),
        (empty.cuts(), "needed"),
        (ctxlab.compare({}).totals(), "run"),
        (ctxlab.branches(ctxlab.Library()).summary(), "abandoned_share"),
        (ctxlab.branches(ctxlab.Session()).clusters(), "cluster"),
        (ctxlab.token_flow([]).frame(), "source"),
        (ctxlab.Worldbook().frame(), "name"),
        (compression_report([], "").frame(), "state"),
        (ctxlab.Pipeline().settings(), "layer"),
        (ctxlab.compressions(ctxlab.Session()).frame(), "node"),
        (recording().compressions().frame(), "compression"),
    ):
        assert list(frame[column]) == []


def test_a_setting_says_which_layer_it_is_from() -> None:
    session = ctxlab.Session(id="s").append("hi")

    settings = ctxlab.build(session, budget_tokens=500).pipeline.settings()

    assert settings[settings["layer"] != "default"].drop(columns="description").to_dict("records") == [
        {"step": "token-limiter", "setting": "budget_tokens", "value": 500, "layer": "call"}
    ]
