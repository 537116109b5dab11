"""Bytes of attached files on their way into a library and out of it."""
