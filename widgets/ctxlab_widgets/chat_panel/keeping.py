"""The place in which a chat's conversation is kept: a file beside its own, a workspace, or nowhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab import formats
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab.storage.workspace import Workspace
from ctxlab_widgets._shared.widget import brief
from ctxlab_widgets.chat_panel.kept_chat import KeptChat
from ctxlab_widgets.chat_panel.latest_worker import LatestWorker

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

NAME = 60
WAIT_SECONDS = 0.3
NOWHERE = "This conversation is kept nowhere: a restart of the kernel ends it, unless it is saved."


def exported(session: Session, kind: str) -> tuple[str, bytes]:
    """The name and the bytes of a file: all branches as `json`, the active path as `md`."""
    made = formats.session_json(session) if kind == "json" else formats.path_markdown(session)
    stem = re.sub(r"[^\w-]+", "-", session.name or session.id).strip("-")[:NAME] or "conversation"
    return f"{stem}.session.{kind}" if kind == "json" else f"{stem}.{kind}", made.as_bytes().data


class Keeping:
    """Keeps what a chat shows: after each reply at once, after other changes once they have stopped.

    Of a path the conversation goes into a file beside it, with a workspace into that one. A session that was given as
    a value is written nowhere else.
    """

    def __init__(self, panel: ChatPanel, source: object, first: Session, workspace: Workspace | None) -> None:
        self._panel, self._workspace = panel, workspace
        path = Path(source).expanduser() if isinstance(source, str | Path) and workspace is None else None
        self._file = KeptChat.beside(path, first) if path is not None else None
        self.session = self._file.take() if self._file is not None else first
        """The conversation to begin with."""
        self._saved: Session = self.session
        self._worker = LatestWorker[Session, str](self._write, self._on_written, wait_seconds=WAIT_SECONDS)

    @property
    def told(self) -> str:
        """The sentence on what the chat goes on with; empty where it began anew."""
        return self._file.told if self._file is not None else ""

    @property
    def problem(self) -> str:
        return self._file.problem if self._file is not None else ""

    @property
    def place(self) -> str:
        """A sentence on where the conversation that is shown is kept."""
        if self._workspace is not None:
            return f"This conversation is kept in the workspace {Path(self._workspace.place).name}."
        kept = self._file
        if kept is None or kept.problem or self._panel.conversation != kept.begun.id:
            return NOWHERE
        return f"This conversation is kept in {kept.path.name} after each reply."

    def changed(self) -> None:
        """The history has another session: keep it, at once where a turn has just ended."""
        session = self._panel.history.session
        if self._workspace is not None:
            self._save()
        elif self._file is not None and self._panel.turns.running is not None:
            self._on_written(session, self._write(session))
        elif self._file is not None:
            self._worker.ask(session)

    def save_as(self, path: str | Path, *, format: str | None = None) -> str:
        """Write the conversation into a file. Returns a sentence on it; raises WriteError as `ctxlab.write` does."""
        export = formats.write(self._panel.history.session, path, format=format)
        lost = f", without {len(export.losses):,} things that this format can't hold" if export.losses else ""
        return f"Saved as {Path(path).name}, {len(export.data):,} bytes{lost}."

    def begin_anew(self) -> Session:
        """The conversation as it was given, with what was kept put aside; raises CtxlabError where none was kept."""
        kept = self._file
        if kept is None:
            raise CtxlabError("this chat goes on with no conversation that was kept")
        try:
            aside = kept.put_aside()
        except OSError as problem:
            raise CtxlabError(f"{kept.path.name} can't be put aside: {problem.strerror or problem}") from problem
        self._panel.effect = {"label": "Begun anew", "text": f"what was kept is in {aside}" if aside else ""}
        return kept.begun

    def rest(self, timeout: float | None = None) -> None:
        self._worker.rest(timeout)

    def close(self) -> None:
        """Keep what isn't written yet, and write nothing more."""
        self._worker.close()
        if self._file is not None:
            self._file.keep(self._panel.history.session)

    def _write(self, session: Session) -> str:
        return self._file.keep(session) if self._file is not None else ""

    def _on_written(self, _: object, problem: str) -> None:
        if problem:
            self._panel.error = brief(problem)

    def _save(self) -> None:
        """Save into the workspace and go on from what was saved, where others changed it with their changes."""
        history, workspace = self._panel.history, self._workspace
        if workspace is None or history.session is self._saved:
            return
        try:
            workspace.save_history(history, on_conflict="merge")
        except CtxlabError as problem:
            self._panel.error = brief(f"the conversation isn't saved: {problem}")
        self._saved = history.session
