"""Prompt presets, in and out."""
