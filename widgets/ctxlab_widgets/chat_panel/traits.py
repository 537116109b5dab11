"""The traits of a chat: the values in Python, and what the page gets of them as JSON."""

from __future__ import annotations

import traitlets

from ctxlab.chat.plugin_settings import PluginSettings
from ctxlab.documents import Session
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.widget import Widget


class ChatTraits(Widget):
    """The base of a chat, which has no behaviour."""

    session = traitlets.Instance(Session)
    """The conversation. Set it, and that is a step of the history, or a new one where it is another conversation."""
    trace = traitlets.Instance[Trace | None](Trace, allow_none=True)
    """The run of the answer that was opened last; None when none was."""
    plugin_settings = traitlets.Instance(PluginSettings)
    """The settings of the chat and of plugins by section; `to_data()` is to be stored. Set it, and it counts."""
    opened: traitlets.Tuple = traitlets.Tuple(traitlets.Unicode(), traitlets.Any(), default_value=("", None))
    """The view that is open below the chat, and what it shows."""
    input: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The text that is being typed."""
    shows: traitlets.Enum[str] = traitlets.Enum(("list", "tree"), "list").tag(sync=True)
    """The messages of the active path, or the tree of all branches below them."""
    view: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The rows as they were first sent, as JSON."""
    delta: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The rows that are others now, as JSON; empty where none are."""
    head: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The participants, what can be chosen, and the sentence of result, as JSON."""
    draft: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The next request with what is typed, as JSON."""
    unsent: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The messages that the next request leaves out, by cause, as JSON; empty where there are none."""
    got: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The prompt of the answer that is looked at, by source, as JSON; empty when none is."""
    around: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The last messages of the path with their siblings, as JSON."""
    quick: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """Quick actions as JSON."""
    files: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The files that go with the next message, as JSON."""
    asides: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The questions to models beside the conversation that are under way, as JSON; empty when none are."""
    running: traitlets.Unicode[str, str | bytes] = traitlets.Unicode("").tag(sync=True)
    """The turn that runs, as JSON; empty when none does."""
