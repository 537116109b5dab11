"""Translations by a model, in which tags, code, macros and addresses stay as they are."""
