"""Works that are timed in an older commit and in this checkout: each public function of these modules is one.

It prepares, yields once, and does the work; its first line says which. It calls only what the older ctxlab has too.
"""
