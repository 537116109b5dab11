"""Findings: what is wrong with a context, or carried along for nothing, each with its place, cost and remedy."""
