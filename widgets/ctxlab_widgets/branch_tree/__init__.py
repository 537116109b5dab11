"""All branches of a conversation as a tree: switch, hang messages elsewhere, edit them, find them, compare two."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, cast, get_args

import traitlets

import ctxlab
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import History, Session
from ctxlab.documents.session.message_json import edit_in_words, message_json, parsed_message, with_message_data
from ctxlab.documents.tree.layout import LayoutName
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.pipeline.services import TokenCounter
from ctxlab.studies.branches import SessionBranches, session_branches
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.branch_tree.change_names import Report, messages, node_name
from ctxlab_widgets.branch_tree.compare_branches import SharedHistory, shared_history
from ctxlab_widgets.branch_tree.find_messages import found_messages, snippets
from ctxlab_widgets.branch_tree.message_facts import MessageFacts, packed_messages
from ctxlab_widgets.branch_tree.payload import Drawing, drawing_of, tree_facts
from ctxlab_widgets.branch_tree.preview import MessagePreview, kept_previews, message_preview
from ctxlab_widgets.branch_tree.session_of_run import session_of_run

P = ParamSpec("P")


class BranchTree(Widget):
    """A session as a tree. Everything done to it in the page or here goes through `history` and can be undone.

    Of a trace it shows the session; what is switched or changed then makes a new run, which becomes `trace`.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    session = traitlets.Instance(Session, allow_none=True)
    """The session that is shown, with all that was done to it here."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run of the active path; None where a session alone is shown."""

    mode: traitlets.Enum[str] = traitlets.Enum(("", "tree", "outline"), "").tag(sync=True)
    """A tree, or one row a message; where it is empty, large trees open as an outline."""
    tree_layout: traitlets.Enum[str] = traitlets.Enum(("", *get_args(LayoutName)), "").tag(sync=True)
    """The layout by name; where it is empty, the room decides between "tidy" and "top-down"."""
    texts = traitlets.Unicode("").tag(sync=True)
    """`{"keys"}` of the drawing as JSON."""
    words = traitlets.Unicode("").tag(sync=True)
    """`{"words"}`, the first ones of all messages in the order of the session, as JSON."""
    messages = traitlets.Bytes(b"").tag(sync=True)
    """Facts of each message in the order of `texts`, as `packed_messages` writes them."""
    places = traitlets.Bytes(b"").tag(sync=True)
    """Positions of the drawn messages, packed in the order of `texts`."""
    flags = traitlets.Bytes(b"").tag(sync=True)
    """Kinds of the drawn messages (hidden, a leaf, on the active path), packed in the same order."""
    view = traitlets.Unicode("").tag(sync=True)
    """Figures of the tree as a whole, as JSON."""
    picked: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Ids of up to two messages to compare."""
    shared_history = traitlets.Dict().tag(sync=True)
    """The common history of the two; empty unless two are picked."""
    query = traitlets.Unicode("").tag(sync=True)
    """The words that are searched for; empty where nothing is."""
    hits: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Ids of the messages that `query` was found in, in tree order."""
    snippets = traitlets.Unicode("").tag(sync=True)
    """`{"found"}`, the words around the first hits as JSON: what `find_messages.Snippet` says of each."""
    preview = traitlets.Unicode("").tag(sync=True)
    """The message that is read, with its whole text, as JSON: `preview.MessagePreview`; empty when none is."""
    kept = traitlets.Unicode("").tag(sync=True)
    """Previews by id as JSON, for a page without Python: see `keep_for_page`."""
    report = traitlets.Dict().tag(sync=True)
    """The last thing done, `{"text", "node"}`; empty where that needs no words, and after it was undone."""
    height = traitlets.Int(0).tag(sync=True)
    """Height of the drawing in pixels that a person has chosen; 0 follows the tree."""
    editing = traitlets.Unicode("").tag(sync=True)
    """Id of the message whose data is open; empty when none."""
    data = traitlets.Unicode("").tag(sync=True)
    """That data, as indented JSON."""
    edits = traitlets.Int(0).tag(sync=True)
    """Edits that were taken: the page then knows that what was typed has arrived."""

    @checked_arguments
    def __init__(
        self, shown: Session | History | Trace | None = None, *, tokenizer: TokenCounter | None = None
    ) -> None:
        self.history = History(Session())
        self._tokenizer = tokenizer
        self._unfolded: frozenset[str] = frozenset()
        self._message_facts = MessageFacts()
        self._drawing_cache: tuple[Session, frozenset[str], bool, Drawing] | None = None
        self._shown_drawing: tuple[Drawing, str] | None = None
        self._previewed = ""
        self._news: Report | None = None
        self._is_own_change = False
        super().__init__()
        if isinstance(shown, History):
            self.history = shown
            self.session = shown.session
        elif isinstance(shown, Trace):
            self.trace = shown
        elif shown is not None:
            self.session = shown
        self.show()

    @property
    def tokenizer(self) -> TokenCounter:
        """Counts the tokens of what is compared: the one that was given, else the run's, else OpenAI's newest."""
        if self._tokenizer is not None:
            return self._tokenizer
        if (run := self._run()) is not None:
            return run.services.tokenizer
        from ctxlab.providers import tokenizer_for

        return tokenizer_for()

    @property
    def branches(self) -> SessionBranches:
        """The branches of the session that is shown, with their tokens."""
        return session_branches([self.history.session], self.tokenizer)

    def show(self) -> None:
        """Take over the session as it is, also after `history` was moved by Python."""
        session = self.history.session
        if self.session is not session and (self.session is not None or session.nodes):
            with self._own_changes():
                self.session = session
        is_new = self._drawing_cache is None or self._drawing_cache[0] is not session
        drawing = self._drawing(session)
        with self.hold_sync():
            self._show_drawing(drawing)
            self.view = as_json(tree_facts(self.history, drawing, self.tokenizer, is_given=self.session is not None))
            if is_new:
                self._find(self.query)
                self._show_preview(self._previewed)
                self.picked = [key for key in self.picked if key in session.nodes]
                self.editing = self.editing if self.editing in session.nodes else ""
            self.data = message_json(session, self.editing) if self.editing else ""
            self.shared_history = cast("dict[str, Any]", self._shared_history() or {})

    # --- what a person does

    def switch_to(self, node_id: str) -> Session:
        """Look at the branch that a message is in; where it is in the active one, nothing changes."""
        session = self.history.session
        session.node(node_id)
        if any(node.id == node_id for node in session.path()):
            return session
        return self._switch(session.leaf_below(node_id))

    def end_at(self, node_id: str) -> Session:
        """Look at the branch that ends with this very message, so that the next one hangs below it."""
        return self._switch(node_id)

    def graft(self, node_id: str, parent_id: str) -> Session:
        """Hang a message and all below it on another parent."""
        before = self.history.session
        count = 1 + len(before.descendants(node_id)) if node_id in before.nodes else 0
        with self._telling("graft", node_id, f"Grafted {messages(count)} under {self._name(parent_id)}."):
            return self._change(Session.graft, node_id, parent_id)

    def move(self, node_id: str, parent_id: str) -> Session:
        """Hang one message on another parent; its children take its place."""
        with self._telling("move", node_id, f"Moved {self._name(node_id)} under {self._name(parent_id)}."):
            return self._change(Session.move, node_id, parent_id)

    def undo(self) -> Session:
        """The state before; refuses where there is none."""
        self.error = ""
        self.history.undo()
        return self._changed()

    def redo(self) -> Session:
        """The state that was undone last; refuses where there is none."""
        self.error = ""
        self.history.redo()
        return self._changed()

    def edit(self, node_id: str, data: str | Mapping[str, Any]) -> Session:
        """Give a message other data, as JSON text or as an object: what isn't in it is gone, its links stay."""
        before, text = self.history.session, data if isinstance(data, str) else ""
        fields = parsed_message(data) if isinstance(data, str) else data
        made = with_message_data(before, node_id, fields, text)
        words = edit_in_words(before.node(node_id), made.node(node_id), fields, self._name(node_id))
        with self._telling("edit", node_id, words):
            self.error = ""
            self.history.record(made, "update", target=node_id)
            session = self._changed()
        self.edits += 1
        return session

    def enable(self, node_id: str, *, below: bool = False) -> Session:
        """Switch a message on, with `below` all that hang below it too."""
        with self._telling("enable", node_id, self._turned(node_id, "on", below=below)):
            return self._change(Session.enable, node_id, below=below)

    def disable(self, node_id: str, *, below: bool = False) -> Session:
        """Switch a message off, with `below` all that hang below it too."""
        with self._telling("disable", node_id, self._turned(node_id, "off", below=below)):
            return self._change(Session.disable, node_id, below=below)

    def delete(self, node_id: str) -> Session:
        """Take a message away with all below it; of a summary only itself goes."""
        before = self.history.session
        node = before.node(node_id)
        parent = node.parent_id
        count = 1 if node.is_summary else 1 + len(before.descendants(node_id))
        with self._telling("delete", parent or "", f"Deleted {messages(count)}."):
            session = self._change(Session.delete, node_id)
        if self.selected.startswith("node:") and self.selected.removeprefix("node:") not in session.nodes:
            self.selected = f"node:{parent}"
        return session

    def branch(self, node_id: str) -> Session:
        """Put a copy of a message beside it, and look at it."""
        with self._telling("branch", node_id, f"Put a copy of {self._name(node_id)} beside it."):
            session = self._change(Session.branch, node_id)
        self.selected = f"node:{session.leaf}"
        return session

    def pick(self, *node_ids: str) -> SharedHistory | None:
        """Choose the two messages to compare, and get what they have in common; None unless there are two."""
        for node_id in node_ids:
            self.history.session.node(node_id)
        self.picked = list(node_ids)
        return self._shared_history()

    def find(self, text: str) -> list[str]:
        """Ids of the messages with this text in their words, name or id, whatever the case; the page rings them."""
        with self.hold_sync():
            self.query = text
            self._find(text)
        return self.hits

    def unfold(self, node_id: str) -> None:
        """Draw every message of the chain that this one is folded into."""
        self.history.session.node(node_id)
        self._unfolded |= {node_id}
        self.show()

    def fold(self, node_id: str) -> None:
        """Draw the chain that this message is in as one box again."""
        self.history.session.node(node_id)
        chain = next((keys for keys in self._drawing(self.history.session).opened if node_id in keys), frozenset[str]())
        self._unfolded -= chain
        self.show()

    def open_message(self, node_id: str) -> str:
        """The data of a message as JSON, which opens below the tree."""
        self.history.session.node(node_id)
        self.editing = node_id
        self.show()
        return self.data

    def close_message(self) -> None:
        """Close what `open_message` opened."""
        self.editing = ""
        self.show()

    def preview_message(self, node_id: str) -> MessagePreview:
        """The whole text of a message and what is known of it, which the page shows beside the tree."""
        return cast("MessagePreview", self._show_preview(self.history.session.node(node_id).id))

    def close_preview(self) -> None:
        """Close what `preview_message` opened."""
        self._show_preview("")

    def keep_for_page(self) -> None:
        """Fill `kept` with what a page needs to show messages whole, those of the active path first."""
        self.kept = kept_previews(self.history.session, self.tokenizer)

    # --- what the page asks

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "undo" | "redo" | "close_message" | "close_preview" as command}:
                getattr(self, command)()
            case {"command": "graft" | "move" as command, "node": str(node), "parent": str(parent)}:
                getattr(self, command)(node, parent)
            case {"command": "enable" | "disable" as command, "node": str(node), "below": bool(below)}:
                getattr(self, command)(node, below=below)
            case {"command": str(command), "node": str(node)} if command in _ABOUT_ONE:
                getattr(self, command)(node)
            case {"command": "preview", "node": str(node)}:
                self.preview_message(node)
            case {"command": "edit", "node": str(node), "text": str(text)}:
                self.edit(node, text)
            case {"command": "find", "text": str(text)}:
                self.find(text)
            case _:
                raise self._wrong_command(message)

    # --- what changes

    def _change(self, verb: Callable[Concatenate[Session, P], Session], *args: P.args, **kwargs: P.kwargs) -> Session:
        self.error = ""
        self.history.do(verb, *args, **kwargs)
        return self._changed()

    def _switch(self, leaf: str) -> Session:
        with self._telling("switch", leaf, f"Switched to the branch that ends with {self._name(leaf)}."):
            return self._change(Session.switched, leaf)

    @contextmanager
    def _telling(self, did: str, node: str, text: str) -> Generator[None]:
        """A change that is made inside is told in these words."""
        self._news = {"did": did, "node": node, "text": text}
        try:
            yield
        finally:
            self._news = None

    def _name(self, node_id: str) -> str:
        nodes = self.history.session.nodes
        return node_name(nodes[node_id]) if node_id in nodes else node_id

    def _turned(self, node_id: str, way: str, *, below: bool) -> str:
        return f"Switched {self._name(node_id)}{' and all below it' if below else ''} {way}."

    def _changed(self) -> Session:
        session = self.history.session
        self.report = cast("dict[str, Any]", self._news or {})
        with self._own_changes():
            self.session = session
            self._run_again(session)
        self.show()
        return session

    def _run(self) -> Trace | None:
        return cast("Trace | None", self.trace)

    def _run_again(self, session: Session) -> None:
        run = self._run()
        if run is None or session_of_run(run) == session:
            return
        try:
            made = ctxlab.rebuild(run, session=session)
        except CtxlabError as problem:
            self.error = f"the run is still the one before: {problem}"
        else:
            self._take_run(made, label=self._news["text"].rstrip(".") if self._news else "")

    @contextmanager
    def _own_changes(self) -> Generator[None]:
        """Traits that are set inside are set by this widget."""
        before, self._is_own_change = self._is_own_change, True
        try:
            yield
        finally:
            self._is_own_change = before

    @traitlets.observe("session")
    def _on_session(self, change: Mapping[str, Any]) -> None:
        session = cast("Session | None", change["new"]) or Session()
        if self._is_own_change or session is self.history.session:
            return
        self._take_over(session)
        with self._own_changes():
            self._run_again(session)
        self.show()

    @traitlets.observe("trace")
    def _on_trace(self, change: Mapping[str, Any]) -> None:
        trace = cast("Trace | None", change["new"])
        if self._is_own_change:
            return
        if trace is not None:
            self.error = ""  # whatever it said, the run is another one now
            if (session := session_of_run(trace)) != self.history.session:
                self._take_over(session)
        self.show()

    def _take_over(self, session: Session) -> None:
        """Of another state of the same conversation a step of its history, of another conversation a new history."""
        self.report = {}
        before = self.history.session
        if before.nodes and before.id == session.id and before.root_node_id == session.root_node_id:
            self.history.record(session, "changed elsewhere")
        else:
            self.history = History(session)
            self._unfolded = frozenset()

    @traitlets.observe("tree_layout")
    def _on_layout(self, _: object) -> None:
        self.show()

    @traitlets.validate("picked")
    def _at_most_two(self, proposal: Mapping[str, Any]) -> list[str]:
        known = [key for key in cast("list[str]", proposal["value"]) if key in self.history.session.nodes]
        return list(dict.fromkeys(known))[-2:]

    @traitlets.observe("picked")
    def _on_picked(self, _: object) -> None:
        self.shared_history = cast("dict[str, Any]", self._shared_history() or {})

    @traitlets.observe("selected")
    def _on_selected(self, change: Mapping[str, Any]) -> None:
        """An open preview follows what is selected, here or in another view."""
        key = str(change["new"]).removeprefix("node:")
        if self._previewed and key in self.history.session.nodes:
            self._show_preview(key)

    # --- what is shown

    def _drawing(self, session: Session) -> Drawing:
        drawn, force = self._drawing_cache, self.tree_layout == "force"
        if drawn is None or drawn[0] is not session or drawn[1:3] != (self._unfolded, force):
            drawing = drawing_of(session, self._unfolded, force=force)
            drawn = self._drawing_cache = (session, self._unfolded, force, drawing)
        return drawn[3]

    def _find(self, text: str) -> None:
        session = self.history.session
        self.hits = found_messages(session.nodes, self._drawing(session).keys, text)
        self.snippets = as_json({"found": snippets(session, self.hits, text)}) if self.hits else ""

    def _show_drawing(self, drawing: Drawing) -> None:
        if self._shown_drawing == (drawing, self.tokenizer.name):
            return
        self._shown_drawing = (drawing, self.tokenizer.name)
        session = self.history.session
        self.texts = as_json({"keys": drawing.keys})
        self.places, self.flags = drawing.places, drawing.flags
        self.words = as_json({"words": self._message_facts.words(session)})
        self.messages = packed_messages(session, drawing.keys, self.tokenizer)

    def _show_preview(self, node_id: str) -> MessagePreview | None:
        session = self.history.session
        found = message_preview(session, node_id, self.tokenizer) if node_id in session.nodes else None
        self._previewed = node_id if found else ""
        self.preview = as_json(found) if found else ""
        return found

    def _shared_history(self) -> SharedHistory | None:
        session = self.history.session
        picked = [key for key in self.picked if key in session.nodes]
        return shared_history(session, picked[0], picked[1], self.tokenizer) if len(picked) == 2 else None


_ABOUT_ONE = {"switch_to", "end_at", "delete", "branch", "unfold", "fold", "open_message"}
