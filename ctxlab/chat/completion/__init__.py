"""Completion of what is being typed."""
