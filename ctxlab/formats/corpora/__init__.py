"""Published datasets of conversations."""
