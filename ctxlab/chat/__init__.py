"""A turn of a conversation: a message is sent, its answer becomes nodes, tools are called, old messages compressed."""
