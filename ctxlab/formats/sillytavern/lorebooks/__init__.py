"""Lorebooks, in and out."""
