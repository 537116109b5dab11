"""A llama.cpp server in a process of its own that is given prompts one after another: prints what it read of each.

    python real_server.py MODEL.gguf SETTINGS.json PROMPTS.json

Without prompts it prints its address and serves until its input ends. A prompt is a list of token ids, a text, or a
chat as a body of `/v1/chat/completions`.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

SETTINGS = (
    "n_ctx",
    "n_parallel",
    "kv_unified",
    "ctx_shift",
    "swa_full",
    "n_cache_reuse",
    "cache_ram_mib",
    "chat_template",
)


def asked(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The server's answer; what it refuses is {"error": its words}."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        return {"error": json.load(refusal)["error"]["message"]}


def main(model: str, settings: str, prompts: str = "") -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.port, params.verbosity, params.warmup = 4096, 1, 0, -1, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    for name, value in json.loads(settings).items():
        assert name in SETTINGS, name
        setattr(params, name, value)
    server = xllamacpp.Server(params)
    url = server.listening_address
    if not prompts:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        sys.stdin.read()
        os._exit(0)
    found = [_read(url, prompt) for prompt in json.loads(Path(prompts).read_text("utf-8"))]
    sys.stdout.write(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)


def _read(url: str, prompt: Any) -> dict[str, Any]:
    if isinstance(prompt, dict):
        answer = asked(f"{url}/v1/chat/completions", {**prompt, "max_tokens": 1})
        if "error" in answer:
            return answer
        usage = answer["usage"]
        return {"tokens": usage["prompt_tokens"], "cached": usage["prompt_tokens_details"]["cached_tokens"]}
    answer = asked(f"{url}/completion", {"prompt": prompt, "n_predict": 1})
    if "error" in answer:
        return answer
    timings = answer["timings"]
    return {"tokens": timings["cache_n"] + timings["prompt_n"], "cached": timings["cache_n"]}


if __name__ == "__main__":
    main(*sys.argv[1:])
