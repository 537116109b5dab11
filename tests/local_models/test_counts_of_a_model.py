"""A run that is given a model of one's own counts by its vocabulary and its template."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.errors import CtxlabError, WrongArgument, WrongSetting
from ctxlab.local_models import LocalModel
from ctxlab.providers import payload
from ctxlab.rendering import rendered
from tests.local_models.small_models import CHATML, gguf_of_vocabulary, hugging_face

tokenizers = pytest.importorskip("tokenizers", reason="counting with a vocabulary needs the extra `local`")

HEAD = "{{ eos_token }}" + CHATML
MISTRALS = (
    "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content.strip() }} [/INST]"
    "{% elif m.role == 'assistant' %}{{ m.content }}{{ eos_token }}{% else %}{{ m.content }}\n\n{% endif %}{% endfor %}"
)
SQUARE = "{% for a in messages %}{% for b in messages %}lamp {% endfor %}{{ a.content }}{% endfor %}"
REFUSING = "{{ raise_exception('no chats') }}"
CHAT = [
    {"role": "system", "content": "You keep the lamp."},
    {"role": "user", "content": "Was the lamp out at night?"},
    {"role": "assistant", "content": "The keeper wrote that rain had come."},
    {"role": "user", "content": "And the ships?"},
]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LocalModel]:
    made = {"chatml": CHATML, "head": HEAD, "mistral": MISTRALS, "square": SQUARE, "refusing": REFUSING}
    folder = tmp_path_factory.mktemp("models")
    return {name: ctxlab.local_model(hugging_face(folder / name, template)) for name, template in made.items()}


@pytest.mark.parametrize("name", ["chatml", "head"])
def test_the_count_of_a_run_is_that_of_the_text_that_the_model_reads(models: dict[str, LocalModel], name: str) -> None:
    trace = ctxlab.build(CHAT, model=models[name])

    assert trace.tokens == rendered(trace, models[name]).tokens
    assert trace.services.tokenizer.estimated is False
    assert trace.start.input.model is not None
    assert (trace.start.input.model.id, trace.start.input.model.context_window) == (name, 4096)


contents = st.text(st.sampled_from("abc lamp\n.,1灯“é"), min_size=1, max_size=60).filter(str.strip)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(contents, min_size=1, max_size=9), system=st.none() | contents, budget=st.integers(60, 400))
@pytest.mark.parametrize("name", ["chatml", "head", "mistral"])
def test_the_budget_holds_on_the_rendered_text(
    models: dict[str, LocalModel], name: str, texts: list[str], system: str | None, budget: int
) -> None:
    texts = texts if len(texts) % 2 else texts[:-1]  # a chat that ends with a question
    chat = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]
    if system is not None:
        chat.insert(0, {"role": "system", "content": system})
    try:
        trace = ctxlab.build(chat, model=models[name], budget_tokens=budget)
    except CtxlabError:  # what must stay is larger than the budget
        return

    found = rendered(trace, models[name]).tokens

    assert found is not None
    assert found <= trace.tokens <= budget


@pytest.mark.parametrize(("name", "words"), [("square", "tokens short"), ("refusing", "no chats")])
def test_a_template_whose_messages_do_not_add_up_is_said_so(
    models: dict[str, LocalModel], name: str, words: str
) -> None:
    trace = ctxlab.build(CHAT, model=models[name])

    assert any(words in note.text for note in trace.result.notes)


def test_calls_results_and_tools_count_as_the_template_writes_them(tmp_path: Path) -> None:
    template = (
        "{% if tools %}# Tools\n{{ tools | tojson }}\n{% endif %}"
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}"
        "{% for c in m.tool_calls or [] %}<call>{{ c.function.name }} {{ c.function.arguments | tojson }}</call>"
        "{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    model = ctxlab.local_model(hugging_face(tmp_path, template))
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"lamp","n":[1,2]}'}}
    chat = [
        CHAT[1],
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "out"},
        {"role": "assistant", "content": "It was."},
        CHAT[3],
    ]
    trace = ctxlab.build(chat, model=model)
    found = rendered(trace, model).tokens
    tool = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {}}}

    assert found is not None
    assert found <= trace.tokens <= found + 12
    assert trace.services.tokenizer.count_tools([tool]) > trace.services.tokenizer.count('{"name":"look"}')


@pytest.mark.parametrize("form", ["path", "text path", "gguf", "model", "tokenizers", "function", "list"])
def test_every_form_of_a_tokenizer_gives_the_same_count(tmp_path: Path, form: str) -> None:
    folder = hugging_face(tmp_path / "tiny")
    own = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    forms: dict[str, Any] = {
        "path": folder / "tokenizer.json",
        "text path": str(folder / "tokenizer.json"),
        "gguf": gguf_of_vocabulary(tmp_path / "tiny.gguf"),
        "model": ctxlab.local_model(folder),
        "tokenizers": own,
        "function": lambda text: len(own.encode(text, add_special_tokens=False).ids),
        "list": lambda text: own.encode(text, add_special_tokens=False).ids,
    }

    counter = ctxlab.build(CHAT, tokenizer=forms[form]).services.tokenizer

    assert counter.count("the lamp of 灯塔") == len(own.encode("the lamp of 灯塔", add_special_tokens=False).ids)
    assert (
        pickle.loads(pickle.dumps(counter)).count("the lamp") == counter.count("the lamp") if form != "list" else True
    )


@pytest.mark.parametrize(("name", "counted"), [("chars4+4", "chars4+4"), ("cl100k_base", "cl100k_base")])
def test_a_tokenizer_has_a_name(name: str, counted: str) -> None:
    assert ctxlab.build(CHAT, tokenizer=name).services.tokenizer.name == counted


def test_what_counts_nothing_is_refused() -> None:
    with pytest.raises(WrongSetting, match="did you mean"):
        ctxlab.build(CHAT, tokenizer="o200k_bas")
    with pytest.raises(WrongArgument, match="tokenizer"):
        ctxlab.build(CHAT, tokenizer=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(WrongArgument, match="number of tokens"):
        ctxlab.build(CHAT, tokenizer=lambda text: text is None)


def test_a_run_with_a_model_of_one_s_own_pickles_and_reruns(models: dict[str, LocalModel]) -> None:
    trace = pickle.loads(pickle.dumps(ctxlab.build(CHAT, model=models["chatml"])))

    assert trace.rerun({"token-limiter.budget_tokens": 60}).tokens <= 60


@pytest.mark.parametrize("server", ["ollama", "llama.cpp", "koboldcpp", "vllm"])
def test_a_local_server_speaks_the_compatible_wire(models: dict[str, LocalModel], server: str) -> None:
    trace = ctxlab.build(CHAT, model=models["chatml"])

    assert payload(trace, server).provider.name == "openai-compatible"


def test_a_run_is_built_again_for_a_model_of_one_s_own_and_for_a_vendors_after_it(
    models: dict[str, LocalModel],
) -> None:
    vendors, own = ctxlab.build(CHAT, model="gpt-4o"), ctxlab.build(CHAT, model=models["chatml"])

    there = ctxlab.rebuild(vendors, model=models["chatml"])
    back = ctxlab.rebuild(there, model="gpt-4o")
    counted = ctxlab.rebuild(vendors, tokenizer=models["chatml"])

    assert (there.tokens, counted.tokens) == (own.tokens, own.tokens)
    assert there.start.input.model == own.start.input.model
    assert back.tokens == vendors.tokens
    notes = [note.text for note in ctxlab.rebuild(vendors, model=models["refusing"]).result.notes]
    assert any("no chats" in note for note in notes)


def test_a_turn_with_a_model_of_one_s_own_goes_to_its_server_and_counts_by_its_vocabulary(
    models: dict[str, LocalModel],
) -> None:
    from ctxlab.testing import FakeServer

    with FakeServer("Aye.") as server:
        address = server.base_url("openai-compatible")
        turn = ctxlab.send(
            ctxlab.Session(id="s"), "灯塔?", model=models["chatml"], provider="llama.cpp", base_url=address, key="any"
        )

    assert (turn.error, turn.text, server.requests[0].model) == (None, "Aye.", "chatml")
    assert (
        turn.requests[0].trace.tokens
        == ctxlab.build([{"role": "user", "content": "灯塔?"}], model=models["chatml"]).tokens
    )
    with pytest.raises(WrongArgument, match="provider= says who serves"):
        ctxlab.send(ctxlab.Session(id="s"), "灯塔?", model=models["chatml"])
