"""A name for a conversation, asked of a model."""
