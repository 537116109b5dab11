"""Readers of recordings, one file for each kind of log."""
