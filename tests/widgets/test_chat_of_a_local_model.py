"""The chat counts by the model that answers in it: a model of one's own by its vocabulary and its template."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import WrongArgument
from ctxlab_widgets import ChatPanel
from tests.local_models.small_models import hugging_face

pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")

CHAT = [
    {"role": "system", "content": "你看守灯塔。"},
    {"role": "user", "content": "Is the lamp lit? " * 20},
    {"role": "assistant", "content": "It is, 灯还亮着。"},
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return ctxlab.local_model(hugging_face(tmp_path_factory.mktemp("models") / "tiny"))


def preview(panel: ChatPanel) -> Any:
    panel.input = "还有谁在塔里？"
    panel.rest(20)
    assert panel.preview is not None
    return panel.preview


@pytest.mark.parametrize("given", ["model", "tokenizer", "path"])
def test_the_meter_counts_what_the_model_reads(model: Any, given: str, tmp_path: Path) -> None:
    source = {"model": model, "tokenizer": model, "path": hugging_face(tmp_path / "tiny")}[given]
    options: dict[str, Any] = {"model" if given == "model" else "tokenizer": source}
    panel = ChatPanel(ctxlab.read_data(CHAT).pick(), draft_wait_seconds=0.0, budget_tokens=2000, **options)

    found = preview(panel)

    text = ctxlab.rendered(found.trace, model).text
    assert found.tokens == found.trace.tokens == model.vocabulary.count(text)
    assert json.loads(panel.draft)["tokens"] == found.tokens
    panel.close()


def test_its_window_is_the_budget_and_another_choice_counts_otherwise(model: Any) -> None:
    panel = ChatPanel(ctxlab.read_data(CHAT).pick(), draft_wait_seconds=0.0, model=model)
    own = preview(panel)

    assert own.trace.start.input.model.context_window == 4096
    assert panel.setup.now("model") == "tiny"
    assert (panel.setup.turn()["model"].id, panel.setup.turn()["tokenizer"]) == ("tiny", model)
    panel._handle_custom_msg({"command": "choose", "what": "model", "id": "echo"}, [])
    assert panel.error == ""
    panel.rest(20)

    assert panel.preview is not None
    assert panel.preview.trace.services.tokenizer.name != "tiny"
    panel.close()


def test_a_chat_with_a_run_of_such_a_model_counts_as_the_run(model: Any) -> None:
    import ctxlab_widgets

    page = ctxlab_widgets.lab(ctxlab.read_data(CHAT).pick(), model=model)

    assert page.chat.counter is page.trace.services.tokenizer
    assert page.sent.reader == "tiny"
    assert page.tokens.tokenizers == ["tiny", "o200k_base"]
    page.close()


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises((WrongArgument, TypeError), match="a LocalModel"):
        ChatPanel(ctxlab.read_data(CHAT).pick(), model=3)  # pyright: ignore[reportArgumentType]
