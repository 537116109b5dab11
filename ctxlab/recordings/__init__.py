"""Listening: what other programs really sent, request by request."""
