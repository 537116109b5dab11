#!/usr/bin/env bash
# A real llama.cpp server (PyPI xllamacpp 2026.10.11549), a model with a sliding window (Gemma 3's architecture), --swa-full: the
# window's cache is as long as the context, so that an edit in the middle of a prompt is read from the edit on. But only until the
# prompt has been in the memory of prompts (--cache-ram, 8 GiB by default) once: its state is saved without the cells that the last
# token no longer sees, whatever --swa-full says. Taken back, the prompt itself costs one token, and an edit before its last 512
# tokens reads all of it again, as without --swa-full, and worse: there are no checkpoints either. So two chats that take turns on
# one slot lose what the option is for. With --cache-ram 0 the same edit of an untouched slot is read from the edit on.
# An expert would guess that the memory of prompts gives back what it took.
# Seen: {"edit of the slot": 801, "taken back": 1, "edit of what was taken back": 1601}
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet xllamacpp==2026.10.11549 gguf==0.19.0 numpy==2.4.4
cat > "$work/try.py" <<'PY'
import json
import os
import sys
import urllib.request

import numpy as np
import xllamacpp
from gguf import GGUFWriter

WIDTH, HEADS, LAYERS, HEAD, INNER = 32, 2, 6, 16, 64


def write_model(path):
    tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{n:02X}>".encode() for n in range(256)]
    out = GGUFWriter(path, "gemma3")
    out.add_context_length(4096)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(INNER)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_key_length(HEAD)
    out.add_value_length(HEAD)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_vocab_size(len(tokens))
    out.add_sliding_window(512)
    out.add_rope_freq_base(10000.0)
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_scores([0.0] * len(tokens))
    out.add_token_types([2, 3, 3] + [6] * 256)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)
    out.add_add_bos_token(True)
    dice = np.random.default_rng(0)
    ones = lambda size: np.ones(size, np.float32)
    weights = lambda *shape: (dice.standard_normal(shape) * 0.1).astype(np.float32)
    out.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    out.add_tensor("output_norm.weight", ones(WIDTH))
    for layer in range(LAYERS):
        at = f"blk.{layer}."
        for name in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            out.add_tensor(f"{at}{name}.weight", ones(WIDTH))
        for name in ("attn_q_norm", "attn_k_norm"):
            out.add_tensor(f"{at}{name}.weight", ones(HEAD))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            out.add_tensor(f"{at}{name}.weight", weights(WIDTH, WIDTH))
        for name in ("ffn_gate", "ffn_up"):
            out.add_tensor(f"{at}{name}.weight", weights(INNER, WIDTH))
        out.add_tensor(f"{at}ffn_down.weight", weights(WIDTH, INNER))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def read(url, prompt):
    """Tokens of a prompt that the server had to read."""
    body = json.dumps({"prompt": prompt, "n_predict": 1}).encode()
    request = urllib.request.Request(f"{url}/completion", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)["timings"]["prompt_n"]


write_model(sys.argv[1])
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port, params.verbosity, params.warmup = 4096, 1, 0, -1, False
params.swa_full = True
server = xllamacpp.Server(params)
url = server.listening_address
dice = np.random.default_rng(1)
one = [1, *(int(n) + 3 for n in dice.integers(0, 100, 1600))]
other = [1, *(int(n) + 103 for n in dice.integers(0, 100, 1600))]
edited = [*one[:800], 250, *one[801:]]
again = [*one[:801], 251, *one[802:]]
read(url, one)
found = {"edit of the slot": read(url, edited)}
read(url, one)
read(url, other)
found["taken back"] = read(url, one)
found["edit of what was taken back"] = read(url, again)
print(json.dumps(found))
sys.stdout.flush()
os._exit(0)
PY
seen=$("$work/env/bin/python" "$work/try.py" "$work/tiny.gguf" 2> /dev/null)
echo "$seen"
test "$seen" = '{"edit of the slot": 801, "taken back": 1, "edit of what was taken back": 1601}'
