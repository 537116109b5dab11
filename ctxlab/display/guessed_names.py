"""Names of attributes that people guess: the error says which there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

FRAMES: Final = "ledger(), cuts(), budget() and table(name) are frames"
SENT: Final = "messages is what is sent, as plain data"
TO_WRITE: Final = "ctxlab.write(value, path) writes it"
GUESSES: Final[Mapping[str, Mapping[str, str]]] = {
    "ctxlab": {
        "tree": "session.figure() draws a conversation as a tree, ctxlab.branches(session) measures it",
        "findings": "ctxlab.check(what) gives findings",
        "open": "ctxlab.read(path) reads a file",
        "save": "ctxlab.write(value, path) writes a file",
        "explain": "trace.why(key) and trace.where(text) explain a build",
        "count_tokens": "ctxlab.providers.tokenizer_for(model).count(text) counts",
    },
    "Trace": {
        **dict.fromkeys(("frame", "df", "to_frame", "to_csv", "dataframe", "to_pandas"), FRAMES),
        **dict.fromkeys(("save", "to_json", "export", "text"), SENT),
        "session": "start.input.session is what it was built of",
        "figure": "ctxlab_widgets has views of it, and ledger() is a frame to draw",
    },
    "Session": {
        **dict.fromkeys(("save", "export"), TO_WRITE),
        **dict.fromkeys(("tree", "plot", "draw"), "figure() draws it"),
        **dict.fromkeys(("df", "to_frame", "dataframe", "to_pandas"), "frame() has a row a message"),
        "messages": "path() has the messages to the active leaf, nodes all of them",
        "branches": "ctxlab.branches(session) measures them",
    },
    "Recording": {
        **dict.fromkeys(("findings", "check"), "ctxlab.check(recording) gives findings"),
        **dict.fromkeys(("df", "to_frame", "dataframe"), "frame() has a row a request"),
    },
    "Library": dict.fromkeys(("save", "to_json", "export"), TO_WRITE),
    "StudyResult": dict.fromkeys(("df", "to_frame", "dataframe", "to_csv"), "frame() has a row a cell"),
}
"""By package or class, what is meant by names that are far from those that there are."""


class UnknownAttribute(AttributeError):
    """An attribute that a value doesn't have; the sentence, with what is nearest to it, is made when it is read."""

    def __init__(self, kind: type, name: str) -> None:
        super().__init__(kind, name)
        self.kind, self.attribute = kind, name

    def __str__(self) -> str:
        known = [each for each in dir(self.kind) if not each.startswith("_")]
        return (
            f"{self.kind.__name__!r} object has no attribute {self.attribute!r}{hint(self.kind, self.attribute, known)}"
        )


def hint(owner: type | str, name: str, known: list[str]) -> str:
    """A clause on what a guessed name may mean; empty where nothing is near.

    >>> hint("Trace", "to_csv", []), hint("Session", "nodes_frame", ["frame", "leaf", "nodes"])
    ('; ledger(), cuts(), budget() and table(name) are frames', "; did you mean 'frame' or 'nodes'?")
    """
    from difflib import get_close_matches

    owners = [each.__name__ for each in owner.__mro__] if isinstance(owner, type) else [owner]
    said = next((GUESSES[each][name] for each in owners if name in GUESSES.get(each, {})), None)
    if said is not None:
        return f"; {said}"
    words = set(name.lower().split("_"))
    near = [each for each in known if each.lower() in words] or get_close_matches(name, known, n=1, cutoff=0.7)
    return f"; did you mean {' or '.join(map(repr, near[:3]))}?" if near else ""


class WithHints:
    """A value whose unknown attributes are answered with a hint."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                return object.__getattribute__(self, name)  # raises what it raised: a property's own error too
            raise UnknownAttribute(type(self), name)
