"""Models of 115 and 300 kB with random weights, one token a byte, for a server that is asked what it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CONTEXT = 4096
WINDOW = 512


def write_windowed_model(path: Path) -> None:
    """A model of Gemma 3's architecture, of which five of six layers see the last 512 tokens."""
    import numpy as np
    from gguf import GGUFWriter

    width, inner, heads, layers, head = 32, 64, 2, 6, 16
    out = GGUFWriter(path, "gemma3")
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{n:02X}>".encode() for n in range(256))]
    out.add_context_length(CONTEXT)
    out.add_embedding_length(width)
    out.add_block_count(layers)
    out.add_feed_forward_length(inner)
    out.add_head_count(heads)
    out.add_head_count_kv(heads)
    out.add_key_length(head)
    out.add_value_length(head)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_vocab_size(len(tokens))
    out.add_sliding_window(WINDOW)
    out.add_rope_freq_base(10_000.0)
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
    out.add_tensor("output_norm.weight", np.ones(width, np.float32))
    for layer in range(layers):
        for name in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            out.add_tensor(f"blk.{layer}.{name}.weight", np.ones(width, np.float32))
        for name in ("attn_q_norm", "attn_k_norm"):
            out.add_tensor(f"blk.{layer}.{name}.weight", np.ones(head, np.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            out.add_tensor(f"blk.{layer}.{name}.weight", weights(width, width))
        for name, shape in (("gate", (inner, width)), ("up", (inner, width)), ("down", (width, inner))):
            out.add_tensor(f"blk.{layer}.ffn_{name}.weight", weights(*shape))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
