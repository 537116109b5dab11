"""See what an LLM chat program builds before it sends."""
