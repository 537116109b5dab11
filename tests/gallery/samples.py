"""Each widget with something to show, for tests of what all have in common and for the pictures of the README."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pydantic import BaseModel, Field

import ctxlab
import ctxlab_widgets
from ctxlab import (
    Agent,
    KnowledgeBase,
    RegexConfig,
    RegexPreset,
    Session,
    SettingsSection,
    Trace,
    UserProfile,
    Worldbook,
)
from ctxlab.chat.compression import Compression
from ctxlab.pipeline import FormGroup, StepForm, form_hints
from ctxlab_widgets._shared.widget import Widget
from tests.gallery.attachments import files_run
from tests.gallery.recordings import recording_view
from tests.gallery.requests import scripted_request
from tests.gallery.studies import result

DATASETS = Path(__file__).parents[2] / "datasets"


@cache
def session() -> Session:
    return ctxlab.load(DATASETS / "harbour_roleplay.session.json")


@cache
def tree() -> Session:
    return ctxlab.load(DATASETS / "research_tree.session.json")


@cache
def book() -> Worldbook:
    return ctxlab.read(DATASETS / "harbour_lore.json").books[0]


@cache
def rules() -> tuple[RegexPreset, ...]:
    return tuple(ctxlab.read(DATASETS / "harbour_rules.json").rules)


@cache
def agent() -> Agent:
    return ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json")


def harbour_with(**options: Any) -> Trace:
    """The bundled roleplay with its lorebook; `options` are those of `build`."""
    return ctxlab.build(session(), agent(), **{"books": [book()], **options})


@cache
def harbour() -> Trace:
    return harbour_with(budget_tokens=1800, rules=rules())


@cache
def papers() -> KnowledgeBase:
    return ctxlab.read(DATASETS / "harbour_papers.knowledge.json").knowledge_bases[0]


@cache
def with_knowledge() -> Trace:
    """The roleplay with papers of the harbour in a preset, found by likeness; a second placeholder isn't active."""
    asking = "\n\n【kb】\n\n【kb::harbour papers::2::::gate::Halcyon】"
    presets = [
        each.with_(content=each.content + asking) if each.id == "preset-town" else each
        for each in agent().preset_messages
    ]
    settings = {"knowledge-processor.engine": "vector", "knowledge-processor.max_characters": 700}
    return ctxlab.build(session(), agent().with_(preset_messages=presets), knowledge=[papers()], settings=settings)


def looking_up() -> Widget:
    """What a run looked up, with another minimum considered and a piece open in its document."""
    widget = ctxlab_widgets.KnowledgeView(with_knowledge())
    rows = json.loads(widget.view)["rows"]
    widget._handle_custom_msg({"command": "offers", "keys": [row["key"] for row in rows[:8]]}, [])
    widget.preview_minimum(0.25)
    widget.open_row(next(row["key"] for row in rows if row["place"]))
    return widget


def base_of_papers() -> Widget:
    """The papers of the harbour, one switched off, the pieces of one shown."""
    off = papers().entries[3].id
    losses = ("plan.dwg: left out; no text is read of such a file",)
    widget = ctxlab_widgets.KnowledgeBaseView(papers().with_entry(off, enabled=False).with_(losses=losses))
    widget.open_entry("Tower book \u00b7 塔上记事")
    return widget


def stepping() -> Widget:
    """A debugger that has come to the cut, with a breakpoint behind it."""
    debugger = ctxlab.debug(session(), agent(), budget_tokens=1800, books=[book()], rules=rules())
    debugger.breakpoints.add("merge-system")
    debugger.run()
    widget = ctxlab_widgets.StepDebugger(debugger)
    cut = [draft.key for group in debugger.context.dropped if group.needed is not None for draft in group.drafts]
    widget._handle_custom_msg({"command": "remedies", "keys": cut}, [])
    return widget


def runs() -> Widget:
    """The head of a page after four changes, one of them made after going back."""
    page = ctxlab_widgets.lab(harbour())
    page.trace = page.trace.rerun({"worldbook-processor.scan_depth": 3})
    second = page.runs.current.name
    agent = page.trace.start.input.agent
    assert agent is not None
    page.trace = ctxlab.rebuild(page.trace, agent=agent.place_preset(11, depth=1))
    page.trace = page.trace.rerun({"token-limiter.budget_tokens": 2100})
    page.go_to(second)
    page.trace = page.trace.rerun({"token-limiter.strategy": "middle-out"})
    return page.head


def form() -> Widget:
    """An agent whose thoughts have no room in the reply, with a step that was moved and one that was switched off."""
    own = agent()
    parameters = {**(own.parameters or {}), "thinkingEnabled": True, "thinkingBudget": 4096, "seed": 7, "topP": 0.95}
    parameters = {**parameters, "stop": ["\nAda:", "【完】"], "reasoningEffort": "medium"}
    widget = ctxlab_widgets.AgentForm(
        own.with_(parameters=parameters), model="claude-sonnet-4-5", call={"max_tokens": 2048}
    )
    widget.switch("variable-processor", on=False)
    return widget


def study() -> Widget:
    """A study of nine variants, two of them picked."""
    widget = ctxlab_widgets.Study(result())
    widget.picked = ["summary and relevant", "relevant and recent"]
    return widget


@cache
def compression() -> Compression:
    """A compression whose summary loses one of the items that had to be kept."""
    kept = ["the harbour had asked him to do a thing", "阿蓉", "夜里没有人看见", re.compile("fever[^.]*")]
    made = ctxlab.compress(session(), agent(), compression={"protectRecentCount": 6}, must_keep=kept)
    return made.with_summary(made.summary.replace("fever on the islands", "an illness"))


def chatting() -> Widget:
    """A chat whose draft pushes a message out, with what its last answer got."""
    chat = ctxlab_widgets.ChatPanel(session(), agent(), books=[book()], budget_tokens=1800, draft_wait_seconds=0.0)
    chat.input = "I lay the compass beside the lamp, so that {{char}} can read it alone. 灯塔里还有谁？ {{nope}}"
    chat.rest(20)
    answers = [node.id for node in chat.session.path() if node.role == "assistant"]
    chat._handle_custom_msg({"command": "got", "key": answers[-1]}, [])
    return chat


FOLDERS: list[TemporaryDirectory[str]] = []
"""Folders of workspaces; they are gone when the process ends."""


def workspace() -> ctxlab.Workspace:
    """A new workspace with the bundled sessions and what belongs to them, some of it arranged, one session deleted."""
    FOLDERS.append(TemporaryDirectory())
    kept = ctxlab.open_workspace(FOLDERS[-1].name)
    for value in (session(), tree(), agent(), book(), *rules()):
        kept.save(value)
    kept.save(session().with_(id="gone", name="Gone"))
    kept.delete("gone")
    kept.favour(session().id)
    kept.move_to_folder(tree().id, "Research")
    kept.tag(session().id, ["雾港", "roleplay"])
    return kept


def kept_values() -> ctxlab_widgets.WorkspaceView:
    """The list of a workspace, with a session at the side."""
    view = ctxlab_widgets.WorkspaceView(workspace())
    view.show_preview(tree().id)
    return view


def kept_book() -> ctxlab_widgets.WorkspaceView:
    """A book of a workspace as a table, with some entries picked and changed."""
    view = kept_values()
    view.show_tab("books")
    view.open_value(view.shown[0].id, "table")
    for message in (
        {"command": "pick_entries", "keys": list(book().entries)[:4], "on": True},
        {"command": "change_entries", "field": "enabled", "value": False},
    ):
        view._handle_custom_msg(message, [])
    return view


class Tidy(BaseModel):
    """Settings as a package brings them."""

    active: bool = Field(True, title="Tidy up", description="Whether anything is done.")
    share: float = Field(0.5, ge=0, le=1, title="Share", description="Part of the words that stay.")
    way: Literal["soft", "hard"] = Field("soft", title="Way", json_schema_extra=form_hints(labels={"soft": "gently"}))
    words: tuple[str, ...] = Field((), title="Words", description="Words that are left alone, one a line.")
    model: str = Field("", title="Model", json_schema_extra=form_hints(kind="model", placeholder="the chat's"))


TIDY = SettingsSection(
    "acme.tidy",
    "Tidy 整理",
    Tidy,
    "What a package brings.",
    form=StepForm(groups=(FormGroup("In short", ("active", "share")), FormGroup("Words", ("words",)))),
)


def settings() -> Widget:
    """The settings of a chat with those of a package, one stored value wrong and some of a package that is gone."""
    stored = {"plugins": {"acme.tidy": {"share": "much", "words": ["灯塔", "pier"]}, "acme.gone": {"deep": True}}}
    panel = ctxlab_widgets.ChatPanel(session(), plugin_settings=ctxlab.plugin_settings(stored, sections=[TIDY]))
    form = ctxlab_widgets.SettingsForm(panel.plugin_settings, models=["gpt-4o", "deepseek-chat"])
    panel.close()
    form._handle_custom_msg({"command": "set", "step": "translation", "name": "temperature", "value": -1}, [])
    return form


def profile() -> Widget:
    """A user profile that an agent binds, with a book, a set of rules, and a change that isn't saved."""
    user = UserProfile(
        id="ada",
        name="Ada",
        content="Keeps the harbour's books.\n她不信灯塔里的故事。",
        worldbook_ids=("harbour_lore", "far_away"),
        regex_config=RegexConfig(presets=rules()),
    )
    form = ctxlab_widgets.UserForm(user, books=[book()], bound_to="Shen Yan")
    form.set_value("profile", "name", "Ada Lin")
    return form


SAMPLES: Mapping[str, Callable[[], Widget]] = {
    "run_history": runs,
    "step_debugger": stepping,
    "token_budget": lambda: ctxlab_widgets.TokenBudget(harbour()),
    "agent_form": form,
    "branch_tree": lambda: ctxlab_widgets.BranchTree(tree()),
    "chat_panel": chatting,
    "compare": lambda: ctxlab_widgets.Compare(harbour(), strategies=["middle-out", "block"]),
    "compression_view": lambda: ctxlab_widgets.CompressionView(
        compression(), history=ctxlab.History(compression().original)
    ),
    "injection_map": lambda: ctxlab_widgets.InjectionMap(harbour()),
    "knowledge_base_view": base_of_papers,
    "knowledge_view": looking_up,
    "lore_view": lambda: ctxlab_widgets.LoreView(harbour()),
    "recording_view": recording_view,
    "request_view": lambda: ctxlab_widgets.RequestView(scripted_request(harbour())),
    "rule_view": lambda: ctxlab_widgets.RuleView(harbour()),
    "section_form": settings,
    "sent_view": lambda: ctxlab_widgets.SentView(harbour()),
    "study": study,
    "token_view": lambda: ctxlab_widgets.TokenView(harbour()),
    "workspace_view": kept_values,
}


def deciding() -> Widget:
    """A debugger at the step that decides on files."""
    widget = ctxlab_widgets.StepDebugger(files_run())
    widget.run_to(files_run().index("transcription-processor") + 1)
    return widget


FIRST_ALONE = ctxlab.JinjaTemplate(
    "{% for m in messages %}{% if m.role != 'system' or loop.first %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
    "{% endif %}{% endfor %}<|im_start|>assistant\n",
    "first system alone",
)
"""A template that reads a system message in the first place alone, as many published ones do."""


def as_the_model_reads_it() -> Widget:
    """The text of the roleplay by a template that drops what stands late, with what mends it."""
    short = harbour_with(budget_tokens=1200, rules=rules())
    widget = ctxlab_widgets.SentView(short, template=FIRST_ALONE, reading="text")
    widget._handle_custom_msg({"command": "template_remedies"}, [])
    return widget


WITH_FILES: Mapping[str, Callable[[], Widget]] = {
    "section_form, user": profile,
    "step_debugger, files": deciding,
    "sent_view, files": lambda: ctxlab_widgets.SentView(files_run()),
    "sent_view, text": as_the_model_reads_it,
    "workspace_view, book": kept_book,
}
"""Widgets with something else to show: files of a conversation, a text that a model reads, a book as a table."""
