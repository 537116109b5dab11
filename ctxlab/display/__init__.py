"""Colours, short texts, HTML tables and the entry points of views."""
