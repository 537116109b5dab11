"""Regex scripts, in and out."""
