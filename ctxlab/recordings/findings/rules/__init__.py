"""The rules that come with ctxlab, a few to a file."""
