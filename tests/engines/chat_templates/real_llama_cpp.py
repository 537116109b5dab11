"""A llama.cpp server in a process of its own: prints what it makes of chats, a line of JSON each.

    python real_llama_cpp.py MODEL.gguf TEMPLATE CHATS.json [--counts]

Each line is [name, answer]; the first is ["", {}], when the server is up. It stands alone, since a template may end the
whole process of the server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

WAIT_SECONDS = 120
"""The longest that an answer may take, on a machine that is busy with other work."""


def write_model(path: Path) -> None:
    """A model of 115 kB with random weights, one token a byte, for a server that is asked for texts and counts."""
    import numpy as np
    from gguf import GGUFWriter

    bytes_ = [f"<0x{n:02X}>".encode() for n in range(256)]
    tokens = [b"<unk>", b"<s>", b"</s>", *bytes_]
    width, inner, heads = 32, 64, 2
    out = GGUFWriter(path, "llama")
    out.add_context_length(4096)
    out.add_embedding_length(width)
    out.add_block_count(1)
    out.add_feed_forward_length(inner)
    out.add_head_count(heads)
    out.add_head_count_kv(heads)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_vocab_size(len(tokens))
    out.add_rope_dimension_count(width // heads)
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_scores([0.0] * len(tokens))
    out.add_token_types([2, 3, 3] + [6] * 256)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)
    out.add_add_bos_token(True)
    out.add_add_space_prefix(False)
    dice = np.random.default_rng(0)

    def weights(*shape: int) -> Any:
        return (dice.standard_normal(shape) * 0.1).astype(np.float32)

    out.add_tensor("token_embd.weight", weights(len(tokens), width))
    out.add_tensor("output.weight", weights(len(tokens), width))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        out.add_tensor(f"{name}.weight", np.ones(width, np.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        out.add_tensor(f"blk.0.{name}.weight", weights(width, width))
    for name, shape in (("gate", (inner, width)), ("up", (inner, width)), ("down", (width, inner))):
        out.add_tensor(f"blk.0.ffn_{name}.weight", weights(*shape))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def asked(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The server's answer; what it refuses is {"error": its words}."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        return {"error": json.load(refusal)["error"]["message"]}


def main(model: str, template: str, chats: str, *counts: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.port, params.verbosity, params.warmup = 4096, 1, 0, -1, False
    params.chat_template = Path(template).read_text("utf-8")
    server = xllamacpp.Server(params)
    _print("", {})
    url = server.listening_address
    for name, chat in json.loads(Path(chats).read_text("utf-8")).items():
        _print(name, {**asked(f"{url}/apply-template", chat), **(_counted(url, chat) if counts else {})})
    os._exit(0)


def _print(name: str, answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps([name, answer]) + "\n")
    sys.stdout.flush()


def _counted(url: str, chat: dict[str, Any]) -> dict[str, Any]:
    answer = asked(f"{url}/v1/chat/completions", {**chat, "max_tokens": 1})
    return {"tokens": answer["usage"]["prompt_tokens"]} if "usage" in answer else {}


def answers(
    model: Path, template: str, chats: dict[str, Any], folder: Path, *, counts: bool = False
) -> dict[str, dict[str, Any]] | None:
    """The answers of a server that is started with a template to each chat; None where it doesn't start.

    Where a chat ends the server, or it answers nothing for long, its answer is {"ended": True}; it is started anew for
    the others.
    """
    (folder / "t.jinja").write_text(template, "utf-8")
    found: dict[str, dict[str, Any]] = {}
    while left := {name: chat for name, chat in chats.items() if name not in found}:
        (folder / "chats.json").write_text(json.dumps(left), "utf-8")
        typed = [sys.executable, __file__, str(model), str(folder / "t.jinja"), str(folder / "chats.json")]
        try:
            done = subprocess.run(
                [*typed, *(["--counts"] if counts else [])],
                capture_output=True,
                timeout=WAIT_SECONDS * (1 + len(left)),
                check=False,
            )
            written = done.stdout
        except subprocess.TimeoutExpired as late:
            written = late.stdout or b""
        lines = [json.loads(line) for line in written.decode().splitlines() if line.startswith("[")]
        if not lines:
            return None
        found.update(lines[1:])
        if len(lines) <= len(left):
            found[next(name for name in left if name not in found)] = {"ended": True}
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
