"""The page of all views: one run in all of them, made anew once a change, and each view only when it is wanted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError, SeveralSessions
from ctxlab.formats import Import
from ctxlab.pipeline import Trace
from ctxlab_widgets import lab
from ctxlab_widgets.lab_page import TABS, LabPage
from tests.gallery.samples import workspace

DATASETS = Path(__file__).parents[2] / "datasets"
VIEWS = ("tree", *(name for name in TABS if name != "chat"))
"""The views of the page's run; the chat is one of its conversation."""


@pytest.fixture
def page() -> LabPage:
    read = ctxlab.read
    return lab(
        ctxlab.load(DATASETS / "harbour_roleplay.session.json"),
        ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json"),
        budget_tokens=1800,
        books=read(DATASETS / "harbour_lore.json").books,
        rules=read(DATASETS / "harbour_rules.json").rules,
    )


def chat(id: str = "s") -> ctxlab.Session:
    session = ctxlab.Session(id=id).append("", role="system", id="root")
    return session.append("Where is it?", id="q").append("By the pier.", role="assistant", id="a")


def all_show(page: LabPage, trace: Trace) -> bool:
    return all(getattr(page, name).trace is trace for name in page.opened)


def builds(page: LabPage) -> list[Trace]:
    """The runs that the page comes to show from now on."""
    seen: list[Trace] = []
    page.state.observe(lambda change: seen.append(change["new"]), "trace")
    return seen


def test_only_what_is_seen_at_first_is_made_at_first(page: LabPage) -> None:
    assert page.opened == ("tree", "steps")
    page.show_tab("tokens")
    assert page.opened == ("tree", "steps", "tokens")
    page.show_tab("tokens")
    assert page.tokens is page.tokens


def test_every_view_shows_the_run(page: LabPage) -> None:
    views = [getattr(page, name) for name in VIEWS]

    assert page.opened == VIEWS
    assert all(view.trace is page.trace for view in views)
    assert len({type(view) for view in views}) == len(views)


def test_what_a_tab_holds_is_as_wide_as_the_tab(page: LabPage) -> None:
    """A box in a tab is a row: what doesn't say how wide it is has no width there, and the chat was blank."""
    for name in TABS:
        page.show_tab(name)
    shown = [child for place in page._tabs.children for child in place.children]

    assert len(shown) >= len(TABS) - 1
    assert [view for view in shown if view.layout.width != "100%"] == []


def test_a_reply_in_the_chat_is_one_run_of_the_page_and_undone_there(page: LabPage) -> None:
    before, runs = page.session, len(page.runs)
    page.chat.send_message("Who keeps the light?")

    after = page.chat.wait(120)

    assert page.session is page.tree.session is after
    assert page.trace.start.input.session is after
    assert len(page.runs) == runs + 1
    page.chat._handle_custom_msg({"command": "undo"}, [])
    assert page.session == before
    assert page.chat.session is page.session
    page.close()


def test_the_chat_of_a_page_is_built_as_the_run_of_the_page(page: LabPage) -> None:
    page.steps.set_setting("token-limiter", "budget_tokens", 1500)
    page.chat.input = "Who keeps the light?"
    page.chat.rest(20)

    assert page.chat.preview is not None
    assert page.chat.preview.without.messages == page.trace.messages
    assert page.chat.preview.budget == 1500
    page.close()


def test_another_branch_in_the_tree_is_one_more_run_and_all_show_it(page: LabPage) -> None:
    _ = [getattr(page, name) for name in VIEWS]
    seen, before = builds(page), page.session

    page.tree.switch_to("a9")

    assert [run.start.input.session.leaf for run in seen] == ["a9"]
    assert page.session is page.tree.session is not before
    assert all_show(page, seen[0])


def test_a_setting_changed_in_the_steps_reaches_all(page: LabPage) -> None:
    _ = [getattr(page, name) for name in VIEWS]
    seen = builds(page)

    page.steps.set_setting("token-limiter", "budget_tokens", 1500)

    (run,) = seen
    assert run.result.report(BudgetReport).budget_tokens == 1500
    assert all_show(page, run)


def test_a_preset_that_is_moved_reaches_all_and_can_be_taken_back(page: LabPage) -> None:
    _ = [getattr(page, name) for name in VIEWS]
    seen, before = builds(page), page.trace
    depths = {one.requested: one.key for one in ctxlab.studies.landings(page.trace).injections}

    page.injections.place(depths["depth 2"], depth=5)
    assert all_show(page, seen[-1])
    page.injections.undo()

    assert seen[-1] is before
    assert all_show(page, before)


def test_what_one_view_changes_the_next_starts_from(page: LabPage) -> None:
    held = page.compare
    page.steps.set_setting("token-limiter", "budget_tokens", 1500)
    page.tree.switch_to("a9")

    run = page.trace

    assert run.result.report(BudgetReport).budget_tokens == 1500
    assert run.start.input.session.leaf == "a9"
    assert held.trace is run


def test_a_run_that_is_set_from_python_is_shown_by_all(page: LabPage) -> None:
    _ = [getattr(page, name) for name in VIEWS]
    other = ctxlab.build(chat())

    page.trace = other

    assert all_show(page, other)
    assert page.session == chat()


def test_a_session_that_is_set_from_python_is_built_with_what_there_was(page: LabPage) -> None:
    agent = page.trace.start.input.agent

    page.session = page.session.append("And then?", id="new")

    build_input = page.trace.start.input
    assert (build_input.session.leaf, build_input.agent) == ("new", agent)
    assert all_show(page, page.trace)


def test_a_message_selected_in_one_view_is_selected_in_all(page: LabPage) -> None:
    page.tree.selected = "node:u5"

    assert {getattr(page, name).selected for name in VIEWS} == {"node:u5"}
    page.tokens.selected = "node:a5"
    assert (page.selected, page.tree.selected) == ("node:a5", "node:a5")


def test_a_compression_is_a_run_that_all_show_and_undo_takes_back(page: LabPage) -> None:
    view, before = page.compression, page.trace
    view.guide("Keep the names.")
    made = view.compression
    assert made is not None
    view.write("They talked of 沈砚.")

    view._handle_custom_msg({"command": "apply"}, [])

    assert all_show(page, page.trace)
    assert page.trace is not before
    assert page.runs.current.name == f"{len(made.gone)} messages compressed"
    assert page.tree.session.nodes.keys() - before.start.input.session.nodes.keys() == {made.summary_id}
    assert page.session.nodes[made.summary_id].content == "They talked of 沈砚."
    assert "compressed" in view.effect["label"]
    assert view.can_apply
    assert view.compression is not None
    assert view.compression.wanted is not None
    assert view.compression.wanted.guidance == "Keep the names."
    assert page.undo() is before
    assert made.summary_id not in page.session.nodes
    assert all_show(page, before)


def test_a_run_of_the_same_conversation_leaves_the_wishes_and_the_text_of_a_compression(page: LabPage) -> None:
    view = page.compression
    view.choose_above("u6")
    view.keep("沈砚")
    view.write("By hand: 沈砚.")

    page.trace = page.trace.rerun({"token-limiter.budget_tokens": 2100})

    assert view.compression is not None
    assert view.compression.before is page.trace
    assert view.compression.summary == "By hand: 沈砚."
    assert view.compression.wanted is not None
    assert (view.compression.wanted.above, view.compression.wanted.must_keep) == ("u6", ("沈砚",))
    assert not view.can_go_back


def test_a_compression_of_another_state_is_no_run_of_the_page(page: LabPage) -> None:
    view, before = page.compression, page.trace
    view.compression = ctxlab.compress(page.session.update("u5", content="Else."), everything=True)

    view._handle_custom_msg({"command": "apply"}, [])

    assert "another state" in view.error
    assert page.trace is before


def test_where_nothing_can_be_compressed_the_page_says_why() -> None:
    view = lab(chat()).compression

    view._handle_custom_msg({"command": "apply"}, [])

    assert "stay as they are" in view.error


def test_a_budget_that_is_too_small_is_refused_where_it_is_asked_for(page: LabPage) -> None:
    before = page.trace

    page.budget._handle_custom_msg({"command": "budget", "tokens": 5}, [])

    assert "5 tokens" in page.budget.error
    assert page.trace is before
    assert all_show(page, before)


def test_a_step_that_fails_leaves_all_views_with_the_run_as_far_as_it_came(page: LabPage) -> None:
    _ = [getattr(page, name) for name in VIEWS]
    set_budget = {"command": "set", "step": "token-limiter", "name": "budget_tokens"}

    page.steps._handle_custom_msg({**set_budget, "value": 5}, [])
    assert "token-limiter" not in [step.id for step in page.trace.steps]
    assert all_show(page, page.trace)
    page.steps._handle_custom_msg({**set_budget, "value": 1500}, [])

    assert page.trace.result.report(BudgetReport).budget_tokens == 1500
    assert all_show(page, page.trace)


@pytest.mark.parametrize("name", ["lore", "rules", "compare", "budget", "injections"])
def test_a_chat_without_agent_lore_and_rules_has_a_page_too(name: str) -> None:
    page = lab(chat())

    assert getattr(page, name).trace is page.trace


def test_it_takes_what_a_file_held(tmp_path: Path) -> None:
    found = ctxlab.read_data([{"role": "user", "content": "hi"}])

    assert lab(found).session is found.pick()


def test_of_several_conversations_one_has_to_be_picked() -> None:
    with pytest.raises(SeveralSessions):
        lab(Import(sessions=(chat("one"), chat("two")), source="chats.json"))


def test_a_trace_is_shown_as_it_is_or_with_another_agent() -> None:
    trace = ctxlab.build(chat())

    assert lab(trace).trace is trace
    agent = ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json")
    assert lab(trace, agent).trace.start.input.agent is agent
    with pytest.raises(CtxlabError, match="budget_tokens"):
        lab(trace, budget_tokens=100)


def test_a_tab_that_is_not_there_is_refused(page: LabPage) -> None:
    with pytest.raises(CtxlabError, match="'costs'"):
        page.show_tab("costs")


def test_nothing_is_left_when_the_page_is_closed(page: LabPage) -> None:
    views: list[Any] = [page.tree, page.steps]

    page.close()

    assert all(view.comm is None for view in views)


def test_documents_and_studies_are_widgets_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab_widgets.views._in_a_notebook", lambda: True)
    trace = ctxlab.build(chat())
    runs = ctxlab.compare({"one": trace, "two": trace})
    (book,) = ctxlab.read(DATASETS / "harbour_lore.json").books

    for value in (chat(), ctxlab.History(chat()), runs, ctxlab.lore_scan(book, "The lighthouse"), workspace()):
        bundle = value._repr_mimebundle_()
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        assert "application/vnd.jupyter.widget-view+json" in data


def test_outside_of_notebooks_they_are_not_and_nothing_is_loaded_for_it() -> None:
    code = (
        "import sys, ctxlab; s = ctxlab.Session(id='s').append('', role='system').append('hi');"
        "values = s, ctxlab.History(s), ctxlab.compare({'one': ctxlab.build(s)}), ctxlab.open_workspace('memory://x');"
        "print([value._repr_mimebundle_() for value in values], 'anywidget' in sys.modules)"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[None, None, None, None] False"


def test_a_conversation_without_a_message_has_a_page_too() -> None:
    page = lab(ctxlab.Session())
    _ = [getattr(page, name) for name in VIEWS]

    page.session = chat()

    assert page.trace.start.input.session == chat()
    assert all_show(page, page.trace)


# --- who takes part, chosen in the chat


def people() -> ctxlab.Library:
    """Two agents with a book and a model each, one of which binds a user."""
    entry = {"0": {"uid": 0, "key": ["pier"], "content": "The pier is old."}}
    books = [ctxlab.Worldbook.model_validate({"id": id, "name": id, "entries": entry}) for id in ("stones", "lights")]
    wei = ctxlab.Agent(id="wei", name="Wei", worldbook_ids=("stones",), model_id="gpt-4o")
    shen = ctxlab.Agent(id="shen", name="Shen", worldbook_ids=("lights",), user_profile_id="ada", model_id="gpt-4")
    users = tuple(ctxlab.UserProfile(id=id, name=id.capitalize()) for id in ("ada", "luo"))
    small = ctxlab.ModelProfile(id="small", context_window=900, tokenizer="o200k_base")
    return ctxlab.Library((chat(),), (wei, shen), users, (small,), tuple(books))


@pytest.fixture
def of_people() -> LabPage:
    library = people()
    return lab(library, library.agent("wei"), user=library.user("luo"), library=library)


def asked(page: LabPage, command: str, **fields: Any) -> str:
    page.chat._handle_custom_msg({"command": command, **fields}, [])
    return page.chat.error


def chosen(page: LabPage) -> tuple[str, str, str, str]:
    """Agent, user, model and books of the run that the page shows."""
    own = page.trace.start.input
    names = [each.id if each is not None else "" for each in (own.agent, own.user, own.model)]
    return names[0], names[1], names[2], " ".join(book.book_id for book in own.books)


def test_an_agent_that_is_chosen_in_the_chat_is_that_of_all_views_and_of_what_is_run_again(of_people: LabPage) -> None:
    page = of_people
    assert chosen(page) == ("wei", "luo", "gpt-4o", "stones")

    assert asked(page, "choose", what="agent", id="shen") == ""

    assert chosen(page) == ("shen", "ada", "gpt-4", "lights")
    assert page.steps.trace is page.lore.trace is page.budget.trace is page.trace
    page.trace = page.trace.rerun({"token-limiter.budget_tokens": 2000})
    assert chosen(page) == ("shen", "ada", "gpt-4", "lights")
    assert page.chat.setup.agent is page.trace.start.input.agent
    page.undo()
    page.undo()
    assert chosen(page) == ("wei", "luo", "gpt-4o", "stones")
    assert (page.chat.setup.now("agent"), page.chat.setup.now("user")) == ("wei", "luo")


def test_an_agent_that_is_edited_in_the_chat_stays_so_when_the_page_is_run_again(of_people: LabPage) -> None:
    page = of_people
    assert asked(page, "open", view="agent", key="") == ""
    form: Any = page.chat.page.opened

    form.set_parameter("temperature", 0.1)
    form.save()

    def temperature() -> Any:
        agent = page.trace.start.input.agent
        return (agent.parameters or {}).get("temperature") if agent is not None else None

    assert temperature() == 0.1
    page.trace = page.trace.rerun({"token-limiter.budget_tokens": 2000})
    assert temperature() == 0.1
    asked(page, "choose", what="agent", id="shen")
    assert temperature() is None
    asked(page, "choose", what="agent", id="wei")
    assert temperature() == 0.1


def test_a_profile_that_is_edited_in_the_chat_is_that_of_the_run_with_its_books(of_people: LabPage) -> None:
    page = of_people
    assert asked(page, "open", view="user", key="") == ""
    form: Any = page.chat.page.opened

    form.set_value("profile", "content", "灯塔守护者")
    form.set_value("lore", form.switch_of("lights"), True)
    form.save()

    user = page.trace.start.input.user
    assert user is not None
    assert (user.content, user.worldbook_ids) == ("灯塔守护者", ("lights",))
    assert chosen(page)[3] == "stones lights"
    assert page.chat.setup.user is user


def test_a_model_that_is_chosen_in_the_chat_is_that_of_the_run_and_undone_with_it(of_people: LabPage) -> None:
    page = of_people

    assert asked(page, "choose", what="model", id="small") == ""

    assert page.trace.start.input.model == people().models[0]
    page.trace = page.trace.rerun({"token-limiter.budget_tokens": 800})
    assert page.chat.setup.now("model") == chosen(page)[2] == "small"
    page.undo()
    page.undo()
    assert (chosen(page)[2], page.chat.setup.now("model")) == ("gpt-4o", "echo")
    page.redo()
    assert page.chat.setup.now("model") == "small"
    assert asked(page, "choose", what="model", id="echo") == ""
    assert page.chat.setup.now("model") == "echo"
    assert "small" in [id for id, _ in page.chat.setup.choices("model")]


def test_an_agent_with_a_greeting_begins_an_empty_conversation_in_all_views() -> None:
    wei = ctxlab.Agent(id="wei", name="Wei")
    greetings = [{"id": "g", "content": "Come in."}]
    shen = ctxlab.Agent.model_validate({"id": "shen", "name": "Shen", "greetings": greetings})
    page = lab(ctxlab.Session(id="s"), wei, library=ctxlab.Library(agents=(wei, shen)))

    assert asked(page, "choose", what="agent", id="shen") == ""

    assert page.session == page.chat.session
    assert [node.content for node in page.tree.session.path() if node.content] == ["Come in."]
    assert page.trace.messages[-1]["content"] == "Come in."


def test_an_agent_that_the_run_can_not_be_built_with_leaves_all_as_it_was() -> None:
    preset = ctxlab.MessageNode(id="p", role="system", content="lamp " * 4000)
    wei, shen = ctxlab.Agent(id="wei"), ctxlab.Agent(id="shen", preset_messages=(preset,))
    page = lab(chat(), wei, library=ctxlab.Library(agents=(wei, shen)), budget_tokens=200)
    before = page.trace

    assert asked(page, "choose", what="agent", id="shen")

    assert page.trace is before
    assert page.chat.setup.now("agent") == "wei"
