"""Small languages and indexes that the steps rely on, each usable alone."""
