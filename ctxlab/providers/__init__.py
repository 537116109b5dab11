"""Requests of vendors."""
