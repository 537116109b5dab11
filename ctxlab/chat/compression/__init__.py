"""Compression: a long history's older messages are replaced by a summary that stands for them."""
