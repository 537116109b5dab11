"""What a chat of a data folder keeps about itself."""

from __future__ import annotations

from pathlib import Path

import ctxlab
from tests.sillytavern.small_folder import write_folder

ABOUT = {"note_prompt": "Mind the tide.", "timedWorldInfo": {"sticky": {}}, "scenario": "Night.", "variables": {"n": 1}}


def test_what_a_turn_follows_is_no_loss(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, metadata=ABOUT)

    (alone,) = ctxlab.read(folder / "chats" / "odo" / "evening.jsonl").losses[:1]

    assert "chat_metadata.timedWorldInfo" in alone.place
    assert not any("chat_metadata" in loss.place for loss in ctxlab.sillytavern(folder).losses)
