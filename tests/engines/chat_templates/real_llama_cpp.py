"""A llama.cpp server in a process of its own: prints what it makes of chats, as JSON.

    python real_llama_cpp.py MODEL.gguf TEMPLATE CHATS.json

It stands alone, since a template may end the whole process of the server.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any


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
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        return {"error": json.load(refusal)["error"]["message"]}


def main(model: str, template: str, chats: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.port, params.verbosity, params.warmup = 4096, 1, 0, -1, False
    params.chat_template = Path(template).read_text("utf-8")
    server = xllamacpp.Server(params)
    url = server.listening_address
    found = {
        name: {**asked(f"{url}/apply-template", chat), **_counted(url, chat)}
        for name, chat in json.loads(Path(chats).read_text("utf-8")).items()
    }
    sys.stdout.write(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)


def _counted(url: str, chat: dict[str, Any]) -> dict[str, Any]:
    answer = asked(f"{url}/v1/chat/completions", {**chat, "max_tokens": 1})
    return {"tokens": answer["usage"]["prompt_tokens"]} if "usage" in answer else {}


if __name__ == "__main__":
    main(*sys.argv[1:])
