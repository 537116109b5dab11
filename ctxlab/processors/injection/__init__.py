"""Presets and lore placed around, into and between the history."""
