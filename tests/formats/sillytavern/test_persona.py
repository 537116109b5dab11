"""The persona of a data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ctxlab
from tests.sillytavern.small_folder import PERSONA, write_folder


@pytest.mark.parametrize(
    ("metadata", "sent"), [({}, "Now."), ({"persona": "x.png"}, "Another."), ({"persona": "w.png"}, "Now.")]
)
def test_of_the_chosen_persona_what_the_settings_hold_is_sent(
    metadata: dict[str, Any], sent: str, tmp_path: Path
) -> None:
    kept = {"w.png": {**PERSONA, "description": "Once."}, "x.png": {**PERSONA, "description": "Another."}}
    power_user = {"personas": {"w.png": "Wenna", "x.png": "Xenia"}, "persona_descriptions": kept}
    folder = write_folder(tmp_path, metadata=metadata, power_user={**power_user, "persona_description": "Now."})

    assert ctxlab.sillytavern(folder).user.content == sent
