"""Carries out the commands of a chat's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import ctxlab
from ctxlab.api.compression import compressed_run
from ctxlab.api.resolve import start_of
from ctxlab.chat.compression import Wanted
from ctxlab.documents import MessageNode, Session
from ctxlab.documents.session.greetings import is_greeting
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.pipeline.remedies import remedies
from ctxlab.pipeline.services import AssetStore
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets.chat_panel.commands import checked_command
from ctxlab_widgets.chat_panel.file_chips import bytes_of
from ctxlab_widgets.chat_panel.find_in_tree import found_in_tree
from ctxlab_widgets.chat_panel.head_json import NO_REQUEST, got_json, greeting_json
from ctxlab_widgets.chat_panel.keeping import exported
from ctxlab_widgets.chat_panel.page_run import take_part
from ctxlab_widgets.chat_panel.quick_actions import press
from ctxlab_widgets.chat_panel.rows import RowInput, who_of
from ctxlab_widgets.chat_panel.setup import ChatSetup
from ctxlab_widgets.chat_panel.thoughts_in_text import with_words

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

Fields = Mapping[str, Any]


def carry_out(panel: ChatPanel, message: Mapping[str, Any], buffers: Sequence[Any]) -> None:
    """Check a command and do it; raises CtxlabError where it is refused."""
    name, fields = checked_command(message)
    if name == "attach":
        _attach(panel, fields["files"], buffers)
    elif buffers:
        raise CtxlabError(f"the command {name!r} takes no bytes")
    else:
        DONE[name](panel, fields)


# --- turns


def _send(panel: ChatPanel, fields: Fields) -> None:
    panel.send_message(fields["text"])


def _regenerate(panel: ChatPanel, fields: Fields) -> None:
    key, model = _node(panel, fields).id, fields.get("model")
    chosen = panel.setup.model_of(model) if model else None
    if model and chosen is None:
        from ctxlab_widgets.chat_panel.setup import echo as chosen
    panel.begin("regenerate", lambda turns, of: turns.regenerate(of, key), model=chosen)


def _retry(panel: ChatPanel, fields: Fields) -> None:
    node = _node(panel, fields)
    if node.status != "error":
        raise CtxlabError(f"{node.id!r} did not fail: regenerate writes another answer beside it")
    panel.begin("regenerate", lambda turns, of: turns.regenerate(of, node.id))


def _continue(panel: ChatPanel, fields: Fields) -> None:
    node = _node(panel, fields)
    if node.role != "assistant":
        raise CtxlabError(f"{node.id!r} is no answer: only an answer can be gone on with")
    key = node.id
    panel.begin("continue", lambda turns, of: turns.continue_reply(of, key))


def _relay(panel: ChatPanel, fields: Fields) -> None:
    panel.begin("relay", lambda turns, of: turns.relay(of, text=fields["text"]))
    panel.input = ""


def _edit(panel: ChatPanel, fields: Fields) -> None:
    if panel.setup.branches_edits:
        _branch(panel, fields)
        return
    node = _node(panel, fields)
    panel.change(Session.edit, node.id, _whole(panel, node, fields["text"]))


def _branch(panel: ChatPanel, fields: Fields) -> None:
    """An edit as a branch; that of the user's message is answered."""
    node = _node(panel, fields)
    if node.role == "user":
        _nothing_runs(panel)
    words = _whole(panel, node, fields["text"])
    panel.change(Session.branch_from_edit, node.id, words, timestamp=panel.setup.timestamp)
    if node.role == "user":
        panel.begin("send", lambda turns, of: turns.send(of, None))


def _whole(panel: ChatPanel, node: MessageNode, words: str) -> str:
    """The text of a message with other words: the thoughts that an answer has in it stay."""
    if node.role != "assistant" or node.is_summary:
        return words
    agent = panel.setup.agent
    return with_words(node.content, words, agent.llm_think_rules if agent is not None else ())


def _button(panel: ChatPanel, fields: Fields) -> None:
    """A button that the model has written: it can send or type, and nothing else."""
    node = _node(panel, fields)
    if node.role != "assistant" or fields["text"] not in node.content:
        raise CtxlabError("this is no button of that answer")
    if fields["does"] == "input":
        panel.input = fields["text"]
    else:
        panel.send_message(fields["text"])


# --- the tree


def _verb(verb: Callable[..., Session]) -> Callable[[ChatPanel, Fields], None]:
    def do(panel: ChatPanel, fields: Fields) -> None:
        panel.change(verb, _node(panel, fields).id)

    return do


def _undo_summary(panel: ChatPanel, fields: Fields) -> None:
    node = _node(panel, fields)
    if not node.is_summary:
        raise CtxlabError(f"{node.id!r} is no summary")
    panel.change(Session.delete, node.id)


def _find(panel: ChatPanel, fields: Fields) -> None:
    text = fields["text"]
    panel.send({"kind": "found", "text": text, "keys": found_in_tree(panel.history.session, text)})


def _switch(panel: ChatPanel, fields: Fields) -> None:
    session = panel.history.session
    panel.change(Session.switched, session.leaf_below(_node(panel, fields).id))


def _history_step(name: Literal["undo", "redo"]) -> Callable[[ChatPanel, Fields], None]:
    """A step back or forth: the page's where there is one, else the chat's."""

    def step(panel: ChatPanel, fields: Fields) -> None:
        _nothing_runs(panel)
        of_page = getattr(panel.state, name, None)
        (of_page or getattr(panel.history, name))()
        panel.refresh()

    return step


def _choose(panel: ChatPanel, fields: Fields) -> None:
    setup = panel.setup.chosen(fields["what"], fields["id"])
    session = panel.history.session
    if fields["what"] == "agent" and setup.agent is not None and session.can_be_greeted:
        take_part(panel, setup, session=ctxlab.greeted(session, setup.agent, user=setup.user))
    else:
        take_part(panel, setup)
    if fields["what"] == "user" and setup.user is not None and setup.user.id != fields["id"]:
        raise CtxlabError(f"{_bound(setup)}: {setup.label_of('user', fields['id'])} counts where an agent binds nobody")


def _bound(setup: ChatSetup) -> str:
    """The agent and the user that it binds, in words."""
    agent, user = setup.agent, setup.bound_user
    names = [each.shown_name or each.id for each in (agent, user) if each is not None]
    return f"the agent {names[0]} is bound to {names[-1]}"


# --- what answers got, and the next request


def _got(panel: ChatPanel, fields: Fields) -> None:
    if not fields["key"]:
        panel.got = ""
        return
    node = _node(panel, fields)
    if node.is_summary:
        panel.tell_of_summary(node.id)
        return
    who = who_of(node, RowInput(panel.history.session, panel.setup.agent, panel.setup.user))
    if is_greeting(node):
        panel.got = as_json(greeting_json(node, who))
        return
    found = panel.answers.run_of(panel.history.session, panel.setup, node.id)
    panel.trace = found.trace
    panel.got = as_json(got_json(found, who))


def _open(panel: ChatPanel, fields: Fields) -> None:
    view, key = fields["view"], fields["key"]
    if view == "tree":
        if panel.state is not None:
            panel.state.open("tree", f"node:{_node(panel, fields).id}" if key else "")
        else:
            panel.shows = "list" if panel.shows == "tree" else "tree"
    elif view == "compression":
        panel.opened = ("compression", compressed_run(_next_run(panel), Wanted()))
    elif view == "agent":
        if panel.setup.agent is None:
            raise CtxlabError("no agent takes part: there is none to edit")
        panel.opened = ("agent", panel.setup.agent)
    elif view == "user":
        if panel.setup.user is None:
            raise CtxlabError("no user profile takes part: there is none to edit")
        panel.opened = ("user", panel.setup.user)
    elif view == "settings":
        panel.opened = ("settings", panel.plugin_settings)
    else:
        if key and is_greeting(_node(panel, fields)):
            raise CtxlabError(NO_REQUEST)
        payload = panel.answers.payload_of(key) if key else None
        trace = panel.answers.run_of(panel.history.session, panel.setup, _node(panel, fields).id).trace if key else None
        shown = trace if trace is not None else _next_run(panel)
        panel.trace = shown
        panel.opened = (view, payload if view == "request" and payload is not None else shown)


def _why(panel: ChatPanel, fields: Fields) -> None:
    """Open the budget of the next request at a message that it leaves out."""
    key, run = f"node:{_node(panel, fields).id}", _next_run(panel)
    panel.trace = run
    panel.opened = ("budget", run)
    if panel.page.opened is not None:
        panel.page.opened.selected = key


def _keep(panel: ChatPanel, fields: Fields) -> None:
    """The smallest change of settings that keeps a message which the next request would cut."""
    trace, key = _next_run(panel), f"node:{_node(panel, fields).id}"
    found = remedies(trace, [key]).get(key)
    if found is None or not found.settings:
        raise CtxlabError(str(found) if found is not None else f"the next request doesn't cut {fields['key'][:80]!r}")
    take_part(panel, panel.setup.with_settings(found.settings))
    panel.sending.tell(found.settings)


def _next_run(panel: ChatPanel) -> Trace:
    """The run of the next request as it was last looked at."""
    if panel.preview is None:
        raise CtxlabError("the next request is still being built: ask again in a moment")
    return panel.preview.trace


# --- files


def _attach(panel: ChatPanel, files: Sequence[Mapping[str, Any]], buffers: Sequence[Any]) -> None:
    if len(files) != len(buffers):
        raise CtxlabError(f"{len(files)} files to attach came with the bytes of {len(buffers)}")
    refused = panel.waiting.add(files, buffers)
    panel.look_at_draft()
    if refused:
        raise CtxlabError("; ".join(refused))


def _detach(panel: ChatPanel, fields: Fields) -> None:
    panel.waiting.remove(fields["id"])
    panel.look_at_draft()


def _asset(panel: ChatPanel, fields: Fields) -> None:
    data, kind = bytes_of(panel.history.session, panel.waiting.assets, fields["id"], _store(panel))
    panel.send({"kind": "asset", "id": fields["id"], "type": kind}, [data])


def _store(panel: ChatPanel) -> AssetStore | None:
    """The files of the next build; it is started for them where it wasn't done yet."""
    if panel.preview is not None:
        return panel.preview.trace.services.assets
    setup = panel.setup
    return start_of(setup.source(panel.history.session), setup.agent_source, **setup.build()).services.assets


# --- models beside the conversation, and what others bring


def _translate(panel: ChatPanel, fields: Fields) -> None:
    panel.translations.translate(_node(panel, fields).id if fields["key"] else "", fields["to"])


def _show_translation(panel: ChatPanel, fields: Fields) -> None:
    panel.translations.show(_node(panel, fields).id, fields["shown"])


def _name_topic(panel: ChatPanel, fields: Fields) -> None:
    panel.topic.name()


def _give_up(panel: ChatPanel, fields: Fields) -> None:
    panel.jobs.give_up(fields["id"])
    panel.translations.forget_unfinished()


def _complete(panel: ChatPanel, fields: Fields) -> None:
    panel.completions.complete(fields["caret"], asks_model=fields["asksModel"])


def _quick(panel: ChatPanel, fields: Fields) -> None:
    press(panel, fields["id"], fields["start"], fields["end"])


def _message_action(panel: ChatPanel, fields: Fields) -> None:
    panel.plugin_actions.run(panel, _node(panel, fields).id, fields["id"])


# --- the rest


def _stop(panel: ChatPanel, fields: Fields) -> None:
    panel.stop()


def _resend(panel: ChatPanel, fields: Fields) -> None:
    panel.running = ""  # a view that lost pieces gets the same words anew


def _export(panel: ChatPanel, fields: Fields) -> None:
    """The conversation as a file: all branches as JSON, the path that is shown as Markdown."""
    name, data = exported(panel.history.session, fields["format"])
    panel.send({"kind": "export", "name": name}, [data])


def _begin_anew(panel: ChatPanel, fields: Fields) -> None:
    panel.begin_anew()


def _approve(panel: ChatPanel, fields: Fields) -> None:
    panel.turns.answer(fields["call"], yes=fields["yes"])


def _node(panel: ChatPanel, fields: Fields) -> MessageNode:
    """The message that a command names, of the running turn too."""
    key = fields["key"]
    if panel.turns.running_key == key and key:
        raise CtxlabError("this answer is being written: stop it first, or wait for its end")
    coming = panel.turns.session
    if key not in panel.history.session.nodes and coming is not None and key in coming.nodes:
        _nothing_runs(panel)
    node = panel.history.session.node(key)
    if node.is_empty_root:
        raise CtxlabError(f"{key!r} is no message")
    return node


def _nothing_runs(panel: ChatPanel) -> None:
    if panel.turns.running is not None:
        raise CtxlabError("an answer is being written: stop it first, or wait for its end")


DONE: Mapping[str, Callable[[ChatPanel, Fields], None]] = {
    "send": _send,
    "stop": _stop,
    "resend": _resend,
    "edit": _edit,
    "branch": _branch,
    "regenerate": _regenerate,
    "continue": _continue,
    "delete": _verb(Session.delete),
    "disable": _verb(Session.disable),
    "enable": _verb(Session.enable),
    "retry": _retry,
    "undo-summary": _undo_summary,
    "relay": _relay,
    "switch": _switch,
    "find": _find,
    "got": _got,
    "open": _open,
    "choose": _choose,
    "why": _why,
    "keep": _keep,
    "detach": _detach,
    "approve": _approve,
    "button": _button,
    "undo": _history_step("undo"),
    "redo": _history_step("redo"),
    "asset": _asset,
    "export": _export,
    "begin_anew": _begin_anew,
    "translate": _translate,
    "show_translation": _show_translation,
    "name_topic": _name_topic,
    "give_up": _give_up,
    "complete": _complete,
    "quick": _quick,
    "message_action": _message_action,
}
