"""Facts about widgets, read from their code; nothing here needs Sphinx."""
