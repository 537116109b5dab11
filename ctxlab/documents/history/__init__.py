"""Undo history of a session, and the differences it is made of."""
