"""Every value that a cell may end with shows itself: escaped, well-formed, bounded in size, whatever its words are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pydantic import BaseModel, Field

import ctxlab
from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.transcription import TranscriptionTask
from ctxlab.assets.transcription.ensured_transcripts import EnsuredTranscripts
from ctxlab.chat.compression import CompressionSettings
from ctxlab.documents import Greeting, MessageNode, Stored
from ctxlab.engines.compression import SourceText, compression_report
from ctxlab.formats import Export, Import, Loss
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.storage.search import SearchIndex, SearchResult
from ctxlab.studies import sent_files, sent_prompt
from tests.gallery.attachments import files_run
from tests.sillytavern.small_folder import write_folder
from tests.studies.synthetic_study import study_frame

MOST = 60_000
MANY = 2000
SCRIPT = "<script>alert('&')</script>"
HOSTILE = f"{SCRIPT}\"'><img src=x onerror=alert(1)>\x1b[31m\u202eabc\u2066 沈砚 שלום \x00 " + "&'\"<" * 500
KEPT: list[TemporaryDirectory[str]] = []
VOID = {"br", "img", "hr"}


class Knobs(BaseModel):
    """Settings of a section."""

    on: bool = Field(False, title=HOSTILE)
    text: str = HOSTILE


class Page(HTMLParser):
    """Tags of a page, and whether each that was opened is closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.tags: set[str] = set()
        self.is_sound = True
        self.feed(html)
        self.close()
        self.is_sound = self.is_sound and not self.opened

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style", "open"}
        if tag not in VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.is_sound = self.is_sound and bool(self.opened) and self.opened.pop() == tag


def chat(words: str, messages: int) -> ctxlab.Session:
    nodes: dict[str, Any] = {"root": {"id": "root", "role": "system", "content": ""}}
    above = "root"
    for i in range(messages):
        key = f"n{i}{words[:40]}"
        nodes[key] = {"id": key, "parentId": above, "role": ("user", "assistant")[i % 2], "content": f"{i} {words}"}
        above = key
    return ctxlab.Session.model_validate(
        {"id": words, "name": words, "rootNodeId": "root", "activeLeafId": above, "nodes": nodes}
    )


def labelled_cases(session: ctxlab.Session, words: str, questions: int) -> Any:
    """Questions with evidence, and one in four without, which is left out."""
    rows = [{"question": words, "evidence": [session.active_leaf_id] * bool(n % 4)} for n in range(questions)]
    return ctxlab.retention_cases(ctxlab.Library(sessions=(session,)), rows)


@cache
def many() -> dict[str, Any]:
    """Every value with so many things in it that no page could show them."""
    return values("x", MANY)


@cache
def hostile() -> dict[str, Any]:
    """Every value with hostile words wherever a file can put some."""
    return values(HOSTILE, 40)


def workspace_values(words: str) -> dict[str, Any]:
    """A workspace, its lists, its journal and its trash, and what taking a library in gave."""
    place = TemporaryDirectory()
    KEPT.append(place)
    workspace = ctxlab.open_workspace(place.name, who=words)
    added = workspace.add(
        ctxlab.Library(sessions=(chat(words, 2), chat(words + "x", 2)), agents=(ctxlab.Agent(id="a", name=words),))
    )
    workspace.delete(workspace.sessions()[0].id)
    lists = {"Rows": workspace.sessions(), "Rows of agents": workspace.values("agents")}
    return {
        "Workspace": workspace,
        "Added": added,
        **lists,
        "JournalEntries": workspace.journal(),
        "TrashEntries": workspace.trash(),
    }


def sillytavern_turn(words: str, size: int) -> ctxlab.SillyTavernTurn:
    """The turn of a folder with many books, words in every setting."""
    names = [f"w{i}" for i in range(size)]
    with TemporaryDirectory() as place:
        folder = write_folder(
            Path(place),
            card={"name": words},
            metadata={"note_prompt": words},
            worlds=dict.fromkeys(names, words),
            world_info_settings={"world_info": {"globalSelect": names}, "world_info_depth": words},
        )
        return ctxlab.sillytavern(folder)


def asset_folder(words: str, size: int) -> AssetFolder:
    """A store with this many files, in a folder that goes with the process."""
    place = TemporaryDirectory()
    KEPT.append(place)
    store = ctxlab.open_assets(place.name)
    for i in range(size):
        store.add(f"{i}".encode(), name=f"{words[:99]}{i}", mime_type=words[:99])
    return store


def search_result(session: ctxlab.Session, words: str) -> SearchResult:
    place = TemporaryDirectory()
    KEPT.append(place)
    index = SearchIndex(f"{place.name}/search.db")
    index.put(words, session, words)
    return index.search(words[-1:], mode="exact")


def study_case(words: str, i: int) -> ctxlab.Case:
    return ctxlab.Case(
        f"{words}{i}", words, chat(words, 3), words, evidence=(words,), kind=words, labels={words[:99]: words}
    )


def study(words: str, size: int) -> ctxlab.Study:
    cases = [study_case(words, i) for i in range(min(size, 40))]
    return ctxlab.Study(cases, {words: {}}, budgets=[1, 10**6], tokenizer="chars4+4")


def many_compressions(words: str, size: int) -> ctxlab.Session:
    """A conversation with as many summaries of other programs."""
    session = chat(words, 3)
    for _ in range(size):
        marks = {"isCompressionNode": True, "compressedNodeIds": [words], "compressionReason": words}
        session = session.append(words, role="system", metadata=marks)
    return session


def recording(words: str, size: int) -> ctxlab.Recording:
    """A recording of many requests, whose every name is one of the words."""
    builder = RecordingBuilder(words, words)
    for number in range(size):
        body = {"model": words, "messages": [{"role": words, "content": f"{number} {words}"}], "tools": [3]}
        builder.body(body, "openai-chat", id=words, agent=words, time=words, model=words, error=words)
    return builder.recording()


def compressed_recording(words: str, size: int) -> ctxlab.Recording:
    """A recording in which many messages went behind a summary, all with these words."""
    builder = RecordingBuilder(words, words)
    talk = [{"role": "user", "content": f"Never open door {n}: {words}"} for n in range(size)]
    for sent in (talk, [{"role": "user", "content": f"Summary of the conversation so far: {words}"}, talk[-1]]):
        builder.body({"model": words, "messages": sent}, "openai-chat", agent=words, model=words)
    return builder.recording()


def findings(words: str, size: int) -> ctxlab.Findings:
    """Many findings at many places, whose every name is one of the words."""
    places = tuple(ctxlab.FindingPlace(words, words, n, n + 1, words) for n in range(min(size, 60)))
    found = (ctxlab.Finding(words, "note", words, f"{n} {words}", places, n, 0.1, words) for n in range(size))
    return ctxlab.Findings(tuple(found), (words,) * min(size, 60), (words,) * min(size, 60), words)


def values(words: str, size: int) -> dict[str, Any]:
    session = chat(words, size)
    presets = tuple(MessageNode(name=words, content=words, role="system") for _ in range(min(size, 200)))
    agent = ctxlab.Agent(id=words, name=words, preset_messages=presets, greetings=(Greeting(name=words),))
    entries = {
        f"{i}{words}": ctxlab.LoreEntry(uid=i, comment=words, key=(words, "0"), content=words) for i in range(size)
    }
    book = ctxlab.Worldbook(id=words, name=words, entries=entries)
    rule = ctxlab.RegexRule(id=words, name=words, regex="[0-9]", replacement=words[:40], apply_to={"request": True})
    rules = ctxlab.RegexPreset(id=words, name=words, rules=(rule,) * min(size, 400))
    action = ctxlab.QuickAction(label=words, content=words, hotkey=words[:40])
    actions = ctxlab.QuickActionSet(id=words, name=words, actions=(action,) * min(size, 400))
    pieces = tuple(
        ctxlab.KnowledgeEntry(id=f"{i}", key=words, content=words, tags=(words,)) for i in range(min(size, 400))
    )
    knowledge = ctxlab.KnowledgeBase(id=words, name=words, entries=pieces, losses=(words,) * min(size, 60))
    user = ctxlab.UserProfile(id=words, name=words, content=words, preset_messages=presets[:3])
    trace = ctxlab.build(session, agent, user=user)
    smaller = ctxlab.build(session, user=user, budget_tokens=ctxlab.build(session, user=user).tokens // 2)
    history = ctxlab.History(ctxlab.Session(id=words).append(words, id="a"))
    for i in range(60):
        history.record(history.session.edit("a", f"{i}"), words)
    losses = tuple(Loss(words, words, f"{i}") for i in range(size))
    dropped = next(draft.key for group in smaller.result.dropped for draft in group.drafts)
    talk, few = chat(words, 4), agent.with_(preset_messages=presets[:30])
    short = ctxlab.build(talk, few)
    return {
        "Ablation": ctxlab.ablate(talk, few, only=["preset"]),
        "Agent": agent,
        "AppliedQuickAction": ctxlab.apply_quick_action(actions.actions[0], words, session=talk),
        "AssetFolder": asset_folder(words, min(size, 60)),
        **workspace_values(words),
        "BudgetReport": smaller.result.report(ctxlab.BudgetReport),
        "BuildFiles": BuildFiles({f"{words}{i}": b"x" for i in range(size)}, agents=[agent]),
        "Case": study_case(words, 0),
        "Changes": smaller.changes("token-limiter"),
        "Comparison": ctxlab.compare({words: trace, f"{words}2": smaller}),
        "Comparison of many": ctxlab.compare({f"{words[:99]}{i}": smaller for i in range(8)}),
        "CompressionReport": compression_report(
            [
                SourceText(words, words, f"{words} never use {i} lamps of Ada Lovelace{i}")
                for i in range(min(size, 300))
            ],
            words,
            must_keep=[words],
        ),
        "Compression": ctxlab.compress(
            chat(words, 30), user=user, compression={"protectRecentCount": 2}, must_keep=f"{words}!"
        ),
        "SessionCompressions": ctxlab.compressions(many_compressions(words, min(size, 60))),
        "CompressionSettings": CompressionSettings(guidance=words, must_keep=(words,) * min(size, 400)),
        "Context": smaller.result,
        "Diff": ctxlab.diff(trace, smaller),
        "EnsuredTranscripts": EnsuredTranscripts(
            (TranscriptionTask(words, words, words, error=words),) * min(size, 500)
        ),
        "Expansion": ctxlab.expand_input(f"{{{{user}}}} {words}", user=user),
        "Export": Export(words * 20, losses),
        "Export of JSON": Export([words] * min(size, 500), losses),
        "History": history,
        "Import": Import(sessions=(session,) * 3, agents=(agent,), books=(book,), losses=losses, source=words),
        "LabelledCases": labelled_cases(session, words, min(size, 400)),
        "LegalCuts": ctxlab.legal_cuts(session),
        "LeftOut": labelled_cases(session, words, 4).left_out[0],
        "Library": ctxlab.Library(sessions=(session,), agents=tuple([agent] * min(size, 500)), books=(book,)),
        "Life": smaller.why(dropped),
        "Loss": losses[0],
        "Losses": Export("", losses).losses,
        "LoreScan": ctxlab.lore_scan(book, f"0 {words}"),
        "LoreTimeline": ctxlab.lore_timeline(
            chat(words, 2), books=book.with_(entries=dict(list(entries.items())[:300]))
        ),
        "MessageActions": ctxlab.message_actions(
            talk,
            "root",
            actions=[ctxlab.MessageAction(f"{i}{words}", words, print) for i in range(min(size, 300))],
        ),
        "MessageNode": presets[0],
        "Minimised": ctxlab.minimise(short, keeps=[short.result.drafts[-1].key, "re:."]),
        "ModelProfile": ctxlab.ModelProfile(id=words, name=words),
        "Occurrence": smaller.where("0")[0],
        "Occurrences": smaller.where("0"),
        "Pipeline": smaller.pipeline,
        "PluginSettings": ctxlab.plugin_settings(
            sections=[ctxlab.SettingsSection(f"{i}{words}", words, Knobs) for i in range(min(size, 200))]
        ),
        "ProcessorSettings": smaller.pipeline.stage("token-limiter").processor.settings,
        "RetentionSetting": ctxlab.RETENTION,
        "Replay": ctxlab.replay(chat(words, 30), {"agent": agent}, {"budget_tokens": 600, "user": user}),
        "Finding": findings(words, 2)[0],
        "FindingPlace": findings(words, 2)[0].places[0],
        "FindingRule": ctxlab.finding_rule(words, words, words, "note")(lambda checked: []),
        "Findings": findings(words, min(size, 400)),
        "Found": ctxlab.Found(words, words),
        "Recording": recording(words, min(size, 400)),
        "RecordedRequest": recording(words, 2).requests[-1],
        "RecordedCompressions": compressed_recording(words, min(size, 60)).compressions(),
        "RecordedCompression": compressed_recording(words, min(size, 60)).compressions()[0],
        "PrefixReport": recording(words, min(size, 400)).prefix(),
        "RequestPrefix": recording(words, 2).prefix().requests[-1],
        "FrozenPrefix": recording(words, 2).prefix(frozen="clock").frozen,
        "TurnPrefixes": ctxlab.prefix([smaller, short]),
        "TokenizerErrors": ctxlab.tokenizer_error(words, lambda text: len(text)),
        "TurnPrefix": ctxlab.prefix([smaller, short]).turns[-1],
        "RequestComparison": ctxlab.compare_requests(
            ctxlab.payload(smaller, "openai"), ctxlab.payload(smaller, "anthropic")
        ),
        "Parting": ctxlab.parted(smaller, short),
        "QuickAction": actions.actions[0],
        "QuickActionSet": actions,
        "KnowledgeBase": knowledge,
        "KnowledgeRetriever": ctxlab.KnowledgeRetriever([knowledge.with_(id=f"{i}") for i in range(min(size, 60))]),
        "ShownQuickActions": ctxlab.quick_actions_for(library=ctxlab.Library(quick_actions=(actions,))),
        "RegexConfig": ctxlab.RegexConfig(presets=(rules,)),
        "RegexPreset": rules,
        "RegexRule": rule,
        "RegexSteps": ctxlab.regex_steps(f"0 1 2 {words}", rules),
        "Rendered": ctxlab.render(chat(words, 2)),
        "SearchHit": search_result(session, words)[0],
        "SearchResult": search_result(session, words),
        "SentMessages": smaller.messages,
        "SentPrompt": sent_prompt(smaller),
        "SentFile": sent_files(files_run())[0],
        "Session": session,
        "SillyTavernTurn": sillytavern_turn(words, size),
        "Interval": ctxlab.mean_score(study_frame(words=words, cases=2)).interval,
        "MeanScore": ctxlab.mean_score(study_frame(words=words, cases=2)),
        "PairedDifference": ctxlab.paired_difference(
            study_frame(words=words, cases=2), f"sliding{words}", f"lexical{words}"
        ),
        "StudyTable": ctxlab.study_table(
            study_frame(words=words, cases=1, conversations=2, budgets=range(100, 100 + min(size, 30)))
        ),
        "SessionBranches": ctxlab.branches([session] * 3),
        "Stage": smaller.pipeline.stage("token-limiter"),
        "Sweep": ctxlab.sweep(talk, few, what="preset:29", depths=range(3), anchors=[words]),
        "Study": study(words, size),
        "StudyResult": study(words, min(size, 40)).run(progress=False),
        "Table": ctxlab.Table(words, [{f"{words[:9]}{i}": words for i in range(40)}] * min(size, 300)),
        "TokenFlow": ctxlab.token_flow(smaller),
        "Tool": ctxlab.Tool(words, words, {"properties": {f"{i}{words}": {"type": words} for i in range(size)}}, print),
        "Trace": smaller,
        "AnswerRun": ctxlab.answer_run(session.append(words, role="assistant", id="answer"), "answer", agent),
        "Preview": ctxlab.preview(session, words, user=user, budget_tokens=smaller.tokens + 3_000),
        "InputCompletion": ctxlab.complete_input(talk, f"x{words}", model=lambda messages: words * 9),
        "TopicName": ctxlab.name_topic(talk, model=lambda messages: words),
        "Translation": ctxlab.translate(
            f"{words}\n\n" * 9,
            to=words,
            model=lambda messages: words,
            settings={"segmentCharacters": 30, "attempts": 1},
        ),
        "Turn": ctxlab.send(session, words, model=lambda messages: words),
        "TurnStream": ctxlab.stream(session, words, model=lambda messages: words),
        "UserProfile": user,
        "Variant": ctxlab.Variant(words, {words: words}),
        "Worldbook": book,
    }


@pytest.mark.parametrize("made", [many, hostile])
def test_a_value_s_html_is_escaped_well_formed_and_small(made: Callable[[], dict[str, Any]]) -> None:
    for name, value in made().items():
        html = value._repr_html_()

        page = Page(html)
        assert page.is_sound, name
        assert page.tags.isdisjoint({"script", "img"}), name
        assert not set(html) & set("\x1b\x00\u202e\u2066"), name
        assert 0 < len(html.encode()) < MOST, name


def test_a_repr_is_short() -> None:
    for name in hostile().keys() - {"SentMessages", "RegexSteps"}:
        shown = repr(hostile()[name])

        assert len(shown) < 5_000, name
        assert "\n" not in shown, name


@pytest.mark.parametrize("name", ["Changes", "Losses", "LoreScan", "Occurrences", "SentMessages", "Worldbook"])
def test_a_long_table_counts_what_it_leaves_out(name: str) -> None:
    html = many()[name]._repr_html_()

    assert html.count("<tr>") < 30
    assert "<p>… and " in html


def test_values_that_hold_nothing_show_themselves_too() -> None:
    empty = ctxlab.build(ctxlab.Session(id="s"))
    for value in (
        *(kind() for kind in (ctxlab.Session, ctxlab.Agent, ctxlab.Worldbook, ctxlab.RegexConfig, ctxlab.Library)),
        *(Import(), Export(""), Export(b""), Export("").losses, empty, empty.messages, empty.where("x"), empty.result),
        *(empty.changes("session-loader"), ctxlab.diff(empty, empty), ctxlab.compare({}), ctxlab.Pipeline()),
        ctxlab.History(ctxlab.Session(id="s")),
    ):
        assert Page(value._repr_html_()).is_sound
        assert value._repr_html_()


def test_a_changed_message_says_what_happened_to_it_and_why() -> None:
    trace = ctxlab.build(chat("some words", 30), budget_tokens=100)

    changes, life = trace.changes("token-limiter"), trace.why(trace.changes("token-limiter").dropped[0].drafts[0].key)

    assert list(changes.frame()["kind"].unique()) == ["dropped"]
    assert "needed" in changes._repr_html_()
    assert "it is not sent" in life._repr_html_()


def test_places_of_words_are_still_a_tuple() -> None:
    trace = ctxlab.build(chat("some words", 3))

    assert trace.where("nowhere to be found") == ()
    assert repr(trace.where("2 some words")) == "Occurrences(1 sent)"
    assert str(trace.where("2 some words")).startswith("node:n2")


@pytest.mark.parametrize("kind", Stored.__subclasses__(), ids=lambda kind: kind.__name__)
def test_completion_on_a_stored_value_offers_what_is_ours(kind: type[Stored]) -> None:
    offered = {name for name in (*dir(kind), *dir(kind.model_construct())) if not name.startswith("_")}

    assert offered.isdisjoint({"construct", "parse_obj", "copy", "json", "dict", "schema", "model_dump", "model_copy"})
    assert {"with_", "to_data"} <= offered
    assert set(kind.model_fields) <= offered


@pytest.mark.parametrize(
    "module", ["ctxlab", "ctxlab_widgets", "ctxlab.formats", "ctxlab.studies", "ctxlab.documents", "ctxlab.pipeline"]
)
def test_completion_on_a_package_offers_its_public_names(module: str) -> None:
    package = __import__(module, fromlist=["__all__"])

    assert [name for name in dir(package) if not name.startswith("__")] == sorted(package.__all__)
