"""The cases of the suite, a module a topic. Nothing here imports ctxlab: what is expected is written down or reckoned
by the rules of the README alone."""
