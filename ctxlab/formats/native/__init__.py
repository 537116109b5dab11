"""ctxlab's own files: sessions, agents, worldbooks, rules and archives of them."""
