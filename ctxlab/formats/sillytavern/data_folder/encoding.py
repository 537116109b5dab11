"""The encoding by whose tokens the program cuts a request, from the name of its model."""

from __future__ import annotations

from typing import Final

ESTIMATED_SOURCES: Final = frozenset(
    {"ai21", "claude", "cohere", "deepseek", "makersuite", "mistralai", "vertexai"},
)
"""Sources of completions whose models have a tokenizer of their own there, whatever the model is called."""
IN_NAMES: Final = (
    (("o1-preview", "o1-mini", "o3-mini", "gpt-5", "o3", "o4-mini"), "o200k_base"),
    (("gpt-4o", "chatgpt-4o-latest", "gpt-4.1", "gpt-4.5"), "o200k_base"),
    (("gpt-4", "gpt-3.5-turbo"), "cl100k_base"),
    (("claude", "llama", "mistral", "yi", "deepseek", "gemma", "gemini", "learnlm", "jamba", "qwen2"), None),
    (("command-r", "command-a", "nemo"), None),
)
"""Words in a model's name by which the program finds an encoding, in its order; of None the ranks aren't at hand."""
USUAL: Final = "cl100k_base"
"""With which it counts for a model of whose name it knows nothing."""


def encoding_of(source: str, model: str) -> str | None:
    """The encoding of a model; None where the program has a tokenizer for it that is only estimated here."""
    if source in ESTIMATED_SOURCES:
        return None
    if model == "o1":
        return "o200k_base"
    return next((encoding for words, encoding in IN_NAMES if any(word in model for word in words)), USUAL)
