"""Agents, their presets, and the verbs that change them."""
