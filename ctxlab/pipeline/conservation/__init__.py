"""The conservation law: no step loses or changes a message without a cause."""
