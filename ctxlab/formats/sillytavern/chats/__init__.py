"""Chats as JSON lines, in and out."""
