"""Posting a request and reading its reply: connections, streams of events, replies that grow piece by piece."""
