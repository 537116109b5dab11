"""Requests that SillyTavern really sent, beside those that ctxlab builds of the same files."""
