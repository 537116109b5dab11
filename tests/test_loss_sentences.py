"""What the reference says that a format loses is what the readers and writers say."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ctxlab import formats

HISTORY = {"id": "one", "name": "One", "folderId": None, "messages": [{"role": "user", "content": "Is it flaky?"}]}


@pytest.fixture(scope="module")
def found() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[1] / "docs"))
        return import_module("_ext.loss_sentences")


def chatbot_ui(folders: int) -> formats.Import:
    stored = [{"id": str(n), "name": "F", "type": "chat"} for n in range(folders)]
    return formats.read_data({"version": 4, "history": [HISTORY], "folders": stored, "prompts": []})


@pytest.mark.parametrize(("folders", "words"), [(1, "1 of them is no chat"), (2, "2 of them are no chats")])
def test_one_folder_is_spoken_of_as_one(folders: int, words: str) -> None:
    (loss,) = chatbot_ui(folders).losses

    assert str(loss) == f"folders: {words}; left out"


def test_a_loss_of_a_reading_is_among_those_of_its_format(found: Any) -> None:
    sentences = found.sentences_of("ctxlab.formats.apps.chatbot_ui", "chatbot-ui", "read")
    (loss,) = chatbot_ui(2).losses

    assert any(re.fullmatch(re.escape(each).replace(found.ELLIPSIS, ".*"), loss.text) for each in sentences)
    assert "attachment \u2026 is not in the file; it is left out" not in sentences


def test_what_is_written_has_its_own_sentences_and_words_of_a_name_are_filled_in(found: Any) -> None:
    written = found.sentences_of("ctxlab.formats.native.format", "native", "write")

    assert "has no place here; left out: write it as a file of its own, such as .rules.json" in written
    assert not any("is no JSON value" in each for each in written)
