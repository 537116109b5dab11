"""Bytes: files of messages and agents, their types, how a model reads them, and their text."""
