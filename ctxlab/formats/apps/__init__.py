"""Exports and logs of chat programs and coding agents."""
