"""Keeping: a workspace on disk, and the search in it."""
