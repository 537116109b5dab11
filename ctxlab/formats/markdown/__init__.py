"""Sessions as Markdown."""
