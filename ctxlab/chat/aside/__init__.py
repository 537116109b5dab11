"""Models asked beside the conversation: for names of topics, translations and completions."""
