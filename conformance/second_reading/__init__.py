"""A second reading of the README's rules: a small program of its own, which shares no code with ctxlab or make.py."""
