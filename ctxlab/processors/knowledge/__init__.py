"""Parts of the knowledge step: its settings, the conversation as it is searched by, and one search."""
